import type { Comparison, Drift } from '../../../../src-preload/contract/usage.ts'
import { type DayBucket, dayOfMs, dayText } from '../../shared/days.ts'
import { fromAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { isKnown, statesOf } from './coverage.ts'
import type { MeasuredDay, ReadParts } from './dependencies.ts'
import { Sum } from './totals.ts'

/** The service tells the last 30 days (specification, Limits). */
const windowDays = 30

/** Both sides of one model, in one day or over several. */
class Sides {
  readonly model: string
  /** Null: over all days asked for. */
  readonly day: number | null
  service: Sum | null = null
  here: Sum | null = null
  /** This machine's, of the days alone of which the service's side is known: only these can be compared. */
  ours: Sum | null = null
  /** Whether the service may still say otherwise of a day that is in here, and whether one is so young that it will. */
  open = false
  young = false

  constructor(model: string, day: number | null) {
    this.model = model
    this.day = day
  }
}

/** By model over the stretch, the dearest first; or of each day, the newest first. */
export function compareSides(parts: ReadParts, account: StoredAccount, range: DayBucket, daily: boolean): Comparison[] {
  const sides = sidesIn(parts, account, range, daily)
  return sides.sort((a, b) => (b.day ?? 0) - (a.day ?? 0) || dearest(a, b)).map(compared)
}

/** One walk over the rows of each side: ten years of a dozen models are some 80,000, so nothing is made for a row. */
function sidesIn(
  { accountStore, here, now }: ReadParts,
  account: StoredAccount,
  range: DayBucket,
  daily: boolean,
): Sides[] {
  const { from, to } = range
  const states = statesOf(range, accountStore.fetches.coverage(account.no, 'usage', from, to), now())
  const firstTold = dayOfMs(now()) - windowDays + 1
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
  // A row may stand in a day of which nothing was told since: what it says is known all the same.
  const reported = new Set<string>()
  const isTold = (day: number, model: string): boolean =>
    isKnown(states[day - from] ?? 'gap') || (reported.size > 0 && reported.has(`${day} ${model}`))
  const seen = (sides: Sides, day: number): void => {
    if (states[day - from] === 'whole') return
    sides.open = true
    if (day >= firstTold) sides.young = true
  }
  for (const row of accountStore.sums.models(account.no, from, to)) {
    if (!isKnown(states[row.day - from] ?? 'gap')) reported.add(`${row.day} ${row.name}`)
    const sides = sidesOf(row.day, row.name)
    sides.service ??= new Sum()
    sides.service.addService(row)
    seen(sides, row.day)
  }
  for (const row of here.usedByDay(account.id, from, to)) {
    if (isReadOut(row)) continue
    const model = row.model ?? ''
    const sides = sidesOf(row.day, model)
    sides.here ??= new Sum()
    sides.here.addHere(row)
    if (!isTold(row.day, model)) continue
    sides.service ??= new Sum()
    sides.ours ??= new Sum()
    sides.ours.addHere(row)
    seen(sides, row.day)
  }
  return days.flatMap((models) => [...models.values()])
}

/** Of no model and free: the service's rows leave it out. */
const isReadOut = ({ model, tokensIn, tokensOut, cost, unpriced }: MeasuredDay): boolean =>
  model === null && tokensIn === 0 && tokensOut === 0 && cost === 0n && unpriced === 0

/** The difference is of the days alone of which the service's side is known: elsewhere it would be this machine's whole use. */
function compared(sides: Sides): Comparison {
  const { model, day, service, here } = sides
  const ours = sides.ours ?? new Sum()
  const bothKnown = service !== null && service.costText() !== null && ours.costText() !== null
  return {
    model,
    day: day === null ? null : dayText(day),
    service: service?.figures() ?? null,
    here: here?.figures() ?? null,
    elsewhere: bothKnown ? fromAtto(service.cost - ours.cost) : null,
    drift: service === null ? 'gap' : driftOf(service, ours, sides),
  }
}

function driftOf(service: Sum, here: Sum, { open, young }: Sides): Drift {
  if (here.requests > 0 && here.costText() === null) return 'unpriced'
  const counts = [
    service.requests - here.requests,
    service.tokensIn + service.tokensOut - here.tokensIn - here.tokensOut,
  ] as const
  // Estimates may be off in the last digits; what was counted is the same.
  if (here.estimated > 0 && counts.every((count) => count === 0)) return 'same'
  const more = sign(service.cost - here.cost) || sign(counts[1]) || sign(counts[0])
  if (more === 0) return 'same'
  if (more > 0) return 'elsewhere'
  if (!open) return 'here_more'
  return young ? 'not_yet' : 'gap'
}

const sign = (amount: bigint | number): number => (amount > 0 ? 1 : amount < 0 ? -1 : 0)

function dearest(a: Sides, b: Sides): number {
  const cost = (sides: Sides): bigint => {
    const [service, here] = [sides.service?.cost ?? 0n, sides.here?.cost ?? 0n]
    return service > here ? service : here
  }
  const [ofA, ofB] = [cost(a), cost(b)]
  if (ofA !== ofB) return ofA < ofB ? 1 : -1
  return a.model < b.model ? -1 : 1
}
