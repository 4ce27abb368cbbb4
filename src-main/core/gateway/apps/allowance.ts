import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import type { AskReason } from '../../../../src-preload/contract/questions.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type {
  Allowance,
  AllowanceReservation,
  BudgetSpend,
  BudgetWindow,
  Expectation,
  LimitRefusal,
} from '../../ports/requests.ts'
import { type Nano, toNano } from '../../shared/money.ts'
import { isInference, isReadOut } from '../../upstream/request/endpoint.ts'
import type { Grants } from './answers.ts'
import * as refusals from './limitRefusals.ts'
import { RequestMinute, type TokenEntry, TokenMinute } from './minuteLimits.ts'

interface AllowanceDeps {
  /** What an app spent according to the request log. Read for each decision, because the days and months of the request log change at midnight UTC. */
  spent(appId: string): BudgetSpend
  /** What a person has allowed an app that asks. */
  grants(appId: string): Grants
  /** Whether an app has used this model before. */
  hasUsed(appId: string, model: string): boolean
  /** Milliseconds since 1970, for messages that say when a budget renews. */
  now?: () => number
  /** Monotonic milliseconds. */
  monotonic?: () => number
}

/** An app's limits, parsed for comparison. `budgets` starts with the one that renews last. */
interface Limits {
  readonly app: App
  readonly endpoints: ReadonlySet<Endpoint> | null
  readonly models: ReadonlySet<string> | null
  readonly budgets: readonly { readonly window: BudgetWindow; readonly amount: Nano }[]
  readonly askAbove: Nano | null
}

/** A budget whose rest is too small. */
interface Over {
  window: BudgetWindow
  amount: Nano
  spent: Nano
}

/** Counters of one app. */
interface AppCounters {
  limits: Limits
  active: number
  /** Estimated cost of running requests. */
  reserved: Nano
  readonly requests: RequestMinute
  readonly tokens: TokenMinute
  /** Cost of the last request if it was refused for a budget. */
  refusedCost: { cost: Nano | null } | null
}

class Reservation implements AllowanceReservation {
  readonly counters: AppCounters
  reserved: Nano = 0n
  entry: TokenEntry | null = null
  isOpen = true
  /** Reasons for which a person has allowed this request. */
  permitted: readonly AskReason[] = []

  constructor(counters: AppCounters) {
    this.counters = counters
    counters.active += 1
  }

  settle(tokens: number | null): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.counters.active -= 1
    if (this.reserved !== 0n) this.counters.reserved -= this.reserved
    if (this.entry) this.counters.tokens.end(this.entry, tokens)
  }
}

/**
 * Enforces each app's own limits with counters in memory: running requests, and requests that started within the last minute. A new limit
 * applies from the moment it is set. Decisions are synchronous, so two requests can never both use the last unit of a limit.
 */
export class AppAllowance implements Allowance {
  readonly #deps: AllowanceDeps
  readonly #spent: (appId: string) => BudgetSpend
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #counters = new Map<string, AppCounters>()

  constructor(deps: AllowanceDeps) {
    const { spent, now = Date.now, monotonic = () => performance.now() } = deps
    this.#deps = deps
    this.#spent = spent
    this.#now = now
    this.#monotonic = monotonic
  }

