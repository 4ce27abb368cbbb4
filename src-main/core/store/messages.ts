import * as z from 'zod'
import {
  attachment,
  chatParams,
  type Message,
  type MessageStatus,
  messageStatus,
  role,
  type ToolCall,
  type ToolRun,
  toolCall,
  toolRun,
  usage,
} from '../../../src-preload/contract/chat.ts'
import { type AttachedDocument, attachedDocument } from '../../../src-preload/contract/documents.ts'
import { problem } from '../../../src-preload/contract/problem.ts'
import { type Passage, passage } from '../../../src-preload/contract/projects.ts'
import { certainty } from '../../../src-preload/contract/requests.ts'
import type { Database } from './database.ts'
import {
  json,
  jsonOrNull,
  number,
  numberOrNull,
  type Row,
  readOrNull,
  readOrThrow,
  text,
  textOrNull,
  toJson,
} from './rows.ts'
import { prepareAll } from './statements.ts'

/**
 * The initial fields of a message row. The others are set while a reply is generated and when it ends. Without `finishedAt`, a message that is
 * neither pending nor streaming ends when it is created.
 */
export type NewMessage = Pick<
  Message,
  'id' | 'conversationId' | 'parentId' | 'role' | 'text' | 'status' | 'model' | 'createdAt'
> &
  Partial<
    Pick<
      Message,
      | ('name' | 'attachments' | 'documents' | 'passages' | 'run' | 'finishedAt' | 'askId' | 'made')
      | ('summarised' | 'params')
    >
  >

/** The fields that a row may get later: all but its position in the tree. */
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
  | 'cost'
  | 'costIs'
  | 'requestRow'
  | 'jsonFaults'
>

/** Fields of a reply that are known only when its request has ended. */
export type MessageUse = Pick<Message, 'usage' | 'cost' | 'costIs'>

export interface MessageLink {
  id: string
  parentId: string | null
  nextId: string | null
  askId: string | null
  role: Message['role']
  status: MessageStatus
}

export interface CopiedPlace {
  id: string
  conversationId: string
  parentId: string | null
  nextId: string | null
  askId: string | null
}

export type ToolMessage = Message & { run: ToolRun }

const calls = z.array(toolCall)
const attachments = z.array(attachment)
const documents = z.array(attachedDocument)
const passages = z.array(passage)
const sentences = z.array(z.string())

/**
 * The rows of the message tree: parents by `parent_id`, siblings in the order of `seq`. Rows are never deleted or rewritten here, except
 * for the outcome of a reply or a tool call, and the place of deleted messages.
 */
