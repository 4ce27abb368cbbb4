/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Length of a byte order mark at the start: 3 or 0. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/** A growing copy. One buffer instead of a list, so that a stream in pieces of one byte costs one byte each. */
export class ByteStore {
  #buffer: Buffer | null = null
  #length = 0

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array, from: number, to: number): void {
    const size = to - from
    if (size <= 0) return
    const needed = this.#length + size
    let buffer = this.#buffer
    if (buffer === null || buffer.length < needed) {
      buffer = Buffer.allocUnsafe(Math.max(needed, 256, (buffer?.length ?? 0) * 2))
      if (this.#buffer !== null) this.#buffer.copy(buffer, 0, 0, this.#length)
      this.#buffer = buffer
    }
    buffer.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#length)
    this.#length = needed
  }

  /** Valid until the next `append`. */
  view(): Buffer {
    return this.#buffer === null ? nothing : this.#buffer.subarray(0, this.#length)
  }

  /** Returns the bytes and empties the store. */
  take(): Buffer {
    const bytes = this.view()
    this.clear()
    return bytes
  }

  clear(): void {
    this.#buffer = null
    this.#length = 0
  }
}

const nothing = Buffer.alloc(0)
