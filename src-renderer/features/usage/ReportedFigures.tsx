import type { TFunction } from 'i18next'
import type { ReactElement } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import type { Figures } from '../../../src-preload/contract/usage.ts'
import { inSc, joinFacts, showCount, showSc } from '../../i18n/format.ts'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'

type Text = TFunction<'usage'>

/** A count, or the word for an unknown one: it is not zero. */
export const countOrUnknown = (t: Text, count: number | null, show = showCount): string =>
  count === null ? t('table.unknown') : show(count)

/** `5 requests`, or that their number is unknown. */
export const requestsText = (t: Text, count: number | null): string =>
  count === null
    ? t('cards.requestsUnknown')
    : t('cards.requests', { count: Math.abs(count), figure: showCount(count) })

/** The service's figures of a row, with the time of the report. */
export function ReportedFigures({ figures, at }: { figures: Figures; at: string }) {
  const { t } = useTranslation('usage')
  return (
    <>
      {figures.cost === null ? t('table.unknown') : inSc(showSc(figures.cost))}
      <small className="block text-faint">
        {joinFacts([
          requestsText(t, figures.requests),
          t('corrections.tokens', {
            in: countOrUnknown(t, figures.tokensIn),
            out: countOrUnknown(t, figures.tokensOut),
          }),
        ])}
      </small>
      <small className="block text-faint">
        <RelativeTime at={at} did="updated" />
      </small>
    </>
  )
}

/** A sum. `isPart`: rows of unknown figures belong to it, so it is `at least 1.20`. `small` is the element around the words. */
export function Sum(props: { figure: string; isPart: boolean; small?: ReactElement }) {
  const { figure, isPart, small = <small /> } = props
  const { t } = useTranslation('usage')
  return isPart ? <Trans t={t} i18nKey="status.atLeast" values={{ figure }} components={{ small }} /> : figure
}

/**
 * An amount in a cell of a table, without the unit. Marks an estimate, and a sum in which the cost of some rows is unknown. In a narrow table, the
 * mark of an estimate is below the amount.
 */
export function TableAmount({
  amount,
  isEstimated,
  isPart,
}: {
  amount: string
  isEstimated: boolean
  isPart: boolean
}) {
  const { t } = useTranslation('usage')
  return (
    <>
      <Sum figure={showSc(amount)} isPart={isPart} small={<small className="usage-estimated" />} />
      {isEstimated && (
        <small className="usage-estimated">
          {' '}
          <WithSc text={t('status.estimated')} />
        </small>
      )}
    </>
  )
}
