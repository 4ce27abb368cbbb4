import { useTranslation } from 'react-i18next'
import { showSc } from '../../../src-preload/contract/amountText.ts'
import type { Figures } from '../../../src-preload/contract/usage.ts'
import { showCount } from '../../i18n/format.ts'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'

/** The service's figures of a row, with the time of the report. */
export function ReportedFigures({ figures, at }: { figures: Figures; at: string }) {
  const { t } = useTranslation('usage')
  return (
    <>
      {figures.cost === null ? t('table.unknown') : `${showSc(figures.cost)} SC`}
      <small className="block text-faint">
        {t('corrections.requests', { count: figures.requests, figure: showCount(figures.requests) })}
        {', '}
        {t('corrections.tokens', { in: showCount(figures.tokensIn), out: showCount(figures.tokensOut) })}
      </small>
      <small className="block text-faint">
        <RelativeTime at={at} did="updated" />
      </small>
    </>
  )
}

/** An amount in a cell of a table, without the unit. In a narrow table, the mark of an estimate is below the amount. */
export function TableAmount({ amount, isEstimated }: { amount: string; isEstimated: boolean }) {
  const { t } = useTranslation('usage')
  return (
    <>
      {showSc(amount)}
      {isEstimated && <small className="usage-estimated"> {t('status.estimated')}</small>}
    </>
  )
}
