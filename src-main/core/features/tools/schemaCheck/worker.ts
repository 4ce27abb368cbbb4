import type { JsonFormat } from '../../../ports/toolCalls.ts'
import { type ForkProgram, startProcessWorker } from '../../../shared/processWorker.ts'
import { serveJobs } from '../../../shared/worker.ts'
import type { WorkerThread } from '../../../shared/workerClient.ts'
import { faultsOfReply } from './replyFaults.ts'
import { faultsOfArguments, faultsOfSchema } from './validate.ts'

const role = 'inference-studio-check'

/** Checks a schema (JSON text), arguments (JSON text) against a schema, or a reply against its requested format. */
export type SchemaJob = { schema: string } | { schema: string; args: string } | { reply: string; format: JsonFormat }

export const startSchemaWorker = (fork: ForkProgram): Promise<WorkerThread> =>
  startProcessWorker(fork, import.meta.url, role, {
    maxGrowthBytes: 512 * 1024 ** 2,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })

serveJobs<SchemaJob, string[]>(role, () => ({
  handle(job) {
    if ('reply' in job) return faultsOfReply(job.reply, job.format)
    return 'args' in job ? faultsOfArguments(job.schema, job.args) : faultsOfSchema(job.schema)
  },
}))
