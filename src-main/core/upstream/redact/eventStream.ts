import { backslash, cr, lf, quote } from '../ascii.ts'
import { asBuffer } from '../meter/bytes.ts'
import { type BodyRedactor, type ChunkRedactor, maskRange, type Scan, type Span, unmaskedRest } from './streams.ts'

/** Maximum number of bytes that wait for the next delta of a text or for the end of a line. Further bytes are passed on. */
const maxHeld = 64 * 1024
/** Maximum number of texts that are followed at once. A reply has one for each choice, and one for each tool call. */
const maxTexts = 256
/** Deepest nesting of an event that is read. Events of the specification have 5. */
const maxDepth = 32

/** Maximum number of templates of events, and the maximum size of each, bytes. */
const maxTemplates = 4
const maxTemplate = 2048

const nothing = Buffer.alloc(0)

/** Which text a delta continues. */
interface TextKey {
  text: string
  choice: string
}

/** An event that was read, around its last text. */
interface Template {
  key: TextKey
  before: Buffer
  after: Buffer
}

/** The end of a text, where the key may begin. */
interface Tail {
  choice: string
  /** Unescaped, one byte for each unit. */
  units: Buffer
  /** Offset of each unit in the stream. */
  places: number[]
  /** Offset in the stream from which bytes are held back; null when none are. */
  holdFrom: number | null
  mostlyThere: boolean
}

/**
 * Masks the key in a streamed chat that is relayed, also where the key is split over the texts of consecutive events. Clients join these
 * texts. If a text ends with the beginning of the key, bytes are held back from there until the next delta of that text. Bytes of a line
 * that has not arrived completely are held back too. A mask has the same length as the text that it replaces.
 */
export class EventStreamRedactor implements ChunkRedactor {
  readonly #body: BodyRedactor
  readonly #scan: Scan
  readonly #tails = new Map<string, Tail>()
  readonly #templates: Template[] = []
  /** Bytes that were not passed on yet. They are copies, so masks can be written into them. */
  #held: Buffer = nothing
  /** Offset of `#held` in the stream. */
  #heldAt = 0
  /** Offset in the stream after the last line that was read. */
  #readTo = 0
  /** Offset in the stream of the last event whose JSON was found to continue over several lines, so that its first line is read once. */
  #continuedAt = -1

  constructor(body: BodyRedactor, scan: Scan) {
    this.#body = body
    this.#scan = scan
  }

  push(chunk: Uint8Array): Uint8Array | null {
    const clean = this.#body.push(chunk)
    return clean === null ? null : this.#take(clean)
  }

  end(): Uint8Array | null {
    const rest = this.#body.end()
    const before = rest === null ? null : this.#take(rest)
    this.#readLines(true)
    this.#endTexts(null)
    const after = this.#pass(this.#held.length)
    if (before === null || after === null) return before ?? after
    return Buffer.concat([before, after])
  }

