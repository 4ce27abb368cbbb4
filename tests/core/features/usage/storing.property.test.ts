import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { reportedByKeys, reportedByUsage } from '../../../../src-main/core/features/usage/parseReplies.ts'
import { dayOfMs, dayText, endOfDay } from '../../../../src-main/core/shared/days.ts'
import { fromAtto, toAtto } from '../../../../src-main/core/shared/money.ts'
import { openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import { accountUsage } from '../../../../src-main/core/upstream/reply/schemas.ts'
import { tries } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { localSide, readingOf } from './helpers.ts'

const start = dayOfMs(Date.UTC(2026, 9, 1))
const models = ['a', 'b', 'c'] as const
/** Times are full hours, each at most once. A reply is a function of its time. */
const hours = fc.uniqueArray(fc.integer({ min: 0, max: 24 * 45 }), { minLength: 1, maxLength: 14 })
const cell = fc.record({ model: fc.constantFrom(...models), back: fc.nat({ max: 34 }), requests: fc.nat({ max: 3 }) })
const cost = fc.constantFrom('0', '0.1', '1e-7', '0.000000000000000001', '12345.678901234567', '3')
const reply = fc.record({
  rows: fc.array(fc.tuple(cell, cost), { maxLength: 12 }),
  balance: fc.constantFrom('5', '4.5', '-1'),
})
const history = hours.chain((times) =>
  fc.record({
    fetches: fc.tuple(...times.map((hour) => reply.map((said) => ({ at: (start * 24 + hour) * 3_600_000, ...said })))),
    order: fc.shuffledSubarray(
      times.map((_, index) => index),
      { minLength: times.length },
    ),
    twice: fc.array(fc.nat({ max: times.length - 1 }), { maxLength: 5 }),
  }),
)
type Fetch = { at: number; rows: [{ model: string; back: number; requests: number }, string][]; balance: string }

const usageOf = ({ at, rows, balance }: Fetch) => ({
  usage: rows.map(([{ model, back, requests }, cost_sc]) => ({
    date: `${dayText(dayOfMs(at) - back)}T00:00:00Z`,
    model,
    requests,
    tokens_in: requests * 10,
    tokens_out: requests,
    tokens_cached: requests,
    cost_sc,
  })),
  balance,
  total_spent: '9',
})
const parsedReply = (fetch: Fetch) => reportedByUsage({ askedAt: fetch.at, answeredAt: fetch.at }, usageOf(fetch))

const now = (start + 46) * 86_400_000
const store = openAccountStore(freshFolder())
let count = 0

/** Stores fetches in this order in a new account and returns everything that can be read. */
function readAfter(fetches: readonly Fetch[]) {
  count += 1
  const id = `book ${count}`
  const account = store.accounts.add({ id, kind: 'service', baseUrl: id, userId: null, name: 'x', usedAt: 0 })
  for (const fetch of fetches) store.transaction(() => store.saveReply(account.no, parsedReply(fetch)))
  const reading = readingOf(store, () => now, localSide())
  const range = { accountId: id, from: dayText(start - 40), to: dayText(start + 46) }
  const { query: _, ...view } = reading.view({ ...range, grain: 'day', by: 'model', source: 'service', search: '' })
  const { account: shown, ...summary } = reading.summary({ accountId: id })
  return {
    view,
    summary,
    corrections: reading.corrections(range),
    compare: reading.compare({ ...range, daily: true }),
    known: { balance: shown.balance, spent: shown.spent, asOf: shown.asOf, firstDay: shown.firstDay },
    versions: store.versions.all(account.no, 'account'),
  }
}

it('stored usage is the same in whatever order replies are stored, and however often [USE-01]', () => {
  fc.assert(
    fc.property(history, ({ fetches, order, twice }) => {
      const inOrder = [...fetches].sort((a, b) => a.at - b.at)
      const shuffled = order.flatMap((index) => fetches[index] ?? [])
      const again = twice.flatMap((index) => fetches[index] ?? [])
      expect(readAfter([...shuffled, ...again])).toEqual(readAfter(inOrder))
    }),
    { numRuns: tries(30, 600) },
  )
})

/** The expected contents by definition, computed from all replies at once. */
function byDefinition(fetches: readonly Fetch[]) {
  const all = fetches.map((fetch) => ({ at: fetch.at, reply: parsedReply(fetch) })).sort((a, b) => a.at - b.at)
  const days = new Map<string, { day: number; model: string }>()
  for (const { reply } of all)
    for (const { day, model } of reply.rows ?? []) days.set(`${day} ${model}`, { day, model })
  const sayings = [...days.values()].map(({ day, model }) => {
    const covering = all.filter(({ reply: { days: range } }) => range && range.from <= day && day <= range.to)
    const said = covering.map(({ at, reply: { rows = [] } }) => {
      const row = rows.find((one) => one.day === day && one.model === model)
      return { at, requests: row?.requests ?? 0, cost: row?.cost ?? 0n }
    })
    const closed = said.filter(({ at }) => at >= endOfDay(day))
    const changes = closed.slice(1).filter((one, index) => {
      const before = closed[index]
      return before && (before.requests !== one.requests || before.cost !== one.cost)
    })
    return { day, model, now: said.at(-1), changes }
  })
  return {
    total: sayings.reduce((sum, { now: last }) => sum + (last?.cost ?? 0n), 0n),
    requests: sayings.reduce((sum, { now: last }) => sum + (last?.requests ?? 0), 0),
    corrections: sayings
      .flatMap(({ day, model, changes }) => changes.map(({ at }) => `${dayText(day)} ${model} ${at}`))
      .sort(),
  }
}

it('stored usage has the newest reply for each day and every change of a closed day, to the last digit', () => {
  fc.assert(
    fc.property(history, ({ fetches }) => {
      const { view, corrections, summary } = readAfter(fetches)
      const expected = byDefinition(fetches)
      expect({ cost: view.total.cost, requests: view.total.requests }).toEqual({
        cost: fromAtto(expected.total),
        requests: expected.requests,
      })
      const found = corrections.map((one) => `${one.day} ${one.model} ${Date.parse(one.afterAsOf)}`).sort()
      expect(found).toEqual(expected.corrections)
      expect(summary.corrections).toBe(expected.corrections.length)
      const ofSeries = view.series.reduce((sum, { total }) => sum + (toAtto(total.cost) ?? 0n), 0n)
      expect(ofSeries).toBe(expected.total)
    }),
    { numRuns: tries(30, 600) },
  )
})

it('stored keys have a version per change, in any order, and record when a key is no longer listed [KEY-01] [KEY-04]', () => {
  const lists = fc.uniqueArray(
    fc.record({ at: fc.integer({ min: 1, max: 50 }), ids: fc.subarray(['k1', 'k2']), rpm: fc.nat({ max: 2 }) }),
    {
      selector: ({ at }) => at,
      minLength: 1,
      maxLength: 8,
    },
  )
  const save = (all: { at: number; ids: string[]; rpm: number }[]) => {
    count += 1
    const id = `book ${count}`
    const { no } = store.accounts.add({ id, kind: 'service', baseUrl: id, userId: null, name: 'x', usedAt: 0 })
    for (const { at, ids, rpm } of all) {
      const keys = ids.map((key) => ({ id: key, rate_limit_rpm: rpm, revoked_at: null }))
      const asked = { askedAt: at, answeredAt: at }
      store.transaction(() =>
        store.saveReply(no, reportedByKeys(asked, { api_keys: keys.map((key) => ({ ...empty, ...key })) })),
      )
    }
    const history = ['k1', 'k2'].map((key) => store.versions.all(no, `key:${key}`))
    return { history, shown: readingOf(store, () => 100).keys({ accountId: id }) }
  }
  fc.assert(
    fc.property(lists, fc.infiniteStream(fc.nat()), (all, random) => {
      const inOrder = [...all].sort((a, b) => a.at - b.at)
      const weighed = all.map((one) => ({ one, weight: random.next().value ?? 0 }))
      const shuffled = weighed.sort((a, b) => a.weight - b.weight).map(({ one }) => one)
      const kept = save(shuffled)
      expect(kept).toEqual(save(inOrder))
      const last = inOrder.at(-1)
      for (const { id, gone } of kept.shown) expect(gone).toBe(!last?.ids.includes(id))
    }),
    { numRuns: 60 },
  )
})

const empty = {
  user_id: null,
  key_prefix: null,
  name: null,
  rate_limit_rpm: null,
  rate_limit_tpm: null,
  max_concurrent: null,
  balance_enabled: null,
  balance_sc: null,
  balance_limit_sc: null,
  created_at: null,
  last_used_at: null,
}

it('amounts are parsed to 1e-18 and formatted back unchanged', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 33n) + 1n, max: 10n ** 33n - 1n }), (amount) => {
      expect(toAtto(fromAtto(amount))).toBe(amount)
    }),
  )
  expect(toAtto('1.5e-7')).toBe(150_000_000_000n)
  expect(fromAtto(toAtto('0.1') ?? 0n)).toBe('0.1')
  expect([toAtto('abc'), toAtto('Infinity'), toAtto('1e15'), toAtto(null), toAtto('9'.repeat(80))]).toEqual(
    Array(5).fill(null),
  )
  // JavaScript also accepts these as numbers. A service does not mean them.
  expect(['0x10', '0b11', '1_000', ' 5', '', '.', '1e'].map(toAtto)).toEqual(Array(7).fill(null))
  expect(['+5', '.5', '5.', '1E-3', '-0'].map((given) => fromAtto(toAtto(given) ?? -1n))).toEqual([
    '5',
    '0.5',
    '5',
    '0.001',
    '0',
  ])
  // Half to even at the last digit, and nothing below it.
  expect(['2.5e-18', '3.5e-18', '1e-99999999'].map(toAtto)).toEqual([2n, 4n, 0n])
  // Amounts above the contract's maximum are capped at it.
  expect(fromAtto(10n ** 33n)).toBe(`${'9'.repeat(15)}.${'9'.repeat(18)}`)
  expect(fromAtto(-(10n ** 40n))).toBe(`-${'9'.repeat(15)}.${'9'.repeat(18)}`)
})

