import type { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { number } from '../rows.ts'

const usualCheckpoint = 4000
/** A file that does not give pages back is written anew only where at least so many pages (10 MB), and half of it, are free. */
const worthwhile = 2560

/**
 * Erases rows of the log for good. What is deleted is overwritten (`secure_delete`) and its pages go back to the disk (`auto_vacuum`). The sums by
 * day stay: they are other tables.
 */
export function requestErasing({ handle, transaction }: Database) {
  const some = handle.prepare('DELETE FROM requests WHERE id BETWEEN ? AND ? AND at < ? AND outcome IS NOT NULL')
  const noteHighest = handle.prepare(
    `INSERT INTO facts (name, value) SELECT 'erased_to', coalesce(max(id), 0) FROM requests WHERE true
       ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  )
  const pragma = (name: Fact): number => factOf(handle, name)

  return {
    /** Bytes of the file that are in use. */
    bytes: (): number => (pragma('page_count') - pragma('freelist_count')) * pragma('page_size'),
    /**
     * Before the first row goes. The highest id is noted, and given to no other row even where none is left: links and messages name rows by
     * theirs. Until `end` no commit folds the write-ahead log in by itself: somebody else does.
     */
    begin(): void {
      transaction(() => void noteHighest.run())
      handle.exec('PRAGMA wal_autocheckpoint = 0')
    },
    end: (): void => handle.exec(`PRAGMA wal_autocheckpoint = ${usualCheckpoint}`),
    /** Erases rows with these ids (both ends belong to it) that have ended and began before `before`; answers how many. */
    some: (low: number, high: number, before: number): number =>
      transaction(() => Number(some.run(low, high, before).changes)),
    /** Gives at most so many free pages (4 KB) back to the disk. False when there are none to give. */
    shrink(pages: number): boolean {
      if (pragma('auto_vacuum') === 0) return false
      handle.exec(`PRAGMA incremental_vacuum(${pages})`)
      return pragma('freelist_count') > 0
    },
    /**
     * A file that an earlier version made does not give pages back. At a start where most of it is free it is written anew, which takes as long as
     * what is left: less than half of it. Answers whether it was.
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

/** Whether a file of an earlier version is worth being written anew. */
export function isMostlyFree(handle: DatabaseSync): boolean {
  const free = factOf(handle, 'freelist_count')
  return factOf(handle, 'auto_vacuum') === 0 && free >= worthwhile && free * 2 >= factOf(handle, 'page_count')
}
