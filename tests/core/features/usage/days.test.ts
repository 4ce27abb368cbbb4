import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  reportedByKeyDays,
  reportedByKeys,
  reportedByUsage,
  whyUndated,
} from '../../../../src-main/core/features/usage/parseReplies.ts'
import { bucketsOf, dayOfDate, dayText, endOfDay } from '../../../../src-main/core/shared/days.ts'
import { accountUsage, keyDaily, keyList } from '../../../../src-main/core/upstream/reply/schemas.ts'
import { instantOf } from '../../../../src-preload/contract/limitText.ts'
import { firstCases } from '../../../helpers/effort.ts'
import { noon } from './helpers.ts'

describe('a service date', () => {
  it.each([
    ['2026-11-21', '2026-11-21'],
    ['2026-11-21T00:00:00Z', '2026-11-21'],
    ['2026-11-21T23:59:59.999-11:00', '2026-11-21'],
    ['2026-11-21 00:00:00+14', '2026-11-21'],
    [' 2026-11-21T24:00:00 and more', '2026-11-21'],
    ['2024-02-29', '2024-02-29'],
    ['0099-01-01', null],
    ['2026-02-29', null],
    ['2026-13-01', null],
    ['2026-11-211', null],
    ['21.11.2026', null],
    ['', null],
    [null, null],
    ['+002026-11-21', null],
  ])('%s is the day %s as it is written, in no time zone [USE-02]', (given, expected) => {
    const day = dayOfDate(given)
    expect(day === null ? null : dayText(day)).toBe(expected)
  })

  it.each(firstCases(2, ['Pacific/Kiritimati', 'Pacific/Niue', 'America/New_York', 'Europe/Berlin', 'UTC']))(
    'gives the same day, weeks and months on a computer in %s [USE-02]',
    (zone) => {
      const program = fileURLToPath(new URL('printDays.ts', import.meta.url))
      const env = { ...process.env, TZ: zone }
      const said: unknown = JSON.parse(execFileSync(process.execPath, [program], { env, encoding: 'utf8' }))
      // Includes the nights when the clocks change in New York and Berlin.
      expect(said).toEqual({
        zone,
        days: ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', '2026-12-31'],
        weeks: ['2026-10-19..2026-10-25', '2026-10-26..2026-11-01', '2026-11-02..2026-11-02'],
        months: ['2026-01-31..2026-01-31', '2026-02-01..2026-02-28', '2026-03-01..2026-03-01'],
        covered: ['2026-10-23..2026-11-21', 30],
        instants: ['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z', '2026-11-21T00:00:00.000Z'],
      })
    },
  )
})

it.each([
  ['2026-11-21T12:00:00.25Z', '2026-11-21T12:00:00.250Z'],
  ['2026-11-21T12:00:00+14:00', '2026-11-20T22:00:00.000Z'],
  ['2026-11-21 12:00:00 -0330', '2026-11-21T15:30:00.000Z'],
  ['2026-11-21T12:00+02', '2026-11-21T10:00:00.000Z'],
  ['1763726400', '2025-11-21T12:00:00.000Z'],
  ['12', null],
  ['2026-02-30T12:00:00Z', null],
  ['tomorrow, after lunch', null],
  ['in 5 minutes', null],
  [null, null],
])('an instant of the service is read from %s as %s, or rejected [LIM-02]', (given, expected) => {
  const at = instantOf(given)
  expect(at === null ? null : new Date(at).toISOString()).toBe(expected)
})

