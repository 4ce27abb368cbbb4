import type { ServerResponse } from 'node:http'
import { constants, createGzip, type Gzip } from 'node:zlib'
import { ClientGone } from '../errors.ts'
import type { FaultPlan } from '../faults/plan.ts'
import type { RequestRecord } from '../world/records.ts'

export interface BodyOfReply {
  response: ServerResponse
  record: RequestRecord
  plan: FaultPlan
  closed: AbortSignal
  /** Bytes; null for a stream. */
  length: number | null
  destroy: () => void
}

/**
 * The body of one reply. `write` resolves when the socket accepts more (backpressure), and throws ClientGone once the client has closed.
 * Applies the faults that concern bytes in this order: gzip, then cut and stall (counted in sent bytes), then the size of writes.
 */
export class Body {
  readonly #response: ServerResponse
  readonly #record: RequestRecord
  readonly #plan: FaultPlan
  readonly #closed: AbortSignal
  readonly #cutAt: number
  readonly #stallAt: number
  readonly #gzip: Gzip | null
  readonly #destroy: () => void
  #compressed: Buffer[] = []
  #ended = false

  constructor(reply: BodyOfReply) {
    const { plan, length } = reply
    this.#response = reply.response
    this.#record = reply.record
    this.#plan = plan
    this.#closed = reply.closed
    this.#destroy = reply.destroy
    const half = length === null ? null : Math.floor(length / 2)
    this.#cutAt = plan.has('cut') ? (plan.number('cut', 'bytes') ?? half ?? 1500) : Number.POSITIVE_INFINITY
    // In a stream, `stall` without the parameter `bytes` counts events. `EventStream` applies it.
    const stallAt = plan.has('stall') ? (plan.number('stall', 'bytes') ?? half) : null
    this.#stallAt = stallAt ?? Number.POSITIVE_INFINITY
    this.#gzip = plan.has('gzip') ? createGzip() : null
    this.#gzip?.on('data', (chunk: Buffer) => this.#compressed.push(chunk))
  }

  async write(data: string | Uint8Array): Promise<void> {
    const bytes =
      typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    await this.#send(this.#gzip ? await this.#compress(this.#gzip, bytes) : bytes)
  }

  /** Ends the reply. Resolves when the system has accepted the last byte, or the client has closed. */
  async end(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    if (this.#gzip) await this.#send(await this.#finishCompressing(this.#gzip))
    if (this.#closed.aborted) return
    await new Promise<void>((resolve) => {
      this.#closed.addEventListener('abort', () => resolve(), { once: true })
      this.#response.end(() => resolve())
    })
  }

  /** Sends nothing until the client closes, then throws ClientGone. */
  async stall(): Promise<never> {
    this.#response.flushHeaders()
    await aborted(this.#closed)
    throw new ClientGone()
  }

  /** Closes the connection with an unfinished reply. Bytes written before are still sent. */
  async cut(): Promise<never> {
    this.#response.flushHeaders()
    await turn()
    this.#destroy()
    throw new ClientGone()
  }

  async #send(bytes: Buffer): Promise<void> {
    const before = this.#record.bytesOut
    const stop = Math.min(this.#cutAt, this.#stallAt) - before
    if (bytes.length < stop) return await this.#inPieces(bytes)
    await this.#inPieces(bytes.subarray(0, stop))
    return await (this.#cutAt <= this.#stallAt ? this.cut() : this.stall())
  }

  async #inPieces(bytes: Buffer): Promise<void> {
    if (this.#plan.has('split-utf8') || this.#plan.has('cut-utf8')) {
      const cuts = this.#plan.has('cut-utf8')
      for (const [index, piece] of piecesInsideCharacters(bytes).entries()) {
        if (index > 0 && cuts) return await this.cut()
        await this.#put(piece)
        await pause()
      }
      return
    }
    if (this.#plan.has('byte-by-byte')) {
      const size = Math.max(1, this.#plan.number('byte-by-byte', 'size') ?? 1)
      for (let at = 0; at < bytes.length; at += size) {
        await this.#put(bytes.subarray(at, at + size))
        await turn()
      }
      return
    }
    await this.#put(bytes)
  }

  async #put(bytes: Buffer): Promise<void> {
    if (this.#closed.aborted) throw new ClientGone()
    if (bytes.length === 0) return
    this.#record.bytesOut += bytes.length
    if (this.#response.write(bytes)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#response.off('drain', done)
        this.#closed.removeEventListener('abort', done)
        resolve()
      }
      this.#response.on('drain', done)
      this.#closed.addEventListener('abort', done, { once: true })
    })
    if (this.#closed.aborted) throw new ClientGone()
  }

  async #compress(gzip: Gzip, bytes: Buffer): Promise<Buffer> {
    gzip.write(bytes)
    await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve))
    return this.#takeCompressed()
  }

  async #finishCompressing(gzip: Gzip): Promise<Buffer> {
    await new Promise<void>((resolve) => gzip.once('end', resolve).end())
    return this.#takeCompressed()
  }

  #takeCompressed(): Buffer {
    const all = Buffer.concat(this.#compressed)
    this.#compressed = []
    return all
  }
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
/** Waits 2 ms, so that the system sends the halves in separate segments. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 2))

/** Splits after the first byte of every multi-byte character. */
function piecesInsideCharacters(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  let from = 0
  for (const [at, byte] of bytes.entries()) {
    if (byte < 0xc0) continue
    pieces.push(bytes.subarray(from, at + 1))
    from = at + 1
  }
  pieces.push(bytes.subarray(from))
  return pieces
}
