import { i18n } from '../../i18n/index.ts'
import { showSc } from './sc.ts'

/** An amount in SC as decimal text, and how it is known. */
interface Cost {
  cost: string | null
  costIs: 'measured' | 'estimated' | 'unknown'
}

/** `≈ 0.12 SC est.`; never an amount without how it is known. */
export function showCost({ cost, costIs }: Cost): string {
  if (cost === null || costIs === 'unknown') return i18n.t('common:cost.unknown')
  return i18n.t(`common:cost.${costIs}`, { amount: showSc(cost) })
}
