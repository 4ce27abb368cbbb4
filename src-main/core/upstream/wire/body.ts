import type { Dispatcher } from 'undici'
import { StudioError } from '../../errors.ts'

/** A part of a body: its bytes, possibly none, and the events that a `Tap` read in them. */
export interface Piece<E = unknown> {
  bytes: Uint8Array
  events: readonly E[]
}

/** Transforms a body while it arrives. Each method returns the next piece for the reader, or null when there is none yet. */
export interface Tap<E> {
  push(bytes: Uint8Array): Piece<E> | null
  /** Called when the body has ended. @param isWhole false for a body that broke off */
  end(isWhole: boolean): Piece<E> | null
}

/** How a body ended: complete, abandoned by its reader, or failed. */
export type Closed = 'ended' | 'left' | StudioError

const none: readonly never[] = []

/** The socket is paused when this many bytes are queued. One more chunk may follow. */
const highWater = 64 * 1024
/** The socket is paused until the next turn of the event loop after this many bytes. One read of the system can have 2 MB. */
const maxInTurn = 256 * 1024

/** The body of one reply, which undici pushes and one reader pulls. A slow reader pauses the socket; leaving early closes it. */
export class ReplyBody<E = never> implements AsyncIterable<Piece<E>> {
  readonly #controller: Dispatcher.DispatchController
  #queue: Piece<E>[] = []
  #held = 0
  #bytes = 0
  #ended = false
  #error: StudioError | null = null
  #wake: (() => void) | null = null
  #settling: NodeJS.Timeout | null = null
  #tap: Tap<E> | null = null
  #closed: Closed | null = null
  #onClosed: ((how: Closed) => void)[] = []
  /** Bytes that arrived in this turn of the event loop. */
  #inTurn = 0
  #nextTurn: NodeJS.Immediate | null = null

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller
  }

  /** Bytes received so far, read or not. */
  get bytes(): number {
    return this.#bytes
  }

  /** Passes all bytes through `tap`, also those that arrived before this call. Call at most once, before the first read. */
  tapped<T>(tap: Tap<T>): ReplyBody<T> {
    const body = this as unknown as ReplyBody<T>
    body.#tapWith(tap)
    return body
  }

  #tapWith(tap: Tap<E>): void {
    const arrived = this.#queue
    this.#queue = []
    this.#held = 0
    this.#tap = tap
    for (const { bytes } of arrived) this.#enqueue(tap.push(bytes))
    if (this.#ended && this.#error?.kind !== 'cancelled') this.#enqueueLast(tap.end(this.#error === null))
  }

  /** Calls `listener` once, when the connection is free again or closed. Calls it at once if that has happened. */
  onClosed(listener: (how: Closed) => void): void {
    if (this.#closed === null) this.#onClosed.push(listener)
    else listener(this.#closed)
  }

  /** Takes the whole body if it has arrived in at most one piece. Returns null and changes nothing otherwise. */
  takeWhole(): Piece<E> | null {
    if (!this.#ended || this.#error !== null || this.#queue.length > 1) return null
    const [all = { bytes: new Uint8Array(), events: none }] = this.#queue
    this.#drop()
    return all
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#inTurn += chunk.length
    if (this.#inTurn > maxInTurn && this.#nextTurn === null) {
      this.#controller.pause()
      this.#nextTurn = setImmediate(this.#startTurn)
    }
    const piece = this.#tap === null ? { bytes: chunk, events: none } : this.#tap.push(chunk)
    // Bytes that arrive during `settle` are counted but not queued.
    if (piece === null || this.#settling !== null) return
    this.#enqueue(piece)
    if (this.#held >= highWater) this.#controller.pause()
    this.#signal()
  }

  readonly #startTurn = (): void => {
    this.#nextTurn = null
    this.#inTurn = 0
    const isWanted = this.#settling !== null || this.#held < highWater
    if (isWanted && this.#controller.paused && !this.#ended) this.#controller.resume()
  }

  /** Resumes the socket, unless it rests until the next turn. */
  #resume(): void {
    if (this.#nextTurn === null && this.#controller.paused && !this.#ended) this.#controller.resume()
  }

  end(): void {
    const last = this.#tap?.end(true) ?? null
    if (this.#settling === null) this.#enqueueLast(last)
    this.#ended = true
    this.#unsettle()
    this.#close('ended')
    this.#signal()
  }

  /** Ends the body with a fault. The reader still receives the bytes before it, except after a cancel. */
  fail(error: StudioError): void {
    if (this.#ended) return
    if (error.kind !== 'cancelled' && this.#settling === null) this.#enqueueLast(this.#tap?.end(false) ?? null)
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Piece<E>, void, undefined> {
    try {
      for (;;) {
        const piece = this.#queue.shift()
        if (piece !== undefined) {
          this.#held -= piece.bytes.length
          if (this.#held < highWater) this.#resume()
          yield piece
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

  #enqueue(piece: Piece<E> | null): void {
    if (piece === null || (piece.bytes.length === 0 && piece.events.length === 0)) return
    this.#queue.push(piece)
    this.#held += piece.bytes.length
  }

  /** Adds the last piece to the one before it, so that a short body stays in one piece. */
  #enqueueLast(piece: Piece<E> | null): void {
    const before = this.#queue.at(-1)
    if (piece === null || before === undefined || piece.bytes.length > 0) this.#enqueue(piece)
    else this.#queue[this.#queue.length - 1] = { bytes: before.bytes, events: [...before.events, ...piece.events] }
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
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }
}

/** The bytes of pieces. */
export async function* bytesOf(pieces: AsyncIterable<Piece>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { bytes } of pieces) if (bytes.length > 0) yield bytes
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
