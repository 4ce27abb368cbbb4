import { type ForkProgram, startProcessWorker } from '../../core/shared/processWorker.ts'
import { serveJobs } from '../../core/shared/worker.ts'
import type { WorkerThread } from '../../core/shared/workerClient.ts'

// Exceeds its heap limit on purpose. Both ends of a worker, as in core/shared/worker.ts.

const role = 'inference-studio-memory'

/** The most that it takes when nothing stops it, so that this computer survives a limit that does not hold, MB. */
const mostMb = 192

export const startMemoryWorker = (fork: ForkProgram): Promise<WorkerThread> =>
  startProcessWorker(fork, import.meta.url, role, {
    maxGrowthBytes: 512 * 1024 ** 2,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  })

/** `fill` answers with the MB that it could take. */
serveJobs<'fill' | 'answer', number>(role, () => ({
  handle(job) {
    if (job === 'answer') return 0
    const all: number[][] = []
    // 128 × 1,024 numbers of 8 bytes are 1 MB.
    while (all.length < mostMb) all.push(Array.from({ length: 128 * 1024 }, (_, at) => at + 0.5))
    return all.length
  },
}))
