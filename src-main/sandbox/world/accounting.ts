import { Decimal } from 'decimal.js'
import { FAULT_MODEL_NAMES } from '../faults/plan.ts'
import type { ApiKey, SandboxAccount } from './accounts.ts'
import { findModel, MODELS, type SandboxModel } from './models.ts'
import { DAY, type Random, seededRandom } from './seed.ts'

/** `GET /v1/usage` reports the last 30 days, including today. */
const SHOWN_DAYS = 30
/** More than `SHOWN_DAYS`, so that lifetime totals are larger than the sum of the reported rows. */
const SEEDED_DAYS = 45
const guide = MODELS.filter(({ speaker }) => speaker === 'guide')
const others = MODELS.filter(({ speaker }) => speaker !== 'guide')

export interface SandboxWork {
  model: string
  tokensIn: number
  tokensOut: number
  /** Part of `tokensIn`. */
  tokensCached: number
  cost: Decimal
}

interface Row {
  key: ApiKey
  /** `2026-11-21` */
  day: string
  model: string
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  cost: Decimal
}

/** Use of one model in one day before the sandbox started. */
export interface PastUse extends Omit<SandboxWork, 'cost'> {
  /** `2026-11-21`, UTC. */
  day: string
  requests: number
}

/** One row per key, day and model. Every endpoint reports sums of these rows, so they cannot disagree. */
export class SandboxAccounting {
  readonly #rows = new Map<string, Row>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Records completed work: decreases the balance and adds to the rows. */
  charge(key: ApiKey, work: SandboxWork): void {
    this.#add(key, dayOf(this.#now()), 1, work)
    key.account.balance = key.account.balance.minus(work.cost)
    if (key.balanceEnabled) key.balance = key.balance.minus(work.cost)
  }

  #add(key: ApiKey, day: string, requests: number, work: SandboxWork): void {
    const at = `${key.id} ${day} ${work.model}`
    const row = this.#rows.get(at)
    if (!row) {
      this.#rows.set(at, { key, day, requests, ...work })
      return
    }
    row.requests += requests
    row.tokensIn += work.tokensIn
    row.tokensOut += work.tokensOut
    row.tokensCached += work.tokensCached
    row.cost = row.cost.plus(work.cost)
  }

  /** Adds rows of an earlier time, at today's prices. Use of unknown models is left out. */
  addPast(key: ApiKey, past: readonly PastUse[]): void {
    for (const { day, requests, ...work } of past) {
      const model = findModel(work.model, FAULT_MODEL_NAMES)
      if (!model || requests <= 0) continue
      const cost =
        model.kind === 'chat'
          ? chatCost(model, work.tokensIn, work.tokensCached, work.tokensOut)
          : new Decimal(model.price.each).times(requests)
      this.#add(key, day, requests, { ...work, cost })
    }
  }

  /** `GET /v1/usage`, newest day first. Account rows have a date-time string (section "Resources"). */
  accountUsage(account: SandboxAccount) {
    const first = this.#firstShownDay()
    const grouped = new Map<string, Row>()
    let spent = new Decimal(0)
    for (const row of this.#rows.values()) {
      if (row.key.account !== account) continue
      spent = spent.plus(row.cost)
      if (row.day >= first) merge(grouped, `${row.day} ${row.model}`, row)
    }
    const usage = [...grouped.values()].sort(newestFirst).map((row) => ({
      user_id: account.id,
      date: `${row.day}T00:00:00Z`,
      model: row.model,
      requests: row.requests,
      tokens_in: row.tokensIn,
      tokens_out: row.tokensOut,
      tokens_cached: row.tokensCached,
      cost_sc: row.cost.toNumber(),
    }))
    return { usage, balance: account.balance.toNumber(), total_spent: spent.toNumber() }
  }

  /** Lifetime totals of one key. */
  keyTotals(key: ApiKey) {
    const rows = [...this.#rows.values()].filter((row) => row.key === key)
    return totals(rows)
  }

  /** Daily rows of one key with date-only strings, newest first. */
  keyDaily(key: ApiKey) {
    const first = this.#firstShownDay()
    const byDay = Map.groupBy(
      [...this.#rows.values()].filter((row) => row.key === key && row.day >= first),
      (row) => row.day,
    )
    return [...byDay].sort(([a], [b]) => (a < b ? 1 : -1)).map(([date, rows]) => ({ date, ...totals(rows) }))
  }

  #firstShownDay(): string {
    return dayOf(this.#now() - (SHOWN_DAYS - 1) * DAY)
  }

  /** A plausible history: quieter weekends, a few days without use. Costs follow the prices. */
  seedHistory(seed: string, keys: Iterable<ApiKey>): void {
    for (const key of keys) {
      if (key.history === 0) continue
      // The guide has random numbers of its own, so that it changes no figure of the others.
      for (const [part, models] of [
        ['history', others],
        ['history of the guide', guide],
      ] as const) {
        const random = seededRandom(seed, part, key.seedName)
        for (let back = SEEDED_DAYS; back >= 1; back -= 1) this.#seedDay(key, models, random, this.#now() - back * DAY)
      }
    }
  }

  #seedDay(key: ApiKey, models: readonly SandboxModel[], random: Random, at: number): void {
    const weekend = new Date(at).getUTCDay() % 6 === 0
    if (random.chance(weekend ? 0.5 : 0.05)) return
    for (const model of models) {
      // Before any random number, so that another model without a history changes no seeded figure.
      if (model.history === 0) continue
      const requests = Math.round(random.next() * key.history * model.history * (weekend ? 0.4 : 1))
      if (requests > 0) this.#add(key, dayOf(at), requests, seededWork(model, requests, random.int(300, 1_800)))
    }
  }
}

function seededWork(model: SandboxModel, requests: number, size: number): SandboxWork {
  if (model.kind !== 'chat') {
    const cost = new Decimal(model.price.each).times(requests)
    return { model: model.id, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost }
  }
  const tokensIn = requests * size
  const tokensCached = Math.floor(tokensIn / 3)
  const tokensOut = Math.floor(requests * size * 0.6)
  return {
    model: model.id,
    tokensIn,
    tokensOut,
    tokensCached,
    cost: chatCost(model, tokensIn, tokensCached, tokensOut),
  }
}

/** Exact cost in SC. Cached tokens are part of the prompt and cheaper, not additional (section "Usage"). */
export function chatCost(model: SandboxModel, tokensIn: number, tokensCached: number, tokensOut: number): Decimal {
  const { input, cached, output } = model.price
  return new Decimal(input)
    .times(tokensIn - tokensCached)
    .plus(new Decimal(cached).times(tokensCached))
    .plus(new Decimal(output).times(tokensOut))
    .div(1_000_000)
}

function merge(into: Map<string, Row>, at: string, row: Row): void {
  const sum = into.get(at)
  if (!sum) {
    into.set(at, { ...row })
    return
  }
  sum.requests += row.requests
  sum.tokensIn += row.tokensIn
  sum.tokensOut += row.tokensOut
  sum.tokensCached += row.tokensCached
  sum.cost = sum.cost.plus(row.cost)
}

function totals(rows: Row[]) {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    total_requests: sum((row) => row.requests),
    total_tokens_in: sum((row) => row.tokensIn),
    total_tokens_out: sum((row) => row.tokensOut),
    total_cost_sc: rows.reduce((total, row) => total.plus(row.cost), new Decimal(0)).toNumber(),
  }
}

const newestFirst = (a: Row, b: Row) =>
  a.day === b.day ? a.model.localeCompare(b.model, 'en') : a.day < b.day ? 1 : -1

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
