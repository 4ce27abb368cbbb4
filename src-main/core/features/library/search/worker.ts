import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { serveJobs, startWorker } from '../../../shared/worker.ts'
import { inReadTransaction } from '../../../store/database.ts'
import { searchReader } from '../../../store/search.ts'
import { createFinder, type SearchAnswer, type SearchAsk } from './finder.ts'

const role = 'inference-studio-search'

export type SearchJob = SearchAsk | 'checkpoint'

const nothing: SearchAnswer = { hits: [], more: false }

/** @param file path of the database */
export const startSearchWorker = (file: string): Worker => startWorker(import.meta.url, role, file)

serveJobs<SearchJob, SearchAnswer>(role, (data) => {
  const file = String(data)
  // A read-only connection of its own: the core's thread never waits for a search, and no search for a write (WAL).
  const handle = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  // 16 MB cache, because every keystroke reads the prefix index.
  handle.exec('PRAGMA cache_size = -16384')
  const find = createFinder(inReadTransaction(handle, () => searchReader(handle)))
  // Writes no rows. Only moves committed pages from the write-ahead log to the database file, so that no commit on the core's thread has
  // to.
  let checkpointer: DatabaseSync | null = null
  function checkpoint(): SearchAnswer {
    checkpointer ??= new DatabaseSync(file, { timeout: 0 })
    checkpointer.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    return nothing
  }
  return {
    handle: (job) => (job === 'checkpoint' ? checkpoint() : find(job)),
    close() {
      handle.close()
      checkpointer?.close()
    },
  }
})
