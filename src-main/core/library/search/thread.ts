import { DatabaseSync } from 'node:sqlite'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { searchReader } from '../../store/search.ts'
import { createFinder, type SearchAnswer, type SearchAsk } from './find.ts'

// Both ends of the search thread, as in the sandbox's speech/thread.ts: imported, this file starts a Worker of itself. It is only ever imported
// lazily, so that it is a chunk of its own in a bundle.
const role = 'inference-studio-search'

export type Job = { id: number; ask: SearchAsk }
export type Answer = { id: number; answer: SearchAnswer } | { id: number; error: string }

export const startThread = (file: string): Worker =>
  new Worker(new URL(import.meta.url), { workerData: { role, file } })

const port = parentPort
if (port && workerData?.role === role) {
  // A connection of its own that can't write: the core's thread never waits for a search, and no search for a write (WAL).
  const handle = new DatabaseSync(String(workerData.file), { readOnly: true, timeout: 5000 })
  // 16 MB: the index of the first letters is what every keystroke reads.
  handle.exec('PRAGMA cache_size = -16384')
  const find = createFinder(searchReader(handle))
  port.on('message', ({ id, ask }: Job) => {
    let answer: Answer
    try {
      answer = { id, answer: find(ask) }
    } catch (error) {
      answer = { id, error: error instanceof Error ? error.message : String(error) }
    }
    port.postMessage(answer)
  })
  port.on('close', () => handle.close())
}
