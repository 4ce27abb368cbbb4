import { asBuffer, ByteStore } from './bytes.ts'
import { parseBetween } from './json.ts'

/** What is captured of one value: a usage is some hundred bytes. */
const longestValue = 64 * 1024
const longestKey = 256

const quote = 0x22
const backslash = 0x5c

/**
 * Finds the values of some top-level keys of a JSON object while it passes in chunks, in bounded memory, whatever its size. It
 * follows strings and brackets alone; long strings are passed over by the native search for their end.
 */
export class TopLevel {
  readonly #wanted: readonly string[]
  readonly #found = new Map<string, unknown>()
  #depth = 0
  #inString = false
  /** An odd number of backslashes ended the last chunk. */
  #escaped = false
  /** At depth 1: a string that stands where a key does. */
  #isKey = false
  #expectKey = false
  #key: string | null = null
  #broken = false
  /** The key or value that is being copied. */
  readonly #copy = new ByteStore()
  #copying = false
  /** Where in this chunk it goes on. */
  #from = 0

  constructor(wanted: readonly string[]) {
    this.#wanted = wanted
  }

  /** Undefined where it was not there, or not readable. */
  value(key: string): unknown {
    return this.#found.get(key)
  }

  push(given: Uint8Array): void {
    const bytes = asBuffer(given)
    this.#from = 0
    for (let at = 0; at < bytes.length && !this.#broken; ) {
      at = this.#inString ? this.#throughString(bytes, at) : this.#between(bytes, at)
    }
    if (this.#copying) this.#add(bytes, bytes.length)
  }

  /** One byte outside of strings. */
  #between(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      this.#inString = true
      if (this.#depth === 1 && this.#expectKey) {
        this.#isKey = true
        this.#expectKey = false
        this.#startCopy(at)
      }
      return at + 1
    }
    if (this.#copying && this.#depth === 1 && (byte === 0x2c || byte === 0x7d)) this.#valueEnded(bytes, at)
    this.#structure(byte)
    if (byte === 0x3a && this.#depth === 1 && this.#key !== null && !this.#copying) this.#startCopy(at + 1)
    return at + 1
  }

  #structure(byte: number): void {
    if (byte === 0x7b || byte === 0x5b) {
      if (this.#depth === 0 && byte === 0x5b) this.#broken = true
      this.#depth++
      if (this.#depth === 1) this.#expectKey = true
    } else if (byte === 0x7d || byte === 0x5d) {
      this.#depth--
      if (this.#depth <= 0) this.#broken = true
    } else if (byte === 0x2c && this.#depth === 1) {
      this.#expectKey = true
      this.#key = null
    }
  }

  /** Past the end of the string, or of the bytes. */
  #throughString(bytes: Buffer, from: number): number {
    let at = from
    if (this.#escaped) {
      this.#escaped = false
      at++
    }
    for (;;) {
      const end = bytes.indexOf(quote, at)
      const to = end === -1 ? bytes.length : end
      let slashes = 0
      while (to - 1 - slashes >= at && bytes[to - 1 - slashes] === backslash) slashes++
      if (end === -1) {
        this.#escaped = slashes % 2 === 1
        return bytes.length
      }
      at = end + 1
      if (slashes % 2 === 0) {
        this.#inString = false
        if (this.#isKey) this.#keyEnded(bytes, at)
        return at
      }
    }
  }

  #startCopy(at: number): void {
    this.#copy.clear()
    this.#copying = true
    this.#from = at
  }

  #add(bytes: Buffer, to: number): void {
    const limit = this.#isKey ? longestKey : longestValue
    if (this.#copy.length + to - this.#from > limit) this.#stopCopy()
    else this.#copy.append(bytes, this.#from, to)
  }

  #stopCopy(): unknown {
    const value = this.#copying ? parseBetween(this.#copy.view(), 0, this.#copy.length) : undefined
    this.#copying = false
    this.#copy.clear()
    return value
  }

  #keyEnded(bytes: Buffer, at: number): void {
    if (this.#copying) this.#add(bytes, at)
    this.#isKey = false
    const key = this.#stopCopy()
    this.#key = typeof key === 'string' && this.#wanted.includes(key) ? key : null
  }

  #valueEnded(bytes: Buffer, at: number): void {
    this.#add(bytes, at)
    if (this.#key !== null) this.#found.set(this.#key, this.#stopCopy())
    this.#key = null
  }
}
