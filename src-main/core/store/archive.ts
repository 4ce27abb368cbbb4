import * as z from 'zod'
import {
  attachment,
  chatParams,
  chatSetup,
  emptySetup,
  messageStatus,
  role,
  toolCall,
  toolRun,
  usage,
} from '../../../src-preload/contract/chat.ts'
import { attachedDocument } from '../../../src-preload/contract/documents.ts'
import { id, problem } from '../../../src-preload/contract/problem.ts'
import { passage } from '../../../src-preload/contract/projects.ts'
import { certainty, sc } from '../../../src-preload/contract/requests.ts'
import { readConversationColumns } from './conversations.ts'
import type { Database } from './database.ts'
import { readReplyColumns } from './messages.ts'
import type { ReadHandle } from './readOnly.ts'
import { json, jsonOrNull, number, type Row, readOrNull, text, textOrNull, toJson } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A UTC instant in the form of all stored instants, which sort as text. */
const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((value) => !Number.isNaN(Date.parse(value)))
const long = z.string().max(16_000_000)
const short = z.string().max(1000)
const ms = z.number().nullable()

/** A message with all stored fields, except its row in this computer's request log. The order of the keys is that of the file. */
export const archivedMessage = z.object({
  id,
  parentId: id.nullable(),
  role,
  name: short.nullable(),
  text: long,
  reasoning: long,
  refusal: long,
  toolCalls: z.array(toolCall).max(10_000),
  attachments: z.array(attachment).max(1000),
  // Absent in archives of earlier versions.
  documents: z.array(attachedDocument).max(1000).default([]),
  passages: z.array(passage).max(1000).default([]),
  run: toolRun.nullable(),
  status: messageStatus,
  problem: problem.nullable(),
  model: short.nullable(),
  finishReason: short.nullable(),
  usage: usage.nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
  firstTokenMs: ms,
  reasoningMs: ms,
  requestId: short.nullable(),
  askId: id.nullable(),
  made: z.enum(['continue', 'summary']).nullable(),
  // Absent in archives of earlier versions.
  summarised: z.number().int().min(1).nullable().default(null),
  leftOut: z.boolean().default(false),
  cost: sc.nullable(),
  costIs: certainty,
  params: chatParams.nullable(),
  jsonFaults: z.array(z.string()).nullable(),
  nextId: id.nullable(),
})
export type ArchivedMessage = z.infer<typeof archivedMessage>

export const archivedConversation = z.object({
  id,
  title: z.string().max(1000).nullable(),
  model: short.nullable(),
  createdAt: instant,
  updatedAt: instant,
  draft: long,
  folderId: id.nullable(),
  pinned: z.boolean(),
  archivedAt: instant.nullable(),
  leafId: id.nullable(),
  setup: chatSetup,
  importKey: short.nullable(),
})
export type ArchivedConversation = z.infer<typeof archivedConversation>

const calls = z.array(toolCall)
const attachments = z.array(attachment)
const documents = z.array(attachedDocument)
const passages = z.array(passage)
const sentences = z.array(z.string())