  #take(chunk: Uint8Array): Uint8Array | null {
    const isFresh = this.#held.length === 0
    const data = isFresh ? asBuffer(chunk) : Buffer.concat([this.#held, chunk])
    this.#held = data
    this.#readLines()
    let until = this.#readTo
    for (const { holdFrom } of this.#tails.values()) if (holdFrom !== null) until = Math.min(until, holdFrom)
    let length = until - this.#heldAt
    if (this.#held.length - length > maxHeld) {
      this.#endTexts(null)
      this.#readTo = this.#heldAt + this.#held.length
      length = this.#held.length
    }
    const isUnchanged = isFresh && this.#held === data
    const passed = this.#pass(length)
    if (isUnchanged && length === chunk.length) return chunk
    // The socket may reuse the memory of the chunk.
    this.#held = Buffer.from(this.#held)
    return passed
  }

  #pass(length: number): Uint8Array | null {
    const passed = this.#held.subarray(0, length)
    this.#held = length === this.#held.length ? nothing : this.#held.subarray(length)
    this.#heldAt += length
    return passed.length === 0 ? null : passed
  }

  /** @param isEnd whether the stream has ended, so that its last line and event may be incomplete */
  #readLines(isEnd = false): void {
    const held = this.#held
    for (let start = this.#readTo - this.#heldAt; start < held.length; ) {
      const foundEnd = lineEnd(held, start)
      if (foundEnd === -1 && !isEnd) {
        // Only the rest of a `data` line can contain a part of the key that must be masked.
        if (!mayBeData(held, start)) this.#readTo = this.#heldAt + held.length
        return
      }
      const end = foundEnd === -1 ? held.length : foundEnd
      let next = end + 1
      if (end > start && mayBeData(held, start) && !this.#readFirstLine(start, end)) {
        // The JSON continues in the next `data` lines of this event. None of it is passed on before it has arrived.
        const foundEventEnd = endOfEvent(held, end)
        if (foundEventEnd === -1 && !isEnd) return
        next = foundEventEnd === -1 ? held.length : foundEventEnd
        this.#readData(start + dataField.length, next, true)
      }
      start = Math.min(next, held.length)
      this.#readTo = this.#heldAt + start
    }
  }

