import type { Worker } from 'node:worker_threads'
import { StudioError } from '../../../src-main/core/errors.ts'
import { serveJobs, startWorker } from '../../../src-main/core/shared/worker.ts'

// A worker for tests of the worker client.
const role = 'test-echo'

export type EchoJob =
  | { do: 'echo'; text: string }
  | { do: 'count' }
  | { do: 'sleep'; ms: number }
  | { do: 'fail' }
  | { do: 'exit' }
  | { do: 'spin' }
  | { do: 'fill'; bytes: Uint8Array<ArrayBuffer> }

export const startEchoWorker = (options: { isStuck?: boolean } = {}): Worker =>
  startWorker(import.meta.url, role, options)

serveJobs<EchoJob, string | number | Uint8Array, string>(role, (data) => {
  if ((data as { isStuck?: boolean }).isStuck) for (;;);
  let jobs = 0
  return {
    async handle(job, { progress, transfer }) {
      jobs += 1
      switch (job.do) {
        case 'echo':
          progress(`about to echo ${job.text}`)
          return job.text
        case 'count':
          return jobs
        case 'sleep':
          await new Promise((resolve) => setTimeout(resolve, job.ms))
          return 'slept'
        case 'fail':
          throw new StudioError('bad_input', 'This job fails.', { said: 'the reason' })
        case 'exit':
          return process.exit(7)
        case 'spin':
          for (;;);
        case 'fill':
          transfer([job.bytes.buffer])
          return job.bytes.fill(1)
      }
    },
  }
})
