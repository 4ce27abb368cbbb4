import type { SQLInputValue } from 'node:sqlite'
import * as z from 'zod'
import type { Atto } from '../../shared/money.ts'
import { number, numberOrNull, type Row, textOrNull } from '../rows.ts'

/** The figures that a row of the service can lack. */
export const figureNames = ['requests', 'tokensIn', 'tokensOut', 'tokensCached', 'cost'] as const
export type FigureName = (typeof figureNames)[number]

/** The number of reported rows that lack each figure. Figures that no row lacks are left out. */
export type Missing = Readonly<Partial<Record<FigureName, number>>>

/**
 * The usage that the service reported in one row, or in several rows of one day and model. Negative figures are corrections. A figure of
 * rows in `missing` is the sum of the other rows.
 */
export interface UsageFigures {
  requests: number
  tokensIn: number
  tokensOut: number
  /** Null when the report does not include it (the days of a key). */
  tokensCached: number | null
  /** Null when no row has it. */
  cost: Atto | null
  missing?: Missing
}

/** The figures of a row that a fetch does not list although it covers the day. */
export const noUsage = (what: string): UsageFigures => ({
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  cost: 0n,
  tokensCached: what === 'usage' ? 0 : null,
})

const perMillionth = 1_000_000_000_000n

/** The largest amount, positive or negative, that both columns represent exactly in a JavaScript number: 9,007,199,254 SC in one row. */
export const maxUsage: Atto = BigInt(Number.MAX_SAFE_INTEGER) * perMillionth

/** Columns of the figures, in the order of `figureValues`. */
export const figureColumns = 'requests, tokens_in, tokens_out, tokens_cached, cost_millionths, cost_below, missing'

export function figureValues({ requests, tokensIn, tokensOut, tokensCached, ...more }: UsageFigures): SQLInputValue[] {
  const { cost, missing } = more
  const money = cost === null ? [null, null] : [Number(cost / perMillionth), Number(cost % perMillionth)]
  return [requests, tokensIn, tokensOut, tokensCached, ...money, missingText(missing)]
}

const missingText = (missing: Missing = {}): string | null =>
  Object.keys(missing).length === 0 ? null : JSON.stringify(missing)

const storedMissing = z.partialRecord(z.enum(figureNames), z.int().positive())

/** What rows lack, from its column: null when they lack nothing. */
export const missingIn = (text: string | null): Pick<UsageFigures, 'missing'> =>
  text === null ? {} : { missing: storedMissing.parse(JSON.parse(text)) }

export function readFigures(row: Row, prefix = ''): UsageFigures {
  const millionths = numberOrNull(row, `${prefix}cost_millionths`)
  return {
    requests: number(row, `${prefix}requests`),
    tokensIn: number(row, `${prefix}tokens_in`),
    tokensOut: number(row, `${prefix}tokens_out`),
    tokensCached: numberOrNull(row, `${prefix}tokens_cached`),
    cost: millionths === null ? null : costOf(millionths, number(row, `${prefix}cost_below`)),
    ...missingIn(textOrNull(row, `${prefix}missing`)),
  }
}

/** The cost from its two columns: millionths of an SC, and 1e-18 SC below them. */
export const costOf = (millionths: number, below: number): Atto => BigInt(millionths) * perMillionth + BigInt(below)

export const sameFigures = (a: UsageFigures, b: UsageFigures): boolean =>
  a.requests === b.requests &&
  a.tokensIn === b.tokensIn &&
  a.tokensOut === b.tokensOut &&
  a.tokensCached === b.tokensCached &&
  a.cost === b.cost &&
  missingText(a.missing) === missingText(b.missing)

/**
 * Whether a later report confirms stored figures. Earlier versions stored a figure that the service left out as zero or null, and no
 * `missing`. So a figure that is unknown now confirms zero, null, or the same sum in a row without `missing`.
 */
export function confirms(stored: UsageFigures, later: UsageFigures): boolean {
  if (stored.missing !== undefined) return sameFigures(stored, later)
  const { missing = {}, tokensCached, cost } = later
  // Cached tokens were capped by the tokens in.
  const lacksCached = tokensCached === null || missing.tokensCached !== undefined
  const isCapped = stored.tokensCached === 0 && missing.tokensIn !== undefined
  const lacksCost = cost === null || missing.cost !== undefined
  return (
    stored.requests === later.requests &&
    stored.tokensIn === later.tokensIn &&
    stored.tokensOut === later.tokensOut &&
    (stored.tokensCached === tokensCached ||
      isCapped ||
      (lacksCached && (stored.tokensCached ?? 0) === (tokensCached ?? 0))) &&
    (stored.cost === cost || (lacksCost && (stored.cost ?? 0n) === (cost ?? 0n)))
  )
}
