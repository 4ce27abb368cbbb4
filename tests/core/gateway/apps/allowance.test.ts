import { beforeEach, describe, expect, it } from 'vitest'
import { AppAllowance } from '../../../../src-main/core/gateway/apps/allowance.ts'
import type { Grants } from '../../../../src-main/core/gateway/apps/answers.ts'
import type { AllowanceReservation, Expectation, LimitRefusal } from '../../../../src-main/core/ports/requests.ts'
import { fromNano, type Nano, toNano } from '../../../../src-main/core/shared/money.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { endpoint as endpoints } from '../../../../src-preload/contract/requests.ts'
import { plainApp } from '../../../helpers/plainApp.ts'

const sc = toNano
/** Half past eight in the evening, UTC. */
const evening = Date.parse('2026-11-21T20:30:00.000Z')
let elapsed: number
let spent: { day: Nano; month: Nano; total: Nano }
let allowance: AppAllowance
let grants: Grants
let used: Set<string>
beforeEach(() => {
  elapsed = 0
  spent = { day: 0n, month: 0n, total: 0n }
  grants = noGrants
  used = new Set()
  allowance = new AppAllowance({
    spent: () => spent,
    grants: () => grants,
    hasUsed: (_app, model) => used.has(model),
    now: () => evening + elapsed,
    monotonic: () => 5000 + elapsed,
  })
})

const noGrants: Grants = { extra: { day: 0n, month: 0n, total: 0n }, open: new Set() }
const limited = (limits: Partial<App>): App => plainApp({ id: 'one', name: 'one', ...limits })
const wish = (given: Partial<Expectation> = {}): Expectation => ({
  endpoint: 'chat',
  model: 'writer-large',
  tokensIn: 0,
  tokensOut: 0,
  cost: null,
  ...given,
})

function share(given: AllowanceReservation | LimitRefusal): AllowanceReservation {
  if ('code' in given) throw new Error(given.message)
  return given
}
const begin = (app: App, endpoint: Expectation['endpoint'] = 'chat'): AllowanceReservation =>
  share(allowance.begin(app, endpoint))
const spend = (amount: string): void => {
  for (const window of ['day', 'month', 'total'] as const) spent[window] += sc(amount)
}

describe('an app without limits', () => {
  it('is never refused, and its running requests are counted', () => {
    const app = limited({})
    const shares = Array.from({ length: 1000 }, () => begin(app, 'images'))
    for (const each of shares) expect(allowance.expect(app, each, wish({ cost: sc('0.001'), model: null }))).toBeNull()
    expect(allowance.use('one')).toEqual({ active: 1000, reserved: sc('1') })
    for (const each of shares) each.settle(null)
    expect(allowance.use('one')).toEqual({ active: 0, reserved: 0n })
    expect(allowance.use('nobody')).toEqual({ active: 0, reserved: 0n })
  })
})

describe('endpoints', () => {
  it('are checked from the headers, and the refusal names the allowed ones', () => {
    const app = limited({ endpoints: ['chat', 'models'] })
    for (const endpoint of endpoints.options) {
      const answer = allowance.begin(app, endpoint)
      if (endpoint === 'chat' || endpoint === 'models') expect(answer).not.toHaveProperty('code')
      else expect(answer).toMatchObject({ status: 403, code: 'endpoint_not_allowed', retryAfterMs: null })
    }
    expect(allowance.begin(app, 'images')).toHaveProperty(
      'message',
      'This app may not use image generation. Its key allows chat completions and the list of models.',
    )
  })
})

describe('models', () => {
  const app = limited({ models: ['a', 'b'] })

  it('are checked, and a request without a model is refused', () => {
    const held = begin(app)
    expect(allowance.expect(app, held, wish({ model: 'a' }))).toBeNull()
    expect(allowance.expect(app, held, wish({ model: 'A' }))).toEqual({
      status: 403,
      code: 'model_not_allowed',
      message: 'This app may not use the model A. Its key allows a and b.',
      retryAfterMs: null,
    })
    expect(allowance.expect(app, held, wish({ model: null }))).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
      message: expect.stringMatching(/names no readable model/),
    })
    expect(allowance.expect(app, held, wish({ endpoint: 'other', model: null }))).not.toBeNull()
  })

  it('are not checked for read-only endpoints', () => {
    for (const endpoint of ['models', 'account', 'files'] as const)
      expect(allowance.expect(app, begin(app, endpoint), wish({ endpoint, model: null }))).toBeNull()
  })

  it('are listed in the refusal up to a limit', () => {
    const many = limited({ models: Array.from({ length: 20 }, (_, n) => `m${n}`) })
    const refusal = allowance.expect(many, begin(many), wish({ model: 'x'.repeat(5000) }))
    expect(refusal?.message).toContain('m0, m1, m2, m3, m4 and 15 more')
    expect(refusal?.message.length).toBeLessThan(250)
  })
})

