import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { serveJobs, startWorker } from '../shared/worker.ts'

const role = 'inference-studio-log'

/** The mode of the checkpoint: https://sqlite.org/pragma.html#pragma_wal_checkpoint. */
export type CheckpointJob = 'passive' | 'truncate'

/** @param file path of the database */
export const startCheckpointWorker = (file: string): Worker => startWorker(import.meta.url, role, file)

/** The result of a job is false when a reader or a writer prevented it. */
serveJobs<CheckpointJob, boolean>(role, (file) => {
  // This connection writes no rows and never waits: with a timeout it would occupy the write lock while it waits for readers.
  const handle = new DatabaseSync(String(file), { timeout: 0 })
  return {
    handle: (job) => handle.prepare(`PRAGMA wal_checkpoint(${job})`).get()?.busy === 0,
    close: () => handle.close(),
  }
})