export function messageTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO messages (id, conversation_id, parent_id, role, text, status, model, created_at, finished_at, name, attachments, documents, passages, run, ask_id, made, params, summarised)
     VALUES (:id, :conversationId, :parentId, :role, :text, :status, :model, :createdAt, :finishedAt, :name, :attachments, :documents, :passages, :run, :askId, :made, :params, :summarised)`,
    one: `${select('m.id = ?')}`,
    many: `${select('m.id IN (SELECT value FROM json_each(?))')} ORDER BY m.seq`,
    // From the leaf to the root: a path is a linked list, and each step is one index lookup.
    pathIds: `WITH RECURSIVE path (id, parent_id) AS (
       SELECT id, parent_id FROM messages WHERE id = ?
       UNION ALL SELECT up.id, up.parent_id FROM messages up JOIN path ON up.id = path.parent_id)
     SELECT id FROM path`,
    path: `WITH RECURSIVE path (id, parent_id) AS (
       SELECT id, parent_id FROM messages WHERE id = ?
       UNION ALL SELECT up.id, up.parent_id FROM messages up JOIN path ON up.id = path.parent_id)
     ${select('m.id IN (SELECT id FROM path)')} ORDER BY m.seq`,
    filesOn: `WITH RECURSIVE path (id, parent_id) AS (
       SELECT id, parent_id FROM messages WHERE id = ?
       UNION ALL SELECT up.id, up.parent_id FROM messages up JOIN path ON up.id = path.parent_id)
     SELECT documents, passages FROM messages JOIN path USING (id) WHERE documents <> '[]' OR passages <> '[]' ORDER BY seq`,
    children:
      'SELECT id, role FROM messages WHERE conversation_id = :conversationId AND parent_id IS :parentId ORDER BY seq',
    // Upwards from a message, through the turns of models and tools only.
    turnsAbove: `WITH RECURSIVE above (depth, id, parent_id, role) AS (
       SELECT 0, id, parent_id, role FROM messages WHERE id = ?
       UNION ALL
       SELECT depth + 1, up.id, up.parent_id, up.role FROM messages up JOIN above ON up.id = above.parent_id
         WHERE up.role IN ('assistant', 'tool'))
     SELECT id, role FROM above ORDER BY depth`,
    copy: `INSERT INTO messages (id, conversation_id, parent_id, role, text, reasoning, refusal, tool_calls, status, problem, model, finish_reason,
       usage, created_at, finished_at, first_token_ms, reasoning_ms, request_id, name, attachments, documents, passages, run, ask_id, made, cost, cost_is,
       request_row, params, json_faults, next_id, left_out, summarised)
     SELECT :id, :conversationId, :parentId, role, text, reasoning, refusal, tool_calls, status, problem, model, finish_reason,
       usage, created_at, finished_at, first_token_ms, reasoning_ms, request_id, name, attachments, documents, passages, run, :askId, made, cost, cost_is,
       request_row, params, json_faults, :nextId, left_out, summarised FROM messages WHERE id = :from`,
    links: 'SELECT id, parent_id, next_id, ask_id, role, status FROM messages WHERE conversation_id = ? ORDER BY seq',
    byAsk: 'SELECT id FROM messages WHERE ask_id = ? AND conversation_id = ? ORDER BY seq',
    from: `WITH RECURSIVE below (id) AS (
       SELECT id FROM messages WHERE id = ?
       UNION ALL SELECT m.id FROM messages m JOIN below ON m.parent_id = below.id)
     SELECT id FROM below`,
    move: 'UPDATE messages SET conversation_id = :to WHERE id IN (SELECT value FROM json_each(:ids))',
    setParent: 'UPDATE messages SET parent_id = :parentId WHERE id = :id',
    down: `WITH RECURSIVE down (id) AS (
       SELECT :id
       UNION ALL
       SELECT coalesce(
           (SELECT c.id FROM messages c WHERE c.id = m.next_id AND c.parent_id = m.id),
           (SELECT c.id FROM messages c WHERE c.parent_id = m.id ORDER BY c.seq DESC LIMIT 1))
         FROM down JOIN messages m ON m.id = down.id)
     SELECT id FROM down WHERE id IS NOT NULL`,
    settle: `UPDATE messages SET text = :text, reasoning = :reasoning, refusal = :refusal, tool_calls = :toolCalls, status = :status,
       problem = :problem, finish_reason = :finishReason, usage = :usage, finished_at = :finishedAt,
       first_token_ms = :firstTokenMs, reasoning_ms = :reasoningMs, request_id = :requestId, cost = :cost, cost_is = :costIs,
       request_row = :requestRow, json_faults = :jsonFaults WHERE id = :id`,
    begin: `UPDATE messages SET status = 'streaming', first_token_ms = :firstTokenMs, request_id = :requestId,
       request_row = coalesce(:requestRow, request_row) WHERE id = :id`,
    setJsonFaults: 'UPDATE messages SET json_faults = :jsonFaults WHERE id = :id',
    setUse: 'UPDATE messages SET usage = :usage, cost = :cost, cost_is = :costIs WHERE id = :id',
    leaveOut:
      'UPDATE messages SET left_out = :leftOut WHERE left_out <> :leftOut AND id IN (SELECT value FROM json_each(:ids)) RETURNING id',
    // A request has one cost, however many choices and copies of its reply there are.
    costs:
      'SELECT cost, cost_is FROM messages WHERE conversation_id = ? AND request_row IS NOT NULL GROUP BY request_row',
    setRequest: 'UPDATE messages SET request_row = :requestRow WHERE id = :id',
    setRun: 'UPDATE messages SET run = :run, text = :text, status = :status, finished_at = :finishedAt WHERE id = :id',
    unfinished: `${select("m.status IN ('pending', 'streaming') AND m.role <> 'tool'")}`,
    open: `${select("m.status IN ('pending', 'streaming') AND m.role = 'tool'")} ORDER BY m.conversation_id, m.seq`,
    openOf: `${select("m.status IN ('pending', 'streaming') AND m.role = 'tool' AND m.conversation_id = ?")} ORDER BY m.seq`,
  })

  return {
    insert(message: NewMessage): void {
      const {
        name = null,
        attachments = [],
        documents = [],
        passages = [],
        run = null,
        askId = null,
        made = null,
        params = null,
        summarised = null,
        ...rest
      } = message
      const ended = message.status !== 'pending' && message.status !== 'streaming'
      sql.insert.run({
        ...rest,
        name,
        askId,
        made,
        summarised,
        finishedAt: message.finishedAt ?? (ended ? message.createdAt : null),
        attachments: JSON.stringify(attachments),
        documents: JSON.stringify(documents),
        passages: JSON.stringify(passages),
        run: toJson(run),
        params: toJson(params),
      })
    },
    find(id: string): Message | null {
      return readOrNull(sql.one.get(id), readMessage)
    },
    /** One message. @throws StudioError `no_such_item` */
    get(id: string): Message {
      return readOrThrow(sql.one.get(id), readMessage, 'That message no longer exists.')
    },
    /** The messages with these ids that exist, oldest first. */
    many: (ids: readonly string[]): Message[] =>
      ids.length === 0 ? [] : sql.many.all(JSON.stringify(ids)).map(readMessage),
    /** From the root down to `leafId`, oldest first; empty for null. */
    path(leafId: string | null): Message[] {
      return leafId === null ? [] : sql.path.all(leafId).map(readMessage)
    },
    /** The documents and passages of the messages from the root down to `leafId`. */
    filesOn(leafId: string | null): { documents: AttachedDocument[]; passages: Passage[] } {
      const rows = leafId === null ? [] : sql.filesOn.all(leafId)
      return {
        documents: rows.flatMap((row) => json(row, 'documents', documents)),
        passages: rows.flatMap((row) => json(row, 'passages', passages)),
      }
    },
    /** The ids of a path, without reading the messages. */
    pathIds(leafId: string | null): string[] {
      if (leafId === null) return []
      const ids = sql.pathIds.all(leafId).map((row) => text(row, 'id'))
      return ids.reverse()
    },
    /** Children of a message, or the roots of a conversation for null; oldest first. */
    children(conversationId: string, parentId: string | null): { id: string; role: Message['role'] }[] {
      const rows = sql.children.all({ conversationId, parentId })
      return rows.map((row) => ({ id: text(row, 'id'), role: role.parse(row.role) }))
    },
    /** The message and those above it, upwards, until the last turn that is neither a model's nor a tool's. */
    turnsAbove: (id: string): { id: string; role: Message['role'] }[] =>
      sql.turnsAbove.all(id).map((row) => ({ id: text(row, 'id'), role: role.parse(row.role) })),
    /** The tree of a conversation as links, parents first. */
    links: (conversationId: string): MessageLink[] => sql.links.all(conversationId).map(readLink),
    /** Copies the message `from` to another position. */
    copy: (from: string, to: CopiedPlace): void => void sql.copy.run({ from, ...to }),
    /** Replies of a conversation that were requested together. */
    byAsk: (conversationId: string, askId: string): string[] =>
      sql.byAsk.all(askId, conversationId).map((row) => text(row, 'id')),
    /** The message and all below it, on every branch. */
    idsFrom: (id: string): string[] => sql.from.all(id).map((row) => text(row, 'id')),
    /** Moves messages to another conversation. Their parents stay the same. */
    moveTo: (conversationId: string, ids: readonly string[]): void =>
      void sql.move.run({ to: conversationId, ids: JSON.stringify(ids) }),
    setParent: (id: string, parentId: string | null): void => void sql.setParent.run({ id, parentId }),
    /** The leaf below this message: down the remembered choice at each fork, else the newest child. */
    leafBelow(id: string): string {
      const rows = sql.down.all({ id })
      const last = rows.at(-1)
      return last ? text(last, 'id') : id
    },
    /** Records that the first output has arrived. */
    begin(id: string, firstTokenMs: number | null, requestId: string | null, requestRow: number | null): void {
      sql.begin.run({ id, firstTokenMs, requestId, requestRow })
    },
    settle(id: string, outcome: MessageOutcome): void {
      const { text, reasoning, refusal, status, finishReason, finishedAt, firstTokenMs, reasoningMs, requestId } =
        outcome
      const { cost, costIs, requestRow } = outcome
      sql.settle.run({
        id,
        text,
        reasoning,
        refusal,
        status,
        finishReason,
        finishedAt,
        firstTokenMs,
        reasoningMs,
        requestId,
        cost,
        costIs,
        requestRow,
        toolCalls: JSON.stringify(outcome.toolCalls satisfies ToolCall[]),
        problem: toJson(outcome.problem),
        usage: toJson(outcome.usage),
        jsonFaults: toJson(outcome.jsonFaults),
      })
    },
    setUse(id: string, { usage, cost, costIs }: MessageUse): void {
      sql.setUse.run({ id, usage: toJson(usage), cost, costIs })
    },
    setJsonFaults: (id: string, jsonFaults: readonly string[]): void =>
      void sql.setJsonFaults.run({ id, jsonFaults: toJson(jsonFaults) }),
    /** Leaves messages out of requests, or includes them again. Returns the ids of those that changed. */
    leaveOut: (ids: readonly string[], leftOut: boolean): string[] =>
      sql.leaveOut.all({ ids: JSON.stringify(ids), leftOut: leftOut ? 1 : 0 }).map((row) => text(row, 'id')),
    /** The cost of each request of a conversation, on every branch. */
    costs: (conversationId: string): Pick<Message, 'cost' | 'costIs'>[] =>
      sql.costs.all(conversationId).map((row) => ({
        cost: textOrNull(row, 'cost'),
        costIs: certainty.parse(row.cost_is),
      })),
    /** Names the request that wrote a message. */
    setRequest: (id: string, requestRow: number): void => void sql.setRequest.run({ id, requestRow }),
    /** Stores the state of a tool call. `text` is the result that the model gets when the call is settled. */
    setRun(id: string, run: ToolRun, text: string, status: MessageStatus): void {
      sql.setRun.run({ id, run: JSON.stringify(run), text, status, finishedAt: run.finishedAt })
    },
    /** Replies without a running generation, when a core starts. */
    unfinished: (): Message[] => sql.unfinished.all().map(readMessage),
    /** Messages of role tool whose calls are not settled: of one conversation, or of all. */
    openCalls(conversationId?: string): ToolMessage[] {
      const rows = conversationId === undefined ? sql.open.all() : sql.openOf.all(conversationId)
      return rows.map(readMessage).filter(isToolMessage)
    },
  }
}

export function isToolMessage(message: Message): message is ToolMessage {
  return message.role === 'tool' && message.run !== null
}

function select(where: string): string {
  return `SELECT m.*,
      (SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id AND s.parent_id IS m.parent_id) AS siblings,
      (SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id AND s.parent_id IS m.parent_id
         AND s.seq <= m.seq) AS sibling
    FROM messages m WHERE ${where}`
}

function readLink(row: Row): MessageLink {
  return {
    id: text(row, 'id'),
    parentId: textOrNull(row, 'parent_id'),
    nextId: textOrNull(row, 'next_id'),
    askId: textOrNull(row, 'ask_id'),
    role: role.parse(row.role),
    status: messageStatus.parse(row.status),
  }
}

/** The check of the column `made` knows `continue` only. */
function madeBy(row: Row): Message['made'] {
  if (row.summarised !== null) return 'summary'
  return row.made === 'continue' ? 'continue' : null
}

/** The columns about how a message was made. */
export const readReplyColumns = (row: Row) => ({
  problem: jsonOrNull(row, 'problem', problem),
  model: textOrNull(row, 'model'),
  finishReason: textOrNull(row, 'finish_reason'),
  usage: jsonOrNull(row, 'usage', usage),
  createdAt: text(row, 'created_at'),
  finishedAt: textOrNull(row, 'finished_at'),
  firstTokenMs: numberOrNull(row, 'first_token_ms'),
  reasoningMs: numberOrNull(row, 'reasoning_ms'),
  requestId: textOrNull(row, 'request_id'),
  askId: textOrNull(row, 'ask_id'),
  made: madeBy(row),
  summarised: numberOrNull(row, 'summarised'),
  leftOut: row.left_out === 1,
  cost: textOrNull(row, 'cost'),
  costIs: certainty.parse(row.cost_is),
})

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
    ...readReplyColumns(row),
    sibling: number(row, 'sibling'),
    siblings: number(row, 'siblings'),
    name: textOrNull(row, 'name'),
    attachments: row.attachments === '[]' ? [] : json(row, 'attachments', attachments),
    documents: row.documents === '[]' ? [] : json(row, 'documents', documents),
    passages: row.passages === '[]' ? [] : json(row, 'passages', passages),
    run: jsonOrNull(row, 'run', toolRun),
    requestRow: numberOrNull(row, 'request_row'),
    params: row.params === '{}' ? {} : jsonOrNull(row, 'params', chatParams),
    jsonFaults: row.json_faults === '[]' ? [] : jsonOrNull(row, 'json_faults', sentences),
  }
}