/** The read statements of `archiveTable`. */
export function archiveReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    all: 'SELECT id FROM conversations WHERE removed_at IS NULL ORDER BY updated_at, id',
    // Queued messages are exported as text of the draft: they are not part of the chat yet, and an import may not send them.
    one: `SELECT c.*, (SELECT group_concat(text, char(10, 10) ORDER BY seq) FROM queued_messages WHERE conversation_id = c.id AND text <> '') AS queued
      FROM conversations AS c WHERE id = ?`,
    seqs: 'SELECT seq FROM messages WHERE conversation_id = ? ORDER BY seq',
    message: 'SELECT * FROM messages WHERE seq = ?',
    path: `WITH RECURSIVE path (seq, parent_id) AS (
       SELECT seq, parent_id FROM messages WHERE id = ?
       UNION ALL SELECT m.seq, m.parent_id FROM path JOIN messages AS m ON m.id = path.parent_id)
     SELECT seq FROM path`,
    state: `SELECT removed_at IS NOT NULL AS removed,
        EXISTS (SELECT 1 FROM erasures WHERE what IN ('conversation', 'import') AND item = c.id) AS going
       FROM conversations AS c WHERE id = ?`,
    byKey: `SELECT id, removed_at IS NOT NULL AS removed FROM conversations
      WHERE import_key = ? AND id NOT IN (SELECT item FROM erasures WHERE what IN ('conversation', 'import')) LIMIT 1`,
    hasMessage: 'SELECT 1 FROM messages WHERE id = ?',
    seqOfEach: 'SELECT m.seq FROM json_each(?) AS j JOIN messages AS m ON m.id = j.value ORDER BY j.key',
    createdAt: 'SELECT id, created_at FROM messages WHERE conversation_id = ?',
  })

  return {
    /** Ids of conversations that are not removed, the least recently changed first. */
    ids: (): string[] => sql.all.all().map((row) => text(row, 'id')),
    conversation(id: string): (ArchivedConversation & { removed: boolean }) | null {
      return readOrNull(sql.one.get(id), readConversation)
    },
    /** Row numbers (`seq`) of the messages of a conversation, in order. */
    seqs: (id: string): number[] => sql.seqs.all(id).map((row) => number(row, 'seq')),
    /** Row numbers (`seq`) of the path that ends in a message, from the root on. */
    path: (leafId: string): number[] =>
      sql.path
        .all(leafId)
        .map((row) => number(row, 'seq'))
        .reverse(),
    /** Row numbers of these messages in the given order, of those that are among `seqs`. */
    seqsOf(ids: readonly string[], seqs: readonly number[]): number[] {
      const known = new Set(seqs)
      return sql.seqOfEach
        .all(JSON.stringify(ids))
        .map((row) => number(row, 'seq'))
        .filter((seq) => known.has(seq))
    },
    /** The message as stored; null when it was deleted after its number was read. */
    message(seq: number): ArchivedMessage | null {
      return readOrNull(sql.message.get(seq), readMessage)
    },
    /** `going`: the conversation is being deleted or imported, and is not shown. */
    state(id: string): 'here' | 'removed' | 'going' | null {
      const row = sql.state.get(id)
      if (!row) return null
      return row.going === 1 ? 'going' : row.removed === 1 ? 'removed' : 'here'
    },
    /** The conversation that was imported from the same source before. */
    byImportKey(key: string): { id: string; removed: boolean } | null {
      const row = sql.byKey.get(key)
      return row ? { id: text(row, 'id'), removed: row.removed === 1 } : null
    },
    hasMessage: (id: string): boolean => sql.hasMessage.get(id) !== undefined,
    /** When each message of a conversation was created. */
    createdAt: (id: string): Map<string, string> =>
      new Map(sql.createdAt.all(id).map((row) => [text(row, 'id'), text(row, 'created_at')])),
  }
}

