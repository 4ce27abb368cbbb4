import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AppAllowance } from '../../../../src-main/core/gateway/apps/allowance.ts'
import type { AllowanceReservation } from '../../../../src-main/core/ports/requests.ts'
import { fromNano, type Nano } from '../../../../src-main/core/shared/money.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { tries } from '../../../helpers/effort.ts'
import { plainApp } from '../../../helpers/plainApp.ts'

/** A simple model of the limits: a list of all requests, and sums over it. */
interface Asked {
  share: AllowanceReservation
  begunAt: number
  estimate: Nano
  /** When the tokens were admitted, or null. */
  expectedAt: number | null
  tokens: number
  /** Null while the request runs. */
  endedAt: number | null
  cost: Nano
}

type Window = 'day' | 'month' | 'total'
/** How many characters of an instant identify its day or month. */
const windows = [
  ['total', 'budgetTotal', 0],
  ['month', 'budgetMonth', 7],
  ['day', 'budgetDay', 10],
] as const
const epoch = Date.parse('2026-11-29T22:00:00.000Z')

class UsageAccounts {
  readonly all: Asked[] = []
  elapsed = 0

  get live(): Asked[] {
    return this.all.filter(({ endedAt }) => endedAt === null)
  }

  now(): number {
    return epoch + this.elapsed
  }

  /** Requests that ended in the same day or month (UTC) as now. */
  endedWithin(width: number): Asked[] {
    const name = (ms: number): string => new Date(ms).toISOString().slice(0, width)
    return this.all.filter(({ endedAt }) => endedAt !== null && name(epoch + endedAt) === name(this.now()))
  }

  spent(): Record<Window, Nano> {
    const within = (width: number): Nano => this.endedWithin(width).reduce((sum, { cost }) => sum + cost, 0n)
    return { day: within(10), month: within(7), total: within(0) }
  }

  held(but?: Asked): Nano {
    return this.live.reduce((sum, each) => sum + (each === but ? 0n : each.estimate), 0n)
  }

  begunSince(ms: number): number {
    return this.all.filter(({ begunAt }) => begunAt > ms).length
  }

  tokens(): number {
    const counts = ({ expectedAt, endedAt }: Asked): boolean =>
      expectedAt !== null && (endedAt === null || expectedAt > this.elapsed - 60_000)
    return this.all.filter(counts).reduce((sum, { tokens }) => sum + tokens, 0)
  }
}

const nanos = (most: number) => fc.bigInt({ min: 0n, max: BigInt(most) })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })

