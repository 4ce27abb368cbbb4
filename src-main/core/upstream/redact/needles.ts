import { asBuffer } from '../meter/bytes.ts'
import { escapeBegins, escapeGoesOn, layersOf } from './escapes.ts'

/** One form of the key, without escapes. */
export interface Needle {
  bytes: Uint8Array
  /** For hexadecimal forms: `6B` equals `6b`. */
  ignoreCase: boolean
}

/** Whether `bytes[start, end)` is the needle or its beginning. */
export function matches({ bytes: needle, ignoreCase }: Needle, bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start, n = 0; at < end; at++, n++) {
    const byte = bytes[at] ?? 0
    const wanted = needle[n]
    if (byte !== wanted && !(ignoreCase && byte >= 0x41 && byte <= 0x46 && (byte | 0x20) === wanted)) return false
  }
  return true
}

/** Every form of a key. Callers undo escapes before they search. */
export function needlesOf(key: string): Needle[] {
  const raw = Buffer.from(key, 'latin1')
  const exact = new Map<string, Uint8Array>([[key, raw]])
  // A key that looks escaped itself, such as one with `%41`, changes when the escapes around it are undone.
  const bare = Array.from(layersOf(raw)).at(-1)?.bytes
  if (bare && bare.length >= 8) exact.set(asBuffer(bare).toString('latin1'), bare)
  for (const text of base64Forms(raw)) exact.set(text, Buffer.from(text, 'latin1'))
  const hex = Buffer.from(raw.toString('hex'), 'latin1')
  return [...[...exact.values()].map((bytes) => ({ bytes, ignoreCase: false })), { bytes: hex, ignoreCase: true }]
}

/** The base64 characters that depend only on the key, for each of its three alignments. */
function base64Forms(key: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), key])
    const start = Math.ceil((offset * 8) / 6)
    const end = Math.floor((bytes.length * 8) / 6)
    return [bytes.toString('base64').slice(start, end), bytes.toString('base64url').slice(start, end)]
  })
}

/** A table by byte: 3 when it can begin an escape, 1 when it can occur in an encoded key, else 0. */
export function formBytes(needles: readonly Needle[]): Uint8Array {
  const form = new Uint8Array(256)
  for (const { bytes } of needles) for (const byte of bytes) form[byte] = 1
  for (const byte of escapeGoesOn) form[byte] = 1
  for (const byte of escapeBegins) form[byte] = 3
  return form
}

/**
 * How far a search may advance after two bytes (Wu and Manber, 1994). 0 when the first `shortest` bytes of a needle end with them. Index:
 * `first << 8 | second`.
 */
export function shiftTable(needles: readonly Needle[], shortest: number): Uint8Array {
  const shift = new Uint8Array(65_536).fill(Math.min(255, shortest - 1))
  for (const { bytes, ignoreCase } of needles) {
    for (let at = 1; at < shortest; at++) {
      for (const first of casesOf(bytes[at - 1] ?? 0, ignoreCase)) {
        for (const second of casesOf(bytes[at] ?? 0, ignoreCase)) {
          const pair = (first << 8) | second
          shift[pair] = Math.min(shift[pair] ?? 0, shortest - 1 - at)
        }
      }
    }
  }
  return shift
}

const casesOf = (byte: number, ignoreCase: boolean): number[] =>
  ignoreCase && byte >= 0x61 && byte <= 0x66 ? [byte, byte - 0x20] : [byte]