  begin(app: App, endpoint: Endpoint, isFree = isReadOut(endpoint)): AllowanceReservation | LimitRefusal {
    const counters = this.#countersOf(app)
    const { endpoints, budgets } = counters.limits
    if (endpoints !== null && !endpoints.has(endpoint)) return refusals.endpointNotAllowed(endpoint, endpoints)
    if (app.concurrent !== null && counters.active >= app.concurrent) return refusals.tooManyAtOnce(app.concurrent)
    // A person is asked when the request is known (`expect`).
    const asksLater = app.atBudget === 'ask' && isInference(endpoint)
    if (budgets.length > 0 && !isFree && !asksLater) {
      const spent = this.#spent(app.id)
      for (const { window, amount } of budgets)
        if (spent[window] >= amount) return refusals.budgetUsedUp(window, amount, spent[window], this.#now())
    }
    // Checked last, so that a request refused by another limit does not use up the per-minute quota.
    if (app.requestsPerMinute !== null) {
      const waitMs = counters.requests.begin(this.#monotonic(), app.requestsPerMinute)
      if (waitMs > 0) return refusals.tooManyRequests(app.requestsPerMinute, waitMs)
    }
    return new Reservation(counters)
  }

  expect(app: App, reservation: AllowanceReservation, expected: Expectation): LimitRefusal | null {
    if (!(reservation instanceof Reservation)) throw new TypeError('This reservation was not made by begin.')
    if (!reservation.isOpen) return null
    const counters = this.#countersOf(app)
    const { models } = counters.limits
    const { endpoint, model, modelPending = false, cost } = expected
    if (models !== null && !modelPending && !isReadOut(endpoint) && (model === null || !models.has(model)))
      return refusals.modelNotAllowed(model, models)
    const refusal = isReadOut(endpoint) ? null : this.#checkCost(counters, reservation, expected)
    if (refusal) return refusal
    if (app.tokensPerMinute !== null && reservation.entry === null) {
      const wanted = expected.tokensIn + expected.tokensOut
      const entry = counters.tokens.begin(this.#monotonic(), wanted, app.tokensPerMinute)
      if ('waitMs' in entry) return refusals.tooManyTokens(app.tokensPerMinute, wanted, entry.waitMs)
      reservation.entry = entry
    }
    if (cost !== null && cost !== reservation.reserved) {
      counters.reserved += cost - reservation.reserved
      reservation.reserved = cost
    }
    return null
  }

  permit(reservation: AllowanceReservation, reasons: readonly AskReason[]): void {
    if (reservation instanceof Reservation) reservation.permitted = [...reservation.permitted, ...reasons]
  }

  /** Running requests, and the cost reserved for them in nano-SC. */
  use(appId: string): { active: number; reserved: Nano } {
    const { active = 0, reserved = 0n } = this.#counters.get(appId) ?? {}
    return { active, reserved }
  }

  /**
   * The budget whose rest is too small for the app's last request, which was refused for it. Null when that request would fit now, such as on
   * the next day or after the budget was raised.
   */
  shortBudget(app: App): AppUse['short'] {
    const { refusedCost = null, reserved = 0n } = this.#counters.get(app.id) ?? {}
    return (refusedCost && this.#overBudgets(limitsOf(app), reserved, refusedCost.cost)[0]?.window) ?? null
  }

  /** The budgets whose rest does not cover the cost, in their order. */
  #overBudgets({ app, budgets }: Limits, reserved: Nano, cost: Nano | null): Over[] {
    if (budgets.length === 0) return []
    const spent = this.#spent(app.id)
    const extra = app.atBudget === 'ask' ? this.#deps.grants(app.id).extra : null
    return budgets.flatMap(({ window, amount: set }) => {
      const amount = set + (extra?.[window] ?? 0n)
      const left = amount - spent[window] - reserved
      return (cost === null ? left <= 0n : left < cost) ? [{ window, amount, spent: spent[window] }] : []
    })
  }

  /** Checks the budgets, and whether a person must be asked. */
  #checkCost(counters: AppCounters, reservation: Reservation, expected: Expectation): LimitRefusal | null {
    const { limits } = counters
    const { app } = limits
    const { endpoint, model, cost } = expected
    const mayAsk = isInference(endpoint)
    const asks = mayAsk ? this.#asks(limits, reservation, expected) : []
    // A second call for the same request replaces its reservation.
    const others = counters.reserved - reservation.reserved
    const all = this.#overBudgets(limits, others, cost).filter(({ window }) => !this.#may(app, reservation, window))
    const [over] = all
    counters.refusedCost = over ? { cost } : null
    if (!over) return asks.length > 0 ? { ...refusals.notConfirmed(app, asks, model, cost), asks } : null
    const refusal = refusals.budgetTooSmall({ ...over, reserved: others, cost }, this.#now())
    if (app.atBudget === 'refuse' || !mayAsk) return refusal
    const overspent = all.reduce((most, { amount, spent }) => max(most, spent + others - amount), 0n)
    return { ...refusal, asks: [...all.map(({ window }) => window), ...asks], overspent }
  }

  /** Why a person must be asked, budgets aside. */
  #asks({ app, askAbove }: Limits, reservation: Reservation, { model, modelPending, cost }: Expectation): AskReason[] {
    const isNew = app.askNewModel && model !== null && !modelPending && !this.#deps.hasUsed(app.id, model)
    const reasons: AskReason[] = []
    if (isNew) reasons.push('model')
    if (askAbove !== null && cost !== null && cost > askAbove) reasons.push('cost')
    return reasons.filter((reason) => !this.#may(app, reservation, reason))
  }

  /** Whether a person has allowed this, for this request or until tomorrow. */
  #may(app: App, { permitted }: Reservation, reason: AskReason): boolean {
    if (permitted.includes(reason)) return true
    const isRule = reason === 'model' || reason === 'cost' || app.atBudget === 'ask'
    return isRule && this.#deps.grants(app.id).open.has(reason)
  }

  #countersOf(app: App): AppCounters {
    const known = this.#counters.get(app.id)
    if (known) {
      // KeyCache returns the same object until the app changes.
      if (known.limits.app !== app) known.limits = limitsOf(app)
      return known
    }
    const made: AppCounters = {
      limits: limitsOf(app),
      active: 0,
      reserved: 0n,
      requests: new RequestMinute(),
      tokens: new TokenMinute(),
      refusedCost: null,
    }
    this.#counters.set(app.id, made)
    return made
  }
}

const max = (one: Nano, other: Nano): Nano => (one > other ? one : other)

function limitsOf(app: App): Limits {
  const { endpoints, models, budgetTotal, budgetMonth, budgetDay, askAbove } = app
  const given = [
    { window: 'total', text: budgetTotal },
    { window: 'month', text: budgetMonth },
    { window: 'day', text: budgetDay },
  ] as const
  return {
    app,
    endpoints: endpoints && new Set(endpoints),
    models: models && new Set(models),
    askAbove: askAbove === null ? null : toNano(askAbove),
    budgets: given.flatMap(({ window, text }) => (text === null ? [] : [{ window, amount: toNano(text) }])),
  }
}
