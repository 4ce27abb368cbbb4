import type { Nano } from '../shared/money.ts'

/** Requests that the service charged for, with the sums of their text (UTF-8 bytes) and of their cost (SC). */
export interface Charge {
  requests: number
  bytes: number
  cost: number
}

/** Mean size and mean cost of requests of about one size, by size. */
export type SizePrice = readonly { bytes: number; cost: number }[]

/** The size of a text is computed from the size of its request, and may be wrong by this many bytes. */
const uncertainBytes = 15

/** Largest ratio of the two bounds at which their mean still is an estimate: it is then wrong by a factor of two at most. */
const widest = 4

/**
 * Learns the cost of a request by its size. Charges of about one size (a factor of two) are added up, so that larger requests count more
 * than tiny ones. The cost of a tiny request may be a minimum or rounded.
 */
export function learnSizePrice(charges: readonly Charge[]): SizePrice {
  const sized = charges.filter(({ requests, bytes }) => requests > 0 && bytes > 0)
  const bySize = Map.groupBy(sized, ({ requests, bytes }) => Math.floor(Math.log2(bytes / requests)))
  return [...bySize.values()]
    .map((alike) => {
      const requests = sum(alike, (charge) => charge.requests)
      return { bytes: sum(alike, ({ bytes }) => bytes) / requests, cost: sum(alike, ({ cost }) => cost) / requests }
    })
    .sort((a, b) => a.bytes - b.bytes)
}

/**
 * The cost of a request with `bytes` of text, or null when the learned sizes are too far away. A longer text never costs less, and its cost
 * per byte is never higher. Both are true of a price per byte, with or without a minimum, rounding or a fee. Each learned size therefore
 * gives a lower and an upper bound, and the estimate is their geometric mean.
 */
export function costOfSize(price: SizePrice, bytes: number): Nano | null {
  if (price.length === 0) return null
  const bounds = [...price.map((known) => boundsBy(known, bytes)), ...alongLine(price, bytes)]
  const low = Math.max(...bounds.map((bound) => bound.low))
  const high = Math.min(...bounds.map((bound) => bound.high))
  // Rounded costs can make the bounds cross.
  if (Math.max(low, high) > widest * Math.min(low, high)) return null
  return BigInt(Math.round(Math.sqrt(low * high) * 1e9))
}

interface Bounds {
  low: number
  high: number
}

function boundsBy(known: SizePrice[number], bytes: number): Bounds {
  const flat = known.cost
  const ifLarger = (flat * bytes) / (known.bytes + uncertainBytes)
  const ifSmaller = (flat * bytes) / Math.max(1, known.bytes - uncertainBytes)
  return { low: Math.min(flat, ifLarger), high: Math.max(flat, ifSmaller) }
}

/**
 * Bounds from the straight line through two learned sizes, under one assumption: one more byte costs at least as much for a large text as for a
 * small one, so the curve of the price bends upwards only. Between the two sizes the curve is then below the line (an upper bound), and
 * beyond the larger size above it (a lower bound). Sizes are known to `uncertainBytes`, so many lines are possible. The upper bound is that of
 * the highest line, the lower bound that of the lowest.
 */
function alongLine(price: SizePrice, bytes: number): Bounds[] {
  const after = price.findIndex((known) => known.bytes >= bytes)
  const [left, right] = after < 0 ? price.slice(-2) : [price[after - 1], price[after]]
  if (!left || !right) return []
  const costDifference = Math.max(0, right.cost - left.cost)
  const sizeDifference = right.bytes - left.bytes
  const distance = bytes - left.bytes + uncertainBytes
  if (after < 0)
    return [
      {
        low: left.cost + (costDifference * distance) / (sizeDifference + 2 * uncertainBytes),
        high: Number.POSITIVE_INFINITY,
      },
    ]
  return [{ low: 0, high: left.cost + (costDifference * distance) / sizeDifference }]
}

const sum = <T>(list: readonly T[], value: (one: T) => number): number =>
  list.reduce((total, one) => total + value(one), 0)