describe('requests a minute', () => {
  const app = limited({ requestsPerMinute: 2 })

  it('count within a sliding window, and the refusal says when to retry', () => {
    begin(app)
    elapsed = 10_000
    begin(app).settle(0)
    elapsed = 20_000
    expect(allowance.begin(app, 'models')).toEqual({
      status: 429,
      code: 'rate_limit_requests',
      message: 'Rate limit reached: this app may make 2 requests a minute. Try again in 40 s.',
      retryAfterMs: 40_000,
    })
    elapsed = 59_999
    expect(allowance.begin(app, 'chat')).toMatchObject({ retryAfterMs: 1 })
    elapsed = 60_000
    begin(app)
    expect(allowance.begin(app, 'chat')).toMatchObject({ retryAfterMs: 10_000 })
  })

  it('are counted correctly over thousands of requests', () => {
    const many = limited({ requestsPerMinute: 400 })
    const begun: number[] = []
    for (let n = 0; n < 4000; n += 1) {
      elapsed += (n * 37) % 211
      const free = begun.filter((at) => at > elapsed - 60_000).length < 400
      const answer = allowance.begin(many, 'chat')
      expect('code' in answer).toBe(!free)
      if (free) begun.push(elapsed)
    }
    expect(begun.length).toBeGreaterThan(2000)
    expect(begun.length).toBeLessThan(4000)
  })

  it('are not used up by refused requests', () => {
    begin(app)
    begin(app)
    for (let n = 0; n < 100; n += 1) expect(allowance.begin(app, 'chat')).toMatchObject({ status: 429 })
    elapsed = 60_000
    begin(app)
    begin(app)
  })

  it('apply a raised or lowered limit at once', () => {
    begin(app)
    begin(app)
    begin(limited({ requestsPerMinute: 3 }))
    elapsed = 1000
    expect(allowance.begin(limited({ requestsPerMinute: 1 }), 'chat')).toMatchObject({ retryAfterMs: 59_000 })
  })
})

describe('concurrent requests', () => {
  it('are refused over the limit and accepted again when one has ended', () => {
    const app = limited({ concurrent: 1 })
    const first = begin(app)
    expect(allowance.begin(app, 'chat')).toEqual({
      status: 429,
      code: 'rate_limit_concurrent',
      message: 'Rate limit reached: this app already has 1 running request, which is its limit.',
      retryAfterMs: 1000,
    })
    first.settle(null)
    first.settle(null)
    const second = begin(app)
    expect(allowance.begin(app, 'chat')).toMatchObject({ status: 429 })
    second.settle(7)
    expect(allowance.use('one').active).toBe(0)
  })

  it('of one app do not affect another app', () => {
    begin(limited({ concurrent: 1 }))
    expect(allowance.begin(limited({ id: 'two', concurrent: 1 }), 'chat')).not.toHaveProperty('code')
  })
})

describe('tokens a minute', () => {
  const app = limited({ tokensPerMinute: 100 })
  const ask = (tokensIn: number, tokensOut: number) => {
    const held = begin(app)
    const refusal = allowance.expect(app, held, wish({ tokensIn, tokensOut }))
    if (refusal) held.settle(0)
    return refusal ?? held
  }

  it('count the estimate while a request runs, then the actual number', () => {
    const first = share(ask(20, 60))
    elapsed = 1000
    expect(ask(10, 11)).toEqual({
      status: 429,
      code: 'rate_limit_tokens',
      message:
        'Rate limit reached: this app may use 100 tokens a minute, and this request may use up to 21. Try again in 59 s.',
      retryAfterMs: 59_000,
    })
    share(ask(10, 10))
    first.settle(30)
    share(ask(25, 25))
    expect(ask(1, 0)).toMatchObject({ code: 'rate_limit_tokens' })
    elapsed = 60_000
    share(ask(30, 0))
  })

  it('count the estimate if the actual number is unknown', () => {
    share(ask(0, 90)).settle(null)
    expect(ask(0, 20)).toMatchObject({ retryAfterMs: 60_000 })
  })

  it('of a request that runs longer than a minute count until it ends', () => {
    const long = share(ask(0, 90))
    elapsed = 90_000
    expect(ask(0, 20)).toMatchObject({ retryAfterMs: 1000 })
    long.settle(90)
    share(ask(0, 100))
  })

  it('that exceed the limit alone are refused without a time to retry', () => {
    expect(ask(1, 100)).toEqual({
      status: 429,
      code: 'rate_limit_tokens',
      message: expect.stringMatching(/^Request too large: .*100 tokens a minute.*101/),
      retryAfterMs: null,
    })
  })

  it('do not limit requests without tokens', () => {
    share(ask(50, 50)).settle(500)
    share(ask(0, 0))
  })
})

