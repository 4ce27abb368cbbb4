import { AsyncLocalStorage } from 'node:async_hooks'

/** Counts, for one page. */
export interface CallBounds {
  /** Calls that run at once, until their answers have left. A page makes about 20 when it starts. */
  running: number
  /** Streams of events that are open at once. A page watches about 30 things. */
  streams: number
}

export const usualCallBounds: CallBounds = { running: 64, streams: 512 }

export interface CallHooks<M> {
  /** Carries out what a message asks for. Resolves when the answer has left, or the stream has ended. */
  run(message: M): Promise<void>
  /** False while more waits to be sent to the page than it reads. */
  mayAnswer(): boolean
  /** Called with true when messages wait here, so that no more are read, and with false when they are read again. */
  hold(holds: boolean): void
  /** The page has opened too many streams: its connection is to be closed. */
  tooManyStreams(): void
}

interface Running {
  becomesStream(): void
}

const current = new AsyncLocalStorage<Running>()

interface Handled {
  matched: boolean
  response?: { body: unknown } | undefined
}

/** To be an interceptor of the RPC handler: `PageCalls` must know which calls are streams, which run for as long as the page wants. */
export async function marksStreams<R extends Handled>({ next }: { next(): Promise<R> }): Promise<R> {
  const result = await next()
  const body = result.response?.body
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) current.getStore()?.becomesStream()
  return result
}

/**
 * The calls of one page. So many run at once, and none begins while the page does not read what was sent; the others wait, and hold back the
 * page's connection. Without that, each call costs memory from the moment it comes until its answer is read.
 */
export class PageCalls<M> {
  readonly #bounds: CallBounds
  readonly #hooks: CallHooks<M>
  #waiting: M[] = []
  #running = 0
  #streams = 0
  #holds = false
  #closed = false

  constructor(bounds: CallBounds, hooks: CallHooks<M>) {
    this.#bounds = bounds
    this.#hooks = hooks
  }

  counts(): { running: number; streams: number; waiting: number } {
    return { running: this.#running, streams: this.#streams, waiting: this.#waiting.length }
  }

  push(message: M): void {
    if (this.#closed) return
    this.#waiting.push(message)
    this.pump()
  }

  /** To be called when the page may be answered again. */
  pump(): void {
    while (this.#waiting.length > 0 && this.#running < this.#bounds.running && this.#hooks.mayAnswer()) {
      const message = this.#waiting.shift()
      if (message !== undefined) void this.#run(message)
    }
    const holds = this.#waiting.length > 0
    if (holds === this.#holds) return
    this.#holds = holds
    this.#hooks.hold(holds)
  }

  close(): void {
    this.#closed = true
    this.#waiting = []
  }

  async #run(message: M): Promise<void> {
    let isStream = false
    this.#running += 1
    const becomesStream = (): void => {
      if (isStream) return
      isStream = true
      this.#running -= 1
      this.#streams += 1
      if (this.#streams > this.#bounds.streams) this.#hooks.tooManyStreams()
      else this.pump()
    }
    try {
      await current.run({ becomesStream }, () => this.#hooks.run(message))
    } finally {
      if (isStream) this.#streams -= 1
      else this.#running -= 1
      this.pump()
    }
  }
}
