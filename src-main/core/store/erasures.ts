import type { Database } from './database.ts'
import { number, type Row, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

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
  const sql = prepareAll(handle, {
    removed: `SELECT id, title, removed_at, (SELECT count(*) FROM messages AS m WHERE m.conversation_id = c.id) AS messages
       FROM conversations AS c WHERE ${kept} ORDER BY removed_at DESC, id`,
    count: `SELECT count(*) AS n FROM conversations WHERE ${kept}`,
    ids: `SELECT id FROM conversations WHERE ${kept} AND removed_at < ?`,
    untouched: `SELECT id, title FROM conversations WHERE removed_at IS NULL AND pinned = 0 AND updated_at < :before
       AND (archived_at IS NOT NULL OR NOT :archivedOnly) ORDER BY updated_at DESC`,
    dated: ['conversations', 'speeches', 'recordings', 'images']
      .map((table) => `SELECT 1 FROM ${table} WHERE removed_at BETWEEN :from AND :to`)
      .join(' UNION ALL '),
    one: `SELECT id FROM conversations WHERE ${kept} AND id = ?`,
    add: 'INSERT OR IGNORE INTO erasures (what, item) VALUES (?, ?)',
    take: 'DELETE FROM erasures WHERE what = ? AND item = ?',
    items: 'SELECT item FROM erasures WHERE what = ? ORDER BY item',
    first: 'SELECT item FROM erasures WHERE what = ? LIMIT 1',
    given: "UPDATE OR REPLACE erasures SET what = 'conversation' WHERE what = 'import'",
    untangle: 'UPDATE conversations SET leaf_id = NULL WHERE id = ?',
    // Newest first: children are deleted before their parents, so that no deletion cascades.
    newest: `SELECT seq, request_row, attachments, documents, indexed FROM messages WHERE conversation_id = ? ORDER BY seq DESC LIMIT ?`,
    drop: 'DELETE FROM messages WHERE seq = ?',
    permissions: 'DELETE FROM tool_permissions WHERE conversation_id = ?',
    queued: 'SELECT NULL AS request_row, attachments, documents FROM queued_messages WHERE conversation_id = ?',
    // Deletes its queued messages too.
    gone: 'DELETE FROM conversations WHERE id = ?',
    used: `SELECT 1 FROM messages AS m, json_each(m.attachments) AS a
        WHERE m.attachments <> '[]' AND a.value ->> '$.mediaId' = :id
      UNION ALL SELECT 1 FROM messages AS m, json_each(m.documents) AS d
        WHERE m.documents <> '[]' AND d.value ->> '$.mediaId' = :id
      UNION ALL SELECT 1 FROM folder_files WHERE media_id = :id LIMIT 1`,
    each: "SELECT DISTINCT value ->> '$.mediaId' AS id FROM json_each(?)",
  })

  /** Files of the running import, to which no message refers yet. Only in memory: the next start deletes those that are left. */
  const held = new Set<string>()

  /** Plans the deletion of the items in other files that a message refers to. */
  function planRest(row: Row): void {
    if (row.request_row !== null) sql.add.run('request', String(number(row, 'request_row')))
    for (const column of ['attachments', 'documents']) {
      if (row[column] === '[]') continue
      for (const media of sql.each.all(text(row, column))) {
        const mediaId = textOrNull(media, 'id')
        if (mediaId !== null) sql.add.run('media', mediaId)
      }
    }
  }

  return {
    removed: (): RemovedRow[] => sql.removed.all().map(readRemoved),
    count: (): number => number(sql.count.get() ?? {}, 'n'),
    /** Ids of conversations that were removed before an instant. */
    removedBefore: (instant: string): string[] => sql.ids.all(instant).map((row) => text(row, 'id')),
    /** Whether a conversation or created media item was removed between two times, ms since 1970. */
    isRemovedBetween: (from: number, to: number): boolean =>
      sql.dated.get({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }) !== undefined,
    /** Conversations that are not removed or pinned and have not changed since an instant, newest first. */
    untouched: (before: string, archivedOnly: boolean): { id: string; title: string | null }[] =>
      sql.untouched
        .all({ before, archivedOnly: Number(archivedOnly) })
        .map((row) => ({ id: text(row, 'id'), title: textOrNull(row, 'title') })),
    isRemoved: (id: string): boolean => sql.one.get(id) !== undefined,
    /** Stores what will be deleted. From then on it is not shown any more. */
    plan: (what: Erasure, all: readonly string[]): void =>
      transaction(() => {
        for (const item of all) sql.add.run(what, item)
      }),
    /** Plans the deletion of a file that an import is about to add. It is carried out only after `giveUpImports` or a restart. */
    planImported(mediaId: string): void {
      sql.add.run('media', mediaId)
      held.add(mediaId)
    },
    /** Without files of the running import. */
    planned: (what: Erasure): string[] =>
      sql.items
        .all(what)
        .map((row) => text(row, 'item'))
        .filter((item) => what !== 'media' || !held.has(item)),
    nextPlanned(what: Erasure): string | null {
      const row = sql.first.get(what)
      return row ? text(row, 'item') : null
    },
    forgetPlan(what: Erasure, item: string): void {
      sql.take.run(what, item)
      if (what === 'media') held.delete(item)
    },
    /** Plans the deletion of unfinished imports. Call when no import is running. */
    giveUpImports(): void {
      transaction(() => void sql.given.run())
      held.clear()
    },
    /**
     * One step of deleting a conversation: at most `limit` messages, or fewer after `ms` milliseconds. Plans the deletion of what they
     * refer to in the same transaction. `done` when the conversation itself is gone; `indexed` says whether the search index had words of
     * it.
     */
    step(id: string, limit: number, ms: number): { done: boolean; indexed: boolean } {
      return journal(() => {
        sql.untangle.run(id)
        const until = performance.now() + ms
        let indexed = false
        const rows = sql.newest.all(id, limit)
        for (const [index, row] of rows.entries()) {
          if (index > 0 && performance.now() > until) return { done: false, indexed }
          indexed ||= row.indexed !== 0
          planRest(row)
          sql.drop.run(number(row, 'seq'))
        }
        if (rows.length === limit) return { done: false, indexed }
        for (const row of sql.queued.all(id)) planRest(row)
        sql.permissions.run(id)
        sql.gone.run(id)
        sql.take.run('conversation', id)
        return { done: true, indexed }
      })
    },
    /** Whether a message still has this image or document. */
    isUsed: (mediaId: string): boolean => sql.used.get({ id: mediaId }) !== undefined,
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
