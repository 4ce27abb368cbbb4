import type { Nano } from '../shared/money.ts'
import type { Database } from './database.ts'
import type { RowRange } from './requestLog/links.ts'
import { number, type Row, text, textOrNull } from './rows.ts'

/** Usage of the replies of one conversation. Copied replies count for the conversation in which they were generated. */
export interface ConversationCost {
  conversationId: string
  title: string | null
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  /** Sum of the known costs. */
  cost: Nano
  unpriced: number
}

// Converts decimal text to billionths: the digits before the point, and nine after it.
const nanos = `CAST(substr(cost, 1, instr(cost || '.', '.') - 1) AS INTEGER) * 1000000000
  + CAST(substr(CASE instr(cost, '.') WHEN 0 THEN '' ELSE substr(cost, instr(cost, '.') + 1) END || '000000000', 1, 9) AS INTEGER)`
const tokens = (member: string): string => `total(json_extract(usage, '$.${member}'))`

export function conversationCostTable({ handle }: Pick<Database, 'handle'>) {
  // A reply that was copied with its conversation has the request row of the original, which is the first one.
  const top = handle.prepare(
    `SELECT c.id, c.title, count(*) AS requests, ${tokens('promptTokens')} AS tokens_in,
        ${tokens('completionTokens')} AS tokens_out, ${tokens('cachedTokens')} AS tokens_cached,
        CAST(sum(CASE WHEN cost IS NULL THEN 0 ELSE ${nanos} END) AS TEXT) AS cost_text,
        sum(cost IS NULL) AS unpriced
      FROM (SELECT min(seq) AS seq, request_row, conversation_id, cost, usage FROM messages INDEXED BY messages_by_cost
        WHERE request_row IS NOT NULL AND created_at >= :from AND created_at < :before AND EXISTS (SELECT 1
          FROM json_each(:rows) WHERE request_row >= value ->> 'from'
            AND (value ->> 'before' IS NULL OR request_row < value ->> 'before'))
        GROUP BY request_row) m
      JOIN conversations c ON c.id = m.conversation_id WHERE c.removed_at IS NULL
      GROUP BY c.id ORDER BY CAST(cost_text AS INTEGER) DESC, requests DESC, c.id LIMIT :limit`,
  )
  // A reply and its copies in the same folder are one request.
  const inFolder = handle.prepare(
    `SELECT count(*) AS requests, CAST(coalesce(sum(CASE WHEN cost IS NULL THEN 0 ELSE ${nanos} END), 0) AS TEXT) AS cost_text,
        coalesce(sum(cost IS NULL), 0) AS unpriced
      FROM (SELECT min(m.seq) AS seq, m.request_row, m.cost FROM conversations c JOIN messages m ON m.conversation_id = c.id
        WHERE c.folder_id = :folder AND c.removed_at IS NULL AND m.request_row IS NOT NULL GROUP BY m.request_row)`,
  )
  return {
    /** The cost of the conversations of a folder that are not deleted. */
    ofFolder(folder: string): Pick<ConversationCost, 'requests' | 'cost' | 'unpriced'> {
      const row = inFolder.get({ folder }) ?? {}
      return {
        requests: number(row, 'requests'),
        cost: BigInt(text(row, 'cost_text')),
        unpriced: number(row, 'unpriced'),
      }
    },
    /**
     * The most expensive conversations first, for replies that were started in a period and whose requests are in these rows. Both ends
     * are stored instants; the end is excluded.
     */
    top: (from: string, before: string, rows: readonly RowRange[], limit: number): ConversationCost[] =>
      top.all({ from, before, rows: JSON.stringify(rows), limit }).map(read),
  }
}

const read = (row: Row): ConversationCost => ({
  conversationId: text(row, 'id'),
  title: textOrNull(row, 'title'),
  requests: number(row, 'requests'),
  tokensIn: number(row, 'tokens_in'),
  tokensOut: number(row, 'tokens_out'),
  tokensCached: number(row, 'tokens_cached'),
  cost: BigInt(text(row, 'cost_text')),
  unpriced: number(row, 'unpriced'),
})
