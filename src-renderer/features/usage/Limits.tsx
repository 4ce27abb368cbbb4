import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Limited, LimitStatus, Limits } from '../../../src-preload/contract/account.ts'
import { banAt, resetAt } from '../../../src-preload/contract/limitText.ts'
import type { Who } from '../../../src-preload/contract/requests.ts'
import { showCount, showInstant, showSpan } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useOffline } from '../../shared/offline/useOffline.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { FiguresTable } from '../../shared/ui/FiguresTable.tsx'
import { Meter } from '../../shared/ui/Meter.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { Term } from '../../shared/ui/WithSc.tsx'
import { useNow } from '../../shared/useNow.ts'
import { type BucketName, bucketNames, useLimits, viewBucketOf } from '../../stores/limits.ts'
import { openRequest } from './actions.ts'
import { startLimits } from './subscriptions.ts'

/** The current limits of the service. The core reads the limits only while this section is visible. */
export function LimitsSection() {
  const { t } = useTranslation(['usage', 'offline'])
  const offline = useOffline()
  const studio = useStudio()
  useEffect(() => startLimits(studio), [studio])
  const limits = useLimits((store) => store.limits)
  const problem = useLimits((store) => store.problem)
  const now = useNow(1_000)
  const isLoading = problem === null && !offline && (limits === null || isFirstAsk(limits, now))
  return (
    <div className="stage-column usage-body">
      {problem && <ProblemNotice problem={problem} role="status" noAction />}
      {offline ? (
        <Notice kind="info">{limits?.status ? t('offline:note.limits') : t('offline:note.limitsNever')}</Notice>
      ) : (
        limits?.problem && <ProblemNotice problem={limits.problem} role="status" noAction />
      )}
      {limits?.status?.banned && <Banned status={limits.status} now={now} />}
      <div className="flex flex-wrap items-start gap-x-6 gap-y-1">
        <p className="min-w-[min(240px,100%)] flex-1 text-soft">
          {limits?.offers === false ? t('limits.noReadout') : t('limits.about')}
        </p>
        {limits && limits.offers !== false && <NextAsk limits={limits} now={now} offline={offline !== null} />}
      </div>
      {limits?.status ? (
        <Buckets status={limits.status} now={now} />
      ) : isLoading ? (
        <LoadingBuckets />
      ) : (
        limits && limits.offers !== false && <p className="text-faint">{t('limits.never')}</p>
      )}
      {limits && (
        <div className="grid items-start gap-6 min-[1000px]:grid-cols-3 [&>:last-child]:min-[1000px]:col-span-2">
          <KeyLimits limits={limits} />
          <Slots limits={limits} />
        </div>
      )}
      <History />
    </div>
  )
}

/** Whether the service is being asked for its limits and has never reported them. */
const isFirstAsk = ({ status, offers, problem, nextAsk }: Limits, now: number): boolean =>
  status === null && offers === null && problem === null && nextAsk !== null && Date.parse(nextAsk) <= now

/** Placeholders of the size of the counters, so that nothing moves when they arrive. */
function LoadingBuckets() {
  const { t } = useTranslation('usage')
  return (
    <div className="usage-buckets">
      <StatusText>{t('limits.loading')}</StatusText>
      {bucketNames.map((name) => (
        <div key={name} className="flex min-w-0 flex-col gap-2.5">
          <Skeleton className="w-1/2" />
          <Skeleton className="h-5 w-1/3" />
          <Skeleton className="w-full" />
          <Skeleton className="w-2/3" />
        </div>
      ))}
    </div>
  )
}

function NextAsk({ limits: { nextAsk, status }, now, offline }: { limits: Limits; now: number; offline: boolean }) {
  const { t } = useTranslation('usage')
  const seconds = nextAsk === null ? null : Math.ceil((Date.parse(nextAsk) - now) / 1_000)
  return (
    <p className="num text-faint text-s">
      {status && <RelativeTime at={status.asOf} did="updated" />}
      {!offline && (
        <>
          {status && ' · '}
          {seconds === null
            ? t('limits.notAsking')
            : seconds > 0
              ? t('limits.nextAsk', { seconds })
              : t('limits.asking')}
        </>
      )}
    </p>
  )
}

