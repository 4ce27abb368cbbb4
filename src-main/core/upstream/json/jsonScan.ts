import { isUtf8 } from 'node:buffer'
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from './ascii.ts'
import { asBuffer, ByteStore } from './bytes.ts'

/** Maximum nesting of arrays and objects. Real requests and replies have fewer than 20 levels; common parsers stop between 64 and 1,000. */
export const maxDepth = 128

/** Most values of a JSON text that is parsed. Parsing this many takes about 100 ms. Real requests have fewer than 20,000. */
export const maxParsedValues = 500_000

/** Why a scan stopped: not JSON (RFC 8259), not UTF-8, deeper than `maxDepth`, or too many values. */
export type ScanProblem = 'syntax' | 'encoding' | 'depth' | 'values'

export interface ScanOptions {
  /** Maximum number of values, nested ones included. Default: no limit. */
  maxValues?: number
  /** Accept strings that are not UTF-8. */
  anyBytes?: boolean
}

// What may come next. States from `inString` on are inside a token.
const wantsStart = 0
const wantsValue = 1
const wantsValueOrClose = 2
const wantsKey = 3
const wantsKeyOrClose = 4
const wantsColon = 5
const wantsCommaOrClose = 6
const wantsEnd = 7
const inString = 8
const inEscape = 9
const inHex = 10
const inLiteral = 11
const inMark = 12
// The parts of a number, in the order of the grammar.
const afterMinus = 13
const afterZero = 14
const inInteger = 15
const afterPoint = 16
const inFraction = 17
const afterE = 18
const afterExponentSign = 19
const inExponent = 20

/** 1 for bytes that need no escape in a string. Control characters do (RFC 8259, section 7). */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash ? 0 : 1,
)
/** 1 for bytes that form an escape with a single backslash. */
const isEscape = new Uint8Array(256)
for (const letter of '"\\/bfnrt') isEscape[letter.charCodeAt(0)] = 1
const literals = ['true', 'false', 'null']
const byteOrderMark = [0xef, 0xbb, 0xbf]

/**
 * Checks a JSON text that passes in chunks, split anywhere, and reports its parts to a subclass. Accepts what `JSON.parse` accepts (after
 * one optional byte order mark), but only UTF-8 and at most `maxDepth` levels. Memory does not grow with the text. The time per chunk is
 * proportional to its length, so no chunk blocks the program as a parse of the whole text would. Decision 0007 compares it with a library.
 */
export class JsonScan {
  /** Null while the text is valid so far. After a problem the scan reads no more. */
  problem: ScanProblem | null = null
  /** Number of open arrays and objects. */
  protected depth = 0
  /** Number of bytes before the current chunk. */
  protected offset = 0
  /** Bytes in UTF-8 of the last complete string, escapes decoded. */
  protected stringBytes = 0
  /** Number of values so far, nested ones included. */
  values = 0
  readonly #anyBytes: boolean
  readonly #maxValues: number
  #state = wantsStart
  /** For each open level, whether it is an object. */
  readonly #objects: boolean[] = []
  #isKey = false
  #stringFrom = 0
  /** Bytes that the escapes of this string use beyond their characters. */
  #escaped = 0
  #hexDigits = 0
  #hexValue = 0
  #literal = ''
  #literalAt = 0
  /** The unfinished character at the end of the last chunk. */
  #halfCharacter: Buffer | null = null
  readonly #captured = new ByteStore()
  #captureFrom = -1
  #captureLimit = 0

  constructor({ maxValues = Number.POSITIVE_INFINITY, anyBytes = false }: ScanOptions = {}) {
    this.#maxValues = maxValues
    this.#anyBytes = anyBytes
  }

  /** Scans the next bytes. Never throws. */
  push(given: Uint8Array): void {
    if (this.problem !== null || given.length === 0) return
    const bytes = asBuffer(given)
    if (!this.#anyBytes && !this.#isUtf8(bytes)) {
      this.problem = 'encoding'
      return
    }
    for (let at = 0; at < bytes.length && this.problem === null; ) at = this.#step(bytes, at)
    if (this.#captureFrom >= 0) {
      this.#append(bytes, bytes.length)
      this.#captureFrom = 0
    }
    this.offset += bytes.length
  }