describe('budgets', () => {
  it('reserve the estimated cost, so that two requests can’t both spend the last SC', () => {
    const app = limited({ budgetDay: '2' })
    spend('0.9')
    const [first, second] = [begin(app), begin(app)]
    expect(allowance.expect(app, first, wish({ cost: sc('0.3') }))).toBeNull()
    expect(allowance.use('one')).toEqual({ active: 2, reserved: sc('0.3') })
    expect(allowance.expect(app, second, wish({ cost: sc('1.2') }))).toEqual({
      status: 402,
      code: 'budget_day',
      message:
        'Insufficient credits: this app has 0.8 SC left of its 2 SC a day, with 0.3 SC reserved for running requests; this request may cost up to 1.2 SC. A new day starts at midnight UTC, in 3 h 30 min.',
      retryAfterMs: null,
    })
    expect(allowance.expect(app, second, wish({ cost: sc('0.8') }))).toBeNull()
    spend('0.1')
    first.settle(null)
    second.settle(null)
    expect(allowance.use('one').reserved).toBe(0n)
    expect(allowance.expect(app, begin(app), wish({ cost: sc('1') }))).toBeNull()
  })

  it('are too small for an app from a refused request on, until a request like it would fit', () => {
    const app = limited({ budgetDay: '2', budgetTotal: '10' })
    spend('1.5')
    expect(allowance.shortBudget(app)).toBeNull()
    const large = wish({ cost: sc('0.6') })
    const refused = begin(app)
    expect(allowance.expect(app, refused, large)).toMatchObject({ code: 'budget_day' })
    refused.settle(null)
    expect(allowance.shortBudget(app)).toBe('day')
    expect(allowance.shortBudget(limited({ budgetDay: '3', budgetTotal: '10' }))).toBeNull()
    spent.day = 0n
    expect(allowance.shortBudget(app)).toBeNull()
    spent.day = sc('1.5')
    expect(allowance.expect(app, begin(app), wish({ cost: sc('0.1') }))).toBeNull()
    expect(allowance.shortBudget(app)).toBeNull()
  })

  it('that are used up refuse a request from its headers, and say which budget, how much, and when it renews', () => {
    spend('20.5')
    const message = (app: App): string => {
      const answer = allowance.begin(app, 'chat')
      return 'code' in answer ? `${answer.status} ${answer.code} ${answer.message}` : 'let in'
    }
    const said = 'Insufficient credits: this app has spent 20.5 SC of its'
    expect(message(limited({ budgetDay: '20.5' }))).toBe(
      `402 budget_day ${said} 20.5 SC a day. A new day starts at midnight UTC, in 3 h 30 min.`,
    )
    expect(message(limited({ budgetMonth: '20' }))).toBe(
      `402 budget_month ${said} 20 SC a month. A new month starts at midnight UTC on 2026-12-01.`,
    )
    expect(message(limited({ budgetTotal: '0' }))).toBe(
      `402 budget_total ${said} 0 SC in all. Raise its budget or reset its spending in Inference Studio.`,
    )
    expect(message(limited({ budgetDay: '20.500000001' }))).toBe('let in')
  })

  it('name the one that renews last', () => {
    spend('5')
    const answer = (limits: Partial<App>) => allowance.begin(limited(limits), 'chat')
    expect(answer({ budgetDay: '1', budgetMonth: '2', budgetTotal: '3' })).toMatchObject({ code: 'budget_total' })
    expect(answer({ budgetDay: '1', budgetMonth: '2', budgetTotal: '30' })).toMatchObject({ code: 'budget_month' })
  })

  it('do not limit read-only endpoints', () => {
    const app = limited({ budgetTotal: '0' })
    for (const endpoint of ['models', 'account', 'files'] as const)
      expect(allowance.expect(app, begin(app, endpoint), wish({ endpoint, model: null }))).toBeNull()
    for (const endpoint of ['chat', 'completions', 'speech', 'transcription', 'images', 'other'] as const)
      expect(allowance.begin(app, endpoint)).toMatchObject({ status: 402 })
  })

  it('admit a request with unknown price while any budget is left, and reserve nothing for it', () => {
    const app = limited({ budgetTotal: '1' })
    const [unpriced, priced, late] = [begin(app), begin(app), begin(app)]
    expect(allowance.expect(app, unpriced, wish())).toBeNull()
    expect(allowance.use('one').reserved).toBe(0n)
    expect(allowance.expect(app, priced, wish({ cost: sc('1') }))).toBeNull()
    expect(allowance.expect(app, late, wish())).toMatchObject({
      code: 'budget_total',
      message: expect.stringContaining('0 SC left of its 1 SC in all, with 1 SC reserved for running requests.'),
    })
    priced.settle(null)
    expect(allowance.expect(app, late, wish())).toBeNull()
    spend('1')
    expect(allowance.expect(app, late, wish())).toMatchObject({ code: 'budget_total' })
  })

  it('renew at midnight UTC, and a reservation that spans midnight counts once', () => {
    const app = limited({ budgetDay: '1' })
    const over = begin(app)
    expect(allowance.expect(app, over, wish({ cost: sc('0.6') }))).toBeNull()
    spend('0.4')
    expect(allowance.expect(app, begin(app), wish({ cost: 1n }))).toMatchObject({ code: 'budget_day' })
    elapsed = Date.parse('2026-11-22T00:00:00.000Z') - evening
    spent.day = 0n
    expect(allowance.expect(app, begin(app), wish({ cost: sc('0.400000001') }))).toMatchObject({
      message: expect.stringMatching(/has 0\.4 SC left.*in 24 h\./),
    })
    spend('0.6')
    over.settle(null)
    const next = begin(app)
    expect(allowance.expect(app, next, wish({ cost: sc('0.4') }))).toBeNull()
    expect(allowance.use('one').reserved).toBe(sc('0.4'))
  })

  it('include the reservations of requests that were running when the budget was set', () => {
    const before = begin(limited({}))
    allowance.expect(limited({}), before, wish({ cost: sc('0.7') }))
    const app = limited({ budgetMonth: '1' })
    const after = begin(app)
    expect(allowance.expect(app, after, wish({ cost: sc('0.4') }))).toMatchObject({ code: 'budget_month' })
    expect(allowance.expect(app, after, wish({ cost: sc('0.3') }))).toBeNull()
  })

  it('replace the reservation when the estimate of a request changes', () => {
    const app = limited({ budgetTotal: '1' })
    const held = begin(app)
    for (const cost of ['0.6', '1', '0.2']) {
      expect(allowance.expect(app, held, wish({ cost: sc(cost) }))).toBeNull()
      expect(fromNano(allowance.use('one').reserved)).toBe(cost)
    }
    held.settle(null)
    expect(allowance.expect(app, held, wish({ cost: sc('1') }))).toBeNull()
    expect(allowance.use('one')).toEqual({ active: 0, reserved: 0n })
  })
})

