import type { Database } from './database.ts'
import { number, readOrNull, text } from './rows.ts'
import { prepareAll } from './statements.ts'

/** The text of a request: its length in UTF-16 units, and a hash of everything in it that has tokens. */
export interface PromptMark {
  characters: number
  hash: string
}

/** The requests of replies whose tokens the service has counted. */
export function countedPromptTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    one: 'SELECT characters, hash FROM counted_prompts WHERE message_id = ?',
    put: 'INSERT OR REPLACE INTO counted_prompts (message_id, characters, hash) VALUES (?, ?, ?)',
  })
  return {
    find: (messageId: string): PromptMark | null =>
      readOrNull(sql.one.get(messageId), (row) => ({ characters: number(row, 'characters'), hash: text(row, 'hash') })),
    put: (messageId: string, { characters, hash }: PromptMark): void => void sql.put.run(messageId, characters, hash),
  }
}
