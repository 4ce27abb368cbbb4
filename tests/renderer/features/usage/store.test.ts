import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resetAt } from '../../../../src-preload/contract/limitText.ts'
import type { Account } from '../../../../src-preload/contract/usage.ts'
import { filterOf } from '../../../../src-renderer/features/usage/actions.ts'
import { matchingKeys, sortedKeys } from '../../../../src-renderer/stores/keys.ts'
import { viewBucketOf } from '../../../../src-renderer/stores/limits.ts'
import {
  daysOf,
  firstChoice,
  firstUsage,
  fitChoice,
  grainOf,
  queryBefore,
  queryOf,
  selectedAccount,
  stacks,
} from '../../../../src-renderer/stores/usage.ts'
import {
  dayOfInstant,
  dayOfNumber,
  daysBetween,
  instantsOf,
  isDay,
  numberOfDay,
  shiftDay,
} from '../../../../src-renderer/stores/usageDays.ts'
import { Accounts } from '../../harness/accounts.ts'

const now = Date.UTC(2026, 10, 21, 23, 59)
const account = (more: Partial<Account> = {}): Account => ({
  id: '00000000-0000-4000-8000-000000000001',
  name: 'main',
  baseUrl: 'https://a.example',
  userId: null,
  active: true,
  offers: 'yes',
  balance: null,
  spent: null,
  asOf: null,
  firstDay: '2025-01-01',
  fetching: false,
  problem: null,
  ...more,
})
const anyDay = fc.integer({ min: -20_000, max: 60_000 }).map(dayOfNumber)

describe('calendar days', () => {
  it('are counted and never converted, across years and leap days [USE-02]', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -4_000, max: 4_000 }), (day, by) => {
        expect(isDay(day)).toBe(true)
        expect(shiftDay(shiftDay(day, by), -by)).toBe(day)
        expect(numberOfDay(shiftDay(day, by)) - numberOfDay(day)).toBe(by)
      }),
    )
    expect(shiftDay('2028-02-28', 1)).toBe('2028-02-29')
    expect(daysBetween('2026-11-01', '2026-11-30')).toBe(30)
  })
  it('are cut in UTC, whatever the local time zone', () => {
    expect(dayOfInstant(Date.parse('2026-11-21T23:59:59.999Z'))).toBe('2026-11-21')
    expect(dayOfInstant(Date.parse('2026-11-22T00:00:00+14:00'))).toBe('2026-11-21')
    expect(instantsOf('2026-11-20', '2026-11-21')).toEqual({
      since: '2026-11-20T00:00:00.000Z',
      until: '2026-11-21T23:59:59.999Z',
    })
  })
  it('are recognised as invalid', () => {
    for (const text of ['2026-02-30', '2026-13-01', '26-1-1', '', 'today']) expect(isDay(text)).toBe(false)
  })
})

describe('the query of the Usage page', () => {
  it('covers the days of the range, today included', () => {
    expect(daysOf({ ...firstChoice, range: '7' }, account(), now)).toEqual({ from: '2026-11-15', to: '2026-11-21' })
    expect(daysOf({ ...firstChoice, range: 'all' }, account(), now)).toEqual({ from: '2025-01-01', to: '2026-11-21' })
    expect(daysOf({ ...firstChoice, range: 'all' }, account({ firstDay: null }), now)).toEqual({
      from: '2026-11-21',
      to: '2026-11-21',
    })
    const { from, to } = daysOf({ ...firstChoice, range: 'year' }, account(), now)
    expect(daysBetween(from, to)).toBe(365)
  })
  it('covers this month up to today, and the whole last month, also over the end of a year', () => {
    const month = (range: 'month' | 'lastMonth', day: string) =>
      daysOf({ ...firstChoice, range }, account(), Date.parse(`${day}T12:00:00Z`))
    expect(month('month', '2026-11-21')).toEqual({ from: '2026-11-01', to: '2026-11-21' })
    expect(month('lastMonth', '2026-11-21')).toEqual({ from: '2026-10-01', to: '2026-10-31' })
    expect(month('lastMonth', '2028-03-31')).toEqual({ from: '2028-02-01', to: '2028-02-29' })
    expect(month('lastMonth', '2026-01-01')).toEqual({ from: '2025-12-01', to: '2025-12-31' })
  })
  it('never asks for a half-typed year, which would leave the page without figures after a reload', () => {
    const own = { ...firstChoice, range: 'own' as const }
    for (const day of ['0002-10-12', '0026-10-12', '1999-12-31', '2100-01-01']) {
      const { from, to } = daysOf({ ...own, from: day, to: '2026-11-20' }, account(), now)
      expect([from, to]).toEqual(['2026-10-23', '2026-11-20'])
    }
  })
  it('corrects a reversed custom range, and replaces a damaged one by a month', () => {
    const own = { ...firstChoice, range: 'own' as const }
    expect(daysOf({ ...own, from: '2026-03-09', to: '2026-03-01' }, account(), now)).toEqual({
      from: '2026-03-01',
      to: '2026-03-09',
    })
    const { from, to } = daysOf({ ...own, from: 'never', to: '2026-02-31' }, account(), now)
    expect(daysBetween(from, to)).toBe(30)
  })
  it('never asks a source for what it does not know', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...stacks),
        fc.constantFrom('service' as const, 'here' as const),
        fc.constantFrom('yes' as const, 'no' as const, 'unknown' as const),
        (by, source, offers) => {
          const query = queryOf(
            { ...firstUsage, accounts: [account({ offers })], choice: { ...firstChoice, by, source } },
            now,
          )
          if (query?.by === 'app' || query?.by === 'feature') expect(query.source).toBe('here')
          if (query?.by === 'key') expect(query.source).toBe('service')
          if (offers === 'no') expect(query).toMatchObject({ source: 'here' })
          expect(fitChoice({ ...firstChoice, by, source }, account({ offers })).by).toBe(query?.by)
        },
      ),
    )
  })
  it('has as many bars as can be distinguished', () => {
    expect(grainOf(firstChoice, '2026-10-23', '2026-11-21')).toBe('day')
    expect(grainOf(firstChoice, '2025-11-22', '2026-11-21')).toBe('week')
    expect(grainOf(firstChoice, '2016-11-22', '2026-11-21')).toBe('month')
    expect(grainOf({ ...firstChoice, grain: 'day' }, '2016-11-22', '2026-11-21')).toBe('day')
  })
  it('compares with the period of the same length just before', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 0, max: 800 }), (from, more) => {
        const query = { accountId: account().id, from, to: shiftDay(from, more) }
        const before = queryBefore({ ...query, grain: 'day', by: 'model', source: 'service', search: '' })
        expect(shiftDay(before.to, 1)).toBe(from)
        expect(daysBetween(before.from, before.to)).toBe(more + 1)
      }),
    )
  })
  it('uses the selected account while it exists, otherwise the connected one', () => {
    const other = account({ id: '00000000-0000-4000-8000-000000000002', active: false })
    expect(selectedAccount({ accounts: [account(), other], accountId: other.id })).toBe(other)
    expect(selectedAccount({ accounts: [account()], accountId: other.id })?.active).toBe(true)
    expect(selectedAccount({ accounts: [], accountId: null })).toBeNull()
  })
})

