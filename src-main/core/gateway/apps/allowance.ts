import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
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
import { isReadOut } from '../../upstream/request/endpoint.ts'
import * as refusals from './limitRefusals.ts'
import { RequestMinute, type TokenEntry, TokenMinute } from './minuteLimits.ts'

interface AllowanceDeps {
  /** What an app spent according to the request log. Read for each decision, because the days and months of the request log change at midnight UTC. */
  spent(appId: string): BudgetSpend
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
  readonly #spent: (appId: string) => BudgetSpend
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #counters = new Map<string, AppCounters>()

  constructor({ spent, now = Date.now, monotonic = () => performance.now() }: AllowanceDeps) {
    this.#spent = spent
    this.#now = now
    this.#monotonic = monotonic
  }

  begin(app: App, endpoint: Endpoint, isFree = isReadOut(endpoint)): AllowanceReservation | LimitRefusal {
    const counters = this.#countersOf(app)
    const { endpoints, budgets } = counters.limits
    if (endpoints !== null && !endpoints.has(endpoint)) return refusals.endpointNotAllowed(endpoint, endpoints)
    if (app.concurrent !== null && counters.active >= app.concurrent) return refusals.tooManyAtOnce(app.concurrent)
    if (budgets.length > 0 && !isFree) {
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
    const { models, budgets } = counters.limits
    const { endpoint, model, modelPending = false, cost } = expected
    if (models !== null && !modelPending && !isReadOut(endpoint) && (model === null || !models.has(model)))
      return refusals.modelNotAllowed(model, models)
    if (budgets.length > 0 && !isReadOut(endpoint)) {
      // A second call for the same request replaces its reservation.
      const others = counters.reserved - reservation.reserved
      const over = this.#overBudget(counters.limits, others, cost)
      counters.refusedCost = over && { cost }
      if (over) return refusals.budgetTooSmall({ ...over, reserved: others, cost }, this.#now())
    }
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
    return (refusedCost && this.#overBudget(limitsOf(app), reserved, refusedCost.cost)?.window) ?? null
  }

  /** The first budget whose rest does not cover the cost. */
  #overBudget({ app, budgets }: Limits, reserved: Nano, cost: Nano | null) {
    const spent = this.#spent(app.id)
    for (const { window, amount } of budgets) {
      const left = amount - spent[window] - reserved
      if (cost === null ? left <= 0n : left < cost) return { window, amount, spent: spent[window] }
    }
    return null
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

function limitsOf(app: App): Limits {
  const { endpoints, models, budgetTotal, budgetMonth, budgetDay } = app
  const given = [
    { window: 'total', text: budgetTotal },
    { window: 'month', text: budgetMonth },
    { window: 'day', text: budgetDay },
  ] as const
  return {
    app,
    endpoints: endpoints && new Set(endpoints),
    models: models && new Set(models),
    budgets: given.flatMap(({ window, text }) => (text === null ? [] : [{ window, amount: toNano(text) }])),
  }
}
