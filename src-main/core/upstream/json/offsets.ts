import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from './ascii.ts'
import { isExcessive } from './jsonScan.ts'

// Finds byte offsets in a JSON text, for changes that leave every other byte as it was. Packages return values or re-print. `jsonc-parser`
// returns offsets, but of a string and with a tree of all of it, at several times the cost of JSON.parse. Skipped parts are validated only
// in their brackets and strings. Every function returns -1 when the text ends early.

/** Skips spaces, tabs and line ends (RFC 8259, section 2). */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
  }
  return at
}

/** `from` is the offset of the opening quote; returns the offset after the closing one. */
export function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1
  for (;;) {
    // `at` is the start of a character, so the backslashes before a quote begin at or after it.
    const end = bytes.indexOf(quote, at)
    if (end === -1) return -1
    let slashes = 0
    while (end - 1 - slashes >= at && bytes[end - 1 - slashes] === backslash) slashes++
    at = end + 1
    if (slashes % 2 === 0) return at
  }
}

/** The offset after the value that begins at `from`. Brackets are counted, not matched by kind. */
export function endOfValue(bytes: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; ) {
    const byte = bytes[at]
    if (byte === quote) {
      at = endOfString(bytes, at)
      if (at === -1) return -1
    } else if (byte === openBrace || byte === openBracket) {
      depth++
      at++
      continue
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
      at++
    } else if (depth === 0) {
      at = endOfWord(bytes, at)
      return at === from ? -1 : at
    } else {
      at++
      continue
    }
    if (depth === 0) return at
    if (depth < 0) return -1
  }
  return -1
}

/** The offset after a number, `true`, `false` or `null`. */
function endOfWord(bytes: Buffer, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const inWord =
      (byte >= 0x30 && byte <= 0x39) || (byte | 0x20) >= 0x61 || byte === 0x2b || byte === 0x2d || byte === 0x2e
    if (!inWord || byte === closeBrace || byte === closeBracket || byte === openBrace) break
  }
  return at
}

/** A member of an object. `from` and `to` are offsets of its value, quotes included. */
export interface Member {
  key: string
  from: number
  to: number
}

/**
 * Finds the members with the wanted keys in the object at `from`, in their order, repeated ones too. Keys may contain escapes. `end` is the
 * offset after the closing brace. Null when the value is no object or ends early.
 */
export function membersOf(
  bytes: Buffer,
  from: number,
  wanted: readonly string[],
): { found: Member[]; end: number; empty: boolean } | null {
  if (bytes[from] !== openBrace) return null
  const found: Member[] = []
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === closeBrace) return { found, end: at + 1, empty: true }
  for (;;) {
    if (bytes[at] !== quote) return null
    const keyEnd = endOfString(bytes, at)
    if (keyEnd === -1) return null
    const key = wantedKey(bytes, at, keyEnd, wanted)
    at = skipSpace(bytes, keyEnd)
    if (bytes[at] !== 0x3a) return null
    const valueAt = skipSpace(bytes, at + 1)
    const valueEnd = endOfValue(bytes, valueAt)
    if (valueEnd === -1) return null
    if (key !== null) found.push({ key, from: valueAt, to: valueEnd })
    at = skipSpace(bytes, valueEnd)
    if (bytes[at] === closeBrace) return { found, end: at + 1, empty: false }
    if (bytes[at] !== 0x2c) return null
    at = skipSpace(bytes, at + 1)
  }
}

/** More than any real list of pictures has. */
const maxItems = 10_000

/** Offsets of the items of the array at `from`. Null when the value is no array, ends early or has more than `maxItems`. */
export function itemsOf(bytes: Buffer, from: number): number[] | null {
  if (bytes[from] !== openBracket) return null
  const items: number[] = []
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === closeBracket) return items
  for (;;) {
    if (items.length >= maxItems) return null
    items.push(at)
    const end = endOfValue(bytes, at)
    if (end === -1) return null
    at = skipSpace(bytes, end)
    if (bytes[at] === closeBracket) return items
    if (bytes[at] !== 0x2c) return null
    at = skipSpace(bytes, at + 1)
  }
}

/** Parses the JSON between two offsets. Undefined when it is invalid, or too costly to parse. */
export function parseBetween(bytes: Buffer, from: number, to: number, maxValues?: number): unknown {
  if (isExcessive(bytes.subarray(from, to), maxValues)) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', from, to))
  } catch {
    return undefined
  }
}

/** Each character of a key may be written as \uXXXX: six bytes for one. */
function wantedKey(bytes: Buffer, from: number, to: number, wanted: readonly string[]): string | null {
  const size = to - from - 2
  for (const name of wanted) {
    if (size < name.length || size > name.length * 6) continue
    if (parseBetween(bytes, from, to) === name) return name
  }
  return null
}
