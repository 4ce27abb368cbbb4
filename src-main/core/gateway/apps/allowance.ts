import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { Allowance, AllowanceReservation, Expectation, LimitRefusal } from '../../ports/requests.ts'
import { type Nano, toNano } from '../../shared/money.ts'
import { isReadOut } from '../../upstream/endpoint.ts'
import * as say from './limitRefusals.ts'
import { RequestMinute, type TokenEntry, TokenMinute } from './minuteLimits.ts'

/** What a tool spent, by the books: today and this month (UTC), and in all since its last reset. */
export interface AllowanceSpend {
  day: Nano
  month: Nano
  total: Nano
}

interface AllowanceDeps {
  /** Read anew for each decision: the books turn at midnight UTC by themselves. */
  spent(toolId: string): AllowanceSpend
  /** Milliseconds since 1970, for words about when a budget frees. */
  now?: () => number
  /** Milliseconds that nobody can set back. */
  monotonic?: () => number
}

/** A tool's limits in the form in which they are compared; `budgets` with the one that frees last first. */
interface Limits {
  readonly tool: App
  readonly endpoints: ReadonlySet<Endpoint> | null
  readonly models: ReadonlySet<string> | null
  readonly budgets: readonly { readonly window: keyof AllowanceSpend; readonly amount: Nano }[]
}

/** What runs for one tool now. */
interface Ledge {
  limits: Limits
  active: number
  reserved: Nano
  readonly requests: RequestMinute
  readonly tokens: TokenMinute
}

class HeldShare implements AllowanceReservation {
  readonly ledge: Ledge
  reserved: Nano = 0n
  entry: TokenEntry | null = null
  held = true

  constructor(ledge: Ledge) {
    this.ledge = ledge
    ledge.active += 1
  }

  giveBack(tokens: number | null): void {
    if (!this.held) return
    this.held = false
    this.ledge.active -= 1
    if (this.reserved !== 0n) this.ledge.reserved -= this.reserved
    if (this.entry) this.ledge.tokens.end(this.entry, tokens)
  }
}

/**
 * Each tool's own limits, held in memory: what is under way and what began within the last minute. A limit that was just set
 * counts from then on. Decisions are made at once, one after the other: no two requests can both get the last of anything.
 */
export class AppAllowance implements Allowance {
  readonly #spent: (toolId: string) => AllowanceSpend
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #ledges = new Map<string, Ledge>()

  constructor({ spent, now = Date.now, monotonic = () => performance.now() }: AllowanceDeps) {
    this.#spent = spent
    this.#now = now
    this.#monotonic = monotonic
  }

  begin(tool: App, endpoint: Endpoint): AllowanceReservation | LimitRefusal {
    const ledge = this.#ledge(tool)
    const { endpoints, budgets } = ledge.limits
    if (endpoints !== null && !endpoints.has(endpoint)) return say.endpointNotAllowed(endpoint, endpoints)
    if (tool.concurrent !== null && ledge.active >= tool.concurrent) return say.tooManyAtOnce(tool.concurrent)
    if (budgets.length > 0 && !isReadOut(endpoint)) {
      const spent = this.#spent(tool.id)
      for (const { window, amount } of budgets)
        if (spent[window] >= amount) return say.budgetUsedUp(window, amount, spent[window], this.#now())
    }
    // Last, since a request that any other limit refuses takes no place of the minute.
    if (tool.requestsPerMinute !== null) {
      const waitMs = ledge.requests.begin(this.#monotonic(), tool.requestsPerMinute)
      if (waitMs > 0) return say.tooManyRequests(tool.requestsPerMinute, waitMs)
    }
    return new HeldShare(ledge)
  }

  expect(tool: App, share: AllowanceReservation, expected: Expectation): LimitRefusal | null {
    if (!(share instanceof HeldShare)) throw new TypeError('This share was not made by begin.')
    if (!share.held) return null
    const ledge = this.#ledge(tool)
    const { models, budgets } = ledge.limits
    const { endpoint, model, modelPending = false, cost } = expected
    if (models !== null && !modelPending && !isReadOut(endpoint) && (model === null || !models.has(model)))
      return say.modelNotAllowed(model, models)
    if (budgets.length > 0 && !isReadOut(endpoint)) {
      // What this request held already, if it was expected before, is replaced and not added to.
      const refusal = this.#overBudget(ledge.limits, ledge.reserved - share.reserved, cost)
      if (refusal) return refusal
    }
    if (tool.tokensPerMinute !== null && share.entry === null) {
      const wanted = expected.tokensIn + expected.tokensOut
      const entry = ledge.tokens.begin(this.#monotonic(), wanted, tool.tokensPerMinute)
      if ('waitMs' in entry) return say.tooManyTokens(tool.tokensPerMinute, wanted, entry.waitMs)
      share.entry = entry
    }
    if (cost !== null && cost !== share.reserved) {
      ledge.reserved += cost - share.reserved
      share.reserved = cost
    }
    return null
  }

  /** Requests under way, and what is held for them on top of what is spent. */
  use(toolId: string): { active: number; reserved: Nano } {
    const { active = 0, reserved = 0n } = this.#ledges.get(toolId) ?? {}
    return { active, reserved }
  }

  #overBudget({ tool, budgets }: Limits, held: Nano, cost: Nano | null): LimitRefusal | null {
    const spent = this.#spent(tool.id)
    for (const { window, amount } of budgets) {
      const left = amount - spent[window] - held
      if (cost === null ? left <= 0n : left < cost)
        return say.budgetTooSmall({ window, amount, spent: spent[window], held, cost }, this.#now())
    }
    return null
  }

  #ledge(tool: App): Ledge {
    const known = this.#ledges.get(tool.id)
    if (known) {
      // The row that a key is verified by stays the same object until something of it changes.
      if (known.limits.tool !== tool) known.limits = limitsOf(tool)
      return known
    }
    const made: Ledge = {
      limits: limitsOf(tool),
      active: 0,
      reserved: 0n,
      requests: new RequestMinute(),
      tokens: new TokenMinute(),
    }
    this.#ledges.set(tool.id, made)
    return made
  }
}

function limitsOf(tool: App): Limits {
  const { endpoints, models, budgetTotal, budgetMonth, budgetDay } = tool
  const given = [
    { window: 'total', text: budgetTotal },
    { window: 'month', text: budgetMonth },
    { window: 'day', text: budgetDay },
  ] as const
  return {
    tool,
    endpoints: endpoints && new Set(endpoints),
    models: models && new Set(models),
    budgets: given.flatMap(({ window, text }) => (text === null ? [] : [{ window, amount: toNano(text) }])),
  }
}
