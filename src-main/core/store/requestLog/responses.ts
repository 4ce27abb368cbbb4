import type { Database } from '../database.ts'
import { number, type Row, text, textOrNull } from '../rows.ts'
import type { BodySelection } from './bodies.ts'

/** A response of the Responses API as stored: JSON texts without secrets. */
export interface ResponseRow {
  id: string
  who: string
  /** ms since 1970 */
  at: number
  /** Id of its request in the log. */
  request: number
  previous: string | null
  /** JSON list of the items of its own request. */
  input: string
  /** JSON object that the app got. */
  reply: string
  /** Ids of its items. */
  items: readonly string[]
}

/** What to delete: as for logged bodies, or one response of one caller. */
export type ResponseSelection = BodySelection | { response: string; who: string }

/**
 * Stored responses, in the file of the logged bodies, whose deletion leaves no copy. Deleting a response leaves those after it, which can
 * then be read but not continued.
 */
export function responseTable({ handle, transaction }: Database) {
  const insert = handle.prepare(
    'INSERT OR REPLACE INTO responses (id, who, at, request, previous, size, input, reply) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const insertItem = handle.prepare('INSERT OR REPLACE INTO response_items (who, id, response) VALUES (?, ?, ?)')
  const one = handle.prepare(
    'SELECT id, who, at, request, previous, input, reply FROM responses WHERE id = ? AND who = ?',
  )
  const link = handle.prepare('SELECT previous, size FROM responses WHERE id = ? AND who = ?')
  const owner = handle.prepare('SELECT response FROM response_items WHERE who = ? AND id = ?')
  const total = handle.prepare('SELECT coalesce(sum(size), 0) AS n FROM responses INDEXED BY responses_by_who')
  const ofCaller = handle.prepare(
    'SELECT coalesce(sum(size), 0) AS n FROM responses INDEXED BY responses_by_who WHERE who = ?',
  )
  const old = handle.prepare(
    'SELECT count(*) AS items, coalesce(sum(size), 0) AS bytes FROM responses INDEXED BY responses_by_who WHERE at < ?',
  )
  const remove = handle.prepare('DELETE FROM responses WHERE id = ?')
  const removeItems = handle.prepare('DELETE FROM response_items WHERE response = ?')
  const some = {
    id: handle.prepare('SELECT id FROM responses WHERE request = ? LIMIT ?'),
    who: handle.prepare('SELECT id FROM responses INDEXED BY responses_by_who WHERE who = ? ORDER BY at LIMIT ?'),
    before: handle.prepare('SELECT id FROM responses INDEXED BY responses_by_who WHERE at < ? LIMIT ?'),
    all: handle.prepare('SELECT id FROM responses LIMIT ?'),
    response: handle.prepare('SELECT id FROM responses WHERE id = ? AND who = ? LIMIT ?'),
  }

  function pick(selection: ResponseSelection, most: number): Row[] {
    if (selection === 'all') return some.all.all(most)
    if ('response' in selection) return some.response.all(selection.response, selection.who, most)
    if ('id' in selection) return some.id.all(selection.id, most)
    return 'who' in selection ? some.who.all(selection.who, most) : some.before.all(selection.before, most)
  }

  /** Deletes at most `most` and returns how many. Fewer than `most` means that none are left. */
  function eraseSome(selection: ResponseSelection, most: number): number {
    return transaction(() => {
      const ids = pick(selection, most).map((row) => text(row, 'id'))
      for (const id of ids) {
        remove.run(id)
        removeItems.run(id)
      }
      return ids.length
    })
  }

  return {
    /** Stores the rows in one transaction. Of a caller with more than `maxBytes`, the oldest are deleted. */
    save(rows: readonly ResponseRow[], maxBytes: number): void {
      transaction(() => {
        for (const row of rows) {
          const size = Buffer.byteLength(row.input) + Buffer.byteLength(row.reply)
          insert.run(row.id, row.who, row.at, row.request, row.previous, size, row.input, row.reply)
          for (const item of row.items) insertItem.run(row.who, item, row.id)
        }
        for (const who of new Set(rows.map((row) => row.who))) {
          while (number(ofCaller.get(who) ?? {}, 'n') > maxBytes && eraseSome({ who }, 1) > 0);
        }
      })
    },
    get(who: string, id: string): Omit<ResponseRow, 'items'> | null {
      const row = one.get(id, who)
      if (!row) return null
      return {
        id: text(row, 'id'),
        who: text(row, 'who'),
        at: number(row, 'at'),
        request: number(row, 'request'),
        previous: textOrNull(row, 'previous'),
        input: text(row, 'input'),
        reply: text(row, 'reply'),
      }
    },
    /** Size in bytes, and the response before it. */
    link(who: string, id: string): { previous: string | null; size: number } | null {
      const row = link.get(id, who)
      return row ? { previous: textOrNull(row, 'previous'), size: number(row, 'size') } : null
    },
    /** The response that has an item. */
    responseOf(who: string, itemId: string): string | null {
      const row = owner.get(who, itemId)
      return row ? text(row, 'response') : null
    },
    /** Size of all stored texts, bytes. */
    bytes: (): number => number(total.get() ?? {}, 'n'),
    /** Number and size in bytes of responses from before a time (ms since 1970). */
    before(at: number): { items: number; bytes: number } {
      const row = old.get(at) ?? {}
      return { items: number(row, 'items'), bytes: number(row, 'bytes') }
    },
    eraseSome,
  }
}
