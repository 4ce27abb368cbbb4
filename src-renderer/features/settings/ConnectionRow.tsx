import { Ellipsis, KeyRound, Merge, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Connection, SavedProfile } from '../../../src-preload/contract/app.ts'
import { showDay, showInstant, showSc } from '../../i18n/format.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useApp } from '../../stores/app.ts'
import { useUsage } from '../../stores/usage.ts'

const tones: Record<Connection['state'], PillTone> = {
  none: 'muted',
  checking: 'warn',
  connected: 'good',
  failed: 'bad',
}

/** One connection. `connection` is the state of the active connection, null for other connections. `busy` is the running action. */
export function ConnectionRow(props: {
  profile: SavedProfile
  connection: Connection | null
  busy: string | null
  onUse: () => void
  onTest: () => void
  onChange: () => void
  onRename: () => void
  /** Absent when there is no earlier account to merge. */
  onMerge: (() => void) | null
  onForget: () => void
}) {
  const { t } = useTranslation('settings')
  const { profile, connection, busy } = props
  const account = useUsage(({ accounts }) => accounts?.find(({ id }) => id === profile.accountId) ?? null)
  const hasKeyFile = useApp(({ app }) => app?.keychain.keyFile !== undefined)
  const kept = profile.keyKept === 'keychain' && hasKeyFile ? 'keyFile' : profile.keyKept
  const wantsKey = profile.keyKept === 'none'
  const isChangeable = profile.kind === 'service' && profile.keyKept !== 'environment'
  return (
    <li
      className={cx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-3 first:rounded-t-l',
        connection && 'bg-panel',
      )}
    >
      <div className="min-w-0 flex-1 basis-56">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span dir="auto" className="min-w-0 max-w-full truncate font-semibold">
            {profile.name}
          </span>
          {connection && !wantsKey && (
            <Pill tone={connection.offline ? 'warn' : tones[connection.state]}>
              {t(
                `connection.state.${connection.offline && connection.state === 'failed' ? 'offline' : connection.state}`,
              )}
            </Pill>
          )}
          {wantsKey && <Pill tone="warn">{t('connection.keyMissing')}</Pill>}
          {connection?.checkedAt && !wantsKey && (
            <RelativeTime at={connection.checkedAt} did="checked" className="shrink-0 text-faint text-s" />
          )}
        </div>
        {profile.kind === 'sandbox' ? (
          <span className="block text-s text-soft">{t('connection.onThisMachine')}</span>
        ) : (
          <code dir="ltr" className="block truncate text-start font-mono text-s text-soft" title={profile.baseUrl}>
            {profile.baseUrl}
          </code>
        )}
        <div className="flex flex-wrap gap-x-3 text-faint text-s">
          <span>{t('connection.keyStoredIn', { where: t(`connection.kept.${kept}`) })}</span>
          {account?.balance && (
            <time className="num" dateTime={account.balance.asOf} title={showInstant(account.balance.asOf)}>
              <WithSc
                text={t('connection.balanceLeft', {
                  amount: showSc(account.balance.value),
                  at: showDay(account.balance.asOf),
                })}
              />
            </time>
          )}
        </div>
      </div>
      {wantsKey ? (
        <Button
          icon={KeyRound}
          aria-label={t('connection.enterKeyOf', { name: profile.name })}
          onClick={props.onChange}
        >
          {t('connection.enterKey')}
        </Button>
      ) : connection ? (
        <Button icon={RefreshCw} busy={busy === 'test' || connection.state === 'checking'} onClick={props.onTest}>
          {t('connection.test')}
        </Button>
      ) : (
        <Button
          aria-label={t('connection.switchTo', { name: profile.name })}
          busy={busy === `use ${profile.id}`}
          onClick={props.onUse}
        >
          {t('connection.switch')}
        </Button>
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={t('connection.more', { name: profile.name })} />}>
        {isChangeable && <MenuItem icon={KeyRound} label={t('connection.change')} onSelect={props.onChange} />}
        <MenuItem icon={Pencil} label={t('connection.rename')} onSelect={props.onRename} />
        {props.onMerge && <MenuItem icon={Merge} label={t('connection.merge')} onSelect={props.onMerge} />}
        <MenuLine />
        <MenuItem icon={Trash2} danger label={t('connection.deleteItem')} onSelect={props.onForget} />
      </Menu>
    </li>
  )
}
