import { asBuffer } from '../json/bytes.ts'

const shown = '[key]'

/**
 * Shorter keys are not masked in the bodies of successful replies. Placeholders of local services such as "lm-studio" and "not-needed" are
 * also words that a model may write. They are masked everywhere else.
 */
export const minContentKeyLength = 16

/**
 * Masks the exact bytes of one API key in what the service sends, because an app, the log and the database must never contain it. A key in
 * an encoding (base64, escapes), or spread over several events of a stream, is not recognised (docs/security.md).
 */
export class Mask {
  readonly #key: string | null

  /** @param key null for a mask that masks nothing */
  constructor(key: string | null) {
    this.#key = key
  }

  /** Replaces each occurrence in the text with `[key]`. */
  text(text: string): string {
    return this.#key === null ? text : text.replaceAll(this.#key, shown)
  }

  /** Whether a header's name contains the key. Names are case-insensitive, and some servers change their case. */
  isInName(name: string): boolean {
    return this.#key !== null && name.toLowerCase().includes(this.#key.toLowerCase())
  }

  /**
   * Creates the mask of one body, or null when the key is not masked in it.
   * @param good false for an error reply
   */
  forBody(good: boolean): BodyMask | null {
    const key = this.#key
    return key === null || (good && key.length < minContentKeyLength) ? null : new BodyMask(Buffer.from(key, 'latin1'))
  }
}

/**
 * Masks the key in one body, wherever its chunks are split. The mask has as many bytes as the key, so that `Content-Length` stays right
 * and JSON stays valid. Chunks without the key pass as the same objects.
 */
export class BodyMask {
  readonly #key: Buffer
  /** The end of the last chunk, when the key may begin there. It is held back until the next chunk. */
  #begun: Buffer = nothing

  constructor(key: Buffer) {
    this.#key = key
  }

  /** Returns what can be passed on, or null for nothing yet. */
  push(chunk: Uint8Array): Uint8Array | null {
    const key = this.#key
    const wasBegun = this.#begun.length > 0
    const bytes = wasBegun ? Buffer.concat([this.#begun, chunk]) : asBuffer(chunk)
    let masked = bytes
    let searched = 0
    for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, searched)) {
      searched = at + key.length
      // A copy, because the socket owns the memory of the chunk.
      if (masked === bytes) masked = Buffer.from(bytes)
      overwrite(masked, at, searched)
    }
    const end = this.#beginningIn(bytes, searched)
    this.#begun = end === bytes.length ? nothing : Buffer.from(bytes.subarray(end))
    if (end === 0) return null
    if (end < bytes.length) return masked.subarray(0, end)
    return masked === bytes && !wasBegun ? chunk : masked
  }

  /** Call when the body has ended or broken off. Returns the bytes that were held back, masked when they are at least half of the key. */
  end(): Uint8Array | null {
    const rest = this.#begun
    this.#begun = nothing
    if (rest.length * 2 >= this.#key.length) overwrite(rest, 0, rest.length)
    return rest.length === 0 ? null : rest
  }

  /** The offset from which the bytes up to their end are the beginning of the key; their length when they are not. */
  #beginningIn(bytes: Buffer, from: number): number {
    const key = this.#key
    const { length } = bytes
    const first = key[0] ?? 0
    let at = bytes.indexOf(first, Math.max(from, length - key.length + 1))
    while (at !== -1 && key.compare(bytes, at, length, 0, length - at) !== 0) at = bytes.indexOf(first, at + 1)
    return at === -1 ? length : at
  }
}

const nothing = Buffer.alloc(0)

/** Overwrites `bytes[from, to)`. A key of digits may be a JSON number, where only digits keep the JSON valid. */
function overwrite(bytes: Buffer, from: number, to: number): void {
  const isNumber = bytes.subarray(from, to).every((byte) => byte >= 0x30 && byte <= 0x39)
  bytes.fill(isNumber ? '1' : '*', from, to)
  if (!isNumber && to - from >= shown.length) bytes.write(shown, from, 'latin1')
}
