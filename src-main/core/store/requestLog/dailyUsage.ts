import { StudioError } from '../../errors.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { numberOrNull } from '../rows.ts'
import type { DaySums } from './spend.ts'

/** Usage of one caller in one day at one account. */
export interface UseDay extends DaySums {
  account: number
  caller: number
  /** Requests that failed. */
  failed: number
}

const columns = 'account, day, caller, requests, tokens_in, tokens_out, tokens_cached, estimated, unpriced, failed'

/** A sum beyond 64 bits stays at the limit: absurd numbers in a reply must not prevent the log from being written. */
const added = `ON CONFLICT (account, day, caller) DO UPDATE SET requests = requests + excluded.requests,
  tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out,
  tokens_cached = tokens_cached + excluded.tokens_cached, estimated = estimated + excluded.estimated,
  unpriced = unpriced + excluded.unpriced, failed = failed + excluded.failed,
  cost = CASE WHEN cost > 9223372036854775807 - excluded.cost THEN 9223372036854775807 ELSE cost + excluded.cost END`

/** The read statements of `usedTable`. */
export function dailyUsageReader(handle: ReadHandle) {
  // As text, because a sum may be larger than a JavaScript number represents exactly.
  const between = handle.prepare(
    `SELECT ${columns}, CAST(cost AS TEXT) AS cost_text FROM use_days
      WHERE account = ? AND day BETWEEN ? AND ? ORDER BY day, caller`,
  )
  const first = handle.prepare('SELECT min(day) AS day FROM use_days WHERE account = ?')
  const last = handle.prepare('SELECT max(day) AS day FROM use_days WHERE account = ?')
  // As arrays: for the tens of thousands of rows of ten years, objects would take twice as long.
  between.setReturnArrays(true)

  return {
    /** In order of days, both ends included. */
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
    /** Adds all sums of one account to another. The caller has opened the transaction. */
    move(from: number, to: number): void {
      move.run(to, from)
      forget.run(from)
    },
  }
}
export type DailyUsageReader = ReturnType<typeof dailyUsageReader>
export type UsedTable = ReturnType<typeof usedTable>

/** Parses a row as an array, in the order of `columns`. */
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
  new StudioError('store_damaged', 'The table use_days has a value that is not a number.')
