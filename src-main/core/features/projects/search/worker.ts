import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { serveJobs, startWorker } from '../../../shared/worker.ts'
import { inReadTransaction } from '../../../store/database.ts'
import { passageReader, type StoredPassage } from '../../../store/passages.ts'
import { createPassageFinder, type PassageSearch } from './findPassages.ts'

const role = 'inference-studio-passages'

export type PassageJob = PassageSearch | 'checkpoint'

/** @param file path of the database */
export const startPassageWorker = (file: string): Worker => startWorker(import.meta.url, role, file)

serveJobs<PassageJob, StoredPassage[]>(role, (data) => {
  const file = String(data)
  // A read-only connection of its own: the core's thread never waits for a search, and no search for a write (WAL).
  const handle = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  handle.exec('PRAGMA cache_size = -32768')
  const find = createPassageFinder(inReadTransaction(handle, () => passageReader(handle)))
  let checkpointer: DatabaseSync | null = null
  /** Moves committed pages from the write-ahead log to the database file, so that no commit on the core's thread has to. */
  function checkpoint(): StoredPassage[] {
    checkpointer ??= new DatabaseSync(file, { timeout: 0 })
    checkpointer.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    return []
  }
  return {
    handle: (job) => (job === 'checkpoint' ? checkpoint() : find(job)),
    close() {
      handle.close()
      checkpointer?.close()
    },
  }
})
