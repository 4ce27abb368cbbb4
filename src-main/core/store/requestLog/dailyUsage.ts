import { StudioError } from '../../errors.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { numberOrNull } from '../rows.ts'

/** What one caller used in one day (UTC) at one account. Requests that were refused are not in it. */
export interface UseDay {
  account: number
  /** Days since 1970. */
  day: number
  caller: number
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  /** Billionths of an SC, as far as anybody can tell. */
  cost: bigint
  /** Requests whose cost is an estimate, those whose cost nobody knows, and those that failed. */
  estimated: number
  unpriced: number
  failed: number
}

const columns = 'account, day, caller, requests, tokens_in, tokens_out, tokens_cached, estimated, unpriced, failed'

/** A sum that 64 bits can't hold stays at their end: nonsense of a reply must not keep the log from being written. */
const added = `ON CONFLICT (account, day, caller) DO UPDATE SET requests = requests + excluded.requests,
  tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out,
  tokens_cached = tokens_cached + excluded.tokens_cached, estimated = estimated + excluded.estimated,
  unpriced = unpriced + excluded.unpriced, failed = failed + excluded.failed,
  cost = CASE WHEN cost > 9223372036854775807 - excluded.cost THEN 9223372036854775807 ELSE cost + excluded.cost END`

/** The read statements of `usedTable`. */
export function dailyUsageReader(handle: ReadHandle) {
  // As text: a sum may be beyond what a JavaScript number holds exactly.
  const between = handle.prepare(
    `SELECT ${columns}, CAST(cost AS TEXT) AS cost_text FROM use_days
      WHERE account = ? AND day BETWEEN ? AND ? ORDER BY day, caller`,
  )
  const first = handle.prepare('SELECT min(day) AS day FROM use_days WHERE account = ?')
  const last = handle.prepare('SELECT max(day) AS day FROM use_days WHERE account = ?')
  // Tens of thousands of rows for ten years: an object made of a row by SQLite would cost twice as much.
  between.setReturnArrays(true)

  return {
    /** In order of days; both ends belong to it. */
    between: (account: number, from: number, to: number): UseDay[] => between.all(account, from, to).map(readDay),
    firstDay(account: number): number | null {
      const row = first.get(account)
      return row ? numberOrNull(row, 'day') : null
    },
    lastDay(account: number): number | null {
      const row = last.get(account)
      return row ? numberOrNull(row, 'day') : null
    },
  }
}

export function usedTable({ handle }: Pick<Database, 'handle'>) {
  const add = handle.prepare(
    `INSERT INTO use_days (${columns}, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${added}`,
  )
  const move = handle.prepare(
    `INSERT INTO use_days (${columns}, cost)
      SELECT ?, ${columns.replace('account, ', '')}, cost FROM use_days WHERE account = ? ${added}`,
  )
  const forget = handle.prepare('DELETE FROM use_days WHERE account = ?')

  return {
    ...dailyUsageReader(handle),
    add: (d: UseDay): void =>
      void add.run(
        ...[d.account, d.day, d.caller, d.requests, d.tokensIn, d.tokensOut, d.tokensCached],
        ...[d.estimated, d.unpriced, d.failed, d.cost],
      ),
    /** Adds everything of one account to another. The caller holds the transaction. */
    move(from: number, to: number): void {
      move.run(to, from)
      forget.run(from)
    },
  }
}
export type DailyUsageReader = ReturnType<typeof dailyUsageReader>
export type UsedTable = ReturnType<typeof usedTable>

/** A row as an array, in the order of `columns`. */
function readDay(row: unknown): UseDay {
  const cells: unknown[] = Array.isArray(row) ? row : []
  const cost = cells[10]
  if (typeof cost !== 'string') throw damaged()
  return {
    account: whole(cells[0]),
    day: whole(cells[1]),
    caller: whole(cells[2]),
    requests: whole(cells[3]),
    tokensIn: whole(cells[4]),
    tokensOut: whole(cells[5]),
    tokensCached: whole(cells[6]),
    estimated: whole(cells[7]),
    unpriced: whole(cells[8]),
    failed: whole(cells[9]),
    cost: BigInt(cost),
  }
}

function whole(cell: unknown): number {
  if (typeof cell !== 'number') throw damaged()
  return cell
}

const damaged = (): StudioError =>
  new StudioError('store_damaged', 'The database holds something else than numbers in the table use_days.')
