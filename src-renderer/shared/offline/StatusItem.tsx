import { CloudOff, RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Connection, Offline } from '../../../src-preload/contract/app.ts'
import { showAgo, showClock, showFull, showInstant } from '../../i18n/format.ts'
import { pageOfOutboxItem, useOutbox } from '../../stores/outbox.ts'
import { navigate } from '../navigation.ts'
import { cx } from '../ui/cx.ts'
import { StatusText } from '../ui/StatusText.tsx'
import { useNow } from '../useNow.ts'
import { useReconnect } from './useOffline.ts'

const item =
  'num flex h-full min-w-0 items-center gap-1.5 rounded-s px-2 hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px]'

/** Replaces the connection's name: since when the service is unreachable, and when that was last checked. */
export function OfflineTexts({ connection, offline }: { connection: Connection; offline: Offline }) {
  const { t } = useTranslation(['offline', 'common'])
  const now = useNow(60_000)
  const at = sinceText(offline.since, now)
  const checkedAt = connection.checkedAt ?? offline.since
  const name = connection.profile?.name ?? ''
  return (
    <span title={t('sinceAbout', { name })} className="flex min-w-0 items-center gap-1.5">
      <CloudOff aria-hidden size={13} strokeWidth={1.75} className="shrink-0 text-warn" />
      <span className="min-w-0 truncate text-ink">{t('since', { at })}</span>
      {/* Part of a button, which has the focus: the exact time is its title. */}
      <time dateTime={checkedAt} title={showFull(checkedAt)} className="truncate text-faint max-[800px]:hidden">
        {t('common:checkedAgo', { ago: showAgo(checkedAt, now) })}
      </time>
    </span>
  )
}

/** Checks the connection now. Screen readers hear once that the service is unreachable. */
export function ReconnectItem() {
  const { t } = useTranslation('offline')
  const { reconnect, checking } = useReconnect()
  return (
    <>
      <button type="button" onClick={reconnect} aria-disabled={checking} className={cx(item, 'shrink-0')}>
        <RefreshCw aria-hidden size={12} strokeWidth={1.75} className={checking ? 'animate-spin' : ''} />
        <span className="max-[800px]:sr-only">{t(checking ? 'checking' : 'checkNow')}</span>
      </button>
      <StatusText>{t('announced')}</StatusText>
    </>
  )
}

/** The time only, or the day too when it is another day. */
function sinceText(since: string, now: number): string {
  return new Date(since).toDateString() === new Date(now).toDateString() ? showClock(since) : showInstant(since)
}

/** The number of outbox items, as a link to the first one. */
export function OutboxStatusItem() {
  const { t } = useTranslation('offline')
  const count = useOutbox(({ items }) => items.length)
  const first = useOutbox(({ items }) => items[0]?.what ?? null)
  const recordingId = useOutbox(({ items }) => items[0]?.recordingId ?? null)
  if (first === null) return null
  return (
    <button
      type="button"
      title={t('waitsAbout')}
      onClick={() => navigate({ page: pageOfOutboxItem[first], id: recordingId })}
      className={cx(item, 'shrink-0 whitespace-nowrap')}
    >
      {t('waits', { count })}
    </button>
  )
}
