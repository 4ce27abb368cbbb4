import type { Message } from '../../../src-preload/contract/chat.ts'
import { certainty } from '../../../src-preload/contract/requests.ts'
import type { Database } from './database.ts'
import { number, numberOrNull, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A summary that was asked for and not used yet. */
export interface StoredSummary extends Pick<Message, 'cost' | 'costIs' | 'requestRow'> {
  id: string
  /** The last message that it summarises. */
  upTo: string
  model: string
  /** Empty: not written yet, or interrupted by the end of the program. */
  text: string
  /** How many requests it took. */
  requests: number
  createdAt: string
}

export function summaryTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    save: `INSERT OR REPLACE INTO summaries (id, up_to, model, text, requests, request_row, cost, cost_is, created_at)
      VALUES (:id, :upTo, :model, :text, :requests, :requestRow, :cost, :costIs, :createdAt)`,
    one: 'SELECT * FROM summaries WHERE id = ?',
    newest: `SELECT * FROM summaries WHERE up_to IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id LIMIT 1`,
    remove: 'DELETE FROM summaries WHERE id = ?',
  })
  return {
    /** Stores a new summary, or replaces it. */
    save: (summary: StoredSummary): void => transaction(() => void sql.save.run({ ...summary })),
    find: (id: string): StoredSummary | null => readOrNull(sql.one.get(id), readSummary),
    /** The newest summary that ends at one of these messages. */
    newestOf: (messageIds: readonly string[]): StoredSummary | null =>
      readOrNull(sql.newest.get(JSON.stringify(messageIds)), readSummary),
    /** False when it does not exist. */
    remove: (id: string): boolean => transaction(() => sql.remove.run(id).changes > 0),
  }
}

const readSummary = (row: Row): StoredSummary => ({
  id: text(row, 'id'),
  upTo: text(row, 'up_to'),
  model: text(row, 'model'),
  text: text(row, 'text'),
  requests: number(row, 'requests'),
  requestRow: numberOrNull(row, 'request_row'),
  cost: textOrNull(row, 'cost'),
  costIs: certainty.parse(row.cost_is),
  createdAt: text(row, 'created_at'),
})
