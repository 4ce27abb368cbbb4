import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { AlertLog } from '../../../../src-main/core/features/alerts/alertLog.ts'
import { AlertsFeature } from '../../../../src-main/core/features/alerts/alerts.ts'
import {
  type BudgetChecks,
  measureBalance,
  measureBan,
  measureBudgets,
  measureKey,
  measureSpend,
  measureTokens,
} from '../../../../src-main/core/features/alerts/conditions.ts'
import type { Measurement } from '../../../../src-main/core/features/alerts/measurement.ts'
import { notificationText } from '../../../../src-main/core/features/alerts/messages.ts'
import type { CacheRow } from '../../../../src-main/core/ports/requests.ts'
import { dayMs, dayOfMs, dayText } from '../../../../src-main/core/shared/days.ts'
import { Listeners } from '../../../../src-main/core/shared/events.ts'
import { databaseFile, openStore } from '../../../../src-main/core/store/store.ts'
import type { RateLimitStatusReply } from '../../../../src-main/core/upstream/types.ts'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { Account } from '../../../../src-preload/contract/usage.ts'
import { createWords } from '../../../../src-renderer/i18n/host.ts'
import { plainApp } from '../../../helpers/plainApp.ts'
import { freshFolder } from '../../helpers/core.ts'

const start = Date.parse('2026-11-21T00:00:00Z')
const dataDir = freshFolder()
let store = openStore(dataDir)
afterAll(() => store.close())

/** An alert log and the alerts that it reported for an account's or app's id, in order. */
function openAlertLog(now: () => number) {
  let log = new AlertLog(store.alerts, now)
  return {
    take: (given: Measurement | Measurement[]) => log.take([given].flat()).reported,
    lapse: () => log.lapse(),
    /** Forgets everything in memory, as a restart does. */
    restart() {
      store.close()
      store = openStore(dataDir)
      log = new AlertLog(store.alerts, now)
    },
  }
}

/** Cents, often around the first limit. */
const cents = fc.oneof(fc.integer({ min: -300, max: 1500 }), fc.integer({ min: 470, max: 580 }))
const sc = (of: number): string => (of / 100).toFixed(2).replace(/\.?0+$/, '')

type Step = { do: 'figure'; cents: number; asOf: number } | { do: 'line'; cents: number } | { do: 'restart' }
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ do: fc.constant('figure' as const), cents, asOf: fc.nat(60) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('line' as const), cents: fc.integer({ min: 1, max: 1200 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  ),
  { maxLength: 40 },
)

/** The expected alerts for a balance, in short: below the limit; recovered 10 percent above it; older figures ignored. */
class Wanted {
  line = 500
  low = false
  heard = Number.NEGATIVE_INFINITY
  #drawn = 500

  isReported(figure: number, asOf: number): boolean {
    if (asOf < this.heard) return false
    this.heard = asOf
    const below = figure < this.line
    const well = this.#drawn === this.line ? figure * 10 >= this.line * 11 : !below
    const before = this.low && !well
    this.low = before || below
    this.#drawn = this.line
    return below && !before
  }
}

describe('a balance', () => {
  it('is reported once per crossing, in any order of figures, across changed limits and restarts', () => {
    const walk = (all: Step[]): void => {
      const id = randomUUID()
      let now = start
      const log = openAlertLog(() => now)
      const wanted = new Wanted()
      const hear = (figure: number, asOf: number): void => {
        const [balance, below] = [{ value: sc(figure), asOf: iso(asOf) }, sc(wanted.line)]
        const reported = log.take(measureBalance({ id, name: 'A' }, balance, below))
        const facts = { kind: 'balance', account: { id, name: 'A' }, balance: sc(figure), below, asOf: iso(asOf) }
        expect(reported.map((one) => one.facts)).toEqual(wanted.isReported(figure, asOf) ? [facts] : [])
        expect(store.alerts.holding(`balance:${id}`) !== null).toBe(wanted.low)
      }
      for (const step of all) {
        now += 60_000
        // Within the last hour, in any order.
        if (step.do === 'figure') hear(step.cents, now - step.asOf * 60_000)
        else if (step.do === 'line') wanted.line = step.cents
        else {
          log.restart()
          wanted.heard = Number.NEGATIVE_INFINITY
        }
      }
    }
    fc.assert(fc.property(steps, walk), { numRuns: 70 })
  })
})

