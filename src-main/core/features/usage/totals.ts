import type { Figures } from '../../../../src-preload/contract/usage.ts'
import { type Atto, fromAtto, nanoToAtto } from '../../shared/money.ts'
import type { UsageFigures } from '../../store/account/figures.ts'
import type { MeasuredDay } from './dependencies.ts'

/** Adds counts, capped at the largest safe integer. No real account reaches it, but invalid data must not break the page. */
const added = (a: number, b: number): number => Math.min(Number.MAX_SAFE_INTEGER, a + b)

/** Running sum of usage figures, exact. */
export class Sum {
  requests = 0
  tokensIn = 0
  tokensOut = 0
  /** Null as soon as one addend does not report it. */
  tokensCached: number | null = 0
  cost: Atto = 0n
  /** `priced`: `cost` includes at least one known cost. `costless`: at least one addend has no known cost. */
  priced = false
  costless = false
  estimated = 0
  unpriced = 0

  addService(row: UsageFigures): void {
    this.#addCounts(row)
    if (row.cost === null) {
      this.costless = true
      this.unpriced = added(this.unpriced, row.requests)
    } else {
      this.priced = true
      this.cost += row.cost
    }
  }

  addLocal(row: MeasuredDay): void {
    this.#addCounts(row)
    this.estimated += row.estimated
    this.unpriced += row.unpriced
    if (row.unpriced > 0) this.costless = true
    if (row.unpriced >= row.requests && row.cost === 0n) return
    this.priced = true
    this.cost += nanoToAtto(row.cost)
  }

  add(other: Sum): void {
    this.#addCounts(other)
    this.cost += other.cost
    this.priced ||= other.priced
    this.costless ||= other.costless
    this.estimated += other.estimated
    this.unpriced = added(this.unpriced, other.unpriced)
  }

  /** Decimal text; null if there are costs but none is known. */
  costText(): string | null {
    return this.costless && !this.priced ? null : fromAtto(this.cost)
  }

  figures(): Figures {
    const { requests, tokensIn, tokensOut, tokensCached, estimated, unpriced } = this
    return { requests, tokensIn, tokensOut, tokensCached, cost: this.costText(), estimated, unpriced }
  }

  #addCounts(row: Pick<UsageFigures, 'requests' | 'tokensIn' | 'tokensOut' | 'tokensCached'>): void {
    this.requests = added(this.requests, row.requests)
    this.tokensIn = added(this.tokensIn, row.tokensIn)
    this.tokensOut = added(this.tokensOut, row.tokensOut)
    this.tokensCached =
      this.tokensCached === null || row.tokensCached === null ? null : added(this.tokensCached, row.tokensCached)
  }
}

/** The figures of one row, as the contract has them. */
export const figuresOf = (row: UsageFigures): Figures => {
  const sum = new Sum()
  sum.addService(row)
  return sum.figures()
}

/** Whether a row is of requests that this program made to fetch usage. They are free, and the service's rows omit them. */
export const isOwnReadOut = ({ who }: MeasuredDay): boolean => who === 'studio:account'
