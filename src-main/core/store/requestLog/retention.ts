import type { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { number } from '../rows.ts'

const usualCheckpoint = 4000
/** Pages. A file that does not release pages is rewritten only when at least this many (10 MB), and half of the file, are free. */
const worthwhile = 2560

/**
 * Deletes rows of the log permanently. Deleted content is overwritten (`secure_delete`) and its pages are released to the disk
 * (`auto_vacuum`). Daily sums are in other tables and stay.
 */
export function requestErasing({ handle, transaction }: Database) {
  const some = handle.prepare('DELETE FROM requests WHERE id BETWEEN ? AND ? AND at < ? AND outcome IS NOT NULL')
  const turnsOf = handle.prepare(
    'DELETE FROM turns WHERE request BETWEEN ? AND ? AND request NOT IN (SELECT id FROM requests WHERE id BETWEEN ? AND ?)',
  )
  // A session goes with its last turn. Its sums count the deleted ones until then.
  const sessionsOf = handle.prepare(
    `DELETE FROM sessions WHERE last_request BETWEEN ? AND ?
      AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.session = sessions.id)`,
  )
  const noteHighest = handle.prepare(
    `INSERT INTO facts (name, value) SELECT 'erased_to', coalesce(max(id), 0) FROM requests WHERE true
       ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  )
  const pragma = (name: Fact): number => factOf(handle, name)

  return {
    /** Bytes of the file that are in use. */
    bytes: (): number => (pragma('page_count') - pragma('freelist_count')) * pragma('page_size'),
    /**
     * Call before the first row is deleted. Records the highest id, so that no new row gets it even when no row is left: links and messages
     * refer to rows by id. Until `end`, commits do not checkpoint the write-ahead log; the caller must.
     */
    begin(): void {
      transaction(() => void noteHighest.run())
      handle.exec('PRAGMA wal_autocheckpoint = 0')
    },
    end: (): void => handle.exec(`PRAGMA wal_autocheckpoint = ${usualCheckpoint}`),
    /** Deletes rows with ids from `low` to `high` that have ended and began before `before`. Returns how many. */
    some: (low: number, high: number, before: number): number =>
      transaction(() => {
        const { changes } = some.run(low, high, before)
        turnsOf.run(low, high, low, high)
        sessionsOf.run(low, high)
        return Number(changes)
      }),
    /** Releases at most `pages` free pages (4 KB each) to the disk. False when there are none. */
    shrink(pages: number): boolean {
      if (pragma('auto_vacuum') === 0) return false
      handle.exec(`PRAGMA incremental_vacuum(${pages})`)
      return pragma('freelist_count') > 0
    },
    /**
     * Rewrites a file of an earlier version, which does not release pages, when most of it is free. That takes as long as copying the rest,
     * less than half of it. Returns whether it did.
     */
    writeAnew(): boolean {
      if (!isMostlyFree(handle)) return false
      handle.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
      return true
    },
  }
}

type Fact = 'page_count' | 'freelist_count' | 'page_size' | 'auto_vacuum'
const factOf = (handle: DatabaseSync, name: Fact): number => number(handle.prepare(`PRAGMA ${name}`).get() ?? {}, name)

/** Whether rewriting a file of an earlier version would release enough space. */
export function isMostlyFree(handle: DatabaseSync): boolean {
  const free = factOf(handle, 'freelist_count')
  return factOf(handle, 'auto_vacuum') === 0 && free >= worthwhile && free * 2 >= factOf(handle, 'page_count')
}
