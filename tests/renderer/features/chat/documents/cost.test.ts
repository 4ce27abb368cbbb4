import { expect, test } from 'vitest'
import type { ModelFacts } from '../../../../../src-preload/contract/models.ts'
import { costOfPictures } from '../../../../../src-renderer/features/chat/documents/scans/cost.ts'

const facts = (id: string, price: ModelFacts['price']): [string, ModelFacts] => [
  id,
  { id, favourite: false, repliedAt: null, notForChat: null, images: null, tools: null, context: null, price },
]

test('the cost of scanned pages asks for a model while none is chosen, and is known only with the price of each model', () => {
  const known = new Map([
    facts('cheap', { in: '0.10', out: '0.20' }),
    facts('dear', { in: '1.00', out: '2.00' }),
    facts('free text', null),
  ])
  expect(costOfPictures(4, [], known)).toEqual({ kind: 'noModel' })
  expect(costOfPictures(4, ['free text'], known)).toEqual({ kind: 'noPrice' })
  expect(costOfPictures(4, ['cheap', 'unknown'], known)).toEqual({ kind: 'noPrice' })
  expect(costOfPictures(4, ['cheap'], known)).toEqual({ kind: 'cost', amount: '0.0004' })
  expect(costOfPictures(4, ['cheap', 'dear'], known)).toEqual({ kind: 'cost', amount: '0.0044' })
})
