import type { Database } from './database.ts'
import { number, type Row, text, textOrNull } from './rows.ts'

/** A conversation that was taken out of sight and can be brought back. */
export interface RemovedRow {
  id: string
  title: string | null
  messages: number
  removedAt: string
}

/** What is written down before it is done, so that the next start goes on where the last one died. */
export type Erasure = 'conversation' | 'import' | 'media' | 'request'

/** Erasing for good: what is to go is written down first, then goes in small steps. */
export function erasureTable({ handle, transaction, journal }: Database) {
  const kept =
    "removed_at IS NOT NULL AND id NOT IN (SELECT item FROM erasures WHERE what IN ('conversation', 'import'))"
  const removed = handle.prepare(
    `SELECT id, title, removed_at, (SELECT count(*) FROM messages AS m WHERE m.conversation_id = c.id) AS messages
       FROM conversations AS c WHERE ${kept} ORDER BY removed_at DESC, id`,
  )
  const count = handle.prepare(`SELECT count(*) AS n FROM conversations WHERE ${kept}`)
  const ids = handle.prepare(`SELECT id FROM conversations WHERE ${kept} AND removed_at < ?`)
  const untouched = handle.prepare(
    `SELECT id, title FROM conversations WHERE removed_at IS NULL AND pinned = 0 AND updated_at < :before
       AND (archived_at IS NOT NULL OR NOT :archivedOnly) ORDER BY updated_at DESC`,
  )
  const one = handle.prepare(`SELECT id FROM conversations WHERE ${kept} AND id = ?`)
  const add = handle.prepare('INSERT OR IGNORE INTO erasures (what, item) VALUES (?, ?)')
  const take = handle.prepare('DELETE FROM erasures WHERE what = ? AND item = ?')
  const items = handle.prepare('SELECT item FROM erasures WHERE what = ? ORDER BY item')
  const first = handle.prepare('SELECT item FROM erasures WHERE what = ? LIMIT 1')
  const given = handle.prepare("UPDATE OR REPLACE erasures SET what = 'conversation' WHERE what = 'import'")
  const untangle = handle.prepare('UPDATE conversations SET leaf_id = NULL WHERE id = ?')
  // The newest first: what hangs below goes before what it hangs on, so that no deletion drags others along.
  const newest = handle.prepare(
    `SELECT seq, request_row, attachments, indexed FROM messages WHERE conversation_id = ? ORDER BY seq DESC LIMIT ?`,
  )
  const drop = handle.prepare('DELETE FROM messages WHERE seq = ?')
  const permissions = handle.prepare('DELETE FROM tool_permissions WHERE conversation_id = ?')
  const gone = handle.prepare('DELETE FROM conversations WHERE id = ?')
  const used = handle.prepare(
    `SELECT 1 FROM messages AS m, json_each(m.attachments) AS a
      WHERE m.attachments <> '[]' AND a.value ->> '$.mediaId' = ? LIMIT 1`,
  )
  const each = handle.prepare("SELECT DISTINCT value ->> '$.mediaId' AS id FROM json_each(?)")

  /** What a message leaves elsewhere. */
  function planRest(row: Row): void {
    if (row.request_row !== null) add.run('request', String(number(row, 'request_row')))
    if (row.attachments === '[]') return
    for (const media of each.all(text(row, 'attachments'))) {
      const mediaId = textOrNull(media, 'id')
      if (mediaId !== null) add.run('media', mediaId)
    }
  }

  return {
    removed: (): RemovedRow[] => removed.all().map(readRemoved),
    count: (): number => number(count.get() ?? {}, 'n'),
    /** Ids of conversations that were removed before an instant. */
    removedBefore: (instant: string): string[] => ids.all(instant).map((row) => text(row, 'id')),
    /** Conversations in sight that nobody pinned or touched since an instant, the newest first. */
    untouched: (before: string, archivedOnly: boolean): { id: string; title: string | null }[] =>
      untouched
        .all({ before, archivedOnly: Number(archivedOnly) })
        .map((row) => ({ id: text(row, 'id'), title: textOrNull(row, 'title') })),
    isRemoved: (id: string): boolean => one.get(id) !== undefined,
    /** Writes down what is to be erased. From here on it is out of sight for good. */
    plan: (what: Erasure, all: readonly string[]): void =>
      transaction(() => {
        for (const item of all) add.run(what, item)
      }),
    planned: (what: Erasure): string[] => items.all(what).map((row) => text(row, 'item')),
    nextPlanned(what: Erasure): string | null {
      const row = first.get(what)
      return row ? text(row, 'item') : null
    },
    forgetPlan: (what: Erasure, item: string): void => void take.run(what, item),
    /** At start: nobody is importing any more. */
    giveUpImports: (): void => transaction(() => void given.run()),
    /**
     * One step of erasing a conversation: at most `limit` messages, or less after `ms`. What they leave behind elsewhere is planned in the same
     * transaction. True when the conversation itself is gone; `indexed` says whether words of it stood in the index.
     */
    step(id: string, limit: number, ms: number): { done: boolean; indexed: boolean } {
      return journal(() => {
        untangle.run(id)
        const until = performance.now() + ms
        let indexed = false
        const rows = newest.all(id, limit)
        for (const [index, row] of rows.entries()) {
          if (index > 0 && performance.now() > until) return { done: false, indexed }
          indexed ||= row.indexed !== 0
          planRest(row)
          drop.run(number(row, 'seq'))
        }
        if (rows.length === limit) return { done: false, indexed }
        permissions.run(id)
        gone.run(id)
        take.run('conversation', id)
        return { done: true, indexed }
      })
    },
    /** Whether a message still shows this picture. */
    isUsed: (mediaId: string): boolean => used.get(mediaId) !== undefined,
    /** The write-ahead log holds what was there before: it is folded in and emptied. False where a reader held it up. */
    emptyLog(): boolean {
      const row = handle.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      return row?.busy === 0
    },
  }
}

const readRemoved = (row: Row): RemovedRow => ({
  id: text(row, 'id'),
  title: textOrNull(row, 'title'),
  messages: number(row, 'messages'),
  removedAt: text(row, 'removed_at'),
})