function Banned({ status, now }: { status: LimitStatus; now: number }) {
  const { t } = useTranslation('usage')
  const { bannedUntil } = status
  if (banAt(status, now) === 'over') {
    return (
      <Notice kind="info" role="status" title={t('limits.bannedOver')}>
        {t('limits.bannedOverAbout', { until: bannedUntil })}
      </Notice>
    )
  }
  return (
    <Notice kind="bad" role="alert" title={t('limits.banned')}>
      {bannedUntil ? t('limits.bannedUntil', { until: bannedUntil }) : t('limits.bannedOpen')}
    </Notice>
  )
}

function Buckets({ status, now }: { status: LimitStatus; now: number }) {
  const { t } = useTranslation('usage')
  return (
    <section aria-label={t('limits.buckets')} className="usage-buckets">
      {bucketNames.map((name) => (
        <Bucket key={name} name={name} status={status} now={now} />
      ))}
    </section>
  )
}

function Bucket({ name, status, now }: { name: BucketName; status: LimitStatus; now: number }) {
  const { t } = useTranslation('usage')
  const view = viewBucketOf(status[name])
  const title = t(`limits.bucket.${name}.name`)
  const reset = name === 'minute' ? resetAt(status, now) : 'unknown'
  const words =
    view === null
      ? t('limits.notReported')
      : view.used !== null && view.limit !== null
        ? t('limits.used', { used: showCount(view.used), limit: showCount(view.limit) })
        : view.used !== null
          ? t('limits.usedOnly', { used: showCount(view.used) })
          : view.limit !== null
            ? t('limits.limitOnly', { limit: showCount(view.limit) })
            : t('limits.left', { left: showCount(view.remaining ?? 0) })
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <h2 className="font-[560]">{title}</h2>
      <div className="num flex flex-wrap items-baseline gap-x-2">
        <span className={view === null ? 'text-faint' : 'font-[560] text-l'}>{words}</span>
        {view?.remaining !== null && view?.remaining !== undefined && view.used !== null && (
          <span className="ms-auto whitespace-nowrap text-s text-soft">
            {t('limits.left', { left: showCount(view.remaining) })}
          </span>
        )}
      </div>
      {view?.share !== null && view?.share !== undefined && (
        <Meter label={`${title}: ${words}`} value={view.share * 100} max={100} level={view.level} className="w-full" />
      )}
      <p className="text-s text-soft">{t(`limits.bucket.${name}.about`)}</p>
      <p className="num text-faint text-s">
        {typeof reset === 'number'
          ? t('limits.resets', { seconds: showCount(reset) })
          : t(reset === 'over' ? 'limits.resetOver' : 'limits.resetUnknown')}
      </p>
    </div>
  )
}

