import type { Certainty } from '../../../src-preload/contract/requests.ts'
import type { SpendTotals } from '../ports/requests.ts'
import { dayMs } from '../shared/days.ts'
import type { Nano } from '../shared/money.ts'
import type { SpendDay, SpendReset, SpendTable } from '../store/requestLog/spend.ts'

const minuteMs = 60_000
const minutesShown = 60

/** The amount that one request adds to the sums. A request belongs to the day of its start. */
export interface SpendEntry {
  at: number
  cost: Nano | null
  costIs: Certainty
  tokensIn: number
  tokensOut: number
  tokensCached: number
}

interface Month {
  cost: Nano
  estimated: number
}

interface CallerSpend {
  days: Map<number, SpendDay>
  months: Map<number, Month>
  all: { cost: Nano; estimated: number }
  /** The part of the total that was spent before the last reset. */
  before: { cost: Nano; estimated: number }
  /** Requests by minute, in a ring buffer; `newest` is the minute of its last element. */
  minutes: number[]
  /** Cost of the requests that began in each minute, in the same ring. */
  costs: Nano[]
  newest: number
}

/** Sums of the request log, in memory, because a budget is checked before each request. They are written with the rows that change them. */
export class Spend {
  readonly #callers = new Map<string, CallerSpend>()
  #unsaved = new Set<SpendDay>()
  #unsavedResets: SpendReset[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  load(table: SpendTable): void {
    for (const day of table.days()) this.#place(this.#caller(day.who), day)
    for (const { who, cost, estimated } of table.resets()) this.#caller(who).before = { cost, estimated }
  }

  #place(caller: CallerSpend, day: SpendDay): void {
    caller.days.set(day.day, day)
    const month = monthIn(caller, day.day)
    month.cost += day.cost
    month.estimated += day.estimated
    caller.all.cost += day.cost
    caller.all.estimated += day.estimated
  }

  settle(who: string, entry: SpendEntry): void {
    const caller = this.#caller(who)
    const number = Math.floor(entry.at / dayMs)
    let day = caller.days.get(number)
    if (!day) {
      day = emptyDay(who, number)
      caller.days.set(number, day)
    }
    day.requests += 1
    day.tokensIn += entry.tokensIn
    day.tokensOut += entry.tokensOut
    day.tokensCached += entry.tokensCached
    if (entry.cost === null) day.unpriced += 1
    else if (entry.cost > 0n || entry.costIs === 'estimated') {
      const month = monthIn(caller, number)
      const estimated = entry.costIs === 'estimated' ? 1 : 0
      day.cost += entry.cost
      day.estimated += estimated
      month.cost += entry.cost
      month.estimated += estimated
      caller.all.cost += entry.cost
      caller.all.estimated += estimated
    }
    this.#unsaved.add(day)
    const minute = Math.floor(entry.at / minuteMs)
    const place = minute % minutesShown
    if (minute <= caller.newest && caller.newest - minute < minutesShown)
      caller.costs[place] = (caller.costs[place] ?? 0n) + (entry.cost ?? 0n)
  }

  /** Requests and cost in the last 60 minutes, as far as this program has seen them. */
  lastHour(who: string): { requests: number; spent: Nano } {
    const caller = this.#callers.get(who)
    const minute = Math.floor(this.#now() / minuteMs)
    if (caller && minute > caller.newest) turn(caller, minute)
    const requests = caller?.minutes.reduce((sum, count) => sum + count, 0) ?? 0
    return { requests, spent: caller?.costs.reduce((sum, cost) => sum + cost, 0n) ?? 0n }
  }

  /** Counts a request that began (`by` 1), or removes one that was refused (`by` -1). */
  tick(who: string, at: number, by = 1): void {
    const caller = this.#caller(who)
    const minute = Math.floor(at / minuteMs)
    if (minute > caller.newest) turn(caller, minute)
    const back = caller.newest - minute
    if (back < minutesShown)
      caller.minutes[minute % minutesShown] = Math.max(0, (caller.minutes[minute % minutesShown] ?? 0) + by)
  }

  of(who: string): SpendTotals {
    const caller = this.#callers.get(who)
    const now = this.#now()
    const number = Math.floor(now / dayMs)
    const day = caller?.days.get(number)
    const month = caller?.months.get(monthOf(number))
    const estimated = caller ? caller.all.estimated - caller.before.estimated : 0
    return {
      day: day?.cost ?? 0n,
      month: month?.cost ?? 0n,
      total: caller ? caller.all.cost - caller.before.cost : 0n,
      estimated: estimated > 0 || (month?.estimated ?? 0) > 0,
      unpricedToday: day?.unpriced ?? 0,
      requestsToday: day?.requests ?? 0,
      tokensToday: day ? day.tokensIn + day.tokensOut : 0,
      perMinute: lastMinutes(caller, Math.floor(now / minuteMs)),
    }
  }

  /** Resets the total; days and months stay. */
  reset(who: string): void {
    const caller = this.#caller(who)
    caller.before = { ...caller.all }
    this.#unsavedResets.push({ who, ...caller.before, at: this.#now() })
  }

  /** Call inside the transaction of the rows that changed the sums, and `saved` after the commit. */
  save(table: SpendTable): void {
    for (const day of this.#unsaved) table.put(day)
    for (const reset of this.#unsavedResets) table.reset(reset)
  }

  saved(): void {
    this.#unsaved.clear()
    if (this.#unsavedResets.length > 0) this.#unsavedResets = []
  }

  get unsaved(): boolean {
    return this.#unsaved.size > 0 || this.#unsavedResets.length > 0
  }

  #caller(who: string): CallerSpend {
    const known = this.#callers.get(who)
    if (known) return known
    const caller: CallerSpend = {
      days: new Map(),
      months: new Map(),
      all: { cost: 0n, estimated: 0 },
      before: { cost: 0n, estimated: 0 },
      minutes: Array<number>(minutesShown).fill(0),
      costs: Array<Nano>(minutesShown).fill(0n),
      newest: 0,
    }
    this.#callers.set(who, caller)
    return caller
  }
}

const emptyDay = (who: string, day: number): SpendDay => ({
  who,
  day,
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  cost: 0n,
  estimated: 0,
  unpriced: 0,
})

let lastDay = 0
let lastMonth = 0

/** Months since the year 0 (UTC) of a day since 1970. The last result is cached, because the day is nearly always today. */
function monthOf(day: number): number {
  if (day !== lastDay) {
    const date = new Date(day * dayMs)
    lastDay = day
    lastMonth = date.getUTCFullYear() * 12 + date.getUTCMonth()
  }
  return lastMonth
}

function monthIn(caller: CallerSpend, day: number): Month {
  const number = monthOf(day)
  let month = caller.months.get(number)
  if (!month) {
    month = { cost: 0n, estimated: 0 }
    caller.months.set(number, month)
  }
  return month
}

/** Advances the ring buffer to a later minute; the minutes between had no request. */
function turn(caller: CallerSpend, minute: number): void {
  const steps = Math.min(minutesShown, minute - caller.newest)
  for (let step = 0; step < steps; step += 1) {
    caller.minutes[(minute - step) % minutesShown] = 0
    caller.costs[(minute - step) % minutesShown] = 0n
  }
  caller.newest = minute
}

function lastMinutes(caller: CallerSpend | undefined, now: number): number[] {
  const shown = Array<number>(minutesShown).fill(0)
  if (!caller) return shown
  for (let place = 0; place < minutesShown; place += 1) {
    const minute = now - (minutesShown - 1) + place
    if (minute <= caller.newest && minute > caller.newest - minutesShown) {
      shown[place] = caller.minutes[minute % minutesShown] ?? 0
    }
  }
  return shown
}
