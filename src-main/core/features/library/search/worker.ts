import { DatabaseSync } from 'node:sqlite'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { searchReader } from '../../../store/search.ts'
import { createFinder, type SearchAnswer, type SearchAsk } from './finder.ts'

// Both ends of the search thread, as in the sandbox's speech/thread.ts: imported, this file starts a Worker of itself. It is only ever imported
// lazily, so that it is a chunk of its own in a bundle.
const role = 'inference-studio-search'

/** Without a question: fold the write-ahead log in. */
export type SearchJob = { id: number; ask: SearchAsk | null }
export type SearchWorkerReply = { id: number; answer: SearchAnswer } | { id: number; error: string }

const nothing: SearchAnswer = { hits: [], more: false }

export const startThread = (file: string): Worker =>
  new Worker(new URL(import.meta.url), { workerData: { role, file } })

const port = parentPort
if (port && workerData?.role === role) {
  // A connection of its own that can't write: the core's thread never waits for a search, and no search for a write (WAL).
  const handle = new DatabaseSync(String(workerData.file), { readOnly: true, timeout: 5000 })
  // 16 MB: the index of the first letters is what every keystroke reads.
  handle.exec('PRAGMA cache_size = -16384')
  const find = createFinder(searchReader(handle))
  // Writes nothing of its own: it only moves what the core's thread has written from the log to its place, so that no commit there has to.
  let folder: DatabaseSync | null = null
  const foldLog = (): SearchAnswer => {
    folder ??= new DatabaseSync(String(workerData.file), { timeout: 0 })
    folder.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    return nothing
  }
  port.on('message', ({ id, ask }: SearchJob) => {
    let answer: SearchWorkerReply
    try {
      answer = { id, answer: ask ? find(ask) : foldLog() }
    } catch (error) {
      answer = { id, error: error instanceof Error ? error.message : String(error) }
    }
    port.postMessage(answer)
  })
  port.on('close', () => {
    handle.close()
    folder?.close()
  })
}
