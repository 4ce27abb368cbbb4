import type { StudioError } from '../../errors.ts'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import { unreadable } from './convert/converted.ts'
import type { Conversion, ConversionJob, ConversionProgress } from './worker.ts'

/** Limits of one conversion. */
export interface ConversionLimits {
  /** How long one document may take, ms. The thread is terminated when it takes longer. */
  timeoutMs: number
  /** How much the memory of the process may grow during one conversion, bytes. The thread's own limit does not count buffers. */
  maxGrowthBytes: number
  /** The thread ends after this time without a document, ms. */
  idleMs: number
}

const defaultLimits: ConversionLimits = { timeoutMs: 180_000, maxGrowthBytes: 2 * 1024 ** 3, idleMs: 30_000 }

/** How often the memory is measured during a conversion, ms. */
const measureMs = 50

/** Converts documents on a worker thread, one after another. */
export class DocumentConversion {
  readonly #client: WorkerClient<ConversionJob, Conversion, ConversionProgress>
  readonly #limits: ConversionLimits

  constructor(limits: Partial<ConversionLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
    this.#client = new WorkerClient({
      name: 'document',
      start: async () => (await import('./worker.ts')).startConversionWorker(),
      idleMs: this.#limits.idleMs,
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
    const ended = signal ? AbortSignal.any([signal, own.signal]) : own.signal
    let failure: unknown = null
    const fail = (thrown: unknown): void => {
      failure ??= thrown
      own.abort()
    }
    let start: number | null = null
    const timer = setInterval(() => {
      if (start !== null && process.memoryUsage.rss() - start > this.#limits.maxGrowthBytes) fail(tooMuchMemory())
    }, measureMs)
    const begin = (): ConversionJob => {
      start = process.memoryUsage.rss()
      return job
    }
    try {
      return await this.#client.run(begin, {
        signal: ended,
        timeoutMs: this.#limits.timeoutMs,
        onProgress(progress) {
          // An error thrown here would end the process, because this runs in an event of the thread.
          try {
            if (failure === null) onProgress(progress)
          } catch (thrown) {
            fail(thrown)
          }
        },
      })
    } catch (thrown) {
      throw failure ?? asStudioError(thrown)
    } finally {
      clearInterval(timer)
    }
  }

  /** Cancels all conversions and stops the thread. */
  close = (): Promise<void> => this.#client.terminate()
}

const tooMuchMemory = (cause?: unknown): StudioError =>
  unreadable('The document needs too much memory to be read safely.', cause)

function asStudioError(thrown: unknown): unknown {
  if (thrown instanceof WorkerTimeout) {
    return unreadable('Reading the document took too long, so it was stopped.', thrown)
  }
  if (!(thrown instanceof WorkerExit)) return thrown
  const { cause } = thrown
  const isMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? tooMuchMemory(thrown) : unreadable('The document is damaged and cannot be read.', thrown)
}
