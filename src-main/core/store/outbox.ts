import { type OutboxItem, type OutboxRequest, outboxItem, outboxRequest } from '../../../src-preload/contract/outbox.ts'
import { problem } from '../../../src-preload/contract/problem.ts'
import type { Database } from './database.ts'
import { json, jsonOrNull, type Row, text, toJson } from './rows.ts'
import { prepareAll } from './statements.ts'

/** Destination of an outbox item. */
export interface OutboxDestination {
  connectionId: string
  connectionName: string
  baseUrl: string
}

export interface StoredOutboxItem
  extends OutboxDestination,
    Pick<OutboxItem, 'id' | 'createdAt' | 'state' | 'problem'> {
  request: OutboxRequest
}

/** Requests that are sent when the service is reachable again. */
export function outboxTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO waiting (id, created_at, state, connection_id, connection_name, base_url, wish)
     VALUES (:id, :createdAt, 'waiting', :connectionId, :connectionName, :baseUrl, :wish)`,
    all: 'SELECT * FROM waiting ORDER BY rowid',
    one: 'SELECT * FROM waiting WHERE id = ?',
    next: `SELECT * FROM waiting WHERE state = 'waiting' AND connection_id = :connectionId AND base_url = :baseUrl ORDER BY rowid LIMIT 1`,
    setState: 'UPDATE waiting SET state = :state, problem = :problem WHERE id = :id',
    update: `UPDATE waiting SET state = 'waiting', problem = NULL, wish = :wish, connection_id = :connectionId,
       connection_name = :connectionName, base_url = :baseUrl WHERE id = :id`,
    remove: 'DELETE FROM waiting WHERE id = ?',
  })
  const found = (row: Row | undefined): StoredOutboxItem | null => (row ? read(row) : null)
  const placeOf = ({ connectionId, connectionName, baseUrl }: OutboxDestination) => ({
    connectionId,
    connectionName,
    baseUrl,
  })
  return {
    insert: (added: OutboxDestination & Pick<StoredOutboxItem, 'id' | 'createdAt' | 'request'>): void =>
      transaction(() => {
        const { id, createdAt, request } = added
        sql.insert.run({ id, createdAt, wish: JSON.stringify(request), ...placeOf(added) })
      }),
    /** In the order in which they are sent. */
    list: (): StoredOutboxItem[] => sql.all.all().map(read),
    find: (id: string): StoredOutboxItem | null => found(sql.one.get(id)),
    /** The first item for a destination. */
    next: ({ connectionId, baseUrl }: OutboxDestination): StoredOutboxItem | null =>
      found(sql.next.get({ connectionId, baseUrl })),
    setState: (id: string, state: OutboxItem['state'], why: OutboxItem['problem']): void =>
      transaction(() => void sql.setState.run({ id, state, problem: toJson(why) })),
    update: (id: string, request: OutboxRequest, place: OutboxDestination): void =>
      transaction(() => void sql.update.run({ id, wish: JSON.stringify(request), ...placeOf(place) })),
    /** False when it was already gone. */
    remove: (id: string): boolean => transaction(() => sql.remove.run(id).changes > 0),
  }
}

const read = (row: Row): StoredOutboxItem => ({
  id: text(row, 'id'),
  createdAt: text(row, 'created_at'),
  state: outboxItem.shape.state.parse(row.state),
  problem: jsonOrNull(row, 'problem', problem),
  connectionId: text(row, 'connection_id'),
  connectionName: text(row, 'connection_name'),
  baseUrl: text(row, 'base_url'),
  request: json(row, 'wish', outboxRequest),
})
