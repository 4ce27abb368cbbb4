import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { stateOfStretch, statesOf } from '../../../../src-main/core/features/usage/coverage.ts'
import type { MeasuredDay } from '../../../../src-main/core/features/usage/dependencies.ts'
import {
  reportedByCurrentKey,
  reportedByKeyDays,
  reportedByKeys,
  reportedByUsage,
} from '../../../../src-main/core/features/usage/parseReplies.ts'
import type { UsageReader } from '../../../../src-main/core/features/usage/reader.ts'
import { dayOfDate, dayText, endOfDay } from '../../../../src-main/core/shared/days.ts'
import { accountFile, openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import { accountUsage, keyRecord } from '../../../../src-main/core/upstream/reply/schemas.ts'
import { packView } from '../../../../src-preload/contract/columns.ts'
import { comparison, packedView, type ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { tries } from '../../../helpers/effort.ts'
import { localSide, noon, openAccount, readingOf } from './helpers.ts'
import { accountB } from './reportAt.ts'

const now = noon('2026-11-21')
const day = (text: string): number => dayOfDate(text) ?? 0
const row = (date: string, model: string, requests: number, cost: string | null) => ({
  user_id: 'u',
  date,
  model,
  requests,
  tokens_in: requests * 10,
  tokens_out: requests,
  tokens_cached: requests,
  cost_sc: cost,
})
const used = (text: string, who: string, model: string | null, given: Partial<MeasuredDay> = {}): MeasuredDay => ({
  day: day(text),
  who,
  model,
  requests: 1,
  tokensIn: 10,
  tokensOut: 1,
  tokensCached: 1,
  cost: 0n,
  estimated: 1,
  unpriced: 0,
  ...given,
})
const figures = { requests: 2, tokensIn: 20, tokensOut: 2, tokensCached: 0, cost: 200_000_000_000_000_000n }
const range = { accountId: 'b', from: '2026-11-16', to: '2026-11-21' }
const query = (given: Partial<ViewQuery>): ViewQuery => ({
  ...range,
  grain: 'day',
  by: 'model',
  source: 'service',
  search: '',
  ...given,
})

let accountStore: ReturnType<typeof openAccount>['accountStore']
let dataDir: string
let local: ReturnType<typeof localSide>
let reading: UsageReader
let no: number
beforeEach(() => {
  ;({ accountStore, dataDir } = openAccount())
  no = accountStore.accounts.add(accountB).no
  local = localSide()
  reading = readingOf(accountStore, () => now, local)
})

function reports(at: number, ...usage: ReturnType<typeof row>[]): void {
  const reported = reportedByUsage({ askedAt: at, answeredAt: at }, { usage, balance: '70', total_spent: '30' })
  accountStore.transaction(() => accountStore.saveReply(no, reported))
}
const uses = (...rows: MeasuredDay[]): void => void local.rows.push(...rows.map((one) => ({ ...one, accountId: 'b' })))

describe('coverage of a day and of a range', () => {
  const last = day('2026-11-20')
  const state = (lastAt: number, at: number) =>
    statesOf({ from: last, to: last }, [{ day: last, firstAt: 0, lastAt, closedAt: null }], at)[0]

  it('is whole from the first instant after the day, and partial if the day ended without another fetch', () => {
    const end = endOfDay(last)
    expect([state(end - 1, end - 1), state(end - 1, end), state(end, end)]).toEqual(['running', 'partial', 'whole'])
    expect(statesOf({ from: last, to: last }, [], end - 86_400_000)).toEqual(['gap'])
    expect(statesOf({ from: last, to: last }, [], end - 86_400_001)).toEqual(['ahead'])
  })

  it.each([
    [['gap', 'gap'], 'gap'],
    [['gap', 'ahead'], 'gap'],
    [['gap', 'whole'], 'partial'],
    [['partial', 'whole', 'running'], 'partial'],
    [['gap', 'running'], 'partial'],
    [['whole', 'running', 'ahead'], 'running'],
    [['whole', 'ahead'], 'running'],
    [['ahead', 'ahead'], 'running'],
    [['whole', 'whole'], 'whole'],
  ] as const)('of %s together is %s: missing days take precedence over unfinished ones', (states, expected) => {
    expect(stateOfStretch(states)).toBe(expected)
  })
})

describe('a view of remote usage', () => {
  it('has gaps for days never fetched, zeros for days without use, and today as running [USE-01]', () => {
    // Fetched on the 17th with a window shortened by hand: the 16th and 17th; and fetched today.
    const rows = [{ day: day('2026-11-17'), date: '2026-11-17', model: 'm', ...figures }]
    accountStore.transaction(() => {
      const days = { from: day('2026-11-16'), to: day('2026-11-17') }
      accountStore.saveReply(no, { what: 'usage', at: noon('2026-11-17'), days, rows })
      accountStore.saveReply(no, { what: 'usage', at: now, days: { from: day('2026-11-20'), to: day('2026-11-21') } })
    })
    const { buckets, series } = reading.view(query({}))
    expect(buckets.map(({ state }) => state)).toEqual(['whole', 'partial', 'gap', 'gap', 'whole', 'running'])
    expect(series).toMatchObject([
      { id: 'm', cost: ['0', '0.2', null, null, '0', '0'], requests: [0, 2, null, null, 0, 0] },
    ])
    const weeks = reading.view(query({ from: '2026-11-09', grain: 'week' })).buckets
    expect(weeks).toEqual([
      { from: '2026-11-09', to: '2026-11-15', state: 'gap' },
      { from: '2026-11-16', to: '2026-11-21', state: 'partial' },
    ])
  })

  it('sorts by cost, puts ungrouped usage last and omits what the search does not match', () => {
    const names = Array.from({ length: 15 }, (_, index) => `model-${index}`)
    reports(
      now,
      ...names.map((name, index) => row('2026-11-20', name, 1, `0.${index + 10}`)),
      row('2026-11-20', 'free', 9, null),
    )
    const view = reading.view(query({}))
    expect(view.series.map(({ id }) => id).slice(0, 2)).toEqual(['model-14', 'model-13'])
    expect(view.series).toHaveLength(13)
    expect(view.series.at(-1)).toMatchObject({ id: 'rest', total: { requests: 12, cost: '0.33', unpriced: 9 } })
    expect(view.total).toMatchObject({ requests: 24, cost: '2.55', unpriced: 9 })
    const found = reading.view(query({ search: 'MODEL-1' }))
    expect(found.series.map(({ id }) => id)).toEqual([
      'model-14',
      'model-13',
      'model-12',
      'model-11',
      'model-10',
      'model-1',
    ])
    expect(reading.view(query({ search: 'free' })).total.cost).toBeNull()
  })

  it('sorts models by the last digit of their cost and distinguishes names by case', () => {
    const wide = '1000000'
    reports(
      now,
      row('2026-11-20', 'a', 1, `${wide}.000000000000000001`),
      row('2026-11-20', 'b', 1, `${wide}.000000000000000002`),
      row('2026-11-20', 'B', 1, `${wide}.000000000000000003`),
    )
    const { series, total } = reading.view(query({}))
    expect(series.map(({ id }) => id)).toEqual(['B', 'b', 'a'])
    expect(total.cost).toBe('3000000.000000000000000006')
  })

  it('of many years shows at once what this or another program fetched since the last view', () => {
    const years = query({ from: '2016-01-01', grain: 'month' })
    reports(noon('2026-11-19'), row('2026-11-19', 'm', 1, '1'))
    expect(reading.view(years).total.cost).toBe('1')
    reports(noon('2026-11-20'), row('2026-11-19', 'm', 1, '1'), row('2026-11-20', 'm', 1, '2'))
    expect(reading.view(years).total.cost).toBe('3')
    const beside = openAccountStore(dataDir)
    const rows = [{ day: day('2026-11-21'), date: '2026-11-21', model: 'm', ...figures }]
    beside.transaction(() =>
      beside.saveReply(no, { what: 'usage', at: now, days: { from: day('2026-11-21'), to: day('2026-11-21') }, rows }),
    )
    beside.close()
    expect(reading.view(years).total.cost).toBe('3.2')
    expect(reading.view(query({ from: '2024-01-01', to: '2026-11-19' })).total.cost).toBe('1')
  })

  it('compares with the same number of days before, if anything is known of them', () => {
    reports(now, row('2026-11-20', 'm', 1, '2'), row('2026-11-12', 'm', 1, '0.5'), row('2026-11-09', 'm', 1, '9'))
    expect(reading.view(query({})).before).toMatchObject({
      from: '2026-11-10',
      to: '2026-11-15',
      state: 'whole',
      total: { cost: '0.5' },
    })
    expect(reading.view(query({ from: '2026-10-01' })).before).toBeNull()
    // Over a leap day, the change of the clocks and months of different length: the same number of days, none twice.
    const formerOf = (from: string, to: string) => {
      uses(used('2023-01-01', 'tool:t', 'm'))
      const seen = reading.view(query({ from, to, source: 'here' })).before
      return [seen?.from, seen?.to]
    }
    expect(formerOf('2024-03-01', '2024-03-31')).toEqual(['2024-01-30', '2024-02-29'])
    expect(formerOf('2026-10-25', '2026-10-25')).toEqual(['2026-10-24', '2026-10-24'])
    expect(formerOf('2027-01-01', '2027-01-07')).toEqual(['2026-12-25', '2026-12-31'])
  })

  it('by key has the time of the key fetches and knows the days before from them', () => {
    const asked = { askedAt: now - 1000, answeredAt: now - 1000 }
    const daily = (date: string) => ({
      usage: [{ date, total_requests: 1, total_tokens_in: 1, total_tokens_out: 1, total_cost_sc: '1' }],
    })
    accountStore.transaction(() => accountStore.saveReply(no, reportedByKeyDays(asked, 'k1', daily('2026-11-14'))))
    // The account's own days reach back less far and were fetched later.
    accountStore.transaction(() =>
      accountStore.saveReply(no, { what: 'usage', at: now, days: { from: day('2026-11-16'), to: day('2026-11-21') } }),
    )
    const byKey = reading.view(query({ by: 'key' }))
    expect(byKey.asOf).toBe(new Date(now - 1000).toISOString())
    expect(byKey.before).toMatchObject({ state: 'whole', total: { cost: '1' } })
    expect(reading.view(query({})).asOf).toBe(new Date(now).toISOString())
    expect(reading.view(query({})).before).toBeNull()
  })

  it('renders and can be packed, whatever the service counts', () => {
    const most = { requests: Number.MAX_SAFE_INTEGER, tokens_in: Number.MAX_SAFE_INTEGER, cost_sc: '9007199254' }
    const models = Array.from({ length: 15 }, (_, at) => ({ ...row('2026-11-20', `m${at}`, 1, null), ...most }))
    reports(now, ...models, row('2026-11-20', 'tiny', 1, '1e-18'), row('2026-11-20', 'below', 1, '9007199255'))
    const seen = reading.view(query({ grain: 'month' }))
    expect(packedView.omit({ query: true }).safeParse(packView(seen)).error).toBeUndefined()
    expect(seen.total).toMatchObject({ requests: Number.MAX_SAFE_INTEGER, cost: '135107988810.000000000000000001' })
    expect(seen.total.unpriced).toBe(1)
    uses(...Array.from({ length: 3 }, () => used('2026-11-20', 'tool:t', 'm0', { tokensIn: Number.MAX_SAFE_INTEGER })))
    expect(z.array(comparison).safeParse(reading.compare(range)).error).toBeUndefined()
  })

  it('has only a day that has begun in the east, and adds up two rows of one day', () => {
    const twice = [row('2026-11-20', 'm', 1, null), row('2026-11-20T00:00:00Z', 'm', 2, '0.5')]
    reports(now, ...twice, row('2026-11-22', 'm', 1, '3'))
    const { series, buckets } = reading.view(query({ from: '2026-11-20', to: '2026-11-23' }))
    expect(series[0]?.cost).toEqual(['0.5', '0', '3', null])
    expect(series[0]?.requests).toEqual([3, 0, 1, null])
    expect(buckets.map(({ state }) => state)).toEqual(['whole', ...Array(3).fill('running')])
  })

  it('has nothing of another account, even at the same address, over short and long ranges', () => {
    reports(now, row('2026-11-20', 'm', 1, '1'))
    const other = accountStore.accounts.add({ ...accountB, id: 'c', userId: 'v', name: 'C' })
    const reported = (cost: string, date: string) =>
      reportedByUsage(
        { askedAt: now, answeredAt: now },
        { usage: [row(date, 'm', 7, cost)], balance: '1', total_spent: '1' },
      )
    accountStore.transaction(() => accountStore.saveReply(other.no, reported('70', '2026-11-20')))
    const asked = { askedAt: now, answeredAt: now }
    const usage = [
      { date: '2026-11-20', total_requests: 1, total_tokens_in: 1, total_tokens_out: 1, total_cost_sc: '9' },
    ]
    accountStore.transaction(() => accountStore.saveReply(other.no, reportedByKeyDays(asked, 'k1', { usage })))
    local.rows.push({ ...used('2026-11-20', 'tool:t', 'm'), accountId: 'c', requests: 5 })
    for (const from of ['2026-11-16', '2020-01-01']) {
      const costs = ['b', 'c', 'b', 'c'].map((accountId) => reading.view(query({ accountId, from })).total.cost)
      expect(costs).toEqual(['1', '70', '1', '70'])
      expect(['b', 'c'].map((accountId) => reading.view(query({ accountId, from, by: 'key' })).total.cost)).toEqual([
        '0',
        '9',
      ])
    }
    expect(reading.view(query({ source: 'here' })).total.requests).toBe(0)
    expect(reading.compare(range)).toMatchObject([{ service: { cost: '1' }, here: null }])
    expect(reading.summary({ accountId: 'b' }).account.balance?.value).toBe('70')
    expect(reading.keys({ accountId: 'b' })).toEqual([])
  })

  it('by key is known as well as the least known key', () => {
    const days = { from: day('2026-11-19'), to: day('2026-11-20') }
    accountStore.transaction(() => {
      accountStore.saveReply(no, { what: 'days:k1', at: now, days })
      accountStore.saveReply(no, { what: 'days:k2', at: noon('2026-11-20'), days })
    })
    const states = reading.view(query({ from: '2026-11-19', by: 'key' })).buckets.map(({ state }) => state)
    expect(states).toEqual(['whole', 'partial', 'gap'])
  })

  it('is refused for a grouping that its source does not support, and for invalid days', () => {
    for (const wrong of [
      { by: 'app' },
      { by: 'feature' },
      { by: 'key', source: 'here' },
      { to: '2026-11-31' },
      { to: '2025-01-01' },
      // One day more than the maximum of about a hundred years.
      { from: dayText(day('2026-11-21') - 36_600) },
    ] as const) {
      expect(() => reading.view(query(wrong))).toThrow(expect.objectContaining({ kind: 'bad_input' }))
    }
    expect(reading.view(query({ from: dayText(day('2026-11-21') - 36_599) })).buckets).toHaveLength(36_600)
    expect(() => reading.view(query({ accountId: 'another' }))).toThrow(
      expect.objectContaining({ kind: 'no_such_item' }),
    )
  })

  it('by key has each key’s name, and null for what the key endpoint does not report [KEY-03]', () => {
    const asked = { askedAt: now, answeredAt: now }
    const days = {
      usage: [{ date: '2026-11-20', total_requests: 3, total_tokens_in: 4, total_tokens_out: 5, total_cost_sc: '6.5' }],
    }
    const keys = [
      keyRecord.parse({ id: 'k1', name: 'Laptop' }),
      keyRecord.parse({ id: 'k2', name: null, key_prefix: 'sk-2' }),
    ]
    accountStore.transaction(() => {
      accountStore.saveReply(no, reportedByKeys(asked, { api_keys: keys }))
      for (const id of ['k1', 'k2']) accountStore.saveReply(no, reportedByKeyDays(asked, id, days))
    })
    const { series, total } = reading.view(query({ by: 'key' }))
    expect(series.map(({ id, name }) => [id, name])).toEqual([
      ['k1', 'Laptop'],
      ['k2', 'sk-2'],
    ])
    expect(total).toMatchObject({ requests: 6, tokensCached: null, cost: '13' })
    const daily = reading.keyDaily({ ...range, keyId: 'k1' })
    expect(daily.map(({ state, figures }) => [state, figures?.cost])).toEqual([
      ...Array(4).fill(['whole', '0']),
      ['whole', '6.5'],
      ['running', '0'],
    ])
    expect(
      reading.keyDaily({ ...range, keyId: 'never' }).every(({ state, figures }) => state === 'gap' && figures === null),
    ).toBe(true)
  })
})

describe('a view of local usage', () => {
  it('is grouped by model, app or feature; anything else is the rest', () => {
    uses(
      used('2026-11-20', 'tool:t1', 'm', { cost: 1_500_000_000n }),
      used('2026-11-20', 'studio:chat', 'm', { cost: 500_000_000n }),
      used('2026-11-20', 'studio:speech', null, { unpriced: 1, estimated: 0, cost: 0n }),
      used('2026-11-20', 'studio:account', null, { requests: 40, estimated: 0 }),
    )
    const costs = (by: ViewQuery['by']) =>
      reading.view(query({ by, source: 'here' })).series.map(({ id, total }) => [id, total.cost])
    expect(costs('model')).toEqual([
      ['m', '2'],
      ['rest', null],
    ])
    expect(costs('app')).toEqual([
      ['t1', '1.5'],
      ['rest', '0.5'],
    ])
    expect(costs('feature')).toEqual([
      ['chat', '0.5'],
      ['account', '0'],
      ['speech', null],
      ['rest', '1.5'],
    ])
    // The log begins in the middle of the preceding range. Only the days that it covers are compared.
    uses(used('2026-11-13', 'tool:t1', 'm', { cost: 250_000_000n }))
    expect(reading.view(query({ source: 'here' })).before).toMatchObject({
      from: '2026-11-10',
      total: { cost: '0.25' },
    })
    expect(reading.view(query({ source: 'here', from: '2026-11-17' })).before?.total.cost).toBe('0.25')
    expect(reading.view(query({ source: 'here', from: '2026-11-13' })).before).toBeNull()
    const { buckets, total } = reading.view(query({ source: 'here' }))
    expect(buckets.map(({ state }) => state)).toEqual([...Array(5).fill('whole'), 'running'])
    expect(total).toMatchObject({ requests: 3, estimated: 2, unpriced: 1 })
  })
})

describe('the comparison of local and remote usage', () => {
  const driftOf = (given: { model: string }) => reading.compare(range).find(({ model }) => model === given.model)?.drift

  it('gives a reason for each difference', () => {
    const day19 = '2026-11-19'
    reports(
      now,
      row(day19, 'same', 1, '1'),
      row(day19, 'elsewhere', 5, '5'),
      row(day19, 'more', 1, '1'),
      row(day19, 'estimate', 1, '1.01'),
      row(day19, 'theirs', 1, '1'),
      row(day19, 'rounded', 1, '0.00004'),
      row(day19, 'reduced', 1, '0.9'),
    )
    const cost = 1_000_000_000n
    uses(
      used(day19, 'tool:t', 'same', { cost }),
      used(day19, 'tool:t', 'elsewhere', { cost }),
      used(day19, 'tool:t', 'more', { cost: 3n * cost, requests: 3, tokensIn: 30, tokensOut: 3 }),
      used(day19, 'tool:t', 'estimate', { cost }),
      used(day19, 'tool:t', 'rounded', { cost: 41_000n }),
      used(day19, 'tool:t', 'reduced', { cost }),
      used('2026-11-21', 'tool:t', 'today', { cost }),
      used(day19, 'tool:t', 'unpriced', { unpriced: 1, estimated: 0 }),
      used('2026-09-01', 'tool:t', 'before', { cost }),
    )
    const drifts = Object.fromEntries(
      reading.compare(range).map(({ model, drift, elsewhere }) => [model, [drift, elsewhere]]),
    )
    expect(drifts).toEqual({
      same: ['same', '0'],
      elsewhere: ['elsewhere', '4'],
      theirs: ['elsewhere', '1'],
      more: ['here_more', '-2'],
      estimate: ['same', '0.01'],
      rounded: ['same', '-0.000001'],
      reduced: ['here_more', '-0.1'],
      today: ['not_yet', '-1'],
      unpriced: ['unpriced', null],
    })
    expect(reading.compare({ ...range, from: '2026-09-01', to: '2026-09-02' })).toMatchObject([
      { model: 'before', drift: 'gap', service: null, here: { cost: '1' }, elsewhere: null },
    ])
  })

  it('counts a negative cost as a correction, and compares nothing while a cost is unknown [USE-01]', () => {
    const day19 = '2026-11-19'
    const cost = 33_840_000_000n
    reports(now, row(day19, 'm', 4, '33.84'), row(day19, 'm', 0, '-2.5'), row(day19, 'n', 1, '1'))
    uses(used(day19, 'tool:t', 'm', { cost, requests: 4, tokensIn: 40, tokensOut: 4 }))
    expect(reading.view(query({})).total).toMatchObject({ cost: '32.34', missing: { cost: 0 } })
    expect(driftOf({ model: 'm' })).not.toBe('same')
    reports(now + 1, row(day19, 'm', 4, '33.84'), row(day19, 'm', 0, 'refund'), row(day19, 'n', 1, '1'))
    const { total, series } = reading.view(query({}))
    expect(total).toMatchObject({ cost: '34.84', missing: { cost: 1, requests: 0 } })
    expect(series.find(({ id }) => id === 'm')?.incomplete).toContain(1)
    expect(reading.compare(range)).toMatchObject([
      { model: 'm', drift: 'incomplete', elsewhere: null },
      { model: 'n', drift: 'elsewhere', elsewhere: '1' },
    ])
  })

  it('of replies with any odd rows: known figures are summed exactly, and each row that lacks one is counted', () => {
    const odd = fc.constantFrom(undefined, null, '', 'x', true, 1.5, 1e300, {}, [1])
    const whole = fc.integer({ min: -1000, max: 1_000_000 })
    const count = fc.oneof(odd, whole, whole.map(String))
    const amount = fc.oneof(
      odd.filter((value) => typeof value !== 'number'),
      whole,
      whole.map((value) => `${value}.5`),
    )
    const rows = fc.array(
      fc.record({
        requests: count,
        tokens_in: count,
        tokens_out: count,
        cost_sc: amount,
        model: fc.constantFrom('a', 'b'),
      }),
      { maxLength: 8 },
    )
    let at = now
    const known = (value: unknown): number | null => {
      const read = typeof value === 'string' && /\d/.test(value) ? Number(value) : value
      return typeof read === 'number' && Number.isFinite(read) ? read : null
    }
    const sumOf = (values: readonly unknown[], isCount: boolean) => {
      const found = values.map(known).map((value) => (isCount && !Number.isSafeInteger(value) ? null : value))
      const numbers = found.filter((value) => value !== null)
      return { sum: numbers.reduce((all, value) => all + value, 0), without: found.length - numbers.length }
    }
    // Rows of one model are stored as one row. Of that row, a count of zero with unknown rows is unknown.
    const isKnown = (models: (readonly unknown[])[], isCount: boolean): boolean =>
      models.some((values) => {
        const { sum, without } = sumOf(values, isCount)
        return without === 0 || (isCount ? sum !== 0 : without < values.length)
      })
    fc.assert(
      fc.property(rows, (given) => {
        at += 1
        const usage = accountUsage.parse({ usage: given.map((one) => ({ ...one, date: '2026-11-19' })) })
        const reported = reportedByUsage({ askedAt: at, answeredAt: at }, usage)
        accountStore.transaction(() => accountStore.saveReply(no, reported))
        const { total } = reading.view(query({ from: '2026-11-19', to: '2026-11-19' }))
        // Cached tokens are absent, so no row is one of zeros.
        const models = [...Map.groupBy(given, ({ model }) => model).values()]
        for (const [name, from] of [
          ['requests', 'requests'],
          ['tokensIn', 'tokens_in'],
          ['tokensOut', 'tokens_out'],
        ] as const) {
          const { sum, without } = sumOf(
            given.map((one) => one[from]),
            true,
          )
          const ofModels = models.map((one) => one.map((row) => row[from]))
          expect([total[name], total.missing[name]]).toEqual([
            without > 0 && !isKnown(ofModels, true) ? null : sum,
            without,
          ])
        }
        const costs = sumOf(
          given.map(({ cost_sc }) => cost_sc),
          false,
        )
        expect(total.missing.cost).toBe(costs.without)
        const ofModels = models.map((one) => one.map(({ cost_sc }) => cost_sc))
        expect(total.cost).toBe(costs.without > 0 && !isKnown(ofModels, false) ? null : String(costs.sum))
      }),
      { numRuns: tries(60, 600) },
    )
  })

  it('counts output tokens, requests without a model, and the age of a day', () => {
    const fetched = noon('2026-10-23')
    reports(
      fetched,
      row('2026-10-21', 'out', 1, '1'),
      row('2026-10-22', 'young', 1, '1'),
      row('2026-10-23', 'last', 1, '1'),
    )
    const cost = 1_000_000_000n
    uses(
      // One output token more locally, at an estimate that differs from the service's.
      used('2026-10-21', 'tool:t', 'out', { cost, tokensOut: 2 }),
      // The 23rd of October is the first of the service's 30 days. It was fetched before it ended.
      used('2026-10-23', 'tool:t', 'last', { cost: 2n * cost, tokensOut: 2 }),
      used('2026-10-23', 'studio:speech', null, { unpriced: 1, estimated: 0, tokensIn: 0, tokensOut: 0 }),
    )
    const all = { ...range, from: '2026-10-20' }
    const drift = (at: number) =>
      Object.fromEntries(
        readingOf(accountStore, () => at, local)
          .compare(all)
          .map((one) => [one.model, one.drift]),
      )
    expect(drift(noon('2026-11-21'))).toEqual({ out: 'here_more', young: 'elsewhere', last: 'not_yet', '': 'unpriced' })
    // A day later the service no longer reports it.
    expect(drift(noon('2026-11-22')).last).toBe('gap')
  })

  it('counts a row as known although the coverage of its day was lost', () => {
    reports(now, row('2026-11-19', 'm', 2, '2'))
    uses(used('2026-11-19', 'tool:t', 'm', { cost: 1_000_000_000n }))
    const file = new DatabaseSync(accountFile(dataDir))
    file.exec('DELETE FROM coverage')
    file.close()
    expect(reading.compare(range)).toMatchObject([{ elsewhere: '1', here: { cost: '1' }, drift: 'elsewhere' }])
  })

  it('covers only the days that both know: local use in a gap is not “more than the service has”', () => {
    reports(now, row('2026-11-20', 'm', 2, '2'))
    uses(
      used('2026-11-20', 'tool:t', 'm', { cost: 1_000_000_000n }),
      used('2026-09-01', 'tool:t', 'm', { cost: 7_000_000_000n }),
    )
    const [all] = reading.compare({ ...range, from: '2026-09-01' })
    expect(all).toMatchObject({ here: { cost: '8' }, elsewhere: '1', drift: 'elsewhere' })
    const daily = reading.compare({ ...range, from: '2026-09-01', daily: true })
    expect(daily.map(({ day: one, drift }) => [one, drift])).toEqual([
      ['2026-11-20', 'elsewhere'],
      ['2026-09-01', 'gap'],
    ])
    expect(driftOf({ model: 'm' })).toBe('elsewhere')
  })
})

describe('keys', () => {
  const record = (id: string, given: object = {}) => keyRecord.parse({ id, key_prefix: 'sk-same', ...given })

  it('the keys are those of the list, if there is one; of two with one prefix the revoked one stays separate [KEY-01] [KEY-04]', () => {
    const asked = { askedAt: now, answeredAt: now }
    accountStore.transaction(() =>
      accountStore.saveReply(no, reportedByCurrentKey(asked, record('k2', { balance_limit_sc: -1 }))),
    )
    expect(reading.keys({ accountId: 'b' })).toMatchObject([{ id: 'k2', balanceLimit: null }])
    const list = [record('k1', { revoked_at: '2026-01-01' }), record('k2', { balance_limit_sc: 0 })]
    accountStore.transaction(() => accountStore.saveReply(no, reportedByKeys(asked, { api_keys: list })))
    expect(reading.keys({ accountId: 'b' })).toMatchObject([
      { id: 'k2', prefix: 'sk-same', balanceLimit: '0', revokedAt: null },
      { id: 'k1', prefix: 'sk-same', revokedAt: '2026-01-01' },
    ])
  })
})

it('of several reports of an undated row the newest is kept, in whatever order they arrive', () => {
  const at = (when: number, cost: string) => {
    const usage = [row('some day', 'm', 1, cost)]
    const reported = reportedByUsage({ askedAt: when, answeredAt: when }, { usage, balance: null, total_spent: null })
    accountStore.transaction(() => accountStore.saveReply(no, reported))
  }
  at(now, '2')
  at(now - 1000, '1')
  expect(reading.undated({ accountId: 'b' })).toMatchObject([{ figures: { cost: '2' } }])
})

describe('the summary', () => {
  it('computes exactly how long the balance lasts at the pace of the last seven full days', () => {
    reports(
      now,
      ...Array.from({ length: 7 }, (_, back) => row(`2026-11-${20 - back}`, 'm', 1, '0.7')),
      row('2026-11-21', 'm', 1, '50'),
    )
    uses(used('2026-11-21', 'tool:t', 'm', { cost: 2_000_000_000n }))
    expect(reading.summary({ accountId: 'b' })).toMatchObject({
      pace: '0.7',
      daysLeft: 100,
      corrections: 0,
      gaps: 0,
      account: {
        balance: { value: '70', asOf: new Date(now).toISOString() },
        spent: { value: '30' },
        firstDay: '2026-11-14',
      },
    })
  })

  it('has no pace for a day fetched only before it ended', () => {
    const cover = (from: string, at: string) =>
      accountStore.transaction(() =>
        accountStore.saveReply(no, { what: 'usage', at: noon(at), days: { from: day(from), to: day(at) } }),
      )
    cover('2026-11-10', '2026-11-19')
    expect(reading.summary({ accountId: 'b' }).pace).toBe('0')
    cover('2026-11-20', '2026-11-20')
    expect(reading.summary({ accountId: 'b' })).toMatchObject({ pace: null })
    cover('2026-11-19', '2026-11-21')
    expect(reading.summary({ accountId: 'b' })).toMatchObject({ pace: '0' })
  })

  it.each([
    // A balance of the smallest unit, of more than anyone spends, and below zero.
    ['0.7', '7', '0.1', 7],
    ['0.69', '7', '0.1', 6],
    ['999999999', '7e-18', '0.000000000000000001', 365_000],
    ['0', '7', '0.1', 0],
    ['-3', '7', '0.1', 0],
  ])(
    'at a balance of %s and %s SC in a week the pace is %s per day, in full days',
    (balance, spent, pace, daysLeft) => {
      const share = spent === '7' ? '0.1' : '1e-18'
      const rows = Array.from({ length: 7 }, (_, back) => row(`2026-11-${20 - back}`, 'm', 1, share))
      const reported = reportedByUsage({ askedAt: now, answeredAt: now }, { usage: rows, balance, total_spent: '-1' })
      accountStore.transaction(() => accountStore.saveReply(no, reported))
      const seen = reading.summary({ accountId: 'b' })
      expect(seen).toMatchObject({ pace, daysLeft })
      // Lifetime spend can fall below zero by corrections.
      expect(seen.account.spent?.value).toBe('-1')
    },
  )

  it('begins with the first day that either source knows', () => {
    reports(now, row('2026-11-20', 'm', 1, '1'))
    expect(reading.summary({ accountId: 'b' }).account.firstDay).toBe('2026-11-20')
    uses(used('2026-10-25', 'tool:t', 'm'))
    expect(reading.summary({ accountId: 'b' }).account.firstDay).toBe('2026-10-25')
  })

  it('has no pace if one of those days is unknown, and counts the gaps', () => {
    reports(noon('2026-10-01'), row('2026-10-01', 'm', 1, '1'))
    const before = reading.summary({ accountId: 'b' })
    expect(before).toMatchObject({ pace: '0', daysLeft: null })
    // None of the days since the 2nd of October was fetched. The window before the 1st was.
    expect(before.gaps).toBe(day('2026-11-21') - day('2026-10-01'))
    accountStore.transaction(() =>
      accountStore.saveReply(no, { what: 'usage', at: now, days: { from: day('2026-11-18'), to: day('2026-11-21') } }),
    )
    expect(reading.summary({ accountId: 'b' })).toMatchObject({
      pace: null,
      daysLeft: null,
      gaps: day('2026-11-17') - day('2026-10-01'),
    })
  })
})