  /** Reads the first `data` line of an event. False if its JSON continues in the next line. */
  #readFirstLine(start: number, end: number): boolean {
    const place = this.#heldAt + start
    if (this.#continuedAt === place) return false
    if (this.#readData(start + dataField.length, end, false)) return true
    this.#continuedAt = place
    return false
  }

  /**
   * Reads the JSON of one event.
   * @param isWhole false: if the JSON ends too early, nothing is read
   * @returns whether the JSON was read
   */
  #readData(from: number, to: number, isWhole: boolean): boolean {
    if (this.#readLikeBefore(from, to)) return true
    const found = textsIn(this.#held, from, to)
    if (found === null) {
      // `[DONE]`, or data that is not JSON.
      this.#endTexts(null)
      return true
    }
    if (!found.isComplete && !isWhole) return false
    const line = this.#held.subarray(from, to)
    for (const { path, start, end } of found.texts) this.#readText(keyOf(path), start, end)
    for (const { index } of found.finished) this.#endTexts(index)
    const last = found.texts.at(-1)
    if (last && found.finished.length === 0) this.#learn(line, keyOf(last.path), last.start - from, last.end - from)
    return true
  }

  /** Reads an event that differs from an earlier one only in its last text, which saves most of the time. */
  #readLikeBefore(from: number, to: number): boolean {
    const held = this.#held
    for (const { key, before, after } of this.#templates) {
      const [start, end] = [from + before.length, to - after.length]
      if (start > end || !isAt(held, from, before) || !isAt(held, end, after)) continue
      // Another text could continue a tail, and a quote could end the text early.
      if (this.#tails.size > (this.#tails.has(key.text) ? 1 : 0) || hasQuote(held, start, end)) continue
      this.#readText(key, start, end)
      return true
    }
    return false
  }

  #learn(line: Buffer, key: TextKey, start: number, end: number): void {
    if (this.#tails.size > (this.#tails.has(key.text) ? 1 : 0) || line.length > maxTemplate) return
    const template = { key, before: Buffer.from(line.subarray(0, start)), after: Buffer.from(line.subarray(end)) }
    this.#templates.unshift(template)
    this.#templates.splice(maxTemplates)
  }

  #readText({ text: key, choice }: TextKey, start: number, end: number): void {
    const before = this.#tails.get(key)
    // The usual case: no part of the key came before, and this text neither contains the key nor ends with its beginning.
    if (before === undefined && this.#scan(this.#held.subarray(start, end)) === null) return
    if (start === end) return
    const added = unescaped(this.#held, start, end, this.#heldAt)
    const units = before ? Buffer.concat([before.units, added.units]) : added.units
    const places = before ? [...before.places, ...added.places] : added.places
    const after = this.#heldAt + end
    this.#tails.delete(key)
    const scanned = this.#scan(units)
    if (scanned === null) return
    const passed = places.findIndex((place) => place >= this.#heldAt)
    const { spans, pendingFrom, holdFrom } = unmaskedRest(scanned, passed === -1 ? units.length : passed)
    for (const span of spans) this.#mask(span, places, after)
    if (pendingFrom >= units.length || this.#tails.size >= maxTexts) return
    this.#tails.set(key, {
      choice,
      units: units.subarray(pendingFrom),
      places: places.slice(pendingFrom),
      holdFrom: places[holdFrom] ?? null,
      mostlyThere: scanned.mostlyThere,
    })
  }

  /** Overwrites the units of a span, except those that were passed on. */
  #mask([from, to]: Span, places: readonly number[], after: number): void {
    this.#held = Buffer.from(this.#held)
    let isFirst = true
    for (let unit = from; unit < to; ) {
      const start = places[unit] ?? after
      let end = unitEnd(places, unit, after, this.#held, this.#heldAt)
      for (unit++; unit < to && places[unit] === end; unit++) {
        end = unitEnd(places, unit, after, this.#held, this.#heldAt)
      }
      if (start < this.#heldAt) continue
      maskRange(this.#held, start - this.#heldAt, end - this.#heldAt, isFirst)
      isFirst = false
    }
  }

  /**
   * Call when the texts of a choice, or all of them (null), are complete. Passes on the bytes that were held back, unless they are most of
   * the key.
   */
  #endTexts(choice: string | null): void {
    for (const [key, tail] of this.#tails) {
      if (choice !== null && tail.choice !== choice) continue
      this.#tails.delete(key)
      const { places, mostlyThere } = tail
      const last = places.at(-1) ?? this.#heldAt
      if (mostlyThere) this.#mask([0, places.length], places, last + 1)
    }
  }
}

const dataField = Buffer.from('data:')

/** Whether a line is a `data` field, or its beginning when it has not arrived completely. */
function mayBeData(bytes: Buffer, start: number): boolean {
  for (let at = 0; at < dataField.length && start + at < bytes.length; at++) {
    if (bytes[start + at] !== dataField[at]) return false
  }
  return true
}

/** Offset of the CR or LF that ends a line, else -1. */
function lineEnd(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === lf || byte === cr) return at
  }
  return -1
}

/** Offset of the blank line that ends the event with this line end, else -1. */
function endOfEvent(bytes: Buffer, firstLineEnd: number): number {
  for (let at = firstLineEnd; at !== -1; ) {
    let next = at + 1
    if (bytes[at] === cr && next === bytes.length) return -1
    if (bytes[at] === cr && bytes[next] === lf) next += 1
    if (bytes[next] === lf || bytes[next] === cr) return next
    at = lineEnd(bytes, next)
  }
  return -1
}

// These loops are faster than calls of native code, because events are short.
function isAt(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let at = 0; at < wanted.length; at++) if (bytes[start + at] !== wanted[at]) return false
  return true
}

function hasQuote(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === quote) return true
  return false
}

function keyOf(path: FoundText['path']): TextKey {
  const choice = path[1] instanceof Element ? path[1].index : ''
  return { text: path.map((step) => (step instanceof Element ? step.index : step)).join('/'), choice }
}

/** An element of an array. Deltas are joined by the member `index` of their element; without one, by its position. */
class Element {
  index: string
  constructor(position: number) {
    this.index = String(position)
  }
}

/** A JSON string in an event, with the offsets of its content between the quotes. */
interface FoundText {
  path: (string | Element)[]
  start: number
  end: number
}

interface FoundTexts {
  texts: FoundText[]
  /** The choices that the event finishes. */
  finished: Element[]
  /** False if the JSON ends too early. */
  isComplete: boolean
}

/**
 * The strings below `choices` in the JSON of an event, which may continue over several `data` lines. Null when it is not a JSON object.
 */
function textsIn(bytes: Buffer, from: number, to: number): FoundTexts | null {
  const texts: FoundText[] = []
  const finished: Element[] = []
  let at = from
  let isComplete = true

  const skipSpace = (): void => {
    while (at < to && (bytes[at] ?? 0) <= 0x20) {
      const isLineEnd = bytes[at] === lf || bytes[at] === cr
      at++
      if (isLineEnd) skipFieldName()
    }
  }
  /** Skips `data:` at the start of a line, and whole lines of other fields. */
  const skipFieldName = (): void => {
    if (at >= to || bytes[at] === lf || bytes[at] === cr) return
    if (isAt(bytes, at, dataField)) at += dataField.length
    else while (at < to && bytes[at] !== lf && bytes[at] !== cr) at++
  }
  /** Reads a string and returns the offset of its content. `at` is then after the closing quote. */
  const string = (): number => {
    const start = ++at
    while (at < to && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    at++
    return start
  }
  const members = (close: number, path: FoundText['path'], member: (position: number) => void): void => {
    at++
    for (let position = 0; at < to && path.length < maxDepth; position++) {
      skipSpace()
      if (bytes[at] === close) break
      const before = at
      member(position)
      skipSpace()
      if (bytes[at] === 0x2c) at++
      else if (bytes[at] !== close || at === before) break
    }
    if (at >= to || bytes[at] !== close) isComplete = false
    at++
  }
  const value = (path: FoundText['path']): void => {
    skipSpace()
    const start = at
    switch (bytes[at]) {
      case quote: {
        const content = string()
        const last = path.at(-1)
        const owner = path.at(-2)
        if (last === 'finish_reason' && owner instanceof Element) finished.push(owner)
        else if (path[0] === 'choices') texts.push({ path, start: content, end: Math.min(at - 1, to) })
        break
      }
      case 0x7b: // {
        members(0x7d, path, () => {
          if (bytes[at] !== quote) return
          const name = string()
          const key = bytes.toString('latin1', name, at - 1)
          skipSpace()
          at++
          value([...path, key])
        })
        break
      case 0x5b: // [
        members(0x5d, path, (position) => value([...path, new Element(position)]))
        break
      default: {
        while (at < to && !isLiteralEnd(bytes[at] ?? 0)) at++
        const owner = path.at(-2)
        if (path.at(-1) === 'index' && owner instanceof Element) owner.index = bytes.toString('latin1', start, at)
      }
    }
  }

  skipSpace()
  if (bytes[at] !== 0x7b) return null
  value([])
  return { texts, finished, isComplete }
}

const isLiteralEnd = (byte: number): boolean => byte === 0x2c || byte === 0x5d || byte === 0x7d || byte <= 0x20

/** Undoes the escapes of a JSON string. Characters outside ASCII, which no key has, become one unit for each byte. */
function unescaped(bytes: Buffer, start: number, end: number, offset: number): { units: Buffer; places: number[] } {
  const units: number[] = []
  const places: number[] = []
  for (let at = start; at < end; ) {
    places.push(offset + at)
    const escaped = bytes[at] === backslash ? (bytes[at + 1] ?? 0) : null
    if (escaped === 0x75) {
      units.push(Number.parseInt(bytes.toString('latin1', at + 2, at + 6), 16) & 0xff)
      at += 6
    } else if (escaped === null) {
      units.push(bytes[at] ?? 0)
      at += 1
    } else {
      units.push(escaped)
      at += 2
    }
  }
  return { units: Buffer.from(units), places }
}

/** Offset in the stream after a unit, which may be an escape. */
function unitEnd(places: readonly number[], unit: number, after: number, held: Buffer, heldAt: number): number {
  const start = places[unit] ?? after
  const next = places[unit + 1] ?? after
  const at = start - heldAt
  const length = held[at] === backslash ? (held[at + 1] === 0x75 ? 6 : 2) : 1
  return Math.max(start + 1, Math.min(next, start + length))
}