const iso = (ms: number): string => new Date(ms).toISOString()
/** Below zero: unknown. */
const scOrNull = (of: number): string | null => (of < 0 ? null : sc(of))

interface Sides {
  service: number
  here: number
  hours: number
}

describe('the spend of a day', () => {
  it('is reported once per day and limit, by the larger source, whatever is corrected, and again the next day', () => {
    const walk = (figures: Sides[], line: number): void => {
      const id = randomUUID()
      let now = start
      const log = openAlertLog(() => now)
      const reported: string[] = []
      const hear = ({ service, here }: Sides): void => {
        const sides = { day: dayOfMs(now), service: scOrNull(service), here: scOrNull(here) }
        const reading = measureSpend({ id, name: 'A' }, sides, sc(line), now)
        const most = Math.max(service, here)
        expect(reading === null).toBe(most < 0)
        for (const { facts } of reading ? log.take(reading) : []) {
          if (facts.kind !== 'spend') throw new Error('It is about spend.')
          expect(facts.spent).toBe(sc(most))
          expect(facts.source).toBe(service >= here ? 'service' : 'here')
          reported.push(facts.day)
        }
      }
      const over = new Set<string>()
      for (const [at, sides] of figures.entries()) {
        now += sides.hours * 3_600_000
        if (at % 7 === 6) log.restart()
        log.lapse()
        hear(sides)
        if (Math.max(sides.service, sides.here) > line) over.add(dayText(dayOfMs(now)))
      }
      expect(reported).toEqual([...over])
      // No alert is active beyond its day.
      now += 2 * dayMs
      log.lapse()
      expect(store.alerts.holding(`spend:${id}`)).toBeNull()
    }
    const spent = fc.integer({ min: -150, max: 900 })
    const sides = fc.record({ service: spent, here: spent, hours: fc.nat(14) })
    fc.assert(fc.property(fc.array(sides, { maxLength: 30 }), fc.integer({ min: 1, max: 800 }), walk), { numRuns: 50 })
  })
})

const windows = ['day', 'month', 'total'] as const
const lines = { day: 100, month: 300, total: 200 }

/** An app's spend in cents, and how far each budget was reported. */
class Spending {
  readonly spent = { day: 0, month: 0, total: 0 }
  readonly #reported = { day: 0, month: 0, total: 0 }
  #at = ''

  goOn(now: number, spend: number, reset: boolean): void {
    const date = iso(now)
    if (date.slice(0, 10) !== this.#at.slice(0, 10)) this.spent.day = this.#reported.day = 0
    if (date.slice(0, 7) !== this.#at.slice(0, 7)) this.spent.month = this.#reported.month = 0
    this.#at = date
    if (reset) this.spent.total = 0
    for (const window of windows) this.spent[window] += spend
  }

  /** What must be reported now, at this share of a budget and this cost of the usual request. */
  expected(window: (typeof windows)[number], share: number, usual: number) {
    const [is, line] = [this.spent[window], lines[window]]
    const left = line - is
    const level = left <= 0 ? 3 : left < usual ? 2 : is * 100 >= line * share ? 1 : 0
    const hasReserve = left * 10 >= usual * 11
    if (level === 0 && hasReserve && window === 'total') this.#reported.total = 0
    if (level <= this.#reported[window]) return []
    this.#reported[window] = level
    return [{ window, usedUp: level === 3, short: level === 2 ? 'usual' : null, spent: sc(is) }]
  }
}

const checks = (at: number, usual: bigint | null): BudgetChecks => ({ at, usual, refused: () => false })

describe('a budget', () => {
  it('is reported at its share, when its rest is below the usual request and when it is used up, once each per day or month, and in total again after a reset', () => {
    const nano = (of: number): bigint => BigInt(of) * 10_000_000n
    const walk = (steps: { spend: number; hours: number; reset: boolean }[], share: number, usual: number): void => {
      const app = plainApp({ id: randomUUID(), name: 'T', budgetDay: '1', budgetMonth: '3', budgetTotal: '2' })
      let now = Date.parse('2026-11-29T00:00:00Z')
      const log = openAlertLog(() => now)
      const spending = new Spending()
      for (const { spend, hours, reset } of steps) {
        now += hours * 3_600_000
        spending.goOn(now, spend, reset && spend % 5 === 0)
        const { day, month, total } = spending.spent
        const spent = { day: nano(day), month: nano(month), total: nano(total) }
        const reported = log.take(measureBudgets(app, spent, checks(share, nano(usual)), now))
        const wanted = windows.flatMap((window) => spending.expected(window, share, usual))
        expect(reported.map((one) => one.facts)).toMatchObject(wanted)
        expect(reported).toHaveLength(wanted.length)
      }
    }
    const step = fc.record({ spend: fc.nat(40), hours: fc.nat(9), reset: fc.boolean() })
    const shares = fc.integer({ min: 1, max: 99 })
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), shares, fc.nat(90), walk), { numRuns: 60 })
  })
})

