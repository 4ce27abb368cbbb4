import type { SQLInputValue } from 'node:sqlite'
import type { Atto } from '../../shared/money.ts'
import { number, numberOrNull, type Row } from '../rows.ts'

/** The usage that the service reported in one row. */
export interface UsageFigures {
  requests: number
  tokensIn: number
  tokensOut: number
  /** Null when the report does not include it (the days of a key). */
  tokensCached: number | null
  /** Null when it was not reported. */
  cost: Atto | null
}

/** The figures of a row that a fetch does not list although it covers the day. */
export const noUsage = (what: string): UsageFigures => ({
  ...{ requests: 0, tokensIn: 0, tokensOut: 0, cost: 0n },
  tokensCached: what === 'usage' ? 0 : null,
})

const perMillionth = 1_000_000_000_000n

/** The largest amount that both columns represent exactly in a JavaScript number: 9,007,199,254 SC in one row. */
export const maxUsage: Atto = BigInt(Number.MAX_SAFE_INTEGER) * perMillionth

/** Columns of the figures, in the order of `figureValues`. */
export const figureColumns = 'requests, tokens_in, tokens_out, tokens_cached, cost_millionths, cost_below'

export function figureValues({ requests, tokensIn, tokensOut, tokensCached, cost }: UsageFigures): SQLInputValue[] {
  const money = cost === null ? [null, null] : [Number(cost / perMillionth), Number(cost % perMillionth)]
  return [requests, tokensIn, tokensOut, tokensCached, ...money]
}

export function readFigures(row: Row, prefix = ''): UsageFigures {
  const millionths = numberOrNull(row, `${prefix}cost_millionths`)
  return {
    requests: number(row, `${prefix}requests`),
    tokensIn: number(row, `${prefix}tokens_in`),
    tokensOut: number(row, `${prefix}tokens_out`),
    tokensCached: numberOrNull(row, `${prefix}tokens_cached`),
    cost: millionths === null ? null : costOf(millionths, number(row, `${prefix}cost_below`)),
  }
}

/** The cost from its two columns: millionths of an SC, and 1e-18 SC below them. */
export const costOf = (millionths: number, below: number): Atto => BigInt(millionths) * perMillionth + BigInt(below)

export const sameFigures = (a: UsageFigures, b: UsageFigures): boolean =>
  a.requests === b.requests &&
  a.tokensIn === b.tokensIn &&
  a.tokensOut === b.tokensOut &&
  a.tokensCached === b.tokensCached &&
  a.cost === b.cost
