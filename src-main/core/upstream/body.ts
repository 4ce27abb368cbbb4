import type { Dispatcher } from 'undici'
import { StudioError } from '../errors.ts'
import type { BodyRedactor } from './redact/streams.ts'

/** Sees the bytes of a body as they arrive and says what of them goes on: the same object, another, or nothing for now. */
export interface Tap {
  push(bytes: Uint8Array): Uint8Array | null
  /** The end came well: what was held goes on. */
  end(): Uint8Array | null
}

/** Where a body is to flow: called as bytes arrive, without a turn of the event loop or a promise between. */
export interface BodySink {
  /** False: no more until `goOn`. */
  write(bytes: Uint8Array): boolean
  /** Once, instead of `fail`. */
  end(): void
  /** Once; everything that came before the fault has been written. */
  fail(error: StudioError): void
}

/** How a body ended: whole, left early by its reader, or broken. */
export type Closed = 'ended' | 'left' | StudioError

const nothing = new Uint8Array()

/** Bytes held before the socket is paused; one more chunk may come on top. */
const highWater = 64 * 1024

/**
 * The body of one reply: what undici pushes, as something to read. Slow readers pause the socket; leaving early closes it.
 * One reader only.
 */
export class ReplyBody implements AsyncIterable<Uint8Array> {
  readonly #controller: Dispatcher.DispatchController
  #queue: Uint8Array[] = []
  #held = 0
  #bytes = 0
  #ended = false
  #error: StudioError | null = null
  #wake: (() => void) | null = null
  #settling: NodeJS.Timeout | null = null
  #tap: Tap | null = null
  #closed: Closed | null = null
  #onClosed: ((how: Closed) => void)[] = []
  #sink: BodySink | null = null
  #sinkFull = false
  readonly #redactor: BodyRedactor | null

  /** @param redactor sees all bytes before anybody else does */
  constructor(controller: Dispatcher.DispatchController, redactor: BodyRedactor | null) {
    this.#controller = controller
    this.#redactor = redactor
  }

  /** Bytes that have come, read or not. */
  get bytes(): number {
    return this.#bytes
  }