describe('an app that asks at its budget', () => {
  const app = limited({ budgetDay: '1', budgetMonth: '20', atBudget: 'ask' })

  it('is not refused by a used-up budget before its request is known, and then a person can be asked', () => {
    spend('1')
    const held = begin(app)
    expect(allowance.expect(app, held, wish({ cost: sc('0.5') }))).toMatchObject({
      status: 402,
      code: 'budget_day',
      asks: ['day'],
    })
    expect(allowance.use('one').reserved).toBe(0n)
    expect(allowance.begin(app, 'other')).toMatchObject({ status: 402, code: 'budget_day' })
    expect(allowance.expect(app, held, wish({ endpoint: 'other', cost: null }))).not.toHaveProperty('asks')
  })

  it('asks about every exceeded budget, and an allowed request is reserved', () => {
    spend('19.9')
    const held = begin(app)
    const refusal = allowance.expect(app, held, wish({ cost: sc('0.5') }))
    expect(refusal?.asks).toEqual(['month', 'day'])
    allowance.permit(held, ['month'])
    expect(allowance.expect(app, held, wish({ cost: sc('0.5') }))?.asks).toEqual(['day'])
    allowance.permit(held, ['day'])
    expect(allowance.expect(app, held, wish({ cost: sc('0.5') }))).toBeNull()
    expect(allowance.use('one').reserved).toBe(sc('0.5'))
    expect(allowance.expect(app, begin(app), wish({ cost: sc('0.5') }))?.asks).toEqual(['month', 'day'])
  })

  it('says by how much its budgets are overspent already, with what is reserved', () => {
    spend('1.4')
    expect(allowance.expect(app, begin(app), wish({ cost: sc('0.01') }))?.overspent).toBe(sc('0.4'))
    const held = begin(app)
    allowance.permit(held, ['day'])
    allowance.expect(app, held, wish({ cost: sc('0.5') }))
    expect(allowance.expect(app, begin(app), wish({ cost: null }))?.overspent).toBe(sc('0.9'))
  })

  it('may spend a raise, together with its other requests, and not more', () => {
    spend('1')
    grants = { ...noGrants, extra: { ...noGrants.extra, day: sc('1') } }
    expect(allowance.expect(app, begin(app), wish({ cost: sc('0.6') }))).toBeNull()
    const second = begin(app)
    expect(allowance.expect(app, second, wish({ cost: sc('0.6') }))).toMatchObject({
      asks: ['day'],
      message: expect.stringContaining('0.4 SC left of its 2 SC a day, with 0.6 SC reserved'),
    })
    expect(allowance.expect(app, second, wish({ cost: sc('0.4') }))).toBeNull()
  })

  it('is not asked about a reason that is open until tomorrow, but about others', () => {
    spend('19.9')
    grants = { ...noGrants, open: new Set(['day']) }
    expect(allowance.expect(app, begin(app), wish({ cost: sc('0.5') }))?.asks).toEqual(['month'])
  })

  it('is refused as before once it no longer asks, whatever was granted', () => {
    spend('1')
    grants = { extra: { ...noGrants.extra, day: sc('5') }, open: new Set(['day', 'month', 'total']) }
    const strict = limited({ budgetDay: '1' })
    expect(allowance.begin(strict, 'chat')).toMatchObject({ status: 402, code: 'budget_day' })
    const held = begin(limited({ budgetDay: '2' }))
    expect(allowance.expect(limited({ budgetDay: '2' }), held, wish({ cost: sc('1.5') }))).not.toHaveProperty('asks')
  })
})