it('a report that repeats a row of an earlier version, which stored absent figures as zero, is no correction [USE-01]', () => {
  const { no } = store.accounts.add({ id: 'old', kind: 'service', baseUrl: 'old', userId: null, name: 'x', usedAt: 0 })
  const day = dayText(start)
  const rows = [{ date: day, model: 'm', requests: 1, tokens_in: null, tokens_out: 5, cost_sc: null }]
  const later = (days: number) => {
    const at = (start + days) * 86_400_000
    return reportedByUsage({ askedAt: at, answeredAt: at }, accountUsage.parse({ usage: rows, balance: '5' }))
  }
  const withoutMissing = { day: start, date: day, model: 'm', requests: 1, tokensIn: 0, tokensOut: 5, tokensCached: 0 }
  store.transaction(() => store.saveReply(no, { ...later(2), rows: [{ ...withoutMissing, cost: null }] }))
  for (const days of [3, 4]) store.transaction(() => store.saveReply(no, later(days)))
  expect(store.days.countCorrections(no)).toBe(0)
  expect(store.sums.models(no, start, start)).toMatchObject([{ missing: { tokensIn: 1 }, tokensCached: null }])
  rows[0] = { ...rows[0], date: day, model: 'm', requests: 2, tokens_in: null, tokens_out: 5, cost_sc: null }
  store.transaction(() => store.saveReply(no, later(5)))
  expect(store.days.countCorrections(no)).toBe(1)
})
