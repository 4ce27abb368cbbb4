import type { CancelSignal } from '../../shared/cancel.ts'
import { type RunOptions, WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import type { TokenCount } from '../dialects/messages/countTokens.ts'
import type { CountJob, CountResult, TranslationJob, TranslationResult } from '../dialects/translationWorker.ts'
import type { DialectProblem } from '../dialects/types.ts'
import type { Refusal } from './errorReplies.ts'

/** Larger bodies, with the earlier responses that they continue, are parsed on another thread: parsing and writing 5 MB takes about 100 ms. Bytes. */
export const onThreadFrom = 1024 * 1024
/** How long the largest body may take on a busy machine, ms. */
const threadMs = 20_000

/** A thread that parses and translates large requests, one after another. */
export class TranslationThread {
  readonly #worker = new WorkerClient<TranslationJob | CountJob, TranslationResult | CountResult>({
    name: 'translation',
    start: async () => (await import('../dialects/translationWorker.ts')).startTranslationWorker(),
    idleMs: 60_000,
    startTimeoutMs: threadMs,
  })

  /** Translates a request. Returns a refusal when the thread was too slow or ended. @throws StudioError `cancelled` */
  translate(job: TranslationJob, signal: CancelSignal): Promise<TranslationResult | Refusal> {
    return this.#run(job, signal) as Promise<TranslationResult | Refusal>
  }

  /** Counts the tokens of a request. As `translate`. */
  countTokens(bytes: Buffer, signal: CancelSignal): Promise<TokenCount | { problem: DialectProblem } | Refusal> {
    return this.#run({ action: 'count_tokens', bytes }, signal) as Promise<CountResult | Refusal>
  }

  terminate(): Promise<void> {
    return this.#worker.terminate()
  }

  async #run(job: TranslationJob | CountJob, signal: CancelSignal): Promise<TranslationResult | CountResult | Refusal> {
    const gone = new AbortController()
    const leave = (): void => gone.abort()
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    const options: RunOptions<never> = { signal: gone.signal, timeoutMs: threadMs }
    try {
      return await this.#worker.run(() => job, options)
    } catch (thrown) {
      if (thrown instanceof WorkerTimeout || thrown instanceof WorkerExit) return notTranslated
      throw thrown
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}

const notTranslated: Refusal = {
  status: 503,
  type: 'studio_busy',
  code: 'translation_failed',
  message: 'This large request could not be translated in time. Nothing was sent to the service.',
}