/** Conversations for export and import. An imported conversation is not shown until `reveal`. */
export function archiveTable({ handle, journal, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO conversations (id, title, model, draft, leaf_id, path_length, created_at, updated_at, removed_at, pinned, archived_at,
       setup, import_key)
     VALUES (:id, :title, :model, :draft, NULL, 0, :createdAt, :updatedAt, :stagedAt, :pinned, :archivedAt, :setup, :importKey)`,
    plan: "INSERT INTO erasures (what, item) VALUES ('import', ?)",
    insertMessage: `INSERT INTO messages (id, conversation_id, parent_id, role, name, text, reasoning, refusal, tool_calls, attachments, documents, passages, run, status,
       problem, model, finish_reason, usage, created_at, finished_at, first_token_ms, reasoning_ms, request_id, ask_id, made, cost,
       cost_is, params, json_faults, next_id, summarised, left_out)
     VALUES (:id, :conversationId, :parentId, :role, :name, :text, :reasoning, :refusal, :toolCalls, :attachments, :documents, :passages, :run, :status,
       :problem, :model, :finishReason, :usage, :createdAt, :finishedAt, :firstTokenMs, :reasoningMs, :requestId, :askId, :made, :cost,
       :costIs, :params, :jsonFaults, :nextId, :summarised, :leftOut)`,
    finish: 'UPDATE conversations SET leaf_id = :leafId, path_length = :length, import_key = :importKey WHERE id = :id',
    unplan: "DELETE FROM erasures WHERE what = 'import' AND item = ?",
    show: `UPDATE conversations SET removed_at = NULL, folder_id = (SELECT id FROM folders WHERE id = :folderId) WHERE id = :id`,
    restore: 'UPDATE conversations SET removed_at = NULL WHERE id = ?',
  })

  return {
    ...archiveReader(handle),
    /** Inserts a conversation without its messages. It is not shown, and the next start deletes it if the program dies now. */
    stage: (conversation: ArchivedConversation, stagedAt: string): void =>
      transaction(() => {
        const { id, title, model, draft, createdAt, updatedAt, archivedAt, importKey, setup } = conversation
        sql.plan.run(id)
        sql.insert.run({
          id,
          title,
          model,
          draft,
          createdAt,
          updatedAt,
          archivedAt,
          importKey,
          stagedAt,
          pinned: Number(conversation.pinned),
          setup: JSON.stringify(setup),
        })
      }),
    /** Inserts some of its messages, in order. */
    stageMessages: (conversationId: string, messages: readonly ArchivedMessage[]): void =>
      journal(() => {
        for (const one of messages) sql.insertMessage.run({ ...writeMessage(one), conversationId })
      }),
    finish: (id: string, end: { leafId: string | null; length: number; importKey: string | null }): void =>
      journal(() => void sql.finish.run({ id, ...end })),
    /** Shows all imported conversations at once. The caller has opened the transaction. */
    reveal(staged: readonly { id: string; folderId: string | null }[], restored: readonly string[]): void {
      for (const { id, folderId } of staged) {
        sql.unplan.run(id)
        sql.show.run({ id, folderId })
      }
      for (const id of restored) sql.restore.run(id)
    },
  }
}

function readConversation(row: Row): ArchivedConversation & { removed: boolean } {
  const conversation = readConversationColumns(row)
  return {
    ...conversation,
    draft: [textOrNull(row, 'queued'), conversation.draft].filter(Boolean).join('\n\n'),
    archivedAt: textOrNull(row, 'archived_at'),
    setup: row.setup === '' ? emptySetup : json(row, 'setup', chatSetup),
    importKey: textOrNull(row, 'import_key'),
  }
}

function readMessage(row: Row): ArchivedMessage {
  return {
    id: text(row, 'id'),
    parentId: textOrNull(row, 'parent_id'),
    role: role.parse(row.role),
    name: textOrNull(row, 'name'),
    text: text(row, 'text'),
    reasoning: text(row, 'reasoning'),
    refusal: text(row, 'refusal'),
    toolCalls: json(row, 'tool_calls', calls),
    attachments: json(row, 'attachments', attachments),
    documents: json(row, 'documents', documents),
    passages: json(row, 'passages', passages),
    run: jsonOrNull(row, 'run', toolRun),
    status: messageStatus.parse(row.status),
    ...readReplyColumns(row),
    params: jsonOrNull(row, 'params', chatParams),
    jsonFaults: jsonOrNull(row, 'json_faults', sentences),
    nextId: textOrNull(row, 'next_id'),
  }
}

function writeMessage(message: ArchivedMessage) {
  return {
    ...message,
    // The check of the column knows `continue` only; `summarised` marks the other kind.
    made: message.made === 'continue' ? 'continue' : null,
    leftOut: message.leftOut ? 1 : 0,
    toolCalls: JSON.stringify(message.toolCalls),
    attachments: JSON.stringify(message.attachments),
    documents: JSON.stringify(message.documents),
    passages: JSON.stringify(message.passages),
    run: toJson(message.run),
    problem: toJson(message.problem),
    usage: toJson(message.usage),
    params: toJson(message.params),
    jsonFaults: toJson(message.jsonFaults),
  }
}
