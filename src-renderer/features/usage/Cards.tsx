import type { ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { exact } from '../../../src-preload/contract/amountText.ts'
import type { PageView } from '../../../src-preload/contract/columns.ts'
import type { Account } from '../../../src-preload/contract/usage.ts'
import {
  inSc,
  joinFacts,
  showCalendarDay,
  showCount,
  showFull,
  showInstant,
  showSc,
  showShare,
  showShort,
} from '../../i18n/format.ts'
import { cx } from '../../shared/ui/cx.ts'
import { Tooltip } from '../../shared/ui/Tooltip.tsx'
import { Sc, WithSc } from '../../shared/ui/WithSc.tsx'
import { selectedAccount, useUsage } from '../../stores/usage.ts'
import { daysBetween } from '../../stores/usageDays.ts'
import { cachedShare, changeOf, sidesOf } from './figures.ts'
import { countOrUnknown, requestsText, Sum } from './ReportedFigures.tsx'

/** The four most frequently needed figures. */
export function Cards() {
  const { t } = useTranslation('usage')
  const account = useUsage(selectedAccount)
  const answer = useUsage((store) => store.answer)
  if (!account || !answer) return null
  return (
    <section aria-label={t('cards.label')} className="usage-cards">
      <Balance account={account} />
      <Spent view={answer.view} />
      <Tokens view={answer.view} />
      <Sides account={account} />
    </section>
  )
}

/** A figure with one line below it. Hover and focus show `details`: the exact figure and related facts. */
function Figure(props: { name: string; children: ReactNode; under: ReactNode; details?: readonly (string | null)[] }) {
  const details = (props.details ?? []).filter((detail) => detail !== null)
  const figure = (
    <div tabIndex={details.length > 0 ? 0 : undefined} className="min-w-0 rounded-m focus-visible:outline-offset-8">
      <h2 className="text-s">{props.name}</h2>
      <div className="usage-figure num">{props.children}</div>
      <div className="num text-s text-soft">{props.under}</div>
    </div>
  )
  return details.length > 0 ? <Tooltip text={joinFacts(details)}>{figure}</Tooltip> : figure
}

const Unit = ({ children }: { children: ReactNode }) => <small>{children}</small>

function Balance({ account }: { account: Account }) {
  const { t } = useTranslation(['usage', 'common'])
  const summary = useUsage((store) => store.summaries[account.id])
  const now = useUsage((store) => (account.active ? (store.spend?.balance ?? null) : null))
  if (!account.balance) {
    return (
      <Figure
        name={t('cards.balance')}
        under={t(account.offers === 'no' ? 'cards.balanceNever' : 'cards.balanceLater')}
      >
        <span className="text-faint">{t('cards.balanceUnknown')}</span>
      </Figure>
    )
  }
  const { value, asOf } = account.balance
  // The estimate of the status bar, which is newer than the report.
  const later = now?.estimated && now.asOf === asOf && showSc(now.amount) !== showSc(value) ? now.amount : null
  const days = summary?.daysLeft ?? null
  const pace = summary?.pace ?? null
  const low = exact(value) <= 0n || (days !== null && days < 3)
  return (
    <Figure
      name={t('cards.balance')}
      details={[
        t('cards.balanceExact', { amount: value, at: showFull(asOf) }),
        account.spent && t('cards.lifetime', { amount: showSc(account.spent.value) }),
        later === null ? null : t('cards.balanceWhy'),
        t('common:sc'),
      ]}
      under={
        <>
          <span className="block">{t('cards.balanceReported', { at: showInstant(asOf) })}</span>
          {later !== null && (
            <span className="block">
              <WithSc text={t('cards.balanceNow', { amount: showSc(later) })} />
            </span>
          )}
          <span className={cx('block', low && 'text-bad')}>
            {days !== null
              ? t('cards.days', { count: days, figure: showCount(days) })
              : t(pace === null ? 'cards.paceUnknown' : 'cards.daysNone')}
          </span>
        </>
      }
    >
      {showSc(value)}{' '}
      <Unit>
        <Sc />
      </Unit>
    </Figure>
  )
}

/** Whether the figures are those of a service that has not reported any yet: unknown, and not zero. */
const useIsUnreported = (source: PageView['query']['source']): boolean =>
  useUsage((store) => source === 'service' && selectedAccount(store)?.asOf === null)

function Spent({ view }: { view: PageView }) {
  const { t } = useTranslation('usage')
  const choice = useUsage((store) => store.choice)
  const { total, query } = view
  const isUnreported = useIsUnreported(query.source)
  const isUnknown = isUnreported || (total.cost === null && total.missing.cost > 0)
  const days = daysBetween(query.from, query.to)
  const range =
    choice.range === 'own'
      ? t('cards.rangeWords.own', { from: showCalendarDay(query.from), to: showCalendarDay(query.to) })
      : choice.range === 'all' || choice.range === 'month' || choice.range === 'lastMonth'
        ? t(`cards.rangeWords.${choice.range}`)
        : t('cards.rangeDays', { count: days })
  return (
    <Figure
      name={t(query.source === 'here' ? 'cards.spentHere' : 'cards.spent', { range })}
      details={[
        total.cost === null ? null : inSc(total.cost),
        total.estimated > 0
          ? t('cards.estimated', { count: total.estimated, figure: showCount(total.estimated) })
          : null,
      ]}
      under={
        <>
          {isUnreported ? t('cards.balanceLater') : <Change view={view} days={days} />}
          {query.source === 'here' && total.unpriced > 0 && (
            <span className="block text-warn">
              {t('cards.unpriced', { count: total.unpriced, figure: showCount(total.unpriced) })}
            </span>
          )}
          {query.source === 'service' && <RowsWithout rows={total.missing.cost} what="cost" />}
        </>
      }
    >
      {total.cost === null || isUnreported ? (
        <span className="text-faint">{isUnknown ? t('cards.unknown') : '0'}</span>
      ) : (
        <Sum figure={showSc(total.cost)} isPart={total.missing.cost > 0} />
      )}{' '}
      {!isUnknown && (
        <Unit>
          <WithSc text={total.cost !== null && total.estimated > 0 ? t('status.scEstimated') : 'SC'} />
        </Unit>
      )}
    </Figure>
  )
}

/** Says how many rows are not part of a sum, because the service left the figure out. */
function RowsWithout({ rows, what }: { rows: number; what: 'cost' | 'tokens' }) {
  const { t } = useTranslation('usage')
  if (rows === 0) return null
  const words = { count: rows, figure: showCount(rows) }
  return <span className="block text-warn">{t(`cards.rowsWithout.${what}`, words)}</span>
}

/** The change from the previous period. Only shown when the previous period is completely known. */
function Change({ view: { before, total }, days }: { view: PageView; days: number }) {
  const { t } = useTranslation('usage')
  // The range "all" has no previous period.
  if (useUsage((store) => store.choice.range) === 'all') return null
  if (!before || before.state === 'gap') return t('cards.noBefore')
  const change = changeOf(total.cost, before.total.cost)
  if (before.state !== 'whole') return t('cards.beforeGaps')
  if (change === null) return t('cards.noBefore')
  if (Math.abs(change) < 0.005) return t('cards.same', { count: days })
  const tone = change > 0 ? 'text-bad' : 'text-good'
  return (
    <>
      <span aria-hidden className={cx('me-1', tone)}>
        {change > 0 ? '▲' : '▼'}
      </span>
      <Trans
        t={t}
        i18nKey={change > 0 ? 'cards.more' : 'cards.less'}
        count={days}
        values={{ share: showShare(Math.abs(change)) }}
        components={{ b: <b className={cx('font-[560]', tone)} /> }}
      />
    </>
  )
}

function Tokens({ view: { total, query } }: { view: PageView }) {
  const { t } = useTranslation('usage')
  const isUnreported = useIsUnreported(query.source)
  const cached = cachedShare(total)
  const { tokensIn, tokensOut, missing } = total
  const without = Math.max(missing.tokensIn, missing.tokensOut)
  const isUnknown = isUnreported || (tokensIn === null && tokensOut === null)
  const inOut = (show: (count: number) => string) =>
    t('cards.inOut', { in: countOrUnknown(t, tokensIn, show), out: countOrUnknown(t, tokensOut, show) })
  return (
    <Figure
      name={t('cards.tokens')}
      details={[
        inOut(showCount),
        cached === null
          ? total.tokensCached === null
            ? t('cards.cachedUnknown')
            : null
          : t('cards.cached', { share: showShare(cached) }),
        requestsText(t, total.requests),
      ]}
      under={
        <>
          {isUnreported ? t('cards.balanceLater') : inOut(showShort)}
          <RowsWithout rows={without} what="tokens" />
        </>
      }
    >
      {isUnknown ? (
        <span className="text-faint">{t('cards.unknown')}</span>
      ) : (
        <Sum figure={showShort((tokensIn ?? 0) + (tokensOut ?? 0))} isPart={without > 0} />
      )}
    </Figure>
  )
}

function Sides({ account }: { account: Account }) {
  const { t } = useTranslation('usage')
  const comparisons = useUsage((store) => store.answer?.comparisons ?? [])
  const sides = sidesOf(comparisons)
  if (comparisons.length === 0) {
    return (
      <Figure name={t('cards.sides')} under={t('cards.nothingSpent')}>
        <span className="text-faint">–</span>
      </Figure>
    )
  }
  if (sides.service === null) {
    return (
      <Figure
        name={t('cards.sides')}
        under={account.offers === 'no' || sides.here !== null ? t('cards.hereOnly') : t('cards.nothingSpent')}
      >
        {sides.here === null ? (
          <span className="text-faint">{t('cards.unknown')}</span>
        ) : (
          <>
            {showSc(sides.here)}{' '}
            <Unit>
              <Sc /> {t('cards.here')}
            </Unit>
          </>
        )}
      </Figure>
    )
  }
  const notYet = exact(sides.notYet) > 0n
  return (
    <Figure
      name={t('cards.sides')}
      details={[notYet ? t('cards.notYet', { amount: showSc(sides.notYet) }) : null]}
      under={
        exact(sides.service) === 0n ? (
          t('cards.nothingSpent')
        ) : exact(sides.elsewhere) > 0n ? (
          <WithSc text={t('cards.elsewhere', { amount: showSc(sides.elsewhere) })} />
        ) : (
          t('cards.allHere')
        )
      }
    >
      {sides.share === null ? <span className="text-faint">–</span> : showShare(sides.share)}{' '}
      <Unit>{t('cards.here')}</Unit>
    </Figure>
  )
}
