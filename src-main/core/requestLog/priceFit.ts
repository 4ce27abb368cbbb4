/** One day of one model: tokens by class, and their cost by the service, in 1e-18 SC. */
export interface DayOfUse {
  /** Prompt tokens that were not cached. */
  fresh: bigint
  cached: bigint
  out: bigint
  cost: bigint
  /** Today's row still grows, and its fields may be from different moments. */
  growing: boolean
}

/** Prices of a token, 1e-18 SC. */
export interface TokenPrice {
  fresh: bigint
  cached: bigint
  out: bigint
}

/** `separate`: one price for each class of tokens. `in_out`: cached tokens have the prompt's price. `blend`: one price for all. */
export interface PriceFit extends TokenPrice {
  how: 'separate' | 'in_out' | 'blend'
}

type Vector = bigint[]

/**
 * Computes prices from daily rows, oldest first. When one price per class explains all rows to the last digit, and there are more rows than
 * needed, those prices are exact. Otherwise least squares, with as many classes as the rows can distinguish, or the average price of a
 * token. Null when no tokens were used. Decision 0006 has the accuracy.
 */
export function fitPrices(days: readonly DayOfUse[]): PriceFit | null {
  const used = days.filter(({ fresh, cached, out }) => fresh + cached + out > 0n)
  if (used.length === 0) return null
  const settled = used.filter(({ growing }) => !growing)
  // After a price change the rows contradict each other, but the newest days alone may agree.
  for (const rows of [used, settled, settled.slice(-14), settled.slice(-7), settled.slice(-4)]) {
    const exact = exactPrices(rows)
    if (exact) return exact
  }
  const rows = settled.length > 0 ? settled : used
  return leastSquares(rows) ?? blend(rows)
}

const classesOf = ({ fresh, cached, out }: DayOfUse): Vector => [fresh, cached, out]

/** Solves the rows exactly. Null when they contradict each other, leave a price open, or are too few to confirm a solution. */
function exactPrices(rows: readonly DayOfUse[]): PriceFit | null {
  const seen = [0, 1, 2].filter((at) => rows.some((row) => (classesOf(row)[at] ?? 0n) > 0n))
  if (rows.length <= seen.length) return null
  const system = rows.map((row) => [...seen.map((at) => classesOf(row)[at] ?? 0n), row.cost])
  const solution = solve(system, seen.length)
  if (!solution || solution.some((price) => price < 0n)) return null
  const [fresh = null, cached = null, out = null] = [0, 1, 2].map((at) => solution[seen.indexOf(at)] ?? null)
  return complete({ fresh, cached, out })
}

/**
 * Fills in classes without tokens: cached tokens cost the same as others, other classes as much as the highest known price. Estimates then
 * err upwards.
 */
function complete(p: { fresh: bigint | null; cached: bigint | null; out: bigint | null }): PriceFit {
  const dearest = [p.fresh, p.cached, p.out].reduce<bigint>(
    (most, one) => (one !== null && one > most ? one : most),
    0n,
  )
  const fresh = p.fresh ?? dearest
  return { how: p.cached === null ? 'in_out' : 'separate', fresh, cached: p.cached ?? fresh, out: p.out ?? dearest }
}

/**
 * Fraction-free elimination (Bareiss) of `width` unknowns, with the right side in the last column. Null when there is no solution, more
 * than one, or none in whole numbers: no service has prices finer than 1e-18 SC.
 */
function solve(system: readonly Vector[], width: number): Vector | null {
  const rows = system.map((row) => [...row])
  for (let at = 0; at < width; at += 1) {
    const pivotRow = rows.findIndex((row, index) => index >= at && (row[at] ?? 0n) !== 0n)
    const pivot = rows[pivotRow]
    if (!pivot) return null
    rows[pivotRow] = rows[at] ?? pivot
    rows[at] = pivot
    for (const [index, row] of rows.entries()) {
      if (index === at || (row[at] ?? 0n) === 0n) continue
      rows[index] = reduced(
        row.map((value, column) => value * (pivot[at] ?? 0n) - (pivot[column] ?? 0n) * (row[at] ?? 0n)),
      )
    }
  }
  if (rows.slice(width).some((row) => (row[width] ?? 0n) !== 0n)) return null
  const solution: Vector = []
  for (let at = 0; at < width; at += 1) {
    const divisor = rows[at]?.[at] ?? 1n
    const value = rows[at]?.[width] ?? 0n
    if (value % divisor !== 0n) return null
    solution.push(value / divisor)
  }
  return solution
}

