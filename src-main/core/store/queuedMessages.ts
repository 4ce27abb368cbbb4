import * as z from 'zod'
import { type QueuedMessage, queuedMessage } from '../../../src-preload/contract/chat.ts'
import { type Problem, problem } from '../../../src-preload/contract/problem.ts'
import { type PassagePlace, passagePlace } from '../../../src-preload/contract/projects.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { json, jsonOrNull, number, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

export interface StoredQueuedMessage extends QueuedMessage {
  conversationId: string
  /** Passages of the project that the person removed from it. */
  without: PassagePlace[]
}

const { role, models, attachments, documents } = queuedMessage.shape
const places = z.array(passagePlace)

/** Messages that wait for the end of a reply. The row of a message is deleted in the transaction that inserts the message. */
export function queuedMessageTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO queued_messages (id, conversation_id, role, name, text, models, attachments, documents, without, created_at)
      VALUES (:id, :conversationId, :role, :name, :text, :models, :attachments, :documents, :without, :createdAt)`,
    one: 'SELECT * FROM queued_messages WHERE id = ?',
    all: 'SELECT * FROM queued_messages WHERE conversation_id = ? ORDER BY seq',
    count: 'SELECT count(*) AS n FROM queued_messages WHERE conversation_id = ?',
    hold: 'UPDATE queued_messages SET held = 1 WHERE conversation_id = ? AND held = 0',
    holdAll: 'UPDATE queued_messages SET held = 1 WHERE held = 0',
    release: 'UPDATE queued_messages SET held = 0, problem = NULL WHERE id = ?',
    problem: 'UPDATE queued_messages SET problem = :problem WHERE id = :id',
    remove: 'DELETE FROM queued_messages WHERE id = ?',
  })
  const find = (id: string): StoredQueuedMessage | null => readOrNull(sql.one.get(id), read)
  return {
    insert(given: Omit<StoredQueuedMessage, 'held' | 'problem'>): void {
      const { models, attachments, documents, without, ...plain } = given
      const lists = { models, attachments, documents, without }
      const texts = Object.entries(lists).map(([name, list]) => [name, JSON.stringify(list)])
      sql.insert.run({ ...plain, ...Object.fromEntries(texts) })
    },
    find,
    /** @throws StudioError `no_such_item` */
    get(id: string): StoredQueuedMessage {
      const found = find(id)
      if (!found) throw new StudioError('no_such_item', 'This message is not queued any more.')
      return found
    },
    /** In the order in which they were queued. */
    list: (conversationId: string): StoredQueuedMessage[] => sql.all.all(conversationId).map(read),
    count: (conversationId: string): number => number(sql.count.get(conversationId) ?? {}, 'n'),
    /** Lets the queue of a conversation wait for the person. Returns whether it did not wait before. */
    hold: (conversationId: string): boolean => sql.hold.run(conversationId).changes > 0,
    holdAll: (): void => void sql.holdAll.run(),
    /** Lets a message be sent as soon as its conversation can send. */
    release: (id: string): void => void sql.release.run(id),
    setProblem: (id: string, value: Problem): void => void sql.problem.run({ id, problem: JSON.stringify(value) }),
    /** False when it is not there. */
    remove: (id: string): boolean => sql.remove.run(id).changes > 0,
  }
}

const read = (row: Row): StoredQueuedMessage => ({
  id: text(row, 'id'),
  conversationId: text(row, 'conversation_id'),
  role: role.parse(row.role),
  name: textOrNull(row, 'name'),
  text: text(row, 'text'),
  models: json(row, 'models', models),
  attachments: json(row, 'attachments', attachments),
  documents: json(row, 'documents', documents),
  without: json(row, 'without', places),
  held: row.held === 1,
  problem: jsonOrNull(row, 'problem', problem),
  createdAt: text(row, 'created_at'),
})