it('a limit of tokens is reported while the usual request uses more, and ends with a tenth to spare', () => {
  const app = plainApp({ id: 'a', name: 'T', tokensPerMinute: 1000 })
  const read = (usual: number | null) => {
    const reading = measureTokens(app, usual, start)
    return reading && [reading.level, reading.recovered]
  }
  expect([read(1001), read(1000), read(950), read(909), read(null)]).toEqual([
    ...[[1, false], [0, false], [0, false], [0, true], null],
  ])
  expect(measureTokens({ ...app, tokensPerMinute: null }, 5000, start)).toBeNull()
})

describe('a key', () => {
  const key = {
    id: 'k',
    prefix: null,
    name: null,
    rpm: null,
    tpm: null,
    concurrent: null,
    createdAt: null,
    lastUsedAt: null,
    balanceEnabled: true,
    balance: '20',
    balanceLimit: '25',
    revokedAt: null,
    calling: true,
    totals: null,
    asOf: iso(start),
    gone: false,
  }
  const reported = (changes: Partial<typeof key> | { revokedAt: string }) =>
    measureKey({ id: 'b', name: 'B' }, { ...key, ...changes }).map(({ level, recovered, facts }) => [
      ...[facts.kind === 'key' ? facts.why : null, level, recovered],
    ])
  const revokedOnly = ['revoked', 0, true]

  it('is reported at 10 percent of its limit, at zero, and when it is revoked or no longer listed', () => {
    expect(reported({})).toEqual([revokedOnly, ['low', 0, true]])
    expect(reported({ balance: '3' })).toEqual([revokedOnly, ['low', 0, false]])
    expect(reported({ balance: '2.5' })).toEqual([revokedOnly, ['low', 1, false]])
    expect(reported({ balance: '-0.01' })).toEqual([revokedOnly, ['empty', 2, false]])
    expect(reported({ balance: '0', balanceEnabled: false })).toEqual([revokedOnly, ['low', 0, true]])
    expect(reported({ revokedAt: '2026-11-20' })[0]).toEqual(['revoked', 1, false])
    expect(reported({ gone: true })[0]).toEqual(['revoked', 1, false])
  })
})

it('spend crosses its limit only above it, to the last digit; a budget ends with its day or month', () => {
  const spent = (service: string, line: string) =>
    measureSpend({ id: 'b', name: 'B' }, { day: 1, service, here: null }, line, start)?.level
  expect([spent('5', '5'), spent('5.000000000000000001', '5'), spent('4.999999999999999999', '5')]).toEqual([0, 1, 0])
  const app = plainApp({ id: randomUUID(), name: 'T', budgetDay: '1', budgetMonth: '1', budgetTotal: '1' })
  const spend = { day: 1n, month: 1n, total: 1n }
  const ends = (at: string) =>
    measureBudgets(app, spend, checks(80, null), Date.parse(at)).map(({ endsAt }) =>
      endsAt === null ? null : iso(endsAt).slice(0, 10),
    )
  expect(ends('2026-12-31T23:59:59Z')).toEqual(['2027-01-01', '2027-01-01', null])
  expect(ends('2028-02-28T00:00:00Z')).toEqual(['2028-02-29', '2028-03-01', null])
})

