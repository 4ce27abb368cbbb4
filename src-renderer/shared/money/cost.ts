import { showSc } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'

/** An amount in SC as a decimal string, and whether it is estimated. */
interface Cost {
  cost: string | null
  costIs: 'measured' | 'estimated' | 'unknown'
}

/** `0.12 SC est.`: always says whether the amount is estimated. */
export function showCost({ cost, costIs }: Cost): string {
  if (cost === null || costIs === 'unknown') return i18n.t('common:cost.unknown')
  return i18n.t(`common:cost.${costIs}`, { amount: showSc(cost) })
}