function KeyLimits({ limits: { key } }: { limits: Limits }) {
  const { t } = useTranslation('usage')
  return (
    <div className="min-w-0">
      <section aria-label={t('limits.key')}>
        <h2 className="font-semibold">{t('limits.key')}</h2>
        <p className="text-faint text-s">{t('limits.keyAbout')}</p>
        <dl className="mt-2 flex flex-col text-s">
          {(['rpm', 'tpm', 'concurrent'] as const).map((name) => (
            <div key={name} className="flex gap-3 border-line border-t py-1.5">
              <dt className="min-w-0 flex-1 text-soft">{t(`limits.${name}`)}</dt>
              <dd className="num">
                {key[name] === null ? <span className="text-faint">{t('limits.unset')}</span> : showCount(key[name])}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}

function useWho(): (who: Who) => string {
  const { t } = useTranslation('usage')
  return (who) =>
    who.kind === 'app'
      ? who.name
      : who.kind === 'studio'
        ? t('limits.studio', { feature: t(`chart.features.${who.feature}`) })
        : who.from
}

function Slots({ limits: { slots, key } }: { limits: Limits }) {
  const { t } = useTranslation(['usage', 'common'])
  const whoIs = useWho()
  const used = slots.used.length
  return (
    <section aria-label={t('limits.slots')} className="min-w-0">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">
          <Term word={t('limits.slots')} about={t('common:terms.slots')} />
        </h2>
        <span className="num text-s text-soft">
          {key.concurrent === null
            ? t('limits.slotsUsedOnly', { count: used })
            : t('limits.used', { used, limit: key.concurrent })}
        </span>
        {slots.waiting > 0 && <Pill tone="warn">{t('limits.waiting', { count: slots.waiting })}</Pill>}
      </header>
      <p className="text-faint text-s">{t(used === 0 ? 'limits.slotsNone' : 'limits.slotsAbout')}</p>
      {used > 0 && (
        <div className="figures-box mt-2">
          <FiguresTable
            label={t('limits.slots')}
            columns={[
              ...(['who', 'endpoint', 'model', 'since'] as const).map((id) => ({ id, title: t(`limits.${id}`) })),
            ]}
          >
            {slots.used.map(({ row, who, endpoint, model, since }, at) => (
              <tr key={row ?? `${since} ${at}`}>
                <th scope="row" dir="auto">
                  {row === null ? whoIs(who) : <OpenRequest row={row}>{whoIs(who)}</OpenRequest>}
                </th>
                <td>{t(`common:endpoints.${endpoint}`)}</td>
                <td dir="auto">{model ?? '–'}</td>
                <td className="whitespace-nowrap tabular-nums">
                  <time dateTime={since}>{showInstant(since)}</time>
                </td>
              </tr>
            ))}
          </FiguresTable>
        </div>
      )}
    </section>
  )
}

function OpenRequest({ row, children }: { row: Limited['row']; children: ReactNode }) {
  const { t } = useTranslation('usage')
  return (
    <button type="button" className="figures-open" title={t('limits.open')} onClick={() => openRequest(row)}>
      {children}
    </button>
  )
}

const endTones: Record<Limited['ended'], PillTone> = {
  done: 'good',
  refused: 'bad',
  cancelled: 'muted',
  failed: 'bad',
  running: 'warn',
}

function History() {
  const { t } = useTranslation(['usage', 'common'])
  const history = useLimits((store) => store.history)
  const whoIs = useWho()
  if (history === null) return null
  return (
    <section aria-label={t('limits.history')} className="min-w-0">
      <h2 className="font-semibold">{t('limits.history')}</h2>
      {history.length === 0 ? (
        <p className="text-faint text-s">{t('limits.historyNone')}</p>
      ) : (
        <div className="figures-box mt-2">
          <FiguresTable
            label={t('limits.history')}
            columns={[
              ...(['when', 'who', 'endpoint', 'model'] as const).map((id) => ({ id, title: t(`limits.${id}`) })),
              ...(['times', 'waited'] as const).map((id) => ({ id, title: t(`limits.${id}`), num: true })),
              { id: 'ended', title: t('limits.ended') },
            ]}
          >
            {history.map(({ row, at, who, endpoint, model, times, waitedMs, ended }) => (
              <tr key={row}>
                <th scope="row" className="tabular-nums">
                  <OpenRequest row={row}>
                    <time dateTime={at}>{showInstant(at)}</time>
                  </OpenRequest>
                </th>
                <td dir="auto">{whoIs(who)}</td>
                <td>{t(`common:endpoints.${endpoint}`)}</td>
                <td dir="auto">{model ?? '–'}</td>
                <td className="num">{showCount(times)}</td>
                <td className="num" title={waitedMs === null ? t('limits.waitedUnknown') : undefined}>
                  {waitedMs === null ? '–' : showWait(waitedMs)}
                </td>
                <td>
                  <Pill tone={endTones[ended]}>{t(`limits.endings.${ended}`)}</Pill>
                </td>
              </tr>
            ))}
          </FiguresTable>
        </div>
      )}
    </section>
  )
}

/** Formats a duration in ms: `0.4 s`, `12 s`, `2 min 05 s`. */
const showWait = (ms: number): string => showSpan(ms / 1_000, ms > 0 && ms < 9_950 ? 1 : 0)