it('a measurement counts if the newest one came from a clock that was ahead', () => {
  let now = start + 10 * dayMs
  const log = openAlertLog(() => now)
  const reading = (balance: string) =>
    measureBalance({ id: 'clock', name: 'A' }, { value: balance, asOf: iso(now) }, '5')
  expect(log.take(reading('9'))).toEqual([])
  now = start
  expect(log.take(reading('4'))).toHaveLength(1)
})

it('an active alert shows the figures of now, without a second report; an ended one keeps its last', () => {
  const now = start
  const log = openAlertLog(() => now)
  const app = plainApp({ id: randomUUID(), name: 'T', budgetTotal: '1' })
  const spend = (cents: bigint) => {
    const total = cents * 10_000_000n
    return log.take(measureBudgets(app, { day: total, month: total, total }, checks(80, 0n), now))
  }
  const shown = () =>
    store.alerts
      .shown(iso(start))
      .flatMap(({ facts, endedAt }) =>
        facts.kind === 'budget' && facts.tool.id === app.id ? [[facts.spent, endedAt === null]] : [],
      )
  expect(spend(80n)).toHaveLength(1)
  expect(spend(95n)).toEqual([])
  expect(shown()).toEqual([['0.95', true]])
  expect(spend(100n)).toHaveLength(1)
  expect(shown()).toEqual([
    ['1', true],
    ['0.95', false],
  ])
})

it('several alerts are one notification, without characters that its body would interpret as markup', () => {
  const facts = {
    kind: 'budget',
    tool: { id: 't', name: 'a & <b>' },
    window: 'day',
    spent: '1',
    budget: '1',
    usedUp: true,
    short: null,
    usual: null,
    asks: false,
  } as const
  const { title, body } = notificationText([facts, facts], createWords())
  expect(title).toBe('a & <b>: budget used up')
  expect(body).not.toMatch(/[<>&]/)
})

describe('a ban', () => {
  const read = (until: string | null, banned = true) => {
    const { level, recovered, endsAt, facts } = measureBan({ id: 'b', name: 'B' }, { banned, until }, start + 3_600_000)
    return [level, recovered, endsAt === null ? null : iso(endsAt), facts.kind === 'ban' ? facts.until : null]
  }

  it('ends at a readable time, and otherwise stays until the service reports its end [LIM-02]', () => {
    expect(read('2026-11-21T02:00:00Z')).toEqual([1, false, '2026-11-21T02:00:00.000Z', '2026-11-21T02:00:00Z'])
    expect(read('2026-11-21T01:00:00Z')).toEqual([0, true, '2026-11-21T01:00:00.000Z', '2026-11-21T01:00:00Z'])
    expect(read('2026-11-21T02:00:00Z', false)[0]).toBe(0)
    // JavaScript reads this as a day of 2001.
    expect(read('12')).toEqual([1, false, null, '12'])
    expect(read(null)).toEqual([1, false, null, null])
  })
})

it('reports again what a recovered file stores in an unreadable form', () => {
  const alerts = openAlertLog(() => start)
  const figure = { value: '4', asOf: new Date(start).toISOString() }
  const reading = measureBalance({ id: 'unreadable', name: 'A' }, figure, '5')
  expect(alerts.take(reading)).toHaveLength(1)
  const file = new DatabaseSync(databaseFile(dataDir))
  file.prepare("UPDATE alerts SET facts = '{}' WHERE watch = ?").run(reading.watch)
  file.close()
  expect(store.alerts.shown('').filter(({ watch }) => watch === reading.watch)).toEqual([])
  expect(alerts.take(reading)).toHaveLength(1)
})

