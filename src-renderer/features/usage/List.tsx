import {
  ArrowLeftRight,
  ChartNoAxesColumn,
  Gauge,
  History,
  type LucideIcon,
  MessagesSquare,
  Pencil,
} from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Account, sandboxAddress } from '../../../src-preload/contract/usage.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Pill } from '../../shared/ui/Pill.tsx'
import { RenameDialog } from '../../shared/ui/RenameDialog.tsx'
import { appStore, isConnected, useApp } from '../../stores/app.ts'
import { hrefOf, useRoute } from '../../stores/route.ts'
import { type Section, sections, selectedAccount, usageStore, useUsage } from '../../stores/usage.ts'
import { sectionOf } from './actions.ts'
import { attempt } from './client.ts'

const icons: Record<Section, LucideIcon> = {
  overview: ChartNoAxesColumn,
  sessions: MessagesSquare,
  elsewhere: ArrowLeftRight,
  limits: Gauge,
  corrections: History,
}

/** The page's sections, and below them the accounts. */
export function UsageList() {
  const { t } = useTranslation('usage')
  const { id } = useRoute()
  const current = sectionOf(id)
  const corrections = useUsage((store) => store.summaries[selectedAccount(store)?.id ?? '']?.corrections ?? 0)
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-2.5">
      <nav aria-label={t('sections.label')} className="flex flex-col gap-0.5">
        {sections.map((section) => {
          const Icon = icons[section]
          return (
            <a
              key={section}
              href={hrefOf({ page: 'usage', id: section === 'overview' ? null : section })}
              aria-current={section === current ? 'page' : undefined}
              onClick={() => appStore.setState({ listDrawerOpen: false })}
              className={cx(
                'flex h-8 items-center gap-2.5 rounded-m px-2.5 transition-colors duration-100',
                section === current ? 'bg-pick font-[540] text-ink' : 'text-soft hover:bg-hover hover:text-ink',
              )}
            >
              <Icon aria-hidden size={15} strokeWidth={1.75} className="shrink-0" />
              <span className="min-w-0 truncate">{t(`sections.${section}`)}</span>
              {section === 'corrections' && corrections > 0 && (
                <span className="num ms-auto text-s text-soft">{corrections}</span>
              )}
            </a>
          )
        })}
      </nav>
      <UsageAccounts />
    </div>
  )
}

function UsageAccounts() {
  const { t } = useTranslation('usage')
  const accounts = useUsage((store) => store.accounts)
  const open = useUsage(selectedAccount)
  const connected = useApp(isConnected)
  const [renamed, setRenamed] = useState<Account | null>(null)
  if (!accounts || accounts.length === 0) return null
  return (
    <section aria-label={t('accounts.title')} className="flex flex-col gap-0.5">
      <h2 className="px-2.5 pb-1 font-semibold text-faint text-s">{t('accounts.title')}</h2>
      <ul className="flex flex-col gap-0.5">
        {accounts.map((account) => (
          <li
            key={account.id}
            className={cx('group flex items-center rounded-m', account.id === open?.id ? 'bg-pick' : 'hover:bg-hover')}
          >
            <button
              type="button"
              aria-pressed={account.id === open?.id}
              onClick={() => {
                usageStore.setState({ accountId: account.id, answer: null })
                appStore.setState({ listDrawerOpen: false })
              }}
              className="flex min-w-0 flex-1 flex-col items-start rounded-m px-2.5 py-1.5 text-start"
            >
              <span className="flex w-full min-w-0 items-center gap-2">
                <span dir="auto" className="min-w-0 truncate font-[520]">
                  {account.name}
                </span>
                {account.active && (
                  <Pill tone={connected ? 'good' : 'muted'}>
                    {t(connected ? 'accounts.connected' : 'accounts.notConnected')}
                  </Pill>
                )}
              </span>
              <span className="w-full truncate text-s text-soft">
                {account.baseUrl === sandboxAddress
                  ? t('accounts.onThisComputer')
                  : account.baseUrl.replace(/^https?:\/\//, '')}
              </span>
            </button>
            <IconButton
              icon={Pencil}
              size="small"
              label={t('accounts.rename', { name: account.name })}
              className="me-1.5"
              onClick={() => setRenamed(account)}
            />
          </li>
        ))}
      </ul>
      {accounts.length > 1 && <p className="px-2.5 pt-1 text-faint text-s">{t('accounts.about')}</p>}
      <Rename account={renamed} onClose={() => setRenamed(null)} />
    </section>
  )
}

function Rename({ account, onClose }: { account: Account | null; onClose: () => void }) {
  const { t } = useTranslation('usage')
  const rename = (id: string, name: string) =>
    void attempt((core) => core.usage.rename({ id, name })).then((done) => done && onClose())
  return (
    <RenameDialog
      name={account?.name ?? null}
      onClose={onClose}
      title={t('accounts.renameTitle')}
      about={t('accounts.renameAbout')}
      label={t('accounts.name')}
      save={t('accounts.save')}
      maxLength={100}
      onName={(name) => account && rename(account.id, name)}
    />
  )
}
