import type { Database } from './database.ts'
import { documentReader } from './documents.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, type Row, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

/** Number of rows of `search_text` that one message may have: `seq * partsEach + part`. */
const partsEach = 512

/** A message that must be indexed. */
export interface Unindexed {
  seq: number
  /** Without the text of its documents, which `documentText` reads. */
  text: string
  /** The column of this name. */
  documents: string
  /** The index has words of its former text. */
  stale: boolean
}

/** The writing side of the index: messages that are not indexed, their words, and small steps of merging. */
export function searchTable({ handle, journal, transaction }: Database) {
  const sql = prepareAll(handle, {
    next: `SELECT seq, text, refusal, documents, indexed FROM messages WHERE indexed <> 1 AND status NOT IN ('pending', 'streaming') AND seq > ?
      ORDER BY seq LIMIT ?`,
    some: "SELECT 1 FROM messages WHERE indexed <> 1 AND status NOT IN ('pending', 'streaming') LIMIT 1",
    insert: 'INSERT OR REPLACE INTO search_text (rowid, body) VALUES (?, ?)',
    forget: 'DELETE FROM search_text WHERE rowid BETWEEN ? AND ?',
    mark: 'UPDATE messages SET indexed = 1 WHERE seq = ?',
    merge: "INSERT INTO search_text (search_text, rank) VALUES ('merge', ?)",
    changes: 'SELECT total_changes() AS n',
    remember: "INSERT OR IGNORE INTO erasures (what, item) VALUES ('index', '')",
    clean: "DELETE FROM erasures WHERE what = 'index'",
    dirty: "SELECT 1 FROM erasures WHERE what = 'index'",
  })

  const { textOf } = documentReader(handle)

  /** Whether a merge step did anything: SQLite then counts two changes (https://sqlite.org/fts5.html, 6.8). */
  function step(pages: number): boolean {
    const before = number(sql.changes.get() ?? {}, 'n')
    sql.merge.run(pages)
    return number(sql.changes.get() ?? {}, 'n') - before >= 2
  }

  return {
    /** Settled messages that are not (or no longer) indexed, in order. */
    next: (after: number, limit: number): Unindexed[] => sql.next.all(after, limit).map(unindexed),
    /** The text of the documents of a message. */
    documentText: ({ documents }: Unindexed): string => textOf(documents),
    isBehind: (): boolean => sql.some.get() !== undefined,
    /** Runs `work` as one transaction. It survives the death of the process; after a power cut the messages are indexed again. */
    write(work: () => void): void {
      journal(work)
    },
    /** Inserts or replaces the words of one part of a message. */
    put: (seq: number, part: number, body: string): void => void sql.insert.run(seq * partsEach + part, body),
    forget: (seq: number): void => void sql.forget.run(seq * partsEach, seq * partsEach + partsEach - 1),
    done: (seq: number): void => void sql.mark.run(seq),
    /** A merge step of `pages` pages of 4 KB, if enough was written since the last step. False when there was nothing to do. */
    merge: (pages: number): boolean => journal(() => step(pages)),
    /** Records that the index has words of deleted messages, within the transaction that deletes them. */
    markDirty: (): void => void sql.remember.run(),
    isDirty: (): boolean => sql.dirty.get() !== undefined,
    /** Starts to rewrite the index without deleted words; `cleanStep` continues. A negative number rewrites all of it, not only full levels. */
    beginCleaning: (pages: number): boolean => journal(() => step(-pages)),
    /** False when the index has no deleted words any more. */
    cleanStep: (pages: number): boolean => journal(() => step(pages)),
    cleaned: (): void => transaction(() => void sql.clean.run()),
  }
}
export type SearchTable = ReturnType<typeof searchTable>
/** Maximum number of indexed parts of one message. */
export const maxParts = partsEach

/** The text of a message as it is indexed: what the person wrote, then its documents. */
export const withDocuments = (own: string, documents: string): string =>
  documents === '' ? own : `${own}\n${documents}`

function unindexed(row: Row): Unindexed {
  const refusal = text(row, 'refusal')
  const content = text(row, 'text')
  return {
    seq: number(row, 'seq'),
    text: refusal === '' ? content : `${content}\n${refusal}`,
    documents: text(row, 'documents'),
    stale: row.indexed === 2,
  }
}

