import type { Figures } from '../../../../src-preload/contract/usage.ts'
import { type Atto, fromAtto, nanoToAtto } from '../../shared/money.ts'
import { type FigureName, figureNames, type UsageFigures } from '../../store/account/figures.ts'
import type { MeasuredDay } from './dependencies.ts'

/** Adds counts, capped at the safe integers. No real account reaches them, but invalid data must not break the page. */
const added = (a: number, b: number): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, a + b))

const noRows: Record<FigureName, number> = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0 }

/** Running sum of usage figures, exact. Each figure is the sum of the rows that have it; `missing` counts the others. */
export class Sum {
  requests = 0
  tokensIn = 0
  tokensOut = 0
  tokensCached = 0
  cost: Atto = 0n
  estimated = 0
  unpriced = 0
  readonly missing: Record<FigureName, number> = { ...noRows }
  /** Rows that have each figure. A sum of zero of known figures is known. */
  readonly #known: Record<FigureName, number> = { ...noRows }
  /** Rows of the service that lack a figure, and local requests without a known cost. Cached tokens do not count. */
  incomplete = 0

  addService(row: UsageFigures): void {
    this.#addCounts(row)
    const { missing = {} } = row
    // Rows of earlier versions have a null cost without `missing`.
    const costless = missing.cost ?? (row.cost === null ? 1 : 0)
    for (const name of ['requests', 'tokensIn', 'tokensOut'] as const) this.missing[name] += missing[name] ?? 0
    if (row.tokensCached !== null) this.missing.tokensCached += missing.tokensCached ?? 0
    this.missing.cost += costless
    this.incomplete += Math.max(costless, missing.requests ?? 0, missing.tokensIn ?? 0, missing.tokensOut ?? 0)
    if (row.cost === null) this.unpriced = added(this.unpriced, row.requests)
    else this.cost += row.cost
    for (const name of figureNames) if (isKnown(row, name)) this.#known[name] += 1
  }

  addLocal(row: MeasuredDay): void {
    this.#addCounts(row)
    for (const name of countNames) this.#known[name] += 1
    this.estimated += row.estimated
    this.unpriced += row.unpriced
    this.missing.cost += row.unpriced
    this.incomplete += row.unpriced
    this.cost += nanoToAtto(row.cost)
    if (row.cost !== 0n || row.unpriced === 0 || row.unpriced < row.requests) this.#known.cost += 1
  }

  add(other: Sum): void {
    this.requests = added(this.requests, other.requests)
    this.tokensIn = added(this.tokensIn, other.tokensIn)
    this.tokensOut = added(this.tokensOut, other.tokensOut)
    this.tokensCached = added(this.tokensCached, other.tokensCached)
    this.cost += other.cost
    this.estimated += other.estimated
    this.unpriced = added(this.unpriced, other.unpriced)
    for (const name of figureNames) {
      this.missing[name] += other.missing[name]
      this.#known[name] += other.#known[name]
    }
    this.incomplete += other.incomplete
  }

  /** Decimal text; null if there are costs but none is known. */
  costText(): string | null {
    return this.#isUnknown('cost') ? null : fromAtto(this.cost)
  }

  figures(): Figures {
    const { estimated, unpriced } = this
    const count = (name: (typeof countNames)[number]): number | null => (this.#isUnknown(name) ? null : this[name])
    return {
      requests: count('requests'),
      tokensIn: count('tokensIn'),
      tokensOut: count('tokensOut'),
      tokensCached: count('tokensCached'),
      cost: this.costText(),
      estimated,
      unpriced,
      missing: { ...this.missing },
    }
  }

  #addCounts(row: Pick<UsageFigures, 'requests' | 'tokensIn' | 'tokensOut' | 'tokensCached'>): void {
    this.requests = added(this.requests, row.requests)
    this.tokensIn = added(this.tokensIn, row.tokensIn)
    this.tokensOut = added(this.tokensOut, row.tokensOut)
    if (row.tokensCached === null) this.missing.tokensCached += 1
    else this.tokensCached = added(this.tokensCached, row.tokensCached)
  }

  #isUnknown(name: FigureName): boolean {
    return this.missing[name] > 0 && this.#known[name] === 0
  }
}

const countNames = ['requests', 'tokensIn', 'tokensOut', 'tokensCached'] as const

/**
 * Whether a row has a figure. A row that a later report does not list is stored as zeros, which make no other row's figure known. How many
 * of several reported rows have a count is not stored, so a count of zero is unknown when one of them lacks it.
 */
function isKnown({ missing = {}, ...row }: UsageFigures, name: FigureName): boolean {
  if (row[name] === null) return false
  if (name === 'cost' || name === 'tokensCached' ? missing[name] !== undefined : Boolean(row[name])) return true
  return missing[name] === undefined && figureNames.some((one) => Boolean(row[one]) || missing[one] !== undefined)
}

/** The figures of one row, as the contract has them. */
export const figuresOf = (row: UsageFigures): Figures => {
  const sum = new Sum()
  sum.addService(row)
  return sum.figures()
}

/** Whether a row is of requests that this program made to fetch usage. They are free, and the service's rows omit them. */
export const isOwnReadOut = ({ who }: MeasuredDay): boolean => who === 'studio:account'
