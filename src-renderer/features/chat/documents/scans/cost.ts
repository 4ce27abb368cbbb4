import { costOfTokens, sumSc } from '../../../../shared/money/sc.ts'
import type { FactsById } from '../../../../stores/modelFacts.ts'
import { tokensOfPicture } from './scans.ts'

/** The estimated cost of pictures in SC, or why it is not known. */
export type PicturesCost = { kind: 'cost'; amount: string } | { kind: 'noModel' } | { kind: 'noPrice' }

/** @param models the models that are asked by the next message */
export function costOfPictures(pictures: number, models: readonly string[], facts: FactsById): PicturesCost {
  if (models.length === 0) return { kind: 'noModel' }
  const costs = models.flatMap((model) => {
    const price = facts.get(model)?.price
    return price ? [costOfTokens(price.in, pictures * tokensOfPicture)] : []
  })
  return costs.length < models.length ? { kind: 'noPrice' } : { kind: 'cost', amount: sumSc(costs) }
}
