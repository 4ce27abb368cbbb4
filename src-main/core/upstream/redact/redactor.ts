import { backslashesBefore, escapeBegins, layersOf } from './escapes.ts'
import { formBytes, matches, type Needle, needlesOf, shiftTable } from './needles.ts'
import { BodyRedactor, type Findings, PiecesRedactor, replaced, type Span } from './streams.ts'

// Finds the API key in what the service sends and replaces it. The README of this folder says which encodings and where.

/**
 * Keys shorter than this are not masked in the bodies of successful replies: "lm-studio" and "not-needed" are common
 * placeholders for local services and also words that a model may say. They are masked everywhere else.
 */
export const minContentKeyLength = 16

/** Text that may be the beginning of the key is held back from this many matching characters on. */
const minHeld = 4

/** The longest escaped form of one character that is recognised across chunks, bytes: `\\\\\\\\u0041` is 13. */
const maxEscapedLength = 24
/** No more than this is looked at again with each chunk, bytes: a hostile service could send single bytes. */
const maxPending = 16 * 1024
/** Of a longer run not each byte is looked at, bytes. */
const longRun = 256

const none: readonly Span[] = []

/**
 * Recognises one key in bytes and text: as it is; escaped as in JSON, URLs or HTML, in whole or in part, also several times over;
 * in hexadecimal; in base64 and base64url at each of the three alignments. All search tables are built once, in the constructor.
 */
export class Redactor {
  readonly #key: string
  readonly #needles: Needle[]
  readonly #shortest: number
  readonly #longest: number
  /** By byte, see `formBytes`. */
  readonly #form: Uint8Array
  /** By two bytes, see `shiftTable`. */
  readonly #shift: Uint8Array

  constructor(key: string) {
    this.#key = key
    this.#needles = needlesOf(key)
    const lengths = this.#needles.map(({ bytes }) => bytes.length)
    this.#shortest = Math.min(...lengths)
    this.#longest = Math.max(...lengths)
    this.#form = formBytes(this.#needles)
    this.#shift = shiftTable(this.#needles, this.#shortest)
  }

