import type { MeterReading } from '../../ports/requests.ts'
import { asBuffer, ByteStore } from './bytes.ts'
import { parseText } from './jsonScan.ts'
import { ReplyReader } from './replyReader.ts'
import { EventTemplate } from './template.ts'
import type { Meter } from './types.ts'

/** A larger event is not looked into: its bytes are counted as output. A 16th of what the studio's own reader takes. */
const longestRead = 1024 * 1024

/** An event that has not ended by then can't be the one that only brings the usage, and is held no longer. */
const longestHeld = 64 * 1024

/** Choices, reasoning and text may take turns. */
const mostTemplates = 4

/** After so many events in a row that looked unlike any before, only every 64th is learned from. */
const patience = 8

/** `data: [DONE]` with whatever spaces. */
const longestDone = 64

const lf = 0x0a
const cr = 0x0d
const colon = 0x3a

/**
 * Reads a stream of events (WHATWG HTML, "Server-sent events") from the bytes that pass. What passes is never re-serialised: the
 * one thing that can be missing is a whole usage-only event with its blank line, where this program asked for it. Comment lines
 * in front of an event are no part of it.
 */
export class EventMeter implements Meter {
  readonly #reply = new ReplyReader()
  readonly #strip: boolean
  readonly #tokensIn: number | null
  #done = false
  #templates: EventTemplate[] = []
  /** The one that fitted last. */
  #fitted = 0
  #misses = 0

  /** What has come of the event that has not ended yet, as far as it is wanted; `#size` counts all of it. */
  readonly #begun = new ByteStore()
  #size = 0
  /** With `strip`: those bytes were kept back from the client. */
  #held = false
  /** With `strip`: some of this event went on already, so all of it must. */
  #released = false

  // The lines of the event that has not ended yet.
  #lineEmpty = true
  #inComment = false
  #commentsOnly = true
  /** The last byte was a CR: a LF that follows belongs to the same line end. */
  #afterCr = false
  /** The last event was cut out, so such a LF is too. */
  #cutLast = false

  constructor(strip: boolean, tokensIn: number | null) {
    this.#strip = strip
    this.#tokensIn = tokensIn
  }

  get complete(): boolean {
    return this.#done || this.#reply.finished || isDone(this.#begun)
  }

  get model(): string | null {
    return this.#reply.model
  }

  reading(): MeterReading {
    return this.#reply.reading(this.#tokensIn)
  }

  push(given: Uint8Array): Uint8Array | null {
    const bytes = asBuffer(given)
    const out = this.#strip ? new Passing(given, bytes) : null
    let at = this.#afterCr && bytes.length > 0 ? this.#lateLf(bytes, out) : 0
    let start = this.#size === 0 ? at : 0
    while (at < bytes.length) {
      let end = this.#size === 0 ? this.#likeBefore(bytes, at) : -1
      if (end === -1) {
        end = this.#endOfEvent(bytes, at)
        if (end === -1) break
        this.#ended(bytes, start, end, out)
      }
      at = end
      start = end
    }
    if (start < bytes.length) this.#keep(bytes, start, out)
    return out === null ? given : out.bytes()
  }

  end(): Uint8Array | null {
    // The last event may lack its blank line. The standard drops it; services that end so mean it.
    const cut = this.#read(this.#begun.view(), 0, this.#begun.length)
    const held = this.#held && !cut ? this.#begun.view() : null
    this.#forget()
    return held
  }

  /** The rest of a CR LF whose halves came apart. */
  #lateLf(bytes: Buffer, out: Passing | null): number {
    this.#afterCr = false
    if (bytes[0] !== lf) return 0
    if (this.#size === 0 && this.#cutLast) out?.cut(0, 1)
    return 1
  }

  /** Takes an event that differs from one before in its text alone, and gives its end; else -1. */
  #likeBefore(bytes: Buffer, at: number): number {
    let end = this.#templates[this.#fitted]?.take(bytes, at) ?? -1
    for (let i = 0; end === -1 && i < this.#templates.length; i++) {
      if (i === this.#fitted) continue
      end = this.#templates[i]?.take(bytes, at) ?? -1
      if (end !== -1) this.#fitted = i
    }
    if (end === -1) return -1
    this.#reply.output = true
    this.#cutLast = false
    this.#misses = 0
    return this.#afterLineEnd(bytes, end)
  }

  /** Past the event's blank line, or past a comment line that stands before it; -1 where that has not come. */
  #endOfEvent(bytes: Buffer, from: number): number {
    let lineEmpty = this.#lineEmpty
    for (let at = from; at < bytes.length; ) {
      const byte = bytes[at] ?? 0
      at++
      if (byte !== lf && byte !== cr) {
        if (lineEmpty) this.#lineBegins(byte)
        lineEmpty = false
        continue
      }
      at = this.#afterLineEnd(bytes, at)
      if (lineEmpty || (this.#inComment && this.#commentsOnly)) {
        this.#lineEmpty = true
        return at
      }
      lineEmpty = true
    }
    this.#lineEmpty = lineEmpty
    return -1
  }

