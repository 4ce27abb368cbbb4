import { isComposing } from '../../shared/isComposing.ts'
import './keys.css'
import { KeyRound } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountKey } from '../../../src-preload/contract/account.ts'
import { navigate } from '../../shared/navigation.ts'
import { cx } from '../../shared/ui/cx.ts'
import { Facts } from '../../shared/ui/Facts.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { raisedSearch, SearchField } from '../../shared/ui/SearchField.tsx'
import { appStore, isConnected, useApp } from '../../stores/app.ts'
import { keyShown, keysStore, matchingKeys, useKeys } from '../../stores/keys.ts'
import { hrefOf, useRoute } from '../../stores/route.ts'
import { useStamp } from './timestamp.ts'

/** The account's keys: usable keys first, revoked keys dimmed. Arrow keys move the selection. */
export function KeysList() {
  const { t } = useTranslation('keys')
  const { id } = useRoute()
  const keys = useKeys((store) => store.keys)
  const search = useKeys((store) => store.search)
  const shown = useMemo(() => matchingKeys(keys ?? [], search), [keys, search])
  const current = keyShown(keys ?? [], id)
  const isUnset = useApp(({ app }) => app?.connection.state === 'none')
  const list = useRef<HTMLUListElement>(null)
  const byKey = (event: KeyboardEvent): void => {
    const at = shown.findIndex((key) => key.id === current?.id)
    const goals: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }
    const goal = goals[event.key]
    if (goal === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const next = shown[Math.max(0, Math.min(shown.length - 1, goal))]
    if (!next) return
    navigate({ page: 'keys', id: next.id }, { replace: true })
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.id)}"]`)?.focus()
  }
  return (
    <nav aria-label={t('list')} className="flex min-h-0 flex-1 flex-col">
      <SearchField
        className={cx('keys-search', raisedSearch)}
        iconSize={14}
        label={t('search')}
        value={search}
        onValue={(text) => keysStore.setState({ search: text })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || search === '' || isComposing(event)) return
          keysStore.setState({ search: '' })
          event.preventDefault()
        }}
      />
      {(keys !== null || isUnset) && shown.length === 0 && (
        <p className="px-4 py-2 text-faint text-s">{t(keys?.length ? 'noMatch' : 'none')}</p>
      )}
      <ul ref={list} className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto px-2.5 pb-3" onKeyDown={byKey}>
        {shown.map((key) => (
          <Row key={key.id} row={key} current={key.id === current?.id} />
        ))}
      </ul>
    </nav>
  )
}

function Row({ row, current }: { row: AccountKey; current: boolean }) {
  const { t } = useTranslation('keys')
  const stamp = useStamp()
  const connected = useApp(isConnected)
  const ended = row.revokedAt !== null || row.gone
  return (
    <li>
      <a
        href={hrefOf({ page: 'keys', id: row.id })}
        data-key={row.id}
        data-ended={ended}
        aria-current={current ? 'page' : undefined}
        tabIndex={current ? 0 : -1}
        onClick={() => appStore.setState({ listDrawerOpen: false })}
        className={cx('flex items-center gap-2.5 rounded-m px-2.5 py-1.5', current ? 'bg-pick' : 'hover:bg-hover')}
      >
        <KeyRound aria-hidden size={15} strokeWidth={1.75} className="shrink-0 text-soft" />
        <span className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-2">
            <span dir="auto" className={cx('min-w-0 truncate', ended ? 'text-soft line-through' : 'font-[520]')}>
              {row.name ?? t('unnamed')}
            </span>
            {row.calling && <Pill tone={connected ? 'good' : 'muted'}>{t('calling')}</Pill>}
          </span>
          <span className="block text-s text-soft">
            <Facts>
              {row.prefix && (
                <code dir="ltr" className="font-mono">
                  {row.prefix}…
                </code>
              )}
              {row.revokedAt !== null && t('revokedAt', { at: stamp(row.revokedAt) })}
              {row.revokedAt === null && row.gone && t('gone')}
            </Facts>
          </span>
        </span>
      </a>
    </li>
  )
}
