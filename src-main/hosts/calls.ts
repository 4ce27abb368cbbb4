import { AsyncLocalStorage } from 'node:async_hooks'

/** Limits for one page. */
export interface CallBounds {
  /** Concurrent calls, until their replies are sent. A page makes about 20 when it starts. */
  running: number
  /** Open event streams. A page has about 30. */
  streams: number
}

/** Default limits. */
export const usualCallBounds: CallBounds = { running: 64, streams: 512 }

/** Functions of the transport that `PageCalls` uses. `M` is the type of a message. */
export interface CallHooks<M> {
  /** Runs the call of a message. Resolves when the reply is sent or the stream has ended. */
  run(message: M): Promise<void>
  /** False while too many bytes wait to be sent to the page. */
  mayAnswer(): boolean
  /** With true, pauses reading because messages wait in `PageCalls`. With false, resumes reading. */
  hold(holds: boolean): void
  /** Closes the connection of a page that opened too many streams. */
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

/** Interceptor of the RPC handler that reports to `PageCalls` which calls became streams. Streams run as long as the page wants. */
export async function marksStreams<R extends Handled>({ next }: { next(): Promise<R> }): Promise<R> {
  const result = await next()
  const body = result.response?.body
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) current.getStore()?.becomesStream()
  return result
}

/**
 * Limits the calls of one page. No call starts while the limit is reached or the page does not read its replies.
 * Waiting calls pause the connection. Without these limits, each call would use memory until its reply is read.
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

  /** Starts waiting calls. Call it when `mayAnswer` may have become true. */
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