describe('a counter of the limits', () => {
  it('derives the values that the service left out, and no more [LIM-01] [LIM-04]', () => {
    expect(viewBucketOf({ limit: 60, used: null, remaining: 15 })).toMatchObject({
      used: 45,
      share: 0.75,
      level: 'good',
    })
    expect(viewBucketOf({ limit: 100, used: 96, remaining: null })).toMatchObject({ remaining: 4, level: 'bad' })
    expect(viewBucketOf({ limit: null, used: 9, remaining: null })).toMatchObject({ limit: null, share: null })
    expect(viewBucketOf({ limit: 0, used: 0, remaining: 0 })).toMatchObject({ share: 1, level: 'bad' })
    expect(viewBucketOf({ limit: null, used: null, remaining: null })).toBeNull()
  })
  it('counts the seconds from the time of the report, never below one', () => {
    const asOf = '2026-11-21T12:00:00.000Z'
    const reset = (resetSeconds: number | null, now: number) => resetAt({ resetSeconds, asOf }, now)
    expect(reset(22, Date.parse(asOf) + 4_000)).toBe(18)
    expect(reset(22, Date.parse(asOf) + 22_000)).toBe('over')
    expect(reset(-5, Date.parse(asOf))).toBe('over')
    expect(reset(null, Date.parse(asOf))).toBe('unknown')
    expect(resetAt({ resetSeconds: 5, asOf: 'never' }, 0)).toBe('unknown')
  })
})

describe('the keys of an account', () => {
  const keys = new Accounts('some', 40).keys()
  it('are sorted with the one in use first, and unusable ones last [KEY-04]', () => {
    const sorted = sortedKeys([...keys].reverse())
    expect(sorted.map((key) => key.revokedAt !== null || key.gone)).toEqual([false, false, false, true, true])
    expect(sortedKeys(keys)[0]?.calling).toBe(true)
  })
  it('match all search terms, in name, prefix or id', () => {
    expect(matchingKeys(keys, 'BATCH night').map(({ name }) => name)).toEqual(['night batch'])
    expect(matchingKeys(keys, 'sk-inf-4')).toHaveLength(1)
    expect(matchingKeys(keys, 'nothing like it')).toEqual([])
    expect(matchingKeys(keys, ' ')).toHaveLength(keys.length)
  })
})

describe('from a bar to its requests', () => {
  it('filters the log by model, app or feature, but not by key or the rest', () => {
    expect(filterOf('model', 'writer-small')).toEqual({ model: 'writer-small' })
    expect(filterOf('app', 'an-app')).toEqual({ who: 'an-app' })
    expect(filterOf('feature', 'speech')).toEqual({ who: 'studio:speech' })
    expect(filterOf('key', 'a-key')).toEqual({})
    expect(filterOf('model', 'rest')).toEqual({})
    expect(filterOf('model', null)).toEqual({})
  })
})