  /** The text with `[key]` in place of each occurrence. */
  text(text: string): string {
    if (text.length < this.#shortest) return text
    // One byte for each UTF-16 unit keeps the positions; that other characters may look like ASCII for it does no harm.
    const found = this.#scan(Buffer.from(text, 'latin1'), false)
    if (found === null) return text
    return replaced(text, found.spans, 0, text.length)
  }

  /** Whether a header's name holds the key in any case: names are case-blind, and some servers change their case. */
  isInName(name: string): boolean {
    if (name.length < this.#shortest) return false
    if (name.toLowerCase().includes(this.#key.toLowerCase())) return true
    return this.#scan(Buffer.from(name, 'latin1'), false) !== null
  }

  /**
   * For the bytes of one body. A replacement has the length of what it replaces, so that a stated length holds, and breaks no JSON.
   * @param good false for an error reply
   */
  forBody(good: boolean): BodyRedactor | null {
    return this.#isFor(good) ? new BodyRedactor((bytes) => this.#scan(bytes, true)) : null
  }

  /** For one text that comes in pieces; null where the key is too short to be masked in content. */
  forPieces(): PiecesRedactor | null {
    return this.#isFor(true) ? new PiecesRedactor((bytes) => this.#scan(bytes, true)) : null
  }

  #isFor(good: boolean): boolean {
    return !good || this.#key.length >= minContentKeyLength
  }

  /**
   * A form of the key is a run of form bytes that is at least as long as the shortest needle: it is enough to look at one byte
   * in so many, and closer only where that lies in such a run. Prose, JSON and audio have few.
   * @param more whether other bytes may follow
   */
  #scan(bytes: Uint8Array, more: boolean): Findings | null {
    const form = this.#form
    const stride = this.#shortest
    const { length } = bytes
    const spans: Span[] = []
    for (let at = stride - 1; at < length; ) {
      if (form[bytes[at] ?? 0] === 0) {
        at += stride
        continue
      }
      const from = runStart(form, bytes, at, 0)
      const to = runEnd(form, bytes, at, stride)
      if (to - from >= stride) this.#searchRun(bytes, from, to, spans)
      at = to + stride
    }
    const last = bytes[length - 1]
    const pending = more && last !== undefined && form[last] !== 0 ? this.#pending(bytes) : null
    if (spans.length === 0 && pending === null) return null
    return { spans: joined(spans, bytes), pendingFrom: length, holdFrom: length, mostlyThere: false, ...pending }
  }

  #searchRun(bytes: Uint8Array, from: number, to: number, spans: Span[]): void {
    for (const [start, end] of this.#search(bytes, from, to)) spans.push([start, end])
    if (!this.#hasEscapes(bytes, from, to)) return
    for (const { bytes: decoded, starts } of layersOf(bytes.subarray(from, to))) {
      for (const [start, end] of this.#search(decoded, 0, decoded.length)) {
        spans.push([from + (starts[start] ?? 0), from + (starts[end] ?? 0)])
      }
    }
  }

  #hasEscapes(bytes: Uint8Array, from: number, to: number): boolean {
    // Native searches for what can be megabytes of base64.
    if (to - from > longRun) return escapeBegins.some((byte) => bytes.subarray(from, to).includes(byte))
    const form = this.#form
    for (let at = from; at < to; at++) if (form[bytes[at] ?? 0] === 3) return true
    return false
  }

  /** Where needles stand in `bytes[from, to)`. */
  #search(bytes: Uint8Array, from: number, to: number): readonly Span[] {
    const shift = this.#shift
    const shortest = this.#shortest
    let spans: Span[] | null = null
    for (let at = from + shortest - 1; at < to; ) {
      const step = shift[((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0)] ?? 1
      if (step > 0) {
        at += step
        continue
      }
      const start = at - shortest + 1
      for (const needle of this.#needles) {
        const end = start + needle.bytes.length
        if (end > to || !matches(needle, bytes, start, end)) continue
        spans ??= []
        spans.push([start, end])
      }
      at += 1
    }
    return spans ?? none
  }

  /** What at the end of the bytes may be the beginning of a form. */
  #pending(bytes: Uint8Array): Omit<Findings, 'spans'> | null {
    const bound = Math.max(0, bytes.length - Math.min(maxPending, this.#longest * maxEscapedLength))
    const from = runStart(this.#form, bytes, bytes.length, bound)
    const run = bytes.subarray(from)
    let pendingFrom = run.length
    let holdFrom = run.length
    let mostlyThere = false
    const look = (decoded: Uint8Array, end: number, at: (position: number) => number): void => {
      const begun = this.#beginning(decoded, end)
      if (begun === null) return
      pendingFrom = Math.min(pendingFrom, at(begun.start))
      if (end - begun.start >= minHeld) holdFrom = Math.min(holdFrom, at(begun.start))
      mostlyThere ||= begun.mostly
    }
    look(run, run.length, (position) => position)
    if (this.#hasEscapes(run, 0, run.length)) {
      for (const { bytes: decoded, starts, open, openAt } of layersOf(run)) {
        // Half an escape must not leave: what it becomes is not known yet.
        if (openAt !== null) {
          pendingFrom = Math.min(pendingFrom, openAt)
          holdFrom = Math.min(holdFrom, openAt)
        }
        look(decoded, open, (position) => starts[position] ?? 0)
      }
    }
    if (pendingFrom === run.length) return null
    return { pendingFrom: from + pendingFrom, holdFrom: from + holdFrom, mostlyThere }
  }

  /** The longest end of `bytes[0, end)` that begins a needle, or null. */
  #beginning(bytes: Uint8Array, end: number): { start: number; mostly: boolean } | null {
    for (let start = Math.max(0, end - this.#longest + 1); start < end; start++) {
      for (const needle of this.#needles) {
        const { length } = needle.bytes
        if (end - start >= length || !matches(needle, bytes, start, end)) continue
        return { start, mostly: (end - start) * 2 >= length }
      }
    }
    return null
  }
}

function runStart(form: Uint8Array, bytes: Uint8Array, at: number, bound: number): number {
  let from = at
  while (from > bound && form[bytes[from - 1] ?? 0] !== 0) from--
  return from
}

/** Past a long run it may go too far: looking at each byte of a picture in base64 would cost more than the search. */
function runEnd(form: Uint8Array, bytes: Uint8Array, at: number, stride: number): number {
  const { length } = bytes
  const near = Math.min(length, at + longRun)
  let to = at
  while (to < near && form[bytes[to] ?? 0] !== 0) to++
  if (to < near) return to
  while (to < length && form[bytes[to] ?? 0] !== 0) to += stride
  return Math.min(length, to)
}

/** In order, with those that overlap made one, and none that begins or ends inside an escape with a backslash. */
function joined(spans: Span[], bytes: Uint8Array): Span[] {
  const all: Span[] = []
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const from = backslashesBefore(bytes, start) % 2 === 1 ? start - 1 : start
    const to = backslashesBefore(bytes, end) % 2 === 1 && end < bytes.length ? end + 1 : end
    const last = all.at(-1)
    if (last && from < last[1]) last[1] = Math.max(last[1], to)
    else all.push([from, to])
  }
  return all
}
