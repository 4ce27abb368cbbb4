import type { Dispatcher } from 'undici'
import { StudioError } from '../errors.ts'
import type { BodyMask } from './reply/mask.ts'

/**
 * Receives the bytes of a body as they arrive, and returns the bytes to pass on: the same object, another object, or null for nothing yet.
 */
export interface Tap {
  push(bytes: Uint8Array): Uint8Array | null
  /** Called when the body ended well. Returns bytes that were held back. */
  end(): Uint8Array | null
}

/** Receives a body without a promise or a turn of the event loop per chunk. */
export interface BodySink {
  /** Returns false when the sink is full; `resume` then resumes the flow. */
  write(bytes: Uint8Array): boolean
  /** Called once, unless `fail` is. */
  end(): void
  /** Called once, after all bytes before the fault were written. */
  fail(error: StudioError): void
}

/** How a body ended: complete, abandoned by its reader, or failed. */
export type Closed = 'ended' | 'left' | StudioError

const nothing = new Uint8Array()

/** The socket is paused when this many bytes are queued. One more chunk may follow. */
const highWater = 64 * 1024
/** The socket is paused until the next turn of the event loop after this many bytes. One read of the system can have 2 MB. */
const maxInTurn = 256 * 1024

/** The body of one reply, which undici pushes and one reader pulls. A slow reader pauses the socket; leaving early closes it. */
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
  /** Bytes that arrived in this turn of the event loop. */
  #inTurn = 0
  #nextTurn: NodeJS.Immediate | null = null
  readonly #mask: BodyMask | null

  /** @param mask sees all bytes first */
  constructor(controller: Dispatcher.DispatchController, mask: BodyMask | null) {
    this.#controller = controller
    this.#mask = mask
  }

  /** Bytes received so far, read or not. */
  get bytes(): number {
    return this.#bytes
  }

  /** Passes all bytes to `tap`, including bytes that arrived before this call. Call at most once, before the first read. */
  tap(tap: Tap): void {
    const come = this.#queue
    this.#queue = []
    this.#held = 0
    this.#tap = tap
    for (const chunk of come) this.#enqueue(tap.push(chunk))
    if (this.#closed === 'ended') this.#enqueue(tap.end())
  }

  /** Calls `listener` once, when the connection is free again or closed. Calls it at once if that has happened. */
  onClosed(listener: (how: Closed) => void): void {
    if (this.#closed === null) this.#onClosed.push(listener)
    else listener(this.#closed)
  }

  /** Takes the whole body if it has arrived in at most one piece. Returns null and changes nothing otherwise. */
  takeWhole(): Uint8Array | null {
    if (!this.#ended || this.#error !== null || this.#queue.length > 1) return null
    const [all = nothing] = this.#queue
    this.#drop()
    return all
  }

  /** Writes the body to `sink`, instead of iteration. A full sink holds the service back. */
  flow(sink: BodySink): void {
    this.#sink = sink
    this.#pump()
  }

  /** Resumes the flow after the sink was full. */
  resume(): void {
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
    if (!this.#sinkFull) this.#resume()
  }

  #finishSink(): void {
    const sink = this.#sink
    this.#sink = null
    if (this.#error === null) sink?.end()
    else sink?.fail(this.#error)
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#inTurn += chunk.length
    if (this.#inTurn > maxInTurn && this.#nextTurn === null) {
      this.#controller.pause()
      this.#nextTurn = setImmediate(this.#startTurn)
    }
    const clean = this.#mask === null ? chunk : this.#mask.push(chunk)
    if (clean !== null) this.#take(clean)
  }

  readonly #startTurn = (): void => {
    this.#nextTurn = null
    this.#inTurn = 0
    const isWanted = this.#settling !== null || (!this.#sinkFull && this.#held < highWater)
    if (isWanted && this.#controller.paused && !this.#ended) this.#controller.resume()
  }

  /** Resumes the socket, unless it rests until the next turn. */
  #resume(): void {
    if (this.#nextTurn === null && this.#controller.paused && !this.#ended) this.#controller.resume()
  }

  #take(chunk: Uint8Array): void {
    // Bytes that arrive during `settle` are counted but not queued.
    const passed = this.#tap === null ? chunk : this.#tap.push(chunk)
    if (passed === null || this.#settling !== null) return
    if (this.#sink !== null && !this.#sinkFull && this.#queue.length === 0) {
      this.#sinkFull = !this.#sink.write(passed)
      if (this.#sinkFull) this.#controller.pause()
      return
    }
    this.#enqueue(passed)
    if (this.#held >= highWater) this.#controller.pause()
    this.#signal()
  }

  end(): void {
    this.#takeHeld()
    if (this.#tap !== null && this.#settling === null) this.#enqueue(this.#tap.end())
    this.#ended = true
    this.#unsettle()
    this.#close('ended')
    this.#signal()
  }

  /** Takes the end that the mask held back, because the key could begin there. */
  #takeHeld(): void {
    const held = this.#mask?.end() ?? null
    if (held !== null) this.#take(held)
  }

  /** Ends the body with a fault. The reader still receives the bytes before it, except after a cancel. */
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

  /** Closes the connection, unless the body has ended or `settle` is waiting for its end. */
  close(): void {
    if (this.#settling === null) this.#abort()
  }

  #abort(): void {
    this.#drop()
    if (this.#ended) return
    this.#close('left')
    this.#controller.abort(new Error('The rest of the reply is not needed.'))
  }

  /** Drops the rest, but waits up to `ms` for the end, so that the connection can be reused. */
  settle(ms: number): void {
    if (this.#ended || this.#settling !== null) return
    this.#drop()
    this.#settling = setTimeout(() => {
      this.#settling = null
      this.#abort()
    }, ms).unref()
    this.#resume()
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
          if (this.#held < highWater) this.#resume()
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

  #enqueue(chunk: Uint8Array | null): void {
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
      // A cancel does not wait for the reader.
      if (this.#error?.kind === 'cancelled') this.#finishSink()
      else this.#pump()
      return
    }
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }
}

/** The first `limit` bytes as text. Does not wait for the rest. */
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

/**
 * Reads the whole body.
 * @throws StudioError `malformed_reply` beyond `limit` bytes
 */
export async function readAll(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw new StudioError('malformed_reply', 'The reply is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Reads the first `limit` bytes. `rest` has the bytes after them, or null.
 * @throws the body's failure
 */
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