const limits = fc.record({
  requestsPerMinute: maybe(fc.integer({ min: 1, max: 6 })),
  tokensPerMinute: maybe(fc.integer({ min: 1, max: 120 })),
  concurrent: maybe(fc.integer({ min: 1, max: 5 })),
  budgetDay: maybe(nanos(60).map(fromNano)),
  budgetMonth: maybe(nanos(90).map(fromNano)),
  budgetTotal: maybe(nanos(150).map(fromNano)),
})
const pick = fc.nat(50)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('begin' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('expect' as const),
      pick,
      tokensIn: fc.nat(20),
      tokensOut: fc.nat(40),
      cost: maybe(nanos(25)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('end' as const), pick, cost: nanos(30), tokens: maybe(fc.nat(60)) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('again' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.oneof(fc.nat(30_000), fc.nat(86_400_000)) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limits }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class Run {
  readonly requestLog = new UsageAccounts()
  readonly allowance: AppAllowance
  app: App

  constructor(given: Partial<App>) {
    this.app = plainApp({ id: 'one', name: 'one', ...given })
    this.allowance = new AppAllowance({
      grants: () => ({ extra: { day: 0n, month: 0n, total: 0n }, open: new Set() }),
      hasUsed: () => true,
      spent: () => this.requestLog.spent(),
      now: () => this.requestLog.now(),
      monotonic: () => this.requestLog.elapsed,
    })
  }

  take(each: Step): void {
    const { requestLog } = this
    const one = 'pick' in each ? requestLog.live[each.pick % Math.max(requestLog.live.length, 1)] : undefined
    if (each.do === 'begin') this.begin()
    if (each.do === 'expect' && one) this.expects(one, each)
    if (each.do === 'end' && one) this.end(one, each.cost, each.tokens)
    if (each.do === 'again') requestLog.all.find(({ endedAt }) => endedAt !== null)?.share.settle(each.pick)
    if (each.do === 'wait') requestLog.elapsed += each.ms
    // A new limit counts only from then on, so limits are only raised, lowered or removed here.
    if (each.do === 'limit') this.app = { ...this.app, ...keepingUnset(this.app, each.limits) }
  }

  /** The limit that must refuse a request now. Of several budgets, the one that renews last. */
  due(): string {
    const { requestLog, app } = this
    const spent = requestLog.spent()
    if (app.concurrent !== null && requestLog.live.length >= app.concurrent) return 'rate_limit_concurrent'
    for (const [window, budget] of windows)
      if (app[budget] !== null && spent[window] >= nanoOf(app[budget])) return `budget_${window}`
    const most = app.requestsPerMinute ?? Number.POSITIVE_INFINITY
    return requestLog.begunSince(requestLog.elapsed - 60_000) < most ? 'none' : 'rate_limit_requests'
  }

  begin(): void {
    const { requestLog, app } = this
    const due = this.due()
    const answer = this.allowance.begin(app, 'chat')
    expect('code' in answer ? answer.code : 'none').toBe(due)
    if ('code' in answer) {
      if (due !== 'rate_limit_requests') return
      // Exactly when one more fits, not a millisecond earlier.
      const then = requestLog.elapsed + (answer.retryAfterMs ?? 0) - 60_000
      expect(requestLog.begunSince(then)).toBeLessThan(app.requestsPerMinute ?? 0)
      expect(requestLog.begunSince(then - 1)).toBeGreaterThanOrEqual(app.requestsPerMinute ?? 0)
      return
    }
    requestLog.all.push({
      share: answer,
      begunAt: requestLog.elapsed,
      estimate: 0n,
      expectedAt: null,
      tokens: 0,
      endedAt: null,
      cost: 0n,
    })
  }

  expects(one: Asked, given: { tokensIn: number; tokensOut: number; cost: Nano | null }): void {
    const { requestLog, app } = this
    const { tokensIn, tokensOut, cost } = given
    const wanted = tokensIn + tokensOut
    const spent = requestLog.spent()
    const affordable = windows.every(([window, budget]) => {
      const text = app[budget]
      if (text === null) return true
      const taken = spent[window] + requestLog.held(one)
      return cost === null ? taken < nanoOf(text) : taken + cost <= nanoOf(text)
    })
    const most = app.tokensPerMinute
    const fits = most === null || one.expectedAt !== null || wanted === 0 || requestLog.tokens() + wanted <= most
    const refusal = this.allowance.expect(app, one.share, {
      endpoint: 'chat',
      model: null,
      tokensIn,
      tokensOut,
      cost,
    })
    expect(refusal?.status ?? 200).toBe(affordable ? (fits ? 200 : 429) : 402)
    if (refusal) return
    if (cost !== null) one.estimate = cost
    if (most !== null && one.expectedAt === null) {
      one.expectedAt = requestLog.elapsed
      one.tokens = wanted
    }
  }

  /** The cost of the request is in the log before its reservation is settled. */
  end(one: Asked, cost: Nano, tokens: number | null): void {
    one.endedAt = this.requestLog.elapsed
    one.cost = cost
    one.tokens = one.expectedAt === null ? 0 : (tokens ?? one.tokens)
    one.share.settle(tokens)
  }

  holds(): void {
    expect(this.allowance.use('one')).toEqual({ active: this.requestLog.live.length, reserved: this.requestLog.held() })
  }
}

/** Small enough for a float here. */
const nanoOf = (text: string | null): Nano => BigInt(Math.round(Number(text) * 1e9))

function keepingUnset(app: App, given: Partial<App>): Partial<App> {
  const { requestsPerMinute, tokensPerMinute, ...rest } = given
  return {
    ...rest,
    requestsPerMinute: app.requestsPerMinute === null ? null : (requestsPerMinute ?? app.requestsPerMinute),
    tokensPerMinute: app.tokensPerMinute === null ? null : (tokensPerMinute ?? app.tokensPerMinute),
  }
}

it('decides like a model that lists all requests, and no reservation leaks', () => {
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 80 }), (given, steps) => {
      const run = new Run(given)
      for (const each of steps) {
        run.take(each)
        run.holds()
      }
      for (const one of run.requestLog.live) {
        one.share.settle(null)
        one.share.settle(null)
      }
      expect(run.allowance.use('one')).toEqual({ active: 0, reserved: 0n })
    }),
    { numRuns: tries(300, 1500) },
  )
})

it('spending and reservations exceed a budget at most by the costs beyond the estimates', () => {
  const fixed = step.filter((each) => each.do !== 'limit')
  fc.assert(
    fc.property(limits, fc.array(fixed, { maxLength: 80 }), (given, steps) => {
      const run = new Run(given)
      for (const each of steps) {
        run.take(each)
        const spent = run.requestLog.spent()
        for (const [window, budget, width] of windows) {
          const text = run.app[budget]
          if (text === null) continue
          const beyond = run.requestLog
            .endedWithin(width)
            .reduce((sum, { cost, estimate }) => sum + (cost > estimate ? cost - estimate : 0n), 0n)
          expect(spent[window] + run.requestLog.held() <= nanoOf(text) + beyond).toBe(true)
        }
      }
    }),
    { numRuns: tries(300, 1500) },
  )
})
