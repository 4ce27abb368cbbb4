import type { Comparison, Drift } from '../../../src-preload/contract/usage.ts'
import { type Bucket, dayOfMs, dayText } from '../days.ts'
import { fromAtto } from '../money.ts'
import type { StoredBook } from '../store/account/books.ts'
import { type DayState, isKnown, statesOf } from './known.ts'
import type { ReadParts, UsedDay } from './parts.ts'
import { Sum } from './sum.ts'

/** The service tells the last 30 days (specification, Limits). */
const windowDays = 30

/** Both sides of one model in a day or in several. */
interface Sides {
  model: string
  service: Sum | null
  here: Sum | null
}

interface Cell extends Sides {
  day: number
  state: DayState
  /** The day has left the window: nothing more will be told of it. */
  past: boolean
}

/** By model over the stretch, the dearest first; or of each day, the newest first. */
export function compareSides(parts: ReadParts, book: StoredBook, range: Bucket, daily: boolean): Comparison[] {
  const cells = cellsIn(parts, book, range)
  if (daily) {
    return cells.sort((a, b) => b.day - a.day || dearest(a, b)).map((cell) => compared(cell, dayText(cell.day), [cell]))
  }
  const byModel = Map.groupBy(cells, ({ model }) => model)
  return [...byModel]
    .map(([model, own]) => ({ model, own, service: summed(own, 'service'), here: summed(own, 'here') }))
    .sort(dearest)
    .map(({ own, ...sides }) => compared(sides, null, own))
}

function cellsIn({ account, here, now }: ReadParts, book: StoredBook, range: Bucket): Cell[] {
  const { from, to } = range
  const states = statesOf(range, account.fetches.coverage(book.no, 'usage', from, to), now())
  const firstTold = dayOfMs(now()) - windowDays + 1
  const cells = new Map<string, Cell>()
  const cellOf = (day: number, model: string): Cell => {
    const key = `${day} ${model}`
    const state = states[day - from] ?? 'gap'
    const service = isKnown(state) ? new Sum() : null
    const cell = cells.get(key) ?? { day, model, state, past: day < firstTold, service, here: null }
    cells.set(key, cell)
    return cell
  }
  for (const row of account.sums.models(book.no, from, to)) {
    const cell = cellOf(row.day, row.name)
    cell.service ??= new Sum()
    cell.service.addService(row)
  }
  for (const row of here.usedByDay(book.id, from, to)) {
    if (isReadOut(row)) continue
    const cell = cellOf(row.day, row.model ?? '')
    cell.here ??= new Sum()
    cell.here.addHere(row)
  }
  return [...cells.values()]
}

/** Of no model and free: the service's rows leave it out. */
const isReadOut = ({ model, tokensIn, tokensOut, cost, unpriced }: UsedDay): boolean =>
  model === null && tokensIn === 0 && tokensOut === 0 && cost === 0n && unpriced === 0

function summed(cells: readonly Cell[], side: 'service' | 'here'): Sum | null {
  let total: Sum | null = null
  for (const { [side]: sum } of cells) {
    if (sum === null) continue
    total ??= new Sum()
    total.add(sum)
  }
  return total
}

/** The difference is of the days alone of which the service's side is known: elsewhere it would be this machine's whole use. */
function compared({ model, service, here }: Sides, day: string | null, cells: readonly Cell[]): Comparison {
  const known = cells.filter((cell) => cell.service !== null)
  const theirs = summed(known, 'service')
  const ours = summed(known, 'here') ?? new Sum()
  const bothKnown = theirs !== null && theirs.costText() !== null && ours.costText() !== null
  return {
    model,
    day,
    service: service?.figures() ?? null,
    here: here?.figures() ?? null,
    elsewhere: bothKnown ? fromAtto(theirs.cost - ours.cost) : null,
    drift: theirs === null ? 'gap' : driftOf(theirs, ours, known),
  }
}

function driftOf(service: Sum, here: Sum, cells: readonly Cell[]): Drift {
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
  const open = cells.filter(({ state }) => state !== 'whole')
  if (open.length === 0) return 'here_more'
  return open.some(({ past }) => !past) ? 'not_yet' : 'gap'
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
