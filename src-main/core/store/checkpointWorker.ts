import { DatabaseSync } from 'node:sqlite'
import { parentPort, Worker, workerData } from 'node:worker_threads'

// Both ends of the thread, as in library/search/thread.ts: imported, this file starts a Worker of itself. It is only ever imported lazily, so that
// it is a chunk of its own in a bundle.
const role = 'inference-studio-log'

export type CheckpointJob = 'fold' | 'empty'
/** `done` is false where a reader, or a writer, was in the way. */
export type CheckpointReply = { done: boolean } | { error: string }

export const startThread = (file: string): Worker =>
  new Worker(new URL(import.meta.url), { workerData: { role, file } })

const port = parentPort
if (port && workerData?.role === role) {
  // It writes nothing of its own, and waits for nobody: with a timeout it would hold the write lock while it waits for readers.
  const handle = new DatabaseSync(String(workerData.file), { timeout: 0 })
  const work = (job: CheckpointJob): CheckpointReply => {
    try {
      const row = handle.prepare(`PRAGMA wal_checkpoint(${job === 'fold' ? 'PASSIVE' : 'TRUNCATE'})`).get()
      return { done: row?.busy === 0 }
    } catch (thrown) {
      return { error: thrown instanceof Error ? thrown.message : String(thrown) }
    }
  }
  port.on('message', (job: CheckpointJob) => port.postMessage(work(job)))
  port.on('close', () => handle.close())
}
