import { backslashesBefore, bytesOfLayers, escapeBegins, layersOf } from './escapes.ts'
import { EventStreamRedactor } from './eventStream.ts'
import { formBytes, matches, type Needle, needlesOf, shiftTable } from './needles.ts'
import { BodyRedactor, type ChunkRedactor, type Findings, PiecesRedactor, replaced, type Span } from './streams.ts'

// Finds the API key in data of the service and replaces it. The folder's README lists the encodings and places.

/**
 * Shorter keys are not masked in the bodies of successful replies. Placeholders of local services such as "lm-studio" and "not-needed" are
 * also words that a model may write. They are masked everywhere else.
 */
export const minContentKeyLength = 16

/** Minimum number of matching characters for which the end of a text is held back. */
const minHeld = 4

/** Longest escaped form of one character that is recognised across chunks, bytes. `\\\\\\\\u0041` has 13. */
const maxEscapedLength = 24
/** Maximum number of bytes that are scanned again with each chunk. A hostile service could send single bytes. */
const maxPending = 16 * 1024
/** Runs longer than this are sampled, bytes. */
const longRun = 256

const none: readonly Span[] = []

/**
 * Recognises one key in bytes and text: plain; escaped for JSON, URLs or HTML, in part and in several layers; hexadecimal; base64 and
 * base64url in all three alignments. The constructor builds all search tables once.
 */
export class Redactor {
  /** Null: nothing is masked. */
  readonly #key: string | null
  readonly #needles: Needle[]
  readonly #shortest: number
  readonly #longest: number
  /** Table by byte, see `formBytes`. */
  readonly #form: Uint8Array
  /** Table by two bytes, see `shiftTable`. */
  readonly #shift: Uint8Array

  /** @param key null for a redactor that masks nothing */
  constructor(key: string | null) {
    this.#key = key
    this.#needles = key === null ? [] : needlesOf(key)
    const lengths = this.#needles.map(({ bytes }) => bytes.length)
    this.#shortest = Math.min(...lengths)
    this.#longest = Math.max(...lengths)
    this.#form = formBytes(this.#needles)
    this.#shift = shiftTable(this.#needles, this.#shortest)
  }

  /** Replaces each occurrence in the text with `[key]`. */
  text(text: string): string {
    if (text.length < this.#shortest) return text
    // One byte for each UTF-16 unit keeps the offsets. Other characters that look like ASCII then do no harm.
    const found = this.#scan(Buffer.from(text, 'latin1'), false)
    if (found === null) return text
    return replaced(text, found.spans, 0, text.length)
  }

  /** Whether a header's name contains the key in any case. Header names are case-insensitive, and some servers change their case. */
  isInName(name: string): boolean {
    if (this.#key === null || name.length < this.#shortest) return false
    if (name.toLowerCase().includes(this.#key.toLowerCase())) return true
    return this.#scan(Buffer.from(name, 'latin1'), false) !== null
  }

  /**
   * Creates the redactor of one body. A mask has the same length as the text that it replaces, so that `Content-Length` stays right and
   * JSON stays valid.
   * @param good false for an error reply
   * @param isEventStream whether the body is a stream of events, whose texts clients join
   */
  forBody(good: boolean, isEventStream = false): ChunkRedactor | null {
    if (!this.#isFor(good)) return null
    const scan = (bytes: Uint8Array): Findings | null => this.#scan(bytes, true)
    const body = new BodyRedactor(scan)
    return good && isEventStream ? new EventStreamRedactor(body, scan) : body
  }

  /** Creates the redactor of a text that arrives in pieces. Null when the key is too short to be masked in content. */
  forPieces(): PiecesRedactor | null {
    return this.#isFor(true) ? new PiecesRedactor((bytes) => this.#scan(bytes, true)) : null
  }

  #isFor(good: boolean): boolean {
    return this.#key !== null && (!good || this.#key.length >= minContentKeyLength)
  }

  /**
   * Finds the key in bytes. A form of the key is a run of form bytes, at least as long as the shortest needle. The scan samples one byte
   * per needle length and looks closer only inside such runs. Prose, JSON and audio have few.
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
    const run = bytes.subarray(from, to)
    if (!this.#isUnderEscapes(run)) return
    for (const { bytes: decoded, starts } of layersOf(run)) {
      for (const [start, end] of this.#search(decoded, 0, decoded.length)) {
        spans.push([from + (starts[start] ?? 0), from + (starts[end] ?? 0)])
      }
    }
  }

  /** Whether the key occurs in any layer. Offsets in the original are needed only then. */
  #isUnderEscapes(run: Uint8Array): boolean {
    for (const decoded of bytesOfLayers(run)) {
      if (decoded.length < this.#shortest) return false
      if (this.#search(decoded, 0, decoded.length).length > 0) return true
    }
    return false
  }

  #hasEscapes(bytes: Uint8Array, from: number, to: number): boolean {
    // Native searches skip megabytes of base64.
    if (to - from > longRun) return escapeBegins.some((byte) => bytes.subarray(from, to).includes(byte))
    const form = this.#form
    for (let at = from; at < to; at++) if (form[bytes[at] ?? 0] === 3) return true
    return false
  }

  /** Finds the needles in `bytes[from, to)`. */
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

  /** The end of the bytes that may be the beginning of a form, or null. */
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
        // Half an escape is held back, because its value is not known yet.
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

/**
 * The end of a run of form bytes. Past a long run the result may be too far: reading each byte of a base64 picture would cost more than the
 * search.
 */
function runEnd(form: Uint8Array, bytes: Uint8Array, at: number, stride: number): number {
  const { length } = bytes
  const near = Math.min(length, at + longRun)
  let to = at
  while (to < near && form[bytes[to] ?? 0] !== 0) to++
  if (to < near) return to
  while (to < length && form[bytes[to] ?? 0] !== 0) to += stride
  return Math.min(length, to)
}

/** Sorts the spans and merges overlapping spans. No span begins or ends inside a backslash escape. */
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
