import type { Database } from './database.ts'
import { number, type Row, text, textOrNull } from './rows.ts'

/** A conversation that was removed and can be restored. */
export interface RemovedRow {
  id: string
  title: string | null
  messages: number
  removedAt: string
}

/** Kinds of planned deletions. A plan is stored first, so that the next start completes it after a crash. */
export type Erasure = 'conversation' | 'import' | 'media' | 'request'

/** Permanent deletion: a plan is stored first, then carried out in small steps. */
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
  // Newest first: children are deleted before their parents, so that no deletion cascades.
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

  /** Plans the deletion of the items in other files that a message refers to. */
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
    /** Conversations that are not removed or pinned and have not changed since an instant, newest first. */
    untouched: (before: string, archivedOnly: boolean): { id: string; title: string | null }[] =>
      untouched
        .all({ before, archivedOnly: Number(archivedOnly) })
        .map((row) => ({ id: text(row, 'id'), title: textOrNull(row, 'title') })),
    isRemoved: (id: string): boolean => one.get(id) !== undefined,
    /** Stores what will be deleted. From then on it is not shown any more. */
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
    /** Plans the deletion of unfinished imports. Call at the start, when no import can be running. */
    giveUpImports: (): void => transaction(() => void given.run()),
    /**
     * One step of deleting a conversation: at most `limit` messages, or fewer after `ms` milliseconds. Plans the deletion of what they
     * refer to in the same transaction. `done` when the conversation itself is gone; `indexed` says whether the search index had words of
     * it.
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
    /** Empties the write-ahead log, which contains former content. Returns false when a reader prevented it. */
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
