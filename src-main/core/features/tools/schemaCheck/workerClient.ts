import { StudioError } from '../../../errors.ts'
import type { JsonFormat } from '../../../ports/toolCalls.ts'
import type { ForkProgram } from '../../../shared/processWorker.ts'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../../shared/workerClient.ts'
import { limits } from '../limits.ts'
import type { SchemaJob } from './worker.ts'

/** The process uses about 50 MB, so it is ended after this time without a check, ms. */
const idleMs = 30_000
/** How long the process may take to start on a busy machine, ms. */
const startTimeoutMs = 20_000

/**
 * Checks schemas, and arguments and replies against them, in a process that may die, with a time and a memory limit, one after another. A
 * check that exceeds a limit is reported as a fault, so that unchecked arguments are never used.
 */
export class SchemaCheckClient {
  readonly #checkMs: number
  readonly #client: WorkerClient<SchemaJob, string[]>

  constructor({ checkMs = limits.checkMs, fork }: { checkMs?: number; fork: ForkProgram }) {
    this.#checkMs = checkMs
    this.#client = new WorkerClient({
      name: 'schema check',
      start: async () => (await import('./worker.ts')).startSchemaWorker(fork),
      idleMs,
      startTimeoutMs,
    })
  }

  /** The faults of a schema (JSON text), one sentence each. */
  schema(schema: string): Promise<string[]> {
    return this.#check({ schema })
  }

  /** The faults of arguments (JSON text) for a schema without faults, one sentence each. */
  args(schema: string, args: string): Promise<string[]> {
    return this.#check({ schema, args })
  }

  /** The faults of a reply for its requested format, one sentence each. */
  reply(reply: string, format: JsonFormat): Promise<string[]> {
    return this.#check({ reply, format })
  }

  close(): Promise<void> {
    return this.#client.terminate()
  }

  #check(job: SchemaJob): Promise<string[]> {
    return this.#client
      .run(() => job, { timeoutMs: this.#checkMs })
      .catch((thrown: unknown) => [faultFor(thrown, this.#checkMs)])
  }
}

function faultFor(thrown: unknown, checkMs: number): string {
  if (thrown instanceof WorkerTimeout) {
    return thrown.phase === 'start'
      ? 'The checking process did not start.'
      : `Checking took longer than ${checkMs} ms, so it was given up.`
  }
  if (thrown instanceof WorkerExit) return 'Checking took too much memory, so it was given up.'
  if (thrown instanceof StudioError && thrown.kind === 'cancelled')
    return 'It could not be checked: the program is ending.'
  return thrown instanceof Error ? thrown.message : String(thrown)
}