/** A message that matches, and the first of its parts that does. */
export interface FoundMessage {
  seq: number
  part: number
}

export interface MessageOfHit {
  seq: number
  id: string
  conversationId: string
  title: string | null
  archived: boolean
  role: string
  at: string
  text: string
  leafId: string | null
}

/** The reading side, on a connection of its own. */
export function searchReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    titles: `SELECT id, title, archived_at, updated_at FROM conversations WHERE removed_at IS NULL AND title IS NOT NULL AND title <> ''
      ORDER BY updated_at DESC, id`,
    version: 'PRAGMA data_version',
    everywhere: `SELECT s.rowid AS place FROM search_text AS s
       CROSS JOIN messages AS m ON m.seq = s.rowid / ${partsEach}
       CROSS JOIN conversations AS c ON c.id = m.conversation_id
      WHERE s.search_text MATCH ? AND s.rowid < ? AND c.removed_at IS NULL ORDER BY s.rowid DESC`,
    inOne: `SELECT s.rowid AS place FROM search_text AS s CROSS JOIN messages AS m ON m.seq = s.rowid / ${partsEach}
      WHERE s.search_text MATCH ? AND s.rowid BETWEEN ? AND ? AND m.conversation_id = ? ORDER BY s.rowid DESC`,
    span: `SELECT min(m.seq) AS low, max(m.seq) AS high FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
      WHERE m.conversation_id = ? AND c.removed_at IS NULL`,
    message: `SELECT m.seq, m.id, m.conversation_id, m.role, m.created_at, m.text, m.refusal, m.documents, c.title, c.archived_at, c.leaf_id
       FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id WHERE m.seq = ?`,
    up: `WITH RECURSIVE up (seq, parent_id) AS (
       SELECT seq, parent_id FROM messages WHERE id = :leafId
       UNION ALL SELECT m.seq, m.parent_id FROM up JOIN messages AS m ON m.id = up.parent_id WHERE up.seq > :lowest)
     SELECT seq FROM up WHERE seq IN (SELECT value FROM json_each(:seqs))`,
  })

  const { textOf } = documentReader(handle)

  return {
    /** A number that changes when another connection has written. */
    version: (): number => number(sql.version.get() ?? {}, 'data_version'),
    /** Conversations with a title that are not removed, newest first. */
    titles: () =>
      sql.titles.all().map((row) => ({
        id: text(row, 'id'),
        title: text(row, 'title'),
        archived: row.archived_at !== null,
        at: text(row, 'updated_at'),
      })),
    /** Matching rows of the index, newest first. Several may belong to one message. */
    *places(match: string, conversationId: string | null): Generator<FoundMessage, undefined> {
      const range = conversationId === null ? null : sql.span.get(conversationId)
      if (range?.low === null) return
      const rows = range
        ? sql.inOne.iterate(
            match,
            number(range, 'low') * partsEach,
            number(range, 'high') * partsEach + partsEach - 1,
            conversationId,
          )
        : sql.everywhere.iterate(match, Number.MAX_SAFE_INTEGER)
      for (const row of rows) {
        const place = number(row, 'place')
        yield { seq: Math.floor(place / partsEach), part: place % partsEach }
      }
    },
    message(seq: number): MessageOfHit | null {
      const row = sql.message.get(seq)
      if (!row) return null
      const { text: own, documents } = unindexed({ ...row, indexed: 1 })
      const content = withDocuments(own, textOf(documents))
      return {
        seq,
        id: text(row, 'id'),
        conversationId: text(row, 'conversation_id'),
        role: text(row, 'role'),
        title: textOrNull(row, 'title'),
        archived: row.archived_at !== null,
        at: text(row, 'created_at'),
        text: content,
        leafId: textOrNull(row, 'leaf_id'),
      }
    },
    /** Which of the messages `seqs` are on the path to `leafId`. Walks upwards, no further than the oldest of these messages. */
    onPath(leafId: string | null, seqs: readonly number[]): Set<number> {
      if (leafId === null) return new Set()
      const rows = sql.up.all({ leafId, lowest: Math.min(...seqs), seqs: JSON.stringify(seqs) })
      return new Set(rows.map((row) => number(row, 'seq')))
    },
  }
}
export type SearchReader = ReturnType<typeof searchReader>
