import { backslash } from '../ascii.ts'
import { asBuffer } from '../meter/bytes.ts'

// Undoes escapes of JSON, URLs and HTML layer by layer, and maps each byte to its place in the original.

/** Maximum number of layers. JSON in JSON in a percent-encoded URL has 3. */
const maxLayers = 8

const percent = 0x25
const ampersand = 0x26

/** HTML entities of ASCII characters. */
const entities: Record<string, number> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }
const maxEntityLength = '&#x00000041;'.length
const entityText = /^&(?:(amp|lt|gt|quot|apos)|#(\d{1,8})|#[xX]([\da-fA-F]{1,8}));/
const begunEntity = /^&(?:#\d{0,8}|#[xX][\da-fA-F]{0,8}|a|am|amp|l|lt|g|gt|q|qu|quo|quot|ap|apo|apos)?$/

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

/** Yields every layer until no escape is left. The last layer may differ from the one before only in `open`. */
export function* layersOf(original: Uint8Array): Generator<Layer, void, undefined> {
  let bytes = original
  let starts: Int32Array = new Int32Array(original.length + 1)
  // `Int32Array.from` with a function takes longer than all layers together.
  for (let at = 0; at <= original.length; at++) starts[at] = at
  for (let depth = 0; depth < maxLayers; depth++) {
    const layer = undone(bytes, starts)
    const changed = layer.bytes.length !== bytes.length
    if (changed || layer.openAt !== null) yield layer
    if (!changed) return
    bytes = layer.bytes
    starts = layer.starts
  }
}

function undone(given: Uint8Array, givenStarts: Int32Array): Layer {
  const bytes = new Uint8Array(given.length)
  const starts = new Int32Array(given.length + 1)
  let length = 0
  let open: number | null = null
  for (let at = 0; at < given.length; ) {
    const byte = given[at] ?? 0
    const found = byte === backslash || byte === percent || byte === ampersand ? escapeAt(given, at) : null
    if (found === 'unfinished') open ??= length
    const whole = found === null || found === 'unfinished' ? null : found
    bytes[length] = whole?.byte ?? byte
    starts[length] = givenStarts[at] ?? 0
    length += 1
    at += whole?.length ?? 1
  }
  starts[length] = givenStarts[given.length] ?? 0
  const openAt = open === null ? null : (starts[open] ?? 0)
  return { bytes: bytes.subarray(0, length), starts: starts.subarray(0, length + 1), open: open ?? length, openAt }
}

/** A decoded character and the length of its escape. Null when no escape begins, or its character can't occur in a key. */
type Escape = { byte: number; length: number } | 'unfinished' | null

function escapeAt(bytes: Uint8Array, at: number): Escape {
  switch (bytes[at]) {
    case backslash:
      return backslashEscape(bytes, at)
    case percent:
      return hexEscape(bytes, at, 1, 2)
    default:
      return entity(bytes, at)
  }
}

/** JSON and JavaScript: `\u0041`, `\x41`, and a backslash before any other character, except those that name a control character. */
function backslashEscape(bytes: Uint8Array, at: number): Escape {
  const next = bytes[at + 1]
  if (next === undefined) return 'unfinished'
  const letter = String.fromCharCode(next)
  if (letter === 'u') return hexEscape(bytes, at, 2, 4)
  if (letter === 'x') return hexEscape(bytes, at, 2, 2)
  return 'bfnrt'.includes(letter) || next >= 0x80 ? null : { byte: next, length: 2 }
}

/** Reads `digits` hexadecimal digits, `skip` bytes after the start of the escape. */
function hexEscape(bytes: Uint8Array, at: number, skip: number, digits: number): Escape {
  let value = 0
  for (let n = 0; n < digits; n++) {
    const byte = bytes[at + skip + n]
    if (byte === undefined) return 'unfinished'
    const digit = hexDigit(byte)
    if (digit === null) return null
    value = value * 16 + digit
  }
  return value < 0x80 ? { byte: value, length: skip + digits } : null
}

/** HTML: `&#65;` and `&#x41;`, both with leading zeros, and the five entities that XML shares. */
function entity(bytes: Uint8Array, at: number): Escape {
  const text = asBuffer(bytes.subarray(at, at + maxEntityLength)).toString('latin1')
  const [whole, name = '', decimal, hex] = entityText.exec(text) ?? []
  if (whole === undefined) return at + text.length === bytes.length && begunEntity.test(text) ? 'unfinished' : null
  const byte = entities[name] ?? (decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16))
  return byte < 0x80 ? { byte, length: whole.length } : null
}

function hexDigit(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : null
}
