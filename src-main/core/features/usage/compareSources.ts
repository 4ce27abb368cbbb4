import type { Comparison, Drift } from '../../../../src-preload/contract/usage.ts'
import { type DayBucket, dayOfMs, dayText } from '../../shared/days.ts'
import { fromAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { isKnown, statesOf } from './coverage.ts'
import type { MeasuredDay, ReadParts } from './dependencies.ts'
import { Sum } from './totals.ts'

/** The service reports the last 30 days (specification, Limits). */
const windowDays = 30

/** Remote and local usage of one model, in one day or over several. */
class Sides {
  readonly model: string
  /** Null: the sum over all requested days. */
  readonly day: number | null
  service: Sum | null = null
  local: Sum | null = null
  /** Local usage of only those days whose remote usage is known. Only these are comparable. */
  comparable: Sum | null = null
  /** `open`: a day in this sum is not fully fetched. `young`: such a day is within the service's window, so a later fetch completes it. */
  open = false
  young = false

  constructor(model: string, day: number | null) {
    this.model = model
    this.day = day
  }
}

/** Per model over the range, highest cost first; with `daily`, per model and day, newest day first. */
export function compareSides(parts: ReadParts, account: StoredAccount, range: DayBucket, daily: boolean): Comparison[] {
  const sides = sidesIn(parts, account, range, daily)
  return sides.sort((a, b) => (b.day ?? 0) - (a.day ?? 0) || byCost(a, b)).map(compared)
}

/** Reads the rows of each side once and allocates nothing per row: ten years of a dozen models are about 80,000 rows. */
function sidesIn(
  { accountStore, local, now }: ReadParts,
  account: StoredAccount,
  range: DayBucket,
  daily: boolean,
): Sides[] {
  const { from, to } = range
  const states = statesOf(range, accountStore.fetches.coverage(account.no, 'usage', from, to), now())
  const windowStart = dayOfMs(now()) - windowDays + 1
  const days: Map<string, Sides>[] = []
  const sidesOf = (day: number, model: string): Sides => {
    const place = daily ? day - from : 0
    days[place] ??= new Map()
    let sides = days[place].get(model)
    if (!sides) {
      sides = new Sides(model, daily ? day : null)
      days[place].set(model, sides)
    }
    return sides
  }
  // A day can have a row although its coverage is unknown. The row's figures count as known.
  const reported = new Set<string>()
  const isReported = (day: number, model: string): boolean =>
    isKnown(states[day - from] ?? 'gap') || (reported.size > 0 && reported.has(`${day} ${model}`))
  const seen = (sides: Sides, day: number): void => {
    if (states[day - from] === 'whole') return
    sides.open = true
    if (day >= windowStart) sides.young = true
  }
  for (const row of accountStore.sums.models(account.no, from, to)) {
    if (!isKnown(states[row.day - from] ?? 'gap')) reported.add(`${row.day} ${row.name}`)
    const sides = sidesOf(row.day, row.name)
    sides.service ??= new Sum()
    sides.service.addService(row)
    seen(sides, row.day)
  }
  for (const row of local.usedByDay(account.id, from, to)) {
    if (isReadOut(row)) continue
    const model = row.model ?? ''
    const sides = sidesOf(row.day, model)
    sides.local ??= new Sum()
    sides.local.addLocal(row)
    if (!isReported(row.day, model)) continue
    sides.service ??= new Sum()
    sides.comparable ??= new Sum()
    sides.comparable.addLocal(row)
    seen(sides, row.day)
  }
  return days.flatMap((models) => [...models.values()])
}

/** A request without a model and without cost. The service's rows omit it. */
const isReadOut = ({ model, tokensIn, tokensOut, cost, unpriced }: MeasuredDay): boolean =>
  model === null && tokensIn === 0 && tokensOut === 0 && cost === 0n && unpriced === 0

/** Compares the two sides. The difference covers only days with known remote usage; on other days, it would be the whole local usage. */
function compared(sides: Sides): Comparison {
  const { model, day, service, local } = sides
  const comparable = sides.comparable ?? new Sum()
  const bothKnown = service !== null && service.missing.cost === 0 && comparable.missing.cost === 0
  return {
    model,
    day: day === null ? null : dayText(day),
    service: service?.figures() ?? null,
    here: local?.figures() ?? null,
    elsewhere: bothKnown ? fromAtto(service.cost - comparable.cost) : null,
    drift: service === null ? 'gap' : driftOf(service, comparable, sides),
  }
}

function driftOf(service: Sum, local: Sum, { open, young }: Sides): Drift {
  if (service.incomplete > 0) return 'incomplete'
  const counts = [
    service.requests - local.requests,
    service.tokensIn + service.tokensOut - local.tokensIn - local.tokensOut,
  ] as const
  // Local costs are estimates. Equal counts mean equal usage, unless the service took back a part of the cost.
  const isEqualUse = counts.every((count) => count === 0)
  if (isEqualUse && (local.missing.cost > 0 || (local.estimated > 0 && !isReduced(service, local)))) return 'same'
  if (local.missing.cost > 0) return 'unpriced'
  const more = sign(service.cost - local.cost) || sign(counts[1]) || sign(counts[0])
  if (more === 0) return 'same'
  if (more > 0) return 'elsewhere'
  if (!open) return 'here_more'
  return young ? 'not_yet' : 'gap'
}

/** Smaller differences, in 1e-18 SC, may be rounding: some services round each cost to six decimals. 0.0001 SC. */
const leastReduction = 100_000_000_000_000n

/** Whether the service charges over 2% less than this computer estimated. Prices are known better than that. */
function isReduced(service: Sum, local: Sum): boolean {
  const less = local.cost - service.cost
  return less > leastReduction && less * 50n > local.cost
}

const sign = (amount: bigint | number): number => (amount > 0 ? 1 : amount < 0 ? -1 : 0)

function byCost(a: Sides, b: Sides): number {
  const cost = (sides: Sides): bigint => {
    const [service, local] = [sides.service?.cost ?? 0n, sides.local?.cost ?? 0n]
    return service > local ? service : local
  }
  const [ofA, ofB] = [cost(a), cost(b)]
  if (ofA !== ofB) return ofA < ofB ? 1 : -1
  return a.model < b.model ? -1 : 1
}