describe('a new model and an expensive request', () => {
  it('are asked about if the app says so, with 402', () => {
    const app = limited({ askNewModel: true, askAbove: '0.1' })
    used.add('writer-small')
    const held = begin(app)
    expect(allowance.expect(app, held, wish({ model: 'writer-small', cost: sc('0.1') }))).toBeNull()
    expect(allowance.expect(app, held, wish({ cost: sc('0.1') }))).toMatchObject({
      status: 402,
      code: 'model_not_confirmed',
      message: 'This app has never used the model writer-large, so a person must allow it.',
      asks: ['model'],
    })
    expect(allowance.expect(app, held, wish({ model: 'writer-small', cost: sc('0.2') }))).toMatchObject({
      code: 'cost_not_confirmed',
      message:
        'This request may cost up to 0.2 SC. A person must allow requests of this app that cost more than 0.1 SC.',
      asks: ['cost'],
    })
    expect(allowance.expect(app, held, wish({ cost: sc('0.2') }))?.asks).toEqual(['model', 'cost'])
    allowance.permit(held, ['model', 'cost'])
    expect(allowance.expect(app, held, wish({ cost: sc('0.2') }))).toBeNull()
  })

  it('join the question about a budget, and never replace the refusal of an app that does not ask at its budget', () => {
    spend('1')
    const wanted = wish({ cost: sc('0.2') })
    const asking = limited({ budgetDay: '1.1', atBudget: 'ask', askNewModel: true, askAbove: '0.1' })
    expect(allowance.expect(asking, begin(asking), wanted)).toMatchObject({
      code: 'budget_day',
      asks: ['day', 'model', 'cost'],
    })
    const strict = limited({ budgetDay: '1.1', askNewModel: true })
    expect(allowance.expect(strict, begin(strict), wanted)).not.toHaveProperty('asks')
  })

  it('are not asked about an unknown price, a model that follows later, or what only reads', () => {
    const app = limited({ askNewModel: true, askAbove: '0' })
    expect(allowance.expect(app, begin(app), wish({ modelPending: true, model: null }))).toBeNull()
    expect(allowance.expect(app, begin(app, 'models'), wish({ endpoint: 'models' }))).toBeNull()
    used.add('writer-large')
    expect(allowance.expect(app, begin(app), wish({ cost: null }))).toBeNull()
  })
})
