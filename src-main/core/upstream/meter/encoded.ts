import zlib from 'node:zlib'
import type { MeterReading } from '../../ports/requests.ts'
import { ByteStore } from './bytes.ts'
import type { Meter } from './types.ts'

/** Maximum number of bytes of a compressed copy, and of its decoded form. A larger reply is not read. */
const maxCopyBytes = 2 * 1024 * 1024
const maxDecodedBytes = 16 * 1024 * 1024

/**
 * Passes a compressed reply unchanged and decodes a copy only for a reading. Node decodes a stream piece by piece only in other threads,
 * which is too late for a reading at the end. Damaged or oversized data has no usage; its bytes count as output.
 */
export class EncodedMeter implements Meter {
  readonly #encodings: string[]
  readonly #inner: () => Meter
  readonly #copy = new ByteStore()
  #size = 0
  /** Undefined before the first reading; null when the copy can't be decoded. */
  #read: Meter | null | undefined

  constructor(contentEncoding: string, inner: () => Meter) {
    // Encodings are applied in the order given (RFC 9110, section 8.4).
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
    if (this.#size > maxCopyBytes) this.#copy.clear()
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
    const bytes = this.#size > maxCopyBytes ? null : decode(this.#copy.view(), this.#encodings)
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

/**
 * Decodes the bytes so far; a missing end is accepted.
 * @throws for damaged or oversized data and for unknown encodings
 */
function decodeOnce(bytes: Buffer, encoding: string): Buffer {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants
  const limit = { maxOutputLength: maxDecodedBytes }
  const partly = { ...limit, finishFlush: Z_SYNC_FLUSH }
  switch (encoding) {
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(bytes, partly)
    case 'deflate':
      // The standard asks for a zlib header. Some services omit it.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(bytes, partly) : zlib.inflateRawSync(bytes, partly)
    case 'br':
      return zlib.brotliDecompressSync(bytes, { ...limit, finishFlush: BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zlib.zstdDecompressSync(bytes, { ...limit, finishFlush: ZSTD_e_flush })
    default:
      throw new Error('unknown encoding')
  }
}
