import { splitForSpeech } from '../../shared/text/speechSplit.ts'
import { WorkerClient, WorkerTimeout } from '../../shared/workerClient.ts'

/** Longer texts are read by a thread, UTF-16 units. The Markdown parser's work grows with the square of a text: for this many, up to 10 ms. */
const maxHere = 1000
/** How long the thread may take for one text, ms. Ordinary text of a million characters takes one second. */
const limitMs = 5000
/** The thread ends after this time without a text, ms. */
const idleMs = 60_000

/** The parts in which texts are read aloud: without Markdown, each short enough for one request. */
export class SpeechParts {
  readonly #limitMs: number
  readonly #client = new WorkerClient<string, string[]>({
    name: 'speakable text',
    start: async () => (await import('./worker.ts')).startSpeakableWorker(),
    idleMs,
    isTerminatedOnAbort: true,
  })
  /** The last long text. A player asks for its parts one after another. */
  #last: { text: string; parts: string[] } | null = null

  constructor({ limitMs: ms = limitMs }: { limitMs?: number } = {}) {
    this.#limitMs = ms
  }

  /**
   * The parts of a text. A text whose Markdown can't be read in time is read with its marks.
   * @throws StudioError `cancelled` when the signal aborts
   */
  async of(text: string, signal?: AbortSignal): Promise<string[]> {
    if (text.length <= maxHere) {
      const { speakable } = await import('./speakable.ts')
      return splitForSpeech(speakable(text))
    }
    if (this.#last?.text === text) return this.#last.parts
    const parts = await this.#client
      .run(() => text, { signal, timeoutMs: this.#limitMs })
      .catch((thrown: unknown) => {
        if (thrown instanceof WorkerTimeout) return splitForSpeech(text)
        throw thrown
      })
    this.#last = { text, parts }
    return parts
  }

  close(): Promise<void> {
    return this.#client.terminate()
  }
}
