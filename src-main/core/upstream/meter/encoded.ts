import zlib from 'node:zlib'
import type { MeterReading } from '../../ports/requests.ts'
import { ByteStore } from './bytes.ts'
import type { Meter } from './types.ts'

/** Of a compressed reply: the copy kept, and what it may become. A larger one is not read. Bytes. */
const longestCopy = 2 * 1024 * 1024
const longestDecoded = 16 * 1024 * 1024

/**
 * Passes a compressed reply as it is and decodes a copy, but only when somebody asks: the stream costs nothing until then. Node
 * decodes a stream bit by bit in other threads only, which would be too late for a reading at the end. Damaged or oversized data
 * gives no usage; what came of it counts as output.
 */
export class EncodedMeter implements Meter {
  readonly #encodings: string[]
  readonly #inner: () => Meter
  readonly #copy = new ByteStore()
  #size = 0
  /** Undefined until somebody asks; null where it can't be read. */
  #read: Meter | null | undefined

  constructor(contentEncoding: string, inner: () => Meter) {
    // They were applied in the order given (RFC 9110, section 8.4).
    this.#encodings = contentEncoding
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .reverse()
    this.#inner = inner
  }

  get complete(): boolean {
    return this.#decoded()?.complete ?? false
  }

  get model(): string | null {
    return this.#decoded()?.model ?? null
  }

  push(bytes: Uint8Array): Uint8Array {
    this.#read = undefined
    this.#size += bytes.length
    if (this.#size > longestCopy) this.#copy.clear()
    else this.#copy.append(bytes, 0, bytes.length)
    return bytes
  }

  end(): null {
    return null
  }

  reading(): MeterReading {
    return this.#decoded()?.reading() ?? { usage: null, measured: false, output: this.#size > 0 }
  }

  #decoded(): Meter | null {
    if (this.#read === undefined) this.#read = this.#decode()
    return this.#read
  }

  #decode(): Meter | null {
    const bytes = this.#size > longestCopy ? null : decode(this.#copy.view(), this.#encodings)
    if (bytes === null) return null
    const meter = this.#inner()
    meter.push(bytes)
    meter.end()
    return meter
  }
}

function decode(bytes: Buffer, encodings: string[]): Buffer | null {
  try {
    return encodings.reduce(decodeOnce, bytes)
  } catch {
    return null
  }
}

/** What has come by now: a missing end is no error. Throws on damaged or oversized data and on names it doesn't know. */
function decodeOnce(bytes: Buffer, encoding: string): Buffer {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants
  const limit = { maxOutputLength: longestDecoded }
  const partly = { ...limit, finishFlush: Z_SYNC_FLUSH }
  switch (encoding) {
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(bytes, partly)
    case 'deflate':
      // With a zlib header as the standard says, or without as some do.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(bytes, partly) : zlib.inflateRawSync(bytes, partly)
    case 'br':
      return zlib.brotliDecompressSync(bytes, { ...limit, finishFlush: BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zlib.zstdDecompressSync(bytes, { ...limit, finishFlush: ZSTD_e_flush })
    default:
      throw new Error('unknown encoding')
  }
}
