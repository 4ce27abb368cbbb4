import { badInput, note } from '../../shared/notes.ts'
import type { ForkProgram } from '../../shared/processWorker.ts'
import { outOfMemoryCode, WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import type { Conversion, ConversionJob, ConversionProgress } from './worker.ts'

/** Limits of one conversion. */
export interface ConversionLimits {
  /** How long one document may take, ms. The process is ended when it takes longer. */
  timeoutMs: number
  /** How much the memory of the process may grow during one conversion, bytes. */
  maxGrowthBytes: number
  /** The process ends after this time without a document, ms. */
  idleMs: number
}

const defaultLimits: ConversionLimits = { timeoutMs: 180_000, maxGrowthBytes: 2 * 1024 ** 3, idleMs: 30_000 }

/** Converts documents in a process that may die, one after another. */
export class DocumentConversion {
  readonly #client: WorkerClient<ConversionJob, Conversion, ConversionProgress>
  readonly #limits: ConversionLimits

  constructor(fork: ForkProgram, limits: Partial<ConversionLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
    const { idleMs, maxGrowthBytes } = this.#limits
    this.#client = new WorkerClient({
      name: 'document',
      start: async () => (await import('./worker.ts')).startConversionWorker(fork, maxGrowthBytes),
      idleMs,
      startTimeoutMs: 30_000,
      isTerminatedOnAbort: true,
    })
  }

  /**
   * Converts a file. `onProgress` gets the parts of the text, in order.
   * @throws StudioError `bad_input` for a file that cannot be converted within the limits, `cancelled` when the signal aborts; what
   * `onProgress` throws
   */
  async convert(
    job: ConversionJob,
    onProgress: (progress: ConversionProgress) => void,
    signal?: AbortSignal,
  ): Promise<Conversion> {
    const own = new AbortController()
    let failure: unknown = null
    try {
      return await this.#client.run(() => job, {
        signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
        timeoutMs: this.#limits.timeoutMs,
        onProgress(progress) {
          // An error thrown here would end this process, because this runs in an event of the other one.
          try {
            if (failure === null) onProgress(progress)
          } catch (thrown) {
            failure = thrown
            own.abort()
          }
        },
      })
    } catch (thrown) {
      throw failure ?? asStudioError(thrown)
    }
  }

  /** Cancels all conversions and ends the process. */
  close = (): Promise<void> => this.#client.terminate()
}

function asStudioError(thrown: unknown): unknown {
  if (thrown instanceof WorkerTimeout) {
    return badInput(note('unreadable.slow'), thrown)
  }
  if (!(thrown instanceof WorkerExit)) return thrown
  const { cause } = thrown
  const isMemory = cause instanceof Error && 'code' in cause && cause.code === outOfMemoryCode
  return badInput(note(isMemory ? 'unreadable.memory' : 'unreadable.damaged'), thrown)
}
