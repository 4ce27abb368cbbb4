import { describe, expect, it } from 'vitest'
import { figuresIn } from '../../../../src-main/core/features/usage/parseReplies.ts'
import { figuresOf, Sum } from '../../../../src-main/core/features/usage/totals.ts'
import { confirms, type UsageFigures } from '../../../../src-main/core/store/account/figures.ts'

const row = (count: number | null, cost: string | null): UsageFigures =>
  figuresIn({ requests: count, tokensIn: count, tokensOut: count, tokensCached: count, cost })

function sumOf(...rows: readonly UsageFigures[]) {
  const sum = new Sum()
  for (const one of rows) sum.addService(one)
  const total = new Sum()
  total.add(sum)
  return total.figures()
}

describe('a sum with unknown figures', () => {
  it.each([
    ['a cost of zero', [row(3, '0'), row(null, null)], { requests: 3, cost: '0' }],
    ['counts of zero', [row(0, '2'), row(null, null)], { requests: 0, tokensOut: 0, tokensCached: 0, cost: '2' }],
    ['figures that add up to zero', [row(5, '5'), row(-5, '-5'), row(null, null)], { requests: 0, cost: '0' }],
  ])('keeps %s of the rows that have them [USE-01]', (_, rows, known) => {
    const missing = { requests: 1, tokensIn: 1, tokensOut: 1, tokensCached: 1, cost: 1 }
    expect(sumOf(...rows)).toMatchObject({ ...known, missing })
  })

  it('is unknown beside a row of zeros, which the service no longer lists', () => {
    expect(sumOf(row(0, '0'), row(null, null))).toMatchObject({ requests: null, cost: null })
  })

  it('is unknown when no row has the figure [USE-01]', () => {
    const unknown = { requests: null, tokensIn: null, tokensOut: null, tokensCached: null, cost: null }
    expect(figuresOf(row(null, null))).toMatchObject(unknown)
    expect(sumOf(row(null, null), row(null, null))).toMatchObject(unknown)
    expect(sumOf()).toMatchObject({ requests: 0, cost: '0' })
  })

  it.each([
    [2, '0'],
    [1, null],
  ])('of %i local requests of which one has no cost is %s [USE-01]', (requests, cost) => {
    const sum = new Sum()
    sum.addLocal({
      day: 1,
      who: 'chat',
      model: 'm',
      requests,
      tokensIn: 1,
      tokensOut: 1,
      tokensCached: 0,
      cost: 0n,
      estimated: 0,
      unpriced: 1,
    })
    expect(sum.costText()).toBe(cost)
  })
})

describe('a report that leaves out figures', () => {
  /** As versions before the column `missing` stored a row: absent counts are zero, an absent cost is null. */
  const stored = (row: Partial<UsageFigures>): UsageFigures => ({
    requests: 1,
    tokensIn: 0,
    tokensOut: 5,
    tokensCached: 0,
    cost: null,
    ...row,
  })
  const said = { requests: 1, tokensIn: null, tokensOut: 5, tokensCached: null, cost: null }

  it('confirms the row that an earlier version stored of the same report [USE-01]', () => {
    expect(confirms(stored({}), figuresIn(said))).toBe(true)
    expect(confirms(stored({}), figuresIn({ ...said, tokensCached: 3 }))).toBe(true)
    expect(confirms(stored({ cost: 0n }), figuresIn(said))).toBe(true)
  })

  it('is a change when a known figure differs, or an unknown one becomes known', () => {
    expect(confirms(stored({ tokensOut: 6 }), figuresIn(said))).toBe(false)
    expect(confirms(stored({ tokensIn: 7 }), figuresIn(said))).toBe(false)
    expect(confirms(stored({ cost: 1n }), figuresIn(said))).toBe(false)
    expect(confirms(figuresIn(said), figuresIn({ ...said, tokensIn: 0 }))).toBe(false)
  })
})
