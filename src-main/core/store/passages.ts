import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, numbers, type Row, readOrNull, text, texts } from './rows.ts'
import { prepareAll } from './statements.ts'

/** How far the text of a pinned file is divided into passages. */
export interface PassageProgress {
  mediaId: string
  /** The next part of the document, from 1, and the place in its text, UTF-16 units. */
  part: number
  start: number
}

/** A stored passage. */
export interface StoredPassage {
  mediaId: string
  part: number
  start: number
  text: string
  /** Label of the part. */
  label: string
}

/** The writing side of the index of passages. */
export function passageTable({ handle, journal, transaction }: Database) {
  const sql = prepareAll(handle, {
    next: `SELECT media_id, coalesce(p.next_part, 1) AS part, coalesce(p.next_start, 0) AS start FROM folder_files AS f
       LEFT JOIN passage_files AS p USING (media_id) WHERE coalesce(p.is_done, 0) = 0 ORDER BY f.added_at, media_id LIMIT 1`,
    part: 'SELECT text FROM document_parts WHERE media_id = ? AND part = ?',
    insert:
      'INSERT OR IGNORE INTO passages (media_id, part, start, text) VALUES (:mediaId, :part, :start, :text) RETURNING id',
    words: 'INSERT INTO search_text_passages (rowid, body) VALUES (?, ?)',
    progress: `INSERT OR REPLACE INTO passage_files (media_id, next_part, next_start, is_done) VALUES (:mediaId, :part, :start, :isDone)`,
    outdated: `SELECT media_id FROM passage_files WHERE next_part = 0
       OR NOT EXISTS (SELECT 1 FROM folder_files AS f WHERE f.media_id = passage_files.media_id) LIMIT 1`,
    drop: 'DELETE FROM passages WHERE id IN (SELECT id FROM passages WHERE media_id = ? ORDER BY id LIMIT ?)',
    forget: 'DELETE FROM passage_files WHERE media_id = ?',
    markDirty: 'INSERT OR REPLACE INTO passage_index (id, has_deleted) VALUES (1, 1)',
    clean: 'INSERT OR REPLACE INTO passage_index (id, has_deleted) VALUES (1, 0)',
    dirty: 'SELECT 1 FROM passage_index WHERE has_deleted = 1',
    merge: "INSERT INTO search_text_passages (search_text_passages, rank) VALUES ('merge', ?)",
    changes: 'SELECT total_changes() AS n',
    counts:
      'SELECT (SELECT count(*) FROM passages) AS passages, (SELECT count(*) FROM search_text_passages_docsize) AS indexed',
    at: `SELECT p.media_id, p.part, p.start, p.text, d.label FROM passages AS p
       JOIN document_parts AS d ON d.media_id = p.media_id AND d.part = p.part WHERE p.media_id = ? AND p.part = ? AND p.start = ?`,
  })

  /** Whether a merge step did anything: SQLite then counts two changes (https://sqlite.org/fts5.html, 6.8). */
  function step(pages: number): boolean {
    const before = number(sql.changes.get() ?? {}, 'n')
    sql.merge.run(pages)
    return number(sql.changes.get() ?? {}, 'n') - before >= 2
  }

  return {
    /** The pinned file to index next; null when all are complete. */
    next: (): PassageProgress | null => readOrNull(sql.next.get(), readPlace),
    /** The text of a part of a document; null after its last part. */
    partText: (mediaId: string, part: number): string | null =>
      readOrNull(sql.part.get(mediaId, part), (row) => text(row, 'text')),
    /** Runs `work` as one transaction, which survives the death of the process. */
    write: (work: () => void): void => journal(work),
    /** Stores a passage and its folded words, within `write`. */
    put(passage: Omit<StoredPassage, 'label'>, words: string): void {
      const row = sql.insert.get({ ...passage })
      if (row) sql.words.run(number(row, 'id'), words)
    },
    setProgress: (progress: PassageProgress & { isDone: boolean }): void =>
      void sql.progress.run({ ...progress, isDone: Number(progress.isDone) }),
    /** A file with passages that no folder has any more, or whose text was replaced (progress 0). */
    outdated: (): string | null => readOrNull(sql.outdated.get(), (row) => text(row, 'media_id')),
    /** Deletes up to `most` passages of a file. False when none is left. Within `write`. */
    dropSome(mediaId: string, most: number): boolean {
      sql.markDirty.run()
      if (Number(sql.drop.run(mediaId, most).changes) > 0) return true
      sql.forget.run(mediaId)
      return false
    },
    /** Merge step of `pages` pages of 4 KB. False when there was nothing to do. */
    merge: (pages: number): boolean => journal(() => step(pages)),
    /** Whether the index has words of deleted passages. */
    isDirty: (): boolean => sql.dirty.get() !== undefined,
    /** Starts to rewrite the index without deleted words. `merge` continues. */
    beginCleaning: (pages: number): boolean => journal(() => step(-pages)),
    cleaned: (): void => transaction(() => void sql.clean.run()),
    /** Whether passages and index have different sizes, as after the recovery of a damaged database. */
    isBroken(): boolean {
      const row = sql.counts.get() ?? {}
      return number(row, 'passages') !== number(row, 'indexed')
    },
    /** Deletes all passages, so that they are written again. */
    reset: (): void =>
      transaction(() =>
        handle.exec(
          `DELETE FROM passages; DELETE FROM passage_files;
           INSERT INTO search_text_passages (search_text_passages) VALUES ('delete-all')`,
        ),
      ),
    /** The passage at a place. */
    at: ({ mediaId, part, start }: { mediaId: string; part: number; start: number }): StoredPassage | null =>
      readOrNull(sql.at.get(mediaId, part, start), readPassage),
  }
}
export type PassageTable = ReturnType<typeof passageTable>

