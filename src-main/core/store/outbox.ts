import { type WaitingItem, type WaitingWish, waitingItem, waitingWish } from '../../../src-preload/contract/outbox.ts'
import { problem } from '../../../src-preload/contract/problem.ts'
import type { Database } from './database.ts'
import { json, jsonOrNull, type Row, text, toJson } from './rows.ts'

/** Destination of an outbox item. */
export interface WaitingPlace {
  connectionId: string
  connectionName: string
  baseUrl: string
}

export interface StoredWaiting extends WaitingPlace, Pick<WaitingItem, 'id' | 'createdAt' | 'state' | 'problem'> {
  wish: WaitingWish
}

/** Requests that are sent when the service is reachable again. */
export function waitingTable({ handle, transaction }: Database) {
  const insert = handle.prepare(
    `INSERT INTO waiting (id, created_at, state, connection_id, connection_name, base_url, wish)
     VALUES (:id, :createdAt, 'waiting', :connectionId, :connectionName, :baseUrl, :wish)`,
  )
  const all = handle.prepare('SELECT * FROM waiting ORDER BY rowid')
  const one = handle.prepare('SELECT * FROM waiting WHERE id = ?')
  const next = handle.prepare(
    `SELECT * FROM waiting WHERE state = 'waiting' AND connection_id = :connectionId AND base_url = :baseUrl ORDER BY rowid LIMIT 1`,
  )
  const setState = handle.prepare('UPDATE waiting SET state = :state, problem = :problem WHERE id = :id')
  const change = handle.prepare(
    `UPDATE waiting SET state = 'waiting', problem = NULL, wish = :wish, connection_id = :connectionId,
       connection_name = :connectionName, base_url = :baseUrl WHERE id = :id`,
  )
  const remove = handle.prepare('DELETE FROM waiting WHERE id = ?')
  const found = (row: Row | undefined): StoredWaiting | null => (row ? read(row) : null)
  const placeOf = ({ connectionId, connectionName, baseUrl }: WaitingPlace) => ({
    connectionId,
    connectionName,
    baseUrl,
  })
  return {
    insert: (added: WaitingPlace & Pick<StoredWaiting, 'id' | 'createdAt' | 'wish'>): void =>
      transaction(() => {
        const { id, createdAt, wish } = added
        insert.run({ id, createdAt, wish: JSON.stringify(wish), ...placeOf(added) })
      }),
    /** In the order in which they are sent. */
    list: (): StoredWaiting[] => all.all().map(read),
    find: (id: string): StoredWaiting | null => found(one.get(id)),
    /** The first item for a destination. */
    next: ({ connectionId, baseUrl }: WaitingPlace): StoredWaiting | null => found(next.get({ connectionId, baseUrl })),
    setState: (id: string, state: WaitingItem['state'], why: WaitingItem['problem']): void =>
      transaction(() => void setState.run({ id, state, problem: toJson(why) })),
    change: (id: string, wish: WaitingWish, place: WaitingPlace): void =>
      transaction(() => void change.run({ id, wish: JSON.stringify(wish), ...placeOf(place) })),
    /** False when it was already gone. */
    remove: (id: string): boolean => transaction(() => remove.run(id).changes > 0),
  }
}

const read = (row: Row): StoredWaiting => ({
  id: text(row, 'id'),
  createdAt: text(row, 'created_at'),
  state: waitingItem.shape.state.parse(row.state),
  problem: jsonOrNull(row, 'problem', problem),
  connectionId: text(row, 'connection_id'),
  connectionName: text(row, 'connection_name'),
  baseUrl: text(row, 'base_url'),
  wish: json(row, 'wish', waitingWish),
})
