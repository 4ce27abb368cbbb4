import type { Database } from '../database.ts'
import { number, numbers, text } from '../rows.ts'

/** Sums over the requests of one caller in one day (UTC), without requests that were never sent (`isUnsent`). */
export interface DaySums {
  /** Days since 1970. */
  day: number
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  /** Sum of the known costs, billionths of an SC. */
  cost: bigint
  /** Requests whose cost is an estimate, and those whose cost is unknown. */
  estimated: number
  unpriced: number
}

/** Usage of one caller in one day. */
export interface SpendDay extends DaySums {
  who: string
}

/** The total at the time when a person reset it to zero. */
export interface SpendReset {
  who: string
  cost: bigint
  estimated: number
  at: number
}

export function spendTable({ handle }: Pick<Database, 'handle'>) {
  const put = handle.prepare(
    `INSERT INTO spend (who, day, requests, tokens_in, tokens_out, tokens_cached, cost, estimated, unpriced)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (who, day) DO UPDATE SET requests = excluded.requests,
      tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out, tokens_cached = excluded.tokens_cached,
      cost = excluded.cost, estimated = excluded.estimated, unpriced = excluded.unpriced`,
  )
  // As text, because a sum may be larger than a JavaScript number represents exactly.
  const days =
    handle.prepare(`SELECT who, day, requests, tokens_in, tokens_out, tokens_cached, CAST(cost AS TEXT) AS cost_text, estimated, unpriced
      FROM spend`)
  const reset = handle.prepare('INSERT OR REPLACE INTO spend_resets (who, cost, estimated, at) VALUES (?, ?, ?, ?)')
  const resets = handle.prepare('SELECT who, CAST(cost AS TEXT) AS cost_text, estimated, at FROM spend_resets')
  return {
    put: (d: SpendDay): void =>
      void put.run(
        ...[d.who, d.day, d.requests, d.tokensIn, d.tokensOut, d.tokensCached, d.cost, d.estimated, d.unpriced],
      ),
    days: (): SpendDay[] =>
      days.all().map((row) => ({
        who: text(row, 'who'),
        ...numbers(row, 'day', 'requests', 'estimated', 'unpriced'),
        tokensIn: number(row, 'tokens_in'),
        tokensOut: number(row, 'tokens_out'),
        tokensCached: number(row, 'tokens_cached'),
        cost: BigInt(text(row, 'cost_text')),
      })),
    reset: (r: SpendReset): void => void reset.run(r.who, r.cost, r.estimated, r.at),
    resets: (): SpendReset[] =>
      resets.all().map((row) => ({
        who: text(row, 'who'),
        cost: BigInt(text(row, 'cost_text')),
        ...numbers(row, 'estimated', 'at'),
      })),
  }
}
export type SpendTable = ReturnType<typeof spendTable>