/** The reading side, on a connection of its own. */
export function passageReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    version: 'PRAGMA data_version',
    count: 'SELECT doc FROM search_text_words WHERE term = ?',
    all: 'SELECT count(*) AS n FROM passages WHERE media_id IN (SELECT value FROM json_each(?))',
    find: `SELECT p.media_id, p.part, p.start, p.text, d.label FROM (
         SELECT s.rowid AS id, bm25(search_text_passages) AS score FROM search_text_passages AS s
          WHERE s.search_text_passages MATCH ? AND +s.rowid IN (SELECT id FROM passages WHERE media_id IN (SELECT value FROM json_each(?)))
          ORDER BY score LIMIT ?) AS f
       CROSS JOIN passages AS p ON p.id = f.id
       CROSS JOIN document_parts AS d ON d.media_id = p.media_id AND d.part = p.part
      ORDER BY f.score, p.id`,
  })
  return {
    /** A number that changes when another connection has written. */
    version: (): number => number(sql.version.get() ?? {}, 'data_version'),
    /** In how many passages a folded word occurs. */
    occurrences: (word: string): number => {
      const row = sql.count.get(word)
      return row ? number(row, 'doc') : 0
    },
    /** The number of passages of these files. */
    count: (mediaIds: readonly string[]): number => number(sql.all.get(JSON.stringify(mediaIds)) ?? {}, 'n'),
    /** The best passages of these files, best first (BM25). @param match in the syntax of FTS5 */
    find: (match: string, mediaIds: readonly string[], limit: number): StoredPassage[] =>
      sql.find.all(match, JSON.stringify(mediaIds), limit).map(readPassage),
  }
}
export type PassageReader = ReturnType<typeof passageReader>

const readPlace = (row: Row): PassageProgress => ({
  mediaId: text(row, 'media_id'),
  ...numbers(row, 'part', 'start'),
})

const readPassage = (row: Row): StoredPassage => ({ ...readPlace(row), ...texts(row, 'text', 'label') })