  /** Ends the text. Returns true when it was one whole JSON value. */
  end(): boolean {
    if (this.problem === null && this.#halfCharacter !== null) this.problem = 'encoding'
    if (this.problem === null && this.depth === 0 && this.#endsNumber()) {
      this.#state = wantsEnd
      this.valueEnded?.(nothing, 0)
    }
    if (this.problem === null && this.#state !== wantsEnd) this.problem = 'syntax'
    return this.problem === null
  }

  /** Whether the text so far is one whole JSON value. A number is whole only at the end. */
  get isWhole(): boolean {
    return this.problem === null && this.#state === wantsEnd
  }

  /** Called when a value of any kind begins at offset `at` of the chunk. */
  protected valueBegan?(at: number): void
  /** Called when a value ended before offset `at` of the chunk. */
  protected valueEnded?(bytes: Buffer, at: number): void
  /** Called when a string begins; `at` is the offset of its quote. */
  protected stringBegan?(isKey: boolean, at: number): void
  /** Called before `valueEnded`, when a string ended before offset `at`; `stringBytes` is its length. */
  protected stringEnded?(isKey: boolean, bytes: Buffer, at: number): void
  /** Called after an array or object began and was counted in `depth`. */
  protected opened?(isObject: boolean, at: number): void
  /** Called before `valueEnded`, after an array or object ended and was removed from `depth`. */
  protected closed?(isObject: boolean): void

  /** Starts to copy the text at offset `at` of the chunk, at most `limit` bytes. */
  protected startCapture(at: number, limit: number): void {
    this.#captureFrom = at
    this.#captureLimit = limit
  }

  /** Returns the copy up to offset `at`, valid until the next chunk. Null when it exceeds the limit. */
  protected stopCapture(bytes: Buffer, at: number): Buffer | null {
    const from = this.#captureFrom
    const isHere = this.#captured.length === 0 && this.#captureLimit >= at - from
    if (!isHere) this.#append(bytes, at)
    this.#captureFrom = -1
    if (isHere) return bytes.subarray(from, at)
    return this.#captureLimit < 0 ? null : this.#captured.take()
  }

  #append(bytes: Buffer, to: number): void {
    if (this.#captured.length + to - this.#captureFrom > this.#captureLimit) {
      this.#captureLimit = -1
      this.#captured.clear()
    } else this.#captured.append(bytes, this.#captureFrom, to)
  }

  /** Handles the byte at `at` and returns the next offset. */
  #step(bytes: Buffer, at: number): number {
    const state = this.#state
    if (state === inString) return this.#throughString(bytes, at)
    if (state >= afterMinus) return this.#throughNumber(bytes, at)
    const byte = bytes[at] ?? 0
    if (state >= inEscape) return this.#insideToken(bytes, byte, at)
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      if (state === wantsStart) this.#state = wantsValue
      return at + 1
    }
    return this.#betweenTokens(bytes, byte, at)
  }

  #insideToken(bytes: Buffer, byte: number, at: number): number {
    switch (this.#state) {
      case inEscape:
        return this.#escape(byte, at)
      case inHex:
        return this.#hex(byte, at)
      case inLiteral:
        return this.#throughLiteral(bytes, byte, at)
      default:
        return this.#mark(byte, at)
    }
  }

  #betweenTokens(bytes: Buffer, byte: number, at: number): number {
    switch (this.#state) {
      case wantsCommaOrClose:
        if (byte !== comma) return this.#close(bytes, byte, at)
        this.#state = this.#inObject() ? wantsKey : wantsValue
        return at + 1
      case wantsColon:
        if (byte !== colon) return this.#wrong()
        this.#state = wantsValue
        return at + 1
      case wantsKeyOrClose:
        return byte === closeBrace ? this.#close(bytes, byte, at) : this.#key(byte, at)
      case wantsKey:
        return this.#key(byte, at)
      case wantsValueOrClose:
        return byte === closeBracket ? this.#close(bytes, byte, at) : this.#value(byte, at)
      case wantsStart:
        if (byte !== byteOrderMark[0]) return this.#value(byte, at)
        this.#state = inMark
        this.#literalAt = 1
        return at + 1
      case wantsValue:
        return this.#value(byte, at)
      default:
        return this.#wrong()
    }
  }

  #key(byte: number, at: number): number {
    return byte === quote ? this.#openString(true, at) : this.#wrong()
  }

  #value(byte: number, at: number): number {
    this.values++
    if (this.values > this.#maxValues) return this.#wrong('values')
    this.valueBegan?.(at)
    if (byte === quote) return this.#openString(false, at)
    if (byte === openBrace || byte === openBracket) return this.#open(byte === openBrace, at)
    if (byte === 0x2d) this.#state = afterMinus
    else if (byte === 0x30) this.#state = afterZero
    else if (isDigit(byte)) this.#state = inInteger
    else {
      const literal = literals.find((word) => word.charCodeAt(0) === byte)
      if (literal === undefined) return this.#wrong()
      this.#literal = literal
      this.#literalAt = 1
      this.#state = inLiteral
    }
    return at + 1
  }

  #open(isObject: boolean, at: number): number {
    if (this.depth >= maxDepth) return this.#wrong('depth')
    this.#objects[this.depth] = isObject
    this.depth++
    this.#state = isObject ? wantsKeyOrClose : wantsValueOrClose
    this.opened?.(isObject, at)
    return at + 1
  }

  #close(bytes: Buffer, byte: number, at: number): number {
    const isObject = this.#inObject()
    if (byte !== (isObject ? closeBrace : closeBracket)) return this.#wrong()
    this.depth--
    this.closed?.(isObject)
    this.#ended(bytes, at + 1)
    return at + 1
  }

  #ended(bytes: Buffer, at: number): void {
    this.#state = this.depth === 0 ? wantsEnd : wantsCommaOrClose
    this.valueEnded?.(bytes, at)
  }

  #inObject(): boolean {
    return this.#objects[this.depth - 1] === true
  }

  #openString(isKey: boolean, at: number): number {
    this.#isKey = isKey
    this.#stringFrom = this.offset + at + 1
    this.#escaped = 0
    this.#state = inString
    this.stringBegan?.(isKey, at)
    return at + 1
  }

  #throughString(bytes: Buffer, from: number): number {
    const { length } = bytes
    for (let at = from; ; ) {
      while (at < length && isPlain[bytes[at] ?? 0] === 1) at++
      if (at >= length) return at
      const byte = bytes[at]
      if (byte === quote) return this.#closeString(bytes, at)
      if (byte !== backslash) return this.#wrong()
      // Most escapes have two bytes, both in this chunk.
      if (isEscape[bytes[at + 1] ?? 0] !== 1) {
        this.#state = inEscape
        return at + 1
      }
      this.#escaped++
      at += 2
    }
  }

  #closeString(bytes: Buffer, at: number): number {
    this.stringBytes = this.offset + at - this.#stringFrom - this.#escaped
    const isKey = this.#isKey
    this.stringEnded?.(isKey, bytes, at + 1)
    if (isKey) this.#state = wantsColon
    else this.#ended(bytes, at + 1)
    return at + 1
  }

  #escape(byte: number, at: number): number {
    if (byte === 0x75) {
      this.#hexDigits = 0
      this.#hexValue = 0
      this.#state = inHex
    } else if (isEscape[byte] === 1) {
      this.#escaped += 1
      this.#state = inString
    } else return this.#wrong()
    return at + 1
  }

  #hex(byte: number, at: number): number {
    const digit = hexDigit(byte)
    if (digit < 0) return this.#wrong()
    this.#hexValue = this.#hexValue * 16 + digit
    this.#hexDigits++
    if (this.#hexDigits === 4) {
      this.#escaped += 6 - utf8Length(this.#hexValue)
      this.#state = inString
    }
    return at + 1
  }

  #throughLiteral(bytes: Buffer, byte: number, at: number): number {
    if (byte !== this.#literal.charCodeAt(this.#literalAt)) return this.#wrong()
    this.#literalAt++
    if (this.#literalAt === this.#literal.length) this.#ended(bytes, at + 1)
    return at + 1
  }

  #mark(byte: number, at: number): number {
    if (byte !== byteOrderMark[this.#literalAt]) return this.#wrong()
    this.#literalAt++
    if (this.#literalAt === byteOrderMark.length) this.#state = wantsValue
    return at + 1
  }

  #throughNumber(bytes: Buffer, from: number): number {
    let state = this.#state
    let at = from
    for (; at < bytes.length; at++) {
      const next = numberState(state, bytes[at] ?? 0)
      if (next < 0) break
      state = next
    }
    this.#state = state
    // The byte that ends a number belongs to the next token.
    if (at < bytes.length) {
      if (!this.#endsNumber()) return this.#wrong()
      this.#ended(bytes, at)
    }
    return at
  }

  #endsNumber(): boolean {
    const state = this.#state
    return state === afterZero || state === inInteger || state === inFraction || state === inExponent
  }

  #wrong(problem: ScanProblem = 'syntax'): number {
    this.problem = problem
    return 0
  }

  #isUtf8(bytes: Buffer): boolean {
    const whole = this.#halfCharacter === null ? bytes : Buffer.concat([this.#halfCharacter, bytes])
    const cut = wholeCharacters(whole)
    // A copy: a view would retain the whole chunk.
    this.#halfCharacter = cut === whole.length ? null : Buffer.from(whole.subarray(cut))
    return isUtf8(whole.subarray(0, cut))
  }
}

