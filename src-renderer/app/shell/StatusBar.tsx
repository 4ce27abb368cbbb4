import { Waypoints } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState, MinuteBucket } from '../../../src-preload/contract/app.ts'
import { banAt } from '../../../src-preload/contract/limitText.ts'
import { joinFacts, showCount, showInstant, showSc } from '../../i18n/format.ts'
import { Bell } from '../../shared/alerts/Bell.tsx'
import { navigate } from '../../shared/navigation.ts'
import { OfflineTexts, OutboxStatusItem, ReconnectItem } from '../../shared/offline/StatusItem.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Meter } from '../../shared/ui/Meter.tsx'
import { plainText } from '../../shared/ui/plainText.ts'
import { useNow } from '../../shared/useNow.ts'
import { useApp } from '../../stores/app.ts'
import type { Route } from '../../stores/route.ts'
import { useUsage } from '../../stores/usage.ts'
import { nearLimit } from './bucket.ts'
import { ConnectionMenu } from './ConnectionMenu.tsx'

/** What a person must know now: connection, local API, alerts, and the request limit only when it is near. Every item is a button. */
export function StatusBar() {
  const { t } = useTranslation('shell')
  const link = useApp((store) => store.link)
  const app = useApp((store) => store.app)
  return (
    <footer
      role="contentinfo"
      aria-label={t('status.label')}
      className="flex h-[1.6875rem] shrink-0 items-center overflow-hidden bg-panel px-1.5 text-s text-soft"
    >
      {link === 'lost' || link === 'unauthorized' ? (
        <span
          role="alert"
          title={t(link === 'lost' ? 'status.lostLong' : 'status.unauthorizedAbout')}
          className="flex min-w-0 items-center gap-1.5 px-2 text-bad"
        >
          <Dot tone="bad" breathing={link === 'lost'} />
          <span className="truncate">{t(link === 'lost' ? 'status.lost' : 'status.unauthorized')}</span>
        </span>
      ) : (
        <ConnectionItem app={app} />
      )}
      <OutboxStatusItem />
      {app && <ProxyItem app={app} />}
      <span className="ms-auto" />
      {app?.bucket && <BucketItem bucket={app.bucket} />}
      <Bell />
    </footer>
  )
}

const dots = { good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad', muted: 'bg-faint' }
const Dot = ({ tone, breathing = false }: { tone: keyof typeof dots; breathing?: boolean }) => (
  <span aria-hidden className={cx('size-[7px] shrink-0 rounded-full', dots[tone], breathing && 'animate-breathe')} />
)

function Item({
  to,
  label,
  title,
  className,
  children,
}: {
  to: Route
  label?: string | undefined
  title?: string
  className?: string
  children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={title}
      onClick={() => navigate(to)}
      className={cx(
        'num flex h-full min-w-0 items-center gap-1.5 rounded-s px-2 hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px]',
        className,
      )}
    >
      {children}
    </button>
  )
}

function ConnectionItem({ app }: { app: AppState | null }) {
  const { t } = useTranslation(['shell', 'problems'])
  const spend = useSpendText()
  const connection = app?.connection
  if (connection?.offline) {
    return (
      <>
        <ConnectionMenu about={spend}>
          <OfflineTexts connection={connection} offline={connection.offline} />
        </ConnectionMenu>
        <ReconnectItem />
      </>
    )
  }
  const name = connection?.profile?.name ?? ''
  const words = !connection
    ? t('status.opening')
    : connection.state === 'failed'
      ? t('status.failed', { name, title: t(`problems:kinds.${connection.problem?.kind ?? 'bug'}.title`) })
      : t(`status.${connection.state}`, { name })
  const tone = { none: 'muted', checking: 'warn', connected: 'good', failed: 'bad' } as const
  return (
    <ConnectionMenu about={spend}>
      <Dot
        tone={connection ? tone[connection.state] : 'muted'}
        breathing={!connection || connection.state === 'checking'}
      />
      <span className="truncate" title={connection?.problem ? plainText(connection.problem.message) : undefined}>
        {words}
      </span>
    </ConnectionMenu>
  )
}

function ProxyItem({ app: { proxy } }: { app: AppState }) {
  const { t } = useTranslation(['shell', 'problems'])
  const address = proxy.baseUrl ? new URL(proxy.baseUrl).host : null
  const parts = {
    on: [
      address,
      t('status.proxyTools', { count: proxy.apps }),
      proxy.active > 0 && t('status.proxyActive', { count: proxy.active }),
    ],
    off: [t('status.proxyOff')],
    waiting: [address, t('status.proxyWaiting')],
    failed: [t('status.proxyFailed', { title: t(`problems:kinds.${proxy.problem?.kind ?? 'bug'}.title`) })],
  }[proxy.state]
  const text = joinFacts(parts)
  return (
    <Item
      to={{ page: 'proxy', id: null }}
      // The address alone does not say what it is.
      label={proxy.state === 'on' ? t('status.localApi', { state: text }) : undefined}
      className={proxy.state === 'failed' ? 'text-bad' : ''}
    >
      <Waypoints aria-hidden size={13} strokeWidth={1.75} className="shrink-0" />
      <span className="truncate" title={proxy.problem ? plainText(proxy.problem.message) : undefined}>
        {text}
      </span>
    </Item>
  )
}

/** The requests of this minute, when few are left, or the service's block. */
function BucketItem({ bucket }: { bucket: MinuteBucket }) {
  const { t } = useTranslation('shell')
  const now = useNow(1000)
  if (banAt(bucket, now) === 'banned') {
    const until = bucket.bannedUntil
    return (
      <Item to={{ page: 'usage', id: null }} className="shrink-0 text-bad">
        {until ? t('status.bannedUntil', { until }) : t('status.banned')}
      </Item>
    )
  }
  const near = nearLimit(bucket, now)
  if (!near) return null
  const { used, limit, resetsInSeconds, level } = near
  const usedWords = t('status.used', { used: showCount(used), limit: showCount(limit) })
  return (
    <Item to={{ page: 'usage', id: null }} className="shrink-0">
      <span className="max-[560px]:hidden">{t('status.requests')}</span>
      <Meter label={t('status.usedLabel')} value={used} max={limit} level={level} valueText={usedWords} />
      <span aria-hidden>{usedWords}</span>
      {resetsInSeconds !== null && (
        <span className="text-faint max-[800px]:hidden">{t('status.resets', { seconds: resetsInSeconds })}</span>
      )}
    </Item>
  )
}

/**
 * Today's cost and the balance in one text, with their source: the service's last report, adjusted by the requests of this computer since
 * then. Null before any report.
 */
function useSpendText(): string | null {
  const { t } = useTranslation(['shell', 'common'])
  const spend = useUsage((store) => store.spend)
  const figures = [
    spend?.today && t('spend.today', { amount: showSc(spend.today.amount) }),
    spend?.balance && t('spend.left', { amount: showSc(spend.balance.amount) }),
  ]
  if (!figures.some(Boolean)) return null
  const isEstimated = spend?.today?.estimated || spend?.balance?.estimated
  const at = spend?.balance?.asOf ?? spend?.today?.asOf
  const source = !at
    ? t('spend.measured')
    : t(isEstimated ? 'spend.reportedAndMeasured' : 'spend.reported', { at: showInstant(at) })
  return [joinFacts([...figures, isEstimated && t('common:terms.estimate')]), source, t('common:sc')].join('\n')
}
