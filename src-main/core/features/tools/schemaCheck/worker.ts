import type { Worker } from 'node:worker_threads'
import { serveJobs, startWorker } from '../../../shared/worker.ts'
import { faultsOfArguments, faultsOfSchema } from './validate.ts'

const role = 'inference-studio-check'

/** JSON texts. Without arguments, the schema itself is checked. */
export interface SchemaJob {
  schema: string
  args: string | null
}

export const startSchemaWorker = (): Worker =>
  startWorker(import.meta.url, role, null, {
    // Gives untrusted schemas no access to this program's environment and arguments.
    env: {},
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })

serveJobs<SchemaJob, string[]>(role, () => ({
  handle: ({ schema, args }) => (args === null ? faultsOfSchema(schema) : faultsOfArguments(schema, args)),
}))
