import { parentPort, Worker, workerData } from 'node:worker_threads'
import { faultsOfArguments, faultsOfSchema } from './validate.ts'

// This file is both ends of the checking thread: imported, it starts a Worker of itself. So the same line works from sources and
// from a bundle, where it is a chunk of its own (it is only ever imported lazily), with no bundler's worker syntax.
const role = 'inference-studio-check'

export type SchemaJob = { id: number; schema: string; args: string | null }
export type SchemaWorkerReply = 'ready' | { id: number; faults: string[] }

export const startThread = (): Worker =>
  new Worker(new URL(import.meta.url), {
    workerData: { role },
    // Nothing of ours that a regular expression could want.
    env: {},
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })

const port = parentPort
if (port && workerData?.role === role) {
  const answer = (message: SchemaWorkerReply): void => port.postMessage(message)
  port.on('message', ({ id, schema, args }: SchemaJob) => {
    answer({ id, faults: args === null ? faultsOfSchema(schema) : faultsOfArguments(schema, args) })
  })
  answer('ready')
}
