import { Waypoints } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { exact, showSc } from '../../../src-preload/contract/amountText.ts'
import type { AppState, MinuteBucket } from '../../../src-preload/contract/app.ts'
import { banAt } from '../../../src-preload/contract/limitText.ts'
import { showCount, showInstant } from '../../i18n/format.ts'
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
import { viewBucket } from './bucket.ts'
import { ConnectionMenu } from './ConnectionMenu.tsx'

/** Key figures that would otherwise need a panel. Every item is a button that opens its panel. */
export function StatusBar() {
  const { t } = useTranslation('shell')
  const link = useApp((store) => store.link)
  const app = useApp((store) => store.app)
  return (
    <footer
      role="contentinfo"
      aria-label={t('status.label')}
      className="flex h-[27px] shrink-0 items-center overflow-hidden bg-panel px-1.5 text-soft text-xs"
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
      <SpendItems />
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
  const connection = app?.connection
  if (connection?.offline) {
    return (
      <>
        <ConnectionMenu>
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
    <ConnectionMenu>
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
  const text = parts.filter(Boolean).join(' · ')
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

function BucketItem({ bucket }: { bucket: MinuteBucket }) {
  const { t } = useTranslation('shell')
  const now = useNow(1000)
  const { used, limit, remaining, resetsInSeconds, level } = viewBucket(bucket, now)
  if (banAt(bucket, now) === 'banned') {
    const until = bucket.bannedUntil
    return (
      <Item to={{ page: 'usage', id: null }} className="shrink-0 text-bad">
        {until ? t('status.bannedUntil', { until }) : t('status.banned')}
      </Item>
    )
  }
  if (used === null && remaining === null) return null
  const usedWords = t('status.used', { used: showCount(used ?? 0), limit: showCount(limit ?? 0) })
  return (
    <Item to={{ page: 'usage', id: null }} className="shrink-0 max-[560px]:hidden">
      {used !== null && limit !== null ? (
        <>
          {t('status.requests')}
          <Meter label={t('status.usedLabel')} value={used} max={limit} level={level} valueText={usedWords} />
          <span aria-hidden>{usedWords}</span>
        </>
      ) : (
        t('status.remainingOnly', { remaining })
      )}
      {resetsInSeconds !== null && (
        <span className="text-faint max-[800px]:hidden">{t('status.resets', { seconds: resetsInSeconds })}</span>
      )}
    </Item>
  )
}

/** Today's cost and the balance: the service's last report, adjusted by the requests of this computer since then. */
function SpendItems() {
  const { t } = useTranslation(['usage', 'common'])
  const today = useUsage(({ spend }) => spend?.today ?? null)
  const balance = useUsage(({ spend }) => spend?.balance ?? null)
  const reported = useUsage(({ accounts }) => accounts?.find(({ active }) => active)?.balance ?? null)
  const sources = ({ estimated, asOf }: { estimated: boolean; asOf: string | null }) =>
    asOf === null
      ? t('status.measured')
      : t(estimated ? 'status.reportedAndMeasured' : 'status.reported', { at: showInstant(asOf) })
  const balanceSource = (): string =>
    balance?.estimated && reported && reported.asOf === balance.asOf
      ? t('status.balanceEstimated', { reported: showSc(reported.value), at: showInstant(reported.asOf) })
      : balance
        ? sources(balance)
        : ''
  return (
    <>
      {today && (
        <Item
          to={{ page: 'usage', id: null }}
          title={`${sources(today)}\n${t('common:sc')}`}
          className="shrink-0 max-[800px]:hidden"
        >
          {t('status.today', { amount: showSc(today.amount) })}
          {today.estimated && <Estimated />}
        </Item>
      )}
      {balance && (
        <Item
          to={{ page: 'usage', id: null }}
          title={`${balanceSource()}\n${t('common:sc')}`}
          className={cx('shrink-0', exact(balance.amount) <= 0n && 'text-bad')}
        >
          {t('status.left', { amount: showSc(balance.amount) })}
          {balance.estimated && <Estimated />}
        </Item>
      )}
    </>
  )
}

function Estimated() {
  const { t } = useTranslation('usage')
  return <span className="-ms-0.5 text-faint">{t('status.estimated')}</span>
}
