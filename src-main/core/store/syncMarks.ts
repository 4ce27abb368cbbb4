import type { Database } from './database.ts'
import { number, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

/** When a field was last changed, ms since 1970. `value` is an id or a flag; see migration 017. */
export interface SyncMark {
  at: number
  value: string | null
}

/** Fields of a conversation that have their own marks. */
export const markedFields = ['title', 'model', 'setup', 'pinned', 'archived', 'folder', 'leaf', 'removed'] as const
export type MarkedField = (typeof markedFields)[number]

export type MarkedItem = 'conversation' | 'message' | 'folder' | 'prompt' | 'preset'

/** Begins the `field` of a pinned file's mark; see migration 020. */
const fileField = 'file '

/** Where a message is: its conversation, or for a deleted message the conversation that it was deleted from. */
export interface MessagePlace {
  home: string
  isDeleted: boolean
}

/** Marks of changes, and what the merge of two computers needs to read and write beside them. */
export function syncMarkTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    of: 'SELECT field, at, value FROM sync_marks WHERE what = :what AND item = :item',
    set: `INSERT INTO sync_marks (what, item, field, at, value, parent) VALUES (:what, :item, :field, :at, :value, :parent)
      ON CONFLICT (what, item, field) DO UPDATE SET at = excluded.at, value = excluded.value, parent = excluded.parent`,
    below: "SELECT item, at, value FROM sync_marks WHERE parent = ? AND what = 'message' ORDER BY item",
    removed: `SELECT item, at FROM sync_marks WHERE what = 'conversation' AND field = 'removed' AND value = '1' ORDER BY item`,
    items: 'SELECT item, at, value FROM sync_marks WHERE what = ? AND field = ? ORDER BY item',
    files: `SELECT item, field, at, value FROM sync_marks WHERE what = 'folder' AND field LIKE 'file %' ORDER BY item, field`,
    one: "SELECT at, value FROM sync_marks WHERE what = 'folder' AND item = :folderId AND field = :field",
    place: `SELECT m.conversation_id AS id, c.part_of AS home FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
      WHERE m.id = ?`,
    seq: 'SELECT seq FROM messages WHERE id = ?',
    parts: `SELECT id, part_parent FROM conversations WHERE part_of = ?
      AND id NOT IN (SELECT item FROM erasures WHERE what IN ('conversation', 'import'))`,
    begin: 'INSERT INTO sync_merging (one) VALUES (1)',
    end: 'DELETE FROM sync_merging',
    updatedAt: 'UPDATE conversations SET updated_at = :at WHERE id = :id AND updated_at < :at',
    title: 'UPDATE conversations SET title = :title, named = :named WHERE id = :id',
    model: 'UPDATE conversations SET model = :model WHERE id = :id',
    project: `UPDATE conversations AS c SET folder_id = (SELECT f.id FROM folders AS f WHERE f.id = s.value) FROM sync_marks AS s
      WHERE s.what = 'conversation' AND s.field = 'folder' AND s.item = c.id AND c.part_of IS NULL
        AND c.folder_id IS NOT (SELECT f.id FROM folders AS f WHERE f.id = s.value) RETURNING id`,
    early: 'UPDATE sync_marks SET at = :now WHERE at > :latest',
    earlyChats: 'UPDATE conversations SET updated_at = :now WHERE updated_at > :latest',
    changes: 'SELECT total_changes() AS n',
    state: 'SELECT value FROM sync_state WHERE key = ?',
    setState:
      'INSERT INTO sync_state (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value',
  })
  const readMark = (row: Row): SyncMark => ({ at: number(row, 'at'), value: textOrNull(row, 'value') })

  return {
    /** The marks of an item by field. */
    of: (what: MarkedItem, item: string): Map<string, SyncMark> =>
      new Map(sql.of.all({ what, item }).map((row) => [text(row, 'field'), readMark(row)])),
    set: (what: MarkedItem, item: string, field: string, mark: SyncMark, parent: string | null = null): void =>
      void sql.set.run({ what, item, field, at: mark.at, value: mark.value, parent }),
    /** Marks of messages that were deleted from a conversation, or restored to it. */
    messagesOf: (conversationId: string): Map<string, SyncMark> =>
      new Map(sql.below.all(conversationId).map((row) => [text(row, 'item'), readMark(row)])),
    /** Deleted conversations, also those that were deleted permanently. */
    removed: (): { id: string; at: number }[] =>
      sql.removed.all().map((row) => ({ id: text(row, 'item'), at: number(row, 'at') })),
    /** Marks of folders, prompts or presets by id. */
    items: (what: 'folder' | 'prompt' | 'preset'): Map<string, SyncMark> =>
      new Map(sql.items.all(what, 'deleted').map((row) => [text(row, 'item'), readMark(row)])),
    /** Marks of pinned files: by folder, then by the SHA-256 of the file. */
    files(): Map<string, Map<string, SyncMark>> {
      const folders = new Map<string, Map<string, SyncMark>>()
      for (const row of sql.files.all()) {
        const marks = folders.get(text(row, 'item')) ?? new Map<string, SyncMark>()
        marks.set(text(row, 'field').slice(fileField.length), readMark(row))
        folders.set(text(row, 'item'), marks)
      }
      return folders
    },
    /** The mark of a pinned file, or null. */
    fileMark: (folderId: string, sha256: string): SyncMark | null =>
      readOrNull(sql.one.get({ folderId, field: fileField + sha256 }), readMark),
    setFileMark: (folderId: string, sha256: string, { at, value }: SyncMark): void =>
      void sql.set.run({ what: 'folder', item: folderId, field: fileField + sha256, at, value, parent: null }),
    placeOf(messageId: string): MessagePlace | null {
      const row = sql.place.get(messageId)
      if (!row) return null
      const home = textOrNull(row, 'home')
      return { home: home ?? text(row, 'id'), isDeleted: home !== null }
    },
    /** Row number of a message, or null. */
    seqOf(messageId: string): number | null {
      const row = sql.seq.get(messageId)
      return row ? number(row, 'seq') : null
    },
    /** Removed conversations with messages that were deleted from a conversation. `parentId`: the message above them there. */
    partsOf: (conversationId: string): { id: string; parentId: string | null }[] =>
      sql.parts.all(conversationId).map((row) => ({ id: text(row, 'id'), parentId: textOrNull(row, 'part_parent') })),
    /** Runs `work` as one transaction in which changes leave no marks. */
    merging: <T>(work: () => T): T =>
      transaction(() => {
        sql.begin.run()
        const result = work()
        sql.end.run()
        return result
      }),
    /** Gives marks and last changes after `latest` the time `now`, ms since 1970: they come from a clock that was wrong. */
    bringBack: (now: number, latest: number): void =>
      transaction(() => {
        sql.early.run({ now, latest })
        sql.earlyChats.run({ now: new Date(now).toISOString(), latest: new Date(latest).toISOString() })
      }),
    /** Moves the last change forward, never back. */
    raiseUpdatedAt: (id: string, at: string): void => void sql.updatedAt.run({ id, at }),
    setTitle: (id: string, title: string | null, named: boolean): void =>
      void sql.title.run({ id, title, named: named ? 1 : 0 }),
    setModel: (id: string, model: string | null): void => void sql.model.run({ id, model }),
    /** Moves conversations to the folders that their marks name, where those exist. Returns the ids of changed ones. */
    projectFolders: (): string[] => sql.project.all().map((row) => text(row, 'id')),
    /** Number of rows that this process has changed. */
    changes: (): number => number(sql.changes.get() ?? {}, 'n'),
    state(key: string): string | null {
      const row = sql.state.get(key)
      return row ? text(row, 'value') : null
    },
    setState: (key: string, value: string): void => transaction(() => void sql.setState.run({ key, value })),
  }
}