  /** Lets `tap` see everything, also what has come before this call. Once, before the first read. */
  tap(tap: Tap): void {
    const come = this.#queue
    this.#queue = []
    this.#held = 0
    this.#tap = tap
    for (const chunk of come) this.#keep(tap.push(chunk))
    if (this.#closed === 'ended') this.#keep(tap.end())
  }

  /** `listener` is told once, when the connection is free again or gone; at once where it is already. */
  onClosed(listener: (how: Closed) => void): void {
    if (this.#closed === null) this.#onClosed.push(listener)
    else listener(this.#closed)
  }

  /** All of it, where it has come whole and in one piece or none; the reading is then over. Else null, and nothing changes. */
  takeWhole(): Uint8Array | null {
    if (!this.#ended || this.#error !== null || this.#queue.length > 1) return null
    const [all = nothing] = this.#queue
    this.#drop()
    return all
  }

  /** Lets it flow into `sink`, instead of being iterated. A sink that is full holds the service back. */
  flow(sink: BodySink): void {
    this.#sink = sink
    this.#pump()
  }

  /** The sink takes bytes again. */
  goOn(): void {
    this.#sinkFull = false
    this.#pump()
  }

  #pump(): void {
    while (this.#sink !== null && !this.#sinkFull) {
      const chunk = this.#queue.shift()
      if (chunk !== undefined) {
        this.#held -= chunk.length
        this.#sinkFull = !this.#sink.write(chunk)
      } else {
        if (this.#ended) this.#finishSink()
        break
      }
    }
    if (!this.#sinkFull && this.#controller.paused && !this.#ended) this.#controller.resume()
  }

  #finishSink(): void {
    const sink = this.#sink
    this.#sink = null
    if (this.#error === null) sink?.end()
    else sink?.fail(this.#error)
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    const clean = this.#redactor === null ? chunk : this.#redactor.push(chunk)
    if (clean !== null) this.#take(clean)
  }

  #take(chunk: Uint8Array): void {
    // What comes while the end is waited for is not wanted, but may still be counted.
    const passed = this.#tap === null ? chunk : this.#tap.push(chunk)
    if (passed === null || this.#settling !== null) return
    if (this.#sink !== null && !this.#sinkFull && this.#queue.length === 0) {
      this.#sinkFull = !this.#sink.write(passed)
      if (this.#sinkFull) this.#controller.pause()
      return
    }
    this.#keep(passed)
    if (this.#held >= highWater) this.#controller.pause()
    this.#signal()
  }

  end(): void {
    this.#takeHeld()
    if (this.#tap !== null && this.#settling === null) this.#keep(this.#tap.end())
    this.#ended = true
    this.#unsettle()
    this.#close('ended')
    this.#signal()
  }

  /** The end of the body may have been held back: it could have been the beginning of the key. */
  #takeHeld(): void {
    const held = this.#redactor?.end() ?? null
    if (held !== null) this.#take(held)
  }

  /** What came before the fault is still given, then the fault is thrown; a cancel drops it. */
  fail(error: StudioError): void {
    if (this.#ended) return
    if (error.kind !== 'cancelled') this.#takeHeld()
    this.#ended = true
    this.#error = error
    this.#unsettle()
    if (error.kind === 'cancelled') this.#drop()
    this.#close(error)
    this.#signal()
  }

  /** Closes the connection unless all has come or the end is being waited for. */
  close(): void {
    if (this.#settling === null) this.#abort()
  }

  #abort(): void {
    this.#drop()
    if (this.#ended) return
    this.#close('left')
    this.#controller.abort(new Error('The rest of the reply is not wanted.'))
  }

  /** Nothing more is wanted, but the end should come any moment: wait `ms` for it, so that the connection can be used again. */
  settle(ms: number): void {
    if (this.#ended || this.#settling !== null) return
    this.#drop()
    this.#settling = setTimeout(() => {
      this.#settling = null
      this.#abort()
    }, ms).unref()
    if (this.#controller.paused) this.#controller.resume()
  }

  #unsettle(): void {
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#settling = null
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#queue.shift()
        if (chunk !== undefined) {
          this.#held -= chunk.length
          if (this.#held < highWater && this.#controller.paused && !this.#ended) this.#controller.resume()
          yield chunk
        } else if (this.#ended) {
          if (this.#error !== null) throw this.#error
          return
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      this.close()
    }
  }

  #keep(chunk: Uint8Array | null): void {
    if (chunk === null || chunk.length === 0) return
    this.#queue.push(chunk)
    this.#held += chunk.length
  }

  #close(how: Closed): void {
    if (this.#closed !== null) return
    this.#closed = how
    for (const listener of this.#onClosed.splice(0)) listener(how)
  }

  #drop(): void {
    this.#queue = []
    this.#held = 0
  }

  #signal(): void {
    if (this.#sink !== null) {
      // A cancel waits for no reader.
      if (this.#error?.kind === 'cancelled') this.#finishSink()
      else this.#pump()
      return
    }
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }
}

/** The first `limit` bytes as text; the rest is not waited for. */
export async function readStart(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= limit) break
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, limit))
}

/** @throws StudioError `malformed_reply` beyond `limit` bytes */
export async function readAll(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw new StudioError('malformed_reply', 'The reply is larger than any real one.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The first `limit` bytes; `rest` is what has not been read, where there is more. @throws as the body does */
export async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ head: Uint8Array; rest: AsyncIterable<Uint8Array> | null }> {
  const chunks: Uint8Array[] = []
  let size = 0
  const source = body[Symbol.asyncIterator]()
  for (;;) {
    const next = await source.next()
    if (next.done === true) return { head: Buffer.concat(chunks), rest: null }
    chunks.push(next.value)
    size += next.value.length
    if (size > limit) return { head: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => source } }
  }
}