/** Divides by the common divisor, so that numbers remain short. */
function reduced(row: Vector): Vector {
  let common = 0n
  for (const value of row) common = gcd(common, value < 0n ? -value : value)
  return common > 1n ? row.map((value) => value / common) : row
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

/** Non-negative least squares: three classes if the rows distinguish them, else prompt and reply, else null. */
function leastSquares(rows: readonly DayOfUse[]): PriceFit | null {
  const three = nonNegative(rows, ({ fresh, cached, out }) => [Number(fresh), Number(cached), Number(out)])
  if (three) {
    const [fresh, cached, out] = three
    return { how: 'separate', fresh: whole(fresh), cached: whole(cached), out: whole(out) }
  }
  const two = nonNegative(rows, ({ fresh, cached, out }) => [Number(fresh + cached), Number(out)])
  if (!two) return null
  const [prompt, out] = two
  return { how: 'in_out', fresh: whole(prompt), cached: whole(prompt), out: whole(out) }
}

const whole = (price: number | undefined): bigint => BigInt(Math.round(price ?? 0))

/** Highest standard error of a price, as a part of the average price of a token. Above it, the rows do not determine the price. */
const tolerance = 0.1

/** Weighted least squares; newer days count more. Null when a price is negative or too uncertain. */
function nonNegative(rows: readonly DayOfUse[], classes: (row: DayOfUse) => number[]): number[] | null {
  const width = classes(rows[0] ?? emptyDay).length
  if (rows.length < width + 2) return null
  const weighted = rows.map((row, index) => ({
    x: classes(row),
    cost: Number(row.cost),
    weight: 2 ** ((index - rows.length) / 7),
  }))
  const normal = Array.from({ length: width }, (_, i) =>
    Array.from({ length: width }, (_, j) => sum(weighted, ({ x, weight }) => weight * (x[i] ?? 0) * (x[j] ?? 0))),
  )
  const right = Array.from({ length: width }, (_, i) =>
    sum(weighted, ({ x, cost, weight }) => weight * (x[i] ?? 0) * cost),
  )
  const inverse = invert(normal)
  if (!inverse) return null
  const prices = inverse.map((row) => row.reduce((total, value, at) => total + value * (right[at] ?? 0), 0))
  if (prices.some((price) => price < 0)) return null
  const squares = sum(weighted, ({ x, cost, weight }) => {
    const miss = cost - x.reduce((total, tokens, at) => total + tokens * (prices[at] ?? 0), 0)
    return weight * miss * miss
  })
  // The service rounds its figures (1e-9 SC), so some variance exists even in a perfect fit.
  const variance = Math.max(squares / (rows.length - width), 1e18)
  const mean =
    sum(weighted, ({ cost }) => cost) / sum(weighted, ({ x }) => x.reduce((total, tokens) => total + tokens, 0))
  const sure = inverse.every((row, at) => Math.sqrt(variance * Math.max(0, row[at] ?? 0)) <= tolerance * mean)
  return sure ? prices : null
}

const emptyDay: DayOfUse = { fresh: 0n, cached: 0n, out: 0n, cost: 0n, growing: false }

const sum = <T>(of: readonly T[], value: (one: T) => number): number => of.reduce((total, one) => total + value(one), 0)

/** Gauss-Jordan elimination with scaling, for a symmetric matrix of two or three columns. Null when it is singular in double precision. */
function invert(matrix: readonly (readonly number[])[]): number[][] | null {
  const size = matrix.length
  const scale = matrix.map((row, at) => 1 / Math.sqrt(row[at] ?? 0))
  if (scale.some((value) => !Number.isFinite(value))) return null
  const rows = matrix.map((row, i) => [
    ...row.map((value, j) => value * (scale[i] ?? 0) * (scale[j] ?? 0)),
    ...Array.from({ length: size }, (_, j) => (i === j ? 1 : 0)),
  ])
  for (let at = 0; at < size; at += 1) {
    const pivot = rows[at]
    const value = pivot?.[at] ?? 0
    // The scaled diagonal is 1. A pivot this small means that two classes change together in every row.
    if (!pivot || Math.abs(value) < 1e-10) return null
    const unit = pivot.map((one) => one / value)
    rows[at] = unit
    for (const [index, row] of rows.entries()) {
      if (index !== at) rows[index] = row.map((one, column) => one - (unit[column] ?? 0) * (row[at] ?? 0))
    }
  }
  return rows.map((row, i) => row.slice(size).map((value, j) => value * (scale[i] ?? 0) * (scale[j] ?? 0)))
}

/** The average price of a token, rounded up. */
function blend(rows: readonly DayOfUse[]): PriceFit {
  let cost = 0n
  let tokens = 0n
  for (const row of rows) {
    cost += row.cost
    tokens += row.fresh + row.cached + row.out
  }
  const price = tokens === 0n ? 0n : (cost + tokens - 1n) / tokens
  return { how: 'blend', fresh: price, cached: price, out: price }
}