const nothing = Buffer.alloc(0)

/**
 * Most values of what the main thread parses of a reply while others wait: an event, or a reply of the log. A tenth of `maxParsedValues`, so
 * about 10 ms. Real ones have some hundred; a reply with the probabilities of all its tokens has some ten thousand.
 */
export const maxReplyValues = 50_000
/** Shorter texts can't be deep enough to cost much. Bytes. */
const guardedFrom = 16 * 1024

/** Creates the scan of a reply before it is parsed. `problem` is `depth` or `values` when parsing would take too much time and memory. */
export const guardOfReply = (maxValues = maxParsedValues): JsonScan => new JsonScan({ maxValues, anyBytes: true })

/** Whether parsing this text would take too much time and memory, because of its depth or its number of values. */
export function isExcessive(bytes: Uint8Array, maxValues?: number): boolean {
  if (bytes.length < guardedFrom) return false
  const guard = guardOfReply(maxValues)
  guard.push(bytes)
  return guard.problem === 'depth' || guard.problem === 'values'
}

/**
 * `JSON.parse` for a text from outside.
 * @throws SyntaxError also for a text that is too deep or has more than `maxValues` values
 */
export function parseText(text: string, maxValues?: number): unknown {
  if (text.length >= guardedFrom && isExcessive(Buffer.from(text), maxValues)) {
    throw new SyntaxError('Nested too deep, or too many values.')
  }
  return JSON.parse(text)
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

/**
 * The state of a number (RFC 8259, section 6) after a zero, another digit, a point, an E and a sign. -1 when the character is not allowed.
 */
const numberStates: readonly (readonly number[])[] = [
  [afterZero, inInteger, -1, -1, -1], // afterMinus
  [-1, -1, afterPoint, afterE, -1], // afterZero
  [inInteger, inInteger, afterPoint, afterE, -1], // inInteger
  [inFraction, inFraction, -1, -1, -1], // afterPoint
  [inFraction, inFraction, -1, afterE, -1], // inFraction
  [inExponent, inExponent, -1, -1, afterExponentSign], // afterE
  [inExponent, inExponent, -1, -1, -1], // afterExponentSign
  [inExponent, inExponent, -1, -1, -1], // inExponent
]

function numberState(state: number, byte: number): number {
  return numberStates[state - afterMinus]?.[placeInNumber(byte)] ?? -1
}

function placeInNumber(byte: number): number {
  if (byte === 0x30) return 0
  if (isDigit(byte)) return 1
  if (byte === 0x2e) return 2
  if (byte === 0x65 || byte === 0x45) return 3
  return byte === 0x2b || byte === 0x2d ? 4 : -1
}

function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Bytes of a UTF-16 unit in UTF-8. Each half of a surrogate pair counts two of the four. */
function utf8Length(unit: number): number {
  if (unit < 0x80) return 1
  if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) return 2
  return 3
}

/** Number of bytes that form whole UTF-8 characters. The last character may be unfinished. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
