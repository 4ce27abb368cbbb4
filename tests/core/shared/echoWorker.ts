import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { StudioError } from '../../../src-main/core/errors.ts'
import { startProcessWorker } from '../../../src-main/core/shared/processWorker.ts'
import { serveJobs, startWorker } from '../../../src-main/core/shared/worker.ts'
import { forkNode } from '../../../src-main/hosts/node/forkNode.ts'

// A worker for tests of the worker client.
const role = 'test-echo'

export type EchoJob =
  | { do: 'echo'; text: string }
  | { do: 'count' }
  | { do: 'sleep'; ms: number }
  | { do: 'fail' }
  | { do: 'exit' }
  | { do: 'spin' }
  | { do: 'pid' }
  | { do: 'environment' }
  | { do: 'buffers' | 'objects' }
  | { do: 'write'; path: string }
  | { do: 'program' }
  | { do: 'fill'; bytes: Uint8Array<ArrayBuffer> }

export const startEchoWorker = (options: { isStuck?: boolean } = {}): Worker =>
  startWorker(import.meta.url, role, options)

/** The same in a process that may die. Its heap may have 64 MB, and the process may grow by 200 MB in a job. */
export const startEchoProcess = () =>
  startProcessWorker(forkNode, import.meta.url, role, {
    maxGrowthBytes: 200 * 1024 ** 2,
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })

serveJobs<EchoJob, string | number | Uint8Array, string>(role, (data) => {
  if ((data as { isStuck?: boolean } | undefined)?.isStuck) for (;;);
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
        case 'pid':
          return process.pid
        case 'environment':
          return JSON.stringify(process.env)
        case 'buffers':
          for (const buffers = []; ; ) buffers.push(Buffer.alloc(10_000_000, 1))
        case 'objects':
          for (const objects = []; ; ) objects.push({ at: objects.length })
        case 'write':
          writeFileSync(job.path, 'written')
          return 'written'
        case 'program':
          return spawnSync(process.execPath, ['--version']).stdout.toString()
        case 'fill':
          transfer([job.bytes.buffer])
          return job.bytes.fill(1)
      }
    },
  }
})