it('a lost cache is reported at the third turn in a row, once for a session, and ends when the cache works again', () => {
  const own = openStore(freshFolder())
  onTestFinished(() => own.close())
  const cacheRows = new Listeners<[CacheRow]>()
  const app = plainApp({ id: randomUUID(), name: 'my-editor' })
  const feature = new AlertsFeature({
    table: own.alerts,
    pending: own.pending,
    usage: {
      changes: new Listeners(),
      current: () => null,
      callingKey: () => null,
      today: () => ({ day: 1, service: null, here: null }),
    },
    connection: () => ({ state: 'none', profile: null, problem: null, checkedAt: null }),
    statuses: new Listeners<[RateLimitStatusReply]>(),
    settled: new Listeners<[string]>(),
    blocked: new Listeners<[string | null, string]>(),
    cacheRows,
    apps: { list: () => [app], observe: () => () => undefined },
    spent: () => ({ day: 0n, month: 0n, total: 0n }),
    lastHour: () => ({ requests: 0, spent: 0n }),
    usual: () => null,
    notify: null,
    words: createWords(),
    now: () => start,
  })
  onTestFinished(() => feature.close())
  const turn = (inRow: number, session = 7): void =>
    cacheRows.notify({ who: `tool:${app.id}`, session, inRow, change: 'system_time', tokens: 4000, cost: 1_800_000n })
  const active = () => feature.read().alerts.flatMap(({ facts, endedAt }) => (endedAt === null ? [facts] : []))
  for (const inRow of [0, 1, 2, 0, 1, 2]) turn(inRow)
  expect(active()).toEqual([])
  turn(3)
  turn(1, 8)
  turn(4)
  expect(feature.read().alerts).toMatchObject([{ place: { page: 'usage', id: 'session-7' } }])
  expect(active()).toMatchObject([{ kind: 'cache', session: 7, turns: 4, tokens: 4000, cost: '0.0018' }])
  turn(0)
  expect(active()).toEqual([])
  for (const inRow of [1, 2, 3]) turn(inRow)
  expect(active()).toHaveLength(1)
  feature.update({ cache: false })
  expect(active()).toEqual([])
})

it('a balance is reported only while the service answers and only if it came over the current connection', () => {
  const own = openStore(freshFolder())
  onTestFinished(() => own.close())
  const problem = new StudioError('internal', 'No.').toProblem()
  const isReported = (state: Connection['state'], asOf: number, failed: typeof problem | null): boolean => {
    const id = randomUUID()
    const account: Account = {
      id,
      name: 'A',
      baseUrl: 'http://a',
      userId: null,
      active: true,
      offers: 'yes',
      spent: null,
      firstDay: null,
      balance: { value: '4', asOf: iso(asOf) },
      asOf: iso(asOf),
      fetching: false,
      problem: failed,
    }
    const feature = new AlertsFeature({
      lastHour: () => ({ requests: 0, spent: 0n }),
      table: own.alerts,
      pending: own.pending,
      usage: {
        changes: new Listeners(),
        current: () => account,
        callingKey: () => null,
        today: () => ({ day: 1, service: null, here: null }),
      },
      connection: () => ({ state, profile: null, problem: null, checkedAt: null }),
      statuses: new Listeners<[RateLimitStatusReply]>(),
      settled: new Listeners<[string]>(),
      blocked: new Listeners<[string | null, string]>(),
      cacheRows: new Listeners<[CacheRow]>(),
      apps: { list: () => [], observe: () => () => undefined },
      spent: () => ({ day: 0n, month: 0n, total: 0n }),
      usual: () => null,
      notify: null,
      words: createWords(),
      now: () => start,
    })
    feature.follow({ onReply: () => () => undefined })
    feature.update({ balanceBelow: '5' })
    const { alerts } = feature.read()
    feature.close()
    return alerts.some(({ facts }) => facts.kind === 'balance' && facts.account.id === id)
  }
  expect(isReported('connected', start, null)).toBe(true)
  expect(isReported('connected', start - 1, null)).toBe(false)
  expect(isReported('failed', start, null)).toBe(false)
  expect(isReported('none', start, null)).toBe(false)
  expect(isReported('connected', start, problem)).toBe(false)
})