describe('a usage reply', () => {
  const at = noon('2026-11-21')
  const asked = { askedAt: at, answeredAt: at }
  const row = { user_id: 'u', model: 'm', requests: 1, tokens_in: 5, tokens_out: 2, tokens_cached: 1, cost_sc: '0.1' }

  it('covers today and the 29 days before; a change of day during the request removes one day', () => {
    const { days } = reportedByUsage(asked, { usage: [], balance: null, total_spent: null })
    expect(days && [dayText(days.from), dayText(days.to)]).toEqual(['2026-10-23', '2026-11-21'])
    const midnight = endOfDay(Math.floor(at / 86_400_000))
    const turning = reportedByUsage(
      { askedAt: midnight - 1, answeredAt: midnight + 1 },
      { usage: [], balance: null, total_spent: null },
    )
    expect(turning.days && [dayText(turning.days.from), dayText(turning.days.to)]).toEqual(['2026-10-24', '2026-11-21'])
  })

  it('keeps rows without a readable date separate and loses none [USE-02]', () => {
    const dates = ['2026-11-20', 'yesterday', '', '1999-01-01', '2026-11-20T12:00:00Z', 'yesterday']
    const reported = reportedByUsage(asked, {
      usage: dates.map((date) => ({ ...row, date })),
      balance: null,
      total_spent: null,
    })
    expect(reported.rows).toMatchObject([{ date: '2026-11-20', requests: 2, cost: 200_000_000_000_000_000n }])
    expect(reported.undated?.map(({ date, requests }) => [date, requests])).toEqual([
      ['yesterday', 2],
      ['', 1],
      ['1999-01-01', 1],
    ])
  })

  it('counts negative rows as corrections, digits in text as numbers, and everything else as unknown [USE-01]', () => {
    const usage = accountUsage.parse({
      usage: [
        { ...row, date: '2026-11-20', requests: -1, tokens_in: '-5', tokens_out: '2', tokens_cached: 0, cost_sc: -1 },
        { ...row, date: '2026-11-19', requests: null, tokens_in: 1.5, tokens_out: 1e300, cost_sc: 'much' },
        { date: '2026-11-18', model: 'm', requests: '3' },
      ],
    })
    expect(reportedByUsage(asked, usage).rows).toMatchObject([
      { requests: -1, tokensIn: -5, tokensOut: 2, tokensCached: 0, cost: -1_000_000_000_000_000_000n },
      { cost: null, missing: { requests: 1, tokensIn: 1, tokensOut: 1 } },
      { requests: 3, tokensCached: null, cost: null, missing: { tokensIn: 1, tokensOut: 1 } },
    ])
  })

  it('with an unknown figure in one of two rows of a day keeps the other, and says how many rows lack it', () => {
    const two = [
      { ...row, date: '2026-11-20', cost_sc: '5' },
      { ...row, date: '2026-11-20', cost_sc: null, requests: null, tokens_cached: null },
    ]
    const { rows } = reportedByUsage(asked, accountUsage.parse({ usage: two }))
    expect(rows).toMatchObject([
      { requests: 1, tokensIn: 10, cost: 5n * 10n ** 18n, missing: { requests: 1, tokensCached: 1, cost: 1 } },
    ])
  })

  it('says why a row belongs to no reported day', () => {
    const why = (date: string) => whyUndated(date, at)
    expect(['', 'soon', '2026-11-23', '2027-01-01', '1999-01-01'].map(why)).toEqual([
      ...['none', 'unreadable', 'future', 'future', 'past'],
    ])
  })

  it('without its rows covers no day: missing is not zero [GEN-02] [USE-01]', () => {
    const reported = reportedByUsage(asked, accountUsage.parse({ balance: 5, total_spent: 7 }))
    expect(reported).toMatchObject({ days: null, rows: [], values: [{ value: '{"balance":"5","spent":"7"}' }] })
    expect(reportedByKeyDays(asked, 'k', keyDaily.parse({})).days).toBeNull()
  })

  it('keeps the other rows when one is invalid [GEN-02]', () => {
    const good = { ...row, date: '2026-11-20', cost_sc: 0.1 }
    const reported = reportedByUsage(asked, accountUsage.parse({ usage: [null, 'x', good, 3, []], balance: 5 }))
    expect(reported.rows).toMatchObject([{ requests: 1, cost: 100_000_000_000_000_000n }])
    const keys = keyList.parse({ api_keys: [null, { id: 'k1' }, 'no'] })
    expect(reportedByKeys(asked, keys).values?.map(({ what }) => what)).toEqual(['key:k1'])
    const daily = keyDaily.parse({ usage: [7, { date: '2026-11-20', total_requests: 2 }] })
    expect(reportedByKeyDays(asked, 'k', daily).rows).toMatchObject([{ requests: 2 }])
  })

  it('with a model name that SQLite cannot store gets a storable one, the same each time [GEN-02]', () => {
    const names = ['M\ud800', 'a\0b', 'Writer', 'writer']
    const usage = names.map((model) => ({ ...row, model, date: '2026-11-20' }))
    const reported = reportedByUsage(asked, { usage, balance: null, total_spent: null })
    expect(reported.rows?.map(({ model }) => model)).toEqual(['M\ufffd', 'a\ufffdb', 'Writer', 'writer'])
  })

  it('of a key reports a revocation in any form [KEY-04]', () => {
    const forms = ['2026-11-20', 1_763_726_400, true, '', null]
    const keys = forms.map((revoked_at, at) => ({ id: `k${at}`, revoked_at }))
    const { values } = reportedByKeys(asked, keyList.parse({ api_keys: keys }))
    const said = values?.map(({ value }) => JSON.parse(value).revokedAt)
    expect(said).toEqual(['2026-11-20', '1763726400', 'true', '', null])
  })

  it('of a key reports no cached tokens [KEY-03]', () => {
    const usage = [
      { date: '2026-11-20', total_requests: 3, total_tokens_in: 4, total_tokens_out: 5, total_cost_sc: '6' },
    ]
    expect(reportedByKeyDays(asked, 'k', { usage }).rows).toMatchObject([
      { model: '', requests: 3, tokensCached: null },
    ])
  })
})

it('weeks begin on Monday, also before 1970', () => {
  const from = dayOfDate('1969-12-27') ?? 0
  const weeks = bucketsOf(from, from + 10, 'week').map((one) => `${dayText(one.from)}..${dayText(one.to)}`)
  expect(weeks).toEqual(['1969-12-27..1969-12-28', '1969-12-29..1970-01-04', '1970-01-05..1970-01-06'])
})

it('ranges across New Year and the end of a leap February repeat and omit no day', () => {
  const stretches = (from: string, to: string, grain: 'week' | 'month'): string[] =>
    bucketsOf(dayOfDate(from) ?? 0, dayOfDate(to) ?? 0, grain).map((one) => `${dayText(one.from)}..${dayText(one.to)}`)
  // 2026 has 53 weeks. The last one belongs to two years.
  expect(stretches('2026-12-24', '2027-01-05', 'week')).toEqual([
    '2026-12-24..2026-12-27',
    '2026-12-28..2027-01-03',
    '2027-01-04..2027-01-05',
  ])
  expect(stretches('2027-12-31', '2028-03-01', 'month')).toEqual([
    '2027-12-31..2027-12-31',
    '2028-01-01..2028-01-31',
    '2028-02-01..2028-02-29',
    '2028-03-01..2028-03-01',
  ])
})
