import { backslash } from '../ascii.ts'

// Undoes escapes of JSON, URLs and HTML layer by layer, and maps each byte to its place in the original.

/** Maximum number of layers. JSON in JSON in a percent-encoded URL has 3. */
const maxLayers = 8

const percent = 0x25
const ampersand = 0x26

const hash = 0x23
const semicolon = 0x3b

/** HTML entities of ASCII characters. */
const entities: Record<string, number> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }
/** The same as bytes, from behind the ampersand to the semicolon. */
const namedEntities = Object.entries(entities).map(([name, byte]) => ({ name: Buffer.from(`${name};`), byte }))
/** Most digits of a numeric entity, leading zeros included. */
const maxEntityDigits = 8

/** Bytes that can begin an escape. */
export const escapeBegins: readonly number[] = [backslash, percent, ampersand]

/** Other bytes that an escape can contain. */
export const escapeGoesOn: readonly number[] = [
  ...Buffer.from(`#;uxX0123456789abcdefABCDEF${Object.keys(entities).join('')}`),
]

/** Number of backslashes directly before an offset. */
export function backslashesBefore(bytes: Uint8Array, at: number): number {
  let from = at
  while (from > 0 && bytes[from - 1] === backslash) from--
  return at - from
}

/** Bytes after one more layer of escapes was undone. */
export interface Layer {
  bytes: Uint8Array
  /** Offset of each byte in the original, plus the end of the last one. */
  starts: Int32Array
  /** Offset in `bytes` of an escape that the end of the data cuts, else the length of `bytes`. */
  open: number
  /** The same offset in the original bytes, or null. */
  openAt: number | null
}

/** Yields every layer until no escape is left. The last layer may differ from the one before only in `open`. A layer overwrites the one before. */
export function* layersOf(original: Uint8Array): Generator<Layer, void, undefined> {
  const bytes = Uint8Array.from(original)
  const starts = new Int32Array(original.length + 1)
  // `Int32Array.from` with a function takes longer than all layers together.
  for (let at = 0; at <= original.length; at++) starts[at] = at
  let before = original.length
  for (let depth = 0; depth < maxLayers; depth++) {
    const { length, open } = undo(bytes, before, starts)
    const openAt = open === null ? null : (starts[open] ?? 0)
    if (length !== before || openAt !== null) {
      yield { bytes: bytes.subarray(0, length), starts: starts.subarray(0, length + 1), open: open ?? length, openAt }
    }
    if (length === before) return
    before = length
  }
}

/**
 * Yields the bytes of every layer, without their offsets in the original, which take four times as much memory. A layer overwrites the one
 * before.
 */
export function* bytesOfLayers(original: Uint8Array): Generator<Uint8Array, void, undefined> {
  const bytes = Uint8Array.from(original)
  let before = original.length
  for (let depth = 0; depth < maxLayers; depth++) {
    const { length } = undo(bytes, before, null)
    if (length === before) return
    yield bytes.subarray(0, length)
    before = length
  }
}

/**
 * Undoes one layer of escapes in the first `before` bytes, in place. @param starts moved along with the bytes
 * @returns the new length, and the offset of the first escape that the end of the data cuts
 */
function undo(bytes: Uint8Array, before: number, starts: Int32Array | null): { length: number; open: number | null } {
  let length = 0
  let open: number | null = null
  for (let at = 0; at < before; ) {
    const byte = bytes[at] ?? 0
    const found =
      byte === backslash || byte === percent || byte === ampersand ? escapeAt(bytes, at, before, byte) : noEscape
    if (found === unfinished) open ??= length
    const isWhole = found > 0
    bytes[length] = isWhole ? found & 0xff : byte
    if (starts !== null) starts[length] = starts[at] ?? 0
    length += 1
    at += isWhole ? found >> 8 : 1
  }
  if (starts !== null) starts[length] = starts[before] ?? 0
  return { length, open }
}

/**
 * What begins at an offset, as a number, because an object for each escape takes most of the time: `escaped(…)`, `unfinished`, or `noEscape`,
 * also when the character of the escape can't occur in a key.
 */
type Escape = number
const noEscape = 0
const unfinished = -1
/** A decoded character and the length of its escape. */
const escaped = (byte: number, length: number): Escape => (length << 8) | byte

function escapeAt(bytes: Uint8Array, at: number, end: number, first: number): Escape {
  switch (first) {
    case backslash:
      return backslashEscape(bytes, at, end)
    case percent:
      return hexEscape(bytes, at, end, 1, 2)
    default:
      return bytes[at + 1] === hash && at + 1 < end ? numericEntity(bytes, at, end) : namedEntity(bytes, at, end)
  }
}

/** JSON and JavaScript: `\u0041`, `\x41`, and a backslash before any other character, except those that name a control character. */
function backslashEscape(bytes: Uint8Array, at: number, end: number): Escape {
  if (at + 1 >= end) return unfinished
  const next = bytes[at + 1] ?? 0
  switch (next) {
    case 0x75: // u
      return hexEscape(bytes, at, end, 2, 4)
    case 0x78: // x
      return hexEscape(bytes, at, end, 2, 2)
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return noEscape
    default:
      return next >= 0x80 ? noEscape : escaped(next, 2)
  }
}

/** Reads `digits` hexadecimal digits, `skip` bytes after the start of the escape. */
function hexEscape(bytes: Uint8Array, at: number, end: number, skip: number, digits: number): Escape {
  let value = 0
  for (let from = at + skip, n = 0; n < digits; n++) {
    if (from + n >= end) return unfinished
    const digit = hexDigit(bytes[from + n] ?? 0)
    if (digit < 0) return noEscape
    value = value * 16 + digit
  }
  return value < 0x80 ? escaped(value, skip + digits) : noEscape
}

/** HTML: the five entities that XML shares. */
function namedEntity(bytes: Uint8Array, at: number, end: number): Escape {
  for (const { name, byte } of namedEntities) {
    let same = 0
    while (same < name.length && at + 1 + same < end && bytes[at + 1 + same] === name[same]) same++
    if (same === name.length) return escaped(byte, 1 + same)
    if (at + 1 + same === end) return unfinished
  }
  return noEscape
}

/** HTML: `&#65;` and `&#x41;`, both with leading zeros. */
function numericEntity(bytes: Uint8Array, at: number, end: number): Escape {
  const isHex = at + 2 < end && ((bytes[at + 2] ?? 0) | 0x20) === 0x78
  const from = at + (isHex ? 3 : 2)
  const base = isHex ? 16 : 10
  let value = 0
  let to = from
  for (; to < end && to < from + maxEntityDigits; to++) {
    const digit = hexDigit(bytes[to] ?? 0)
    if (digit < 0 || digit >= base) break
    value = value * base + digit
  }
  if (to >= end) return unfinished
  return bytes[to] === semicolon && to > from && value < 0x80 ? escaped(value, to + 1 - at) : noEscape
}

/** The value of a hexadecimal digit, or -1. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