  #lineBegins(byte: number): void {
    this.#inComment = byte === colon
    if (byte !== colon) this.#commentsOnly = false
  }

  /** Past a LF that may follow a CR just before `end`. */
  #afterLineEnd(bytes: Buffer, end: number): number {
    if (bytes[end - 1] !== cr) return end
    if (end === bytes.length) this.#afterCr = true
    return bytes[end] === lf ? end + 1 : end
  }

  #ended(bytes: Buffer, start: number, end: number, out: Passing | null): void {
    const held = this.#held ? this.#begun.view() : null
    let cut = false
    if (this.#size === 0 && !this.#commentsOnly) {
      cut = this.#read(bytes, start, end)
      this.#learn(bytes, start, end)
    } else if (this.#commentsOnly) {
      // Comments and blank lines say nothing.
    } else if (this.#size + end - start > longestRead) {
      this.#passUnread(end - start)
    } else {
      this.#begun.append(bytes, start, end)
      cut = this.#read(this.#begun.view(), 0, this.#begun.length) && !this.#released
    }
    this.#cutLast = cut && out !== null
    if (cut) out?.cut(start, end)
    else if (held !== null) out?.put(held)
    this.#forget()
  }

  /** The event goes on in the next chunk. */
  #keep(bytes: Buffer, start: number, out: Passing | null): void {
    const held = this.#held ? this.#begun.view() : null
    const size = bytes.length - start
    if (this.#size + size > longestRead) this.#passUnread(size)
    else this.#begun.append(bytes, start, bytes.length)
    this.#size += size
    if (out === null || this.#released) return
    if (this.#size <= longestHeld && mayBeUsage(this.#begun)) {
      out.stop(start)
      this.#held = true
    } else {
      if (held !== null) out.put(held)
      this.#held = false
      this.#released = true
    }
  }

  /** The event is too large: what was kept of it and these bytes are counted and forgotten. */
  #passUnread(size: number): void {
    if (!this.#commentsOnly) {
      this.#reply.text.unread += this.#begun.length + size
      this.#reply.output = true
    }
    this.#begun.clear()
  }

  #forget(): void {
    this.#begun.clear()
    this.#size = 0
    this.#held = false
    this.#released = false
    this.#commentsOnly = true
    this.#inComment = false
  }

  /** True for an event that only brings the usage. */
  #read(bytes: Buffer, from: number, to: number): boolean {
    this.#reply.lone = null
    const data = dataOf(bytes.toString('utf8', from, to))
    if (data === null) return false
    if (data.length < longestDone && data.trim() === '[DONE]') {
      this.#done = true
      return false
    }
    try {
      return this.#reply.read(parseText(data))
    } catch {
      return false
    }
  }

  #learn(bytes: Buffer, from: number, to: number): void {
    const piece = this.#reply.lone
    if (piece === null) return
    this.#misses++
    // A stream whose events all differ elsewhere too is not worth the comparisons.
    if (this.#misses === patience) this.#templates = []
    if (this.#misses >= patience && this.#misses % 64 !== 0) return
    const template = EventTemplate.learn(bytes, from, to, piece)
    if (template === null) return
    this.#fitted = this.#templates.length < mostTemplates ? this.#templates.length : (this.#fitted + 1) % mostTemplates
    this.#templates[this.#fitted] = template
  }
}

/** What of one chunk goes on: all of it unless something is cut out, put before it, or held at its end. */
class Passing {
  readonly #given: Uint8Array
  readonly #bytes: Buffer
  readonly #parts: Uint8Array[] = []
  #from = 0
  #to: number

  constructor(given: Uint8Array, bytes: Buffer) {
    this.#given = given
    this.#bytes = bytes
    this.#to = bytes.length
  }

  /** Bytes that were held; they stand before all of this chunk. */
  put(held: Uint8Array): void {
    if (held.length > 0) this.#parts.push(held)
  }

  cut(from: number, to: number): void {
    if (from > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, from))
    this.#from = to
  }

  stop(at: number): void {
    this.#to = at
  }

  bytes(): Uint8Array | null {
    if (this.#parts.length === 0 && this.#from === 0 && this.#to === this.#bytes.length) return this.#given
    if (this.#to > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, this.#to))
    const [first] = this.#parts
    return first === undefined ? null : this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
  }
}

/** The data lines of an event, joined; null where it has none. */
function dataOf(text: string): string | null {
  const event = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  // One line and the blank one: JSON.parse takes the spaces and line ends around it.
  if (event.startsWith('data:') && isOneLine(event)) return event.slice(5)
  let data: string | null = null
  for (const line of event.split(lineEnd)) {
    if (line !== 'data' && !line.startsWith('data:')) continue
    const value = line.charAt(5) === ' ' ? line.slice(6) : line.slice(5)
    data = data === null ? value : `${data}\n${value}`
  }
  return data
}

/** No line end but at its end. */
function isOneLine(event: string): boolean {
  let end = event.length
  while (end > 0 && event.charCodeAt(end - 1) <= 0x20) end--
  const firstLf = event.indexOf('\n')
  const firstCr = event.indexOf('\r')
  return (firstLf === -1 || firstLf >= end) && (firstCr === -1 || firstCr >= end)
}

const lineEnd = /\r\n|\n|\r/

/** A line `data: [DONE]` says it, whether or not its blank line came. */
function isDone(begun: ByteStore): boolean {
  if (begun.length < 11 || begun.length > longestDone) return false
  return dataOf(begun.view().toString('latin1'))?.trim() === '[DONE]'
}

/** Data that does not begin as an object is no usage: it needn't wait for its blank line. */
function mayBeUsage(begun: ByteStore): boolean {
  const bytes = begun.view()
  if (bytes.length < 7 || bytes.toString('latin1', 0, 5) !== 'data:') return true
  let at = 5
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++
  const first = bytes[at]
  // After an empty line the object may begin in the next one.
  return first === undefined || first === 0x7b || first === lf || first === cr
}
