import * as z from 'zod'
import { type ToolCall, toolCall } from '../../../src-preload/contract/chat.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { json, type Row, text } from './rows.ts'

const pieceField = z.enum(['text', 'reasoning', 'refusal', 'tool_calls'])

/** The part of a reply that arrived since the last entry. Text is appended. Tool calls are complete each time, so the last entry counts. */
export interface JournalEntry {
  text: string
  reasoning: string
  refusal: string
  toolCalls: ToolCall[] | null
}

const calls = z.array(toolCall)

/** The read statements of `replyJournalTable`. */
export function replyJournalReader(handle: ReadHandle) {
  const all = handle.prepare('SELECT field, content FROM pieces WHERE message_id = ? ORDER BY seq')

  return {
    /** All entries of a reply, combined. */
    gather(messageId: string): { text: string; reasoning: string; refusal: string; toolCalls: ToolCall[] } {
      const whole = { text: '', reasoning: '', refusal: '', toolCalls: [] as ToolCall[] }
      for (const row of all.iterate(messageId)) addPiece(whole, row)
      return whole
    },
  }
}

/**
 * The journal of streaming replies. Entries are appended, so a write costs as much as the new text and not as the whole reply. When the
 * reply ends, its text is stored in the message row and its entries are deleted.
 */
export function replyJournalTable({ handle }: Database) {
  const insert = handle.prepare('INSERT INTO pieces (message_id, field, content) VALUES (?, ?, ?)')
  const clear = handle.prepare('DELETE FROM pieces WHERE message_id = ?')

  return {
    ...replyJournalReader(handle),
    append(messageId: string, pieces: JournalEntry): void {
      if (pieces.text !== '') insert.run(messageId, 'text', pieces.text)
      if (pieces.reasoning !== '') insert.run(messageId, 'reasoning', pieces.reasoning)
      if (pieces.refusal !== '') insert.run(messageId, 'refusal', pieces.refusal)
      if (pieces.toolCalls) insert.run(messageId, 'tool_calls', JSON.stringify(pieces.toolCalls))
    },
    clear(messageId: string): void {
      clear.run(messageId)
    },
  }
}

function addPiece(whole: { text: string; reasoning: string; refusal: string; toolCalls: ToolCall[] }, row: Row): void {
  const field = pieceField.parse(row.field)
  if (field === 'tool_calls') whole.toolCalls = json(row, 'content', calls)
  else whole[field] += text(row, 'content')
}
