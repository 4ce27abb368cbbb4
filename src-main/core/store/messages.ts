import * as z from 'zod'
import {
  type Message,
  type MessageStatus,
  messageStatus,
  role,
  type ToolCall,
  toolCall,
  usage,
} from '../../../src-preload/contract/chat.ts'
import { problem } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { json, jsonOrNull, number, numberOrNull, type Row, text, textOrNull, toJson } from './rows.ts'

/** What a message row starts with; everything else comes while and after a reply is made. */
export interface NewMessage {
  id: string
  conversationId: string
  parentId: string | null
  role: Message['role']
  text: string
  status: MessageStatus
  model: string | null
  createdAt: string
}

/** What a row can be given later: everything but where it belongs. */
export type MessageOutcome = Pick<
  Message,
  | 'text'
  | 'reasoning'
  | 'refusal'
  | 'toolCalls'
  | 'status'
  | 'problem'
  | 'finishReason'
  | 'usage'
  | 'finishedAt'
  | 'firstTokenMs'
  | 'reasoningMs'
  | 'requestId'
>

const calls = z.array(toolCall)

/** The rows of the message tree: `parent_id` upwards, siblings by `seq`. Nothing here is ever deleted or rewritten but a reply's own outcome. */
export function messageTable({ handle }: Database) {
  const insert = handle.prepare(
    `INSERT INTO messages (id, conversation_id, parent_id, role, text, status, model, created_at, finished_at)
     VALUES (:id, :conversationId, :parentId, :role, :text, :status, :model, :createdAt, :finishedAt)`,
  )
  const one = handle.prepare(`${select('m.id = ?')}`)
  // From the leaf to the root, then turned round: a path is a linked list, and each step is one look into an index.
  const path = handle.prepare(
    `WITH RECURSIVE path (id, parent_id, depth) AS (
       SELECT id, parent_id, 0 FROM messages WHERE id = ?
       UNION ALL SELECT up.id, up.parent_id, depth + 1 FROM messages up JOIN path ON up.id = path.parent_id)
     ${select('m.id IN (SELECT id FROM path)')} ORDER BY m.seq`,
  )
  const firstChild = handle.prepare('SELECT id FROM messages WHERE parent_id = ? ORDER BY seq LIMIT 1')
  const settle = handle.prepare(
    `UPDATE messages SET text = :text, reasoning = :reasoning, refusal = :refusal, tool_calls = :toolCalls, status = :status,
       problem = :problem, finish_reason = :finishReason, usage = :usage, finished_at = :finishedAt,
       first_token_ms = :firstTokenMs, reasoning_ms = :reasoningMs, request_id = :requestId WHERE id = :id`,
  )
  const begin = handle.prepare(
    `UPDATE messages SET status = 'streaming', first_token_ms = :firstTokenMs, request_id = :requestId WHERE id = :id`,
  )
  const unfinished = handle.prepare(`${select("m.status IN ('pending', 'streaming')")}`)

  return {
    insert(message: NewMessage): void {
      const ended = message.status !== 'pending' && message.status !== 'streaming'
      insert.run({ ...message, finishedAt: ended ? message.createdAt : null })
    },
    find(id: string): Message | null {
      const row = one.get(id)
      return row ? readMessage(row) : null
    },
    /** The message, or @throws StudioError `no_such_item` */
    get(id: string): Message {
      const row = one.get(id)
      if (!row) throw new StudioError('no_such_item', 'That message does not exist any more.')
      return readMessage(row)
    },
    /** From the root down to `leafId`, oldest first; empty for null. */
    path(leafId: string | null): Message[] {
      return leafId === null ? [] : path.all(leafId).map(readMessage)
    },
    firstChild(id: string): string | null {
      const row = firstChild.get(id)
      return row ? text(row, 'id') : null
    },
    /** The first output has come. */
    begin(id: string, firstTokenMs: number | null, requestId: string | null): void {
      begin.run({ id, firstTokenMs, requestId })
    },
    settle(id: string, outcome: MessageOutcome): void {
      const { text, reasoning, refusal, status, finishReason, finishedAt, firstTokenMs, reasoningMs, requestId } =
        outcome
      settle.run({
        ...{ id, text, reasoning, refusal, status, finishReason, finishedAt, firstTokenMs, reasoningMs, requestId },
        toolCalls: JSON.stringify(outcome.toolCalls satisfies ToolCall[]),
        problem: toJson(outcome.problem),
        usage: toJson(outcome.usage),
      })
    },
    /** Replies that nobody is making any more, when a core starts. */
    unfinished: (): Message[] => unfinished.all().map(readMessage),
  }
}

function select(where: string): string {
  return `SELECT m.*,
      (SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id AND s.parent_id IS m.parent_id) AS siblings,
      (SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id AND s.parent_id IS m.parent_id
         AND s.seq <= m.seq) AS sibling
    FROM messages m WHERE ${where}`
}

function readMessage(row: Row): Message {
  return {
    id: text(row, 'id'),
    conversationId: text(row, 'conversation_id'),
    parentId: textOrNull(row, 'parent_id'),
    role: role.parse(row.role),
    text: text(row, 'text'),
    reasoning: text(row, 'reasoning'),
    refusal: text(row, 'refusal'),
    toolCalls: row.tool_calls === '[]' ? [] : json(row, 'tool_calls', calls),
    status: messageStatus.parse(row.status),
    wait: null,
    problem: jsonOrNull(row, 'problem', problem),
    model: textOrNull(row, 'model'),
    finishReason: textOrNull(row, 'finish_reason'),
    usage: jsonOrNull(row, 'usage', usage),
    createdAt: text(row, 'created_at'),
    finishedAt: textOrNull(row, 'finished_at'),
    firstTokenMs: numberOrNull(row, 'first_token_ms'),
    reasoningMs: numberOrNull(row, 'reasoning_ms'),
    requestId: textOrNull(row, 'request_id'),
    sibling: number(row, 'sibling'),
    siblings: number(row, 'siblings'),
  }
}
