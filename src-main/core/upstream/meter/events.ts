import type { MeterReading } from '../../ports/requests.ts'
import { colon, cr, lf } from '../ascii.ts'
import { asBuffer, ByteStore } from './bytes.ts'
import { maxReplyValues, parseText } from './jsonScan.ts'
import type { Lane } from './outputText.ts'
import { ReplyReader } from './replyReader.ts'
import { EventTemplates } from './template.ts'
import type { Meter } from './types.ts'

/** A larger event is not parsed; its bytes count as output. A 16th of the limit of the studio's own reader. Bytes. */
const maxReadBytes = 1024 * 1024

/** A longer event can't be the one that only has the usage, so it is no longer held back. Bytes. */
const maxHeldBytes = 64 * 1024

/** `data: [DONE]` with any spaces. Bytes. */
const maxDoneBytes = 64

/**
 * Reads an event stream (WHATWG HTML, "Server-sent events") from the bytes that pass. Passing bytes are never re-serialised. With `strip`,
 * whole usage-only events are cut out with their blank lines. Comment lines before an event are no part of it.
 */
export class EventMeter implements Meter {
  readonly #reply = new ReplyReader()
  readonly #strip: boolean
  readonly #tokensIn: number | null
  #done = false
  readonly #templates = new EventTemplates<Lane>()

  /** The unfinished event, as far as it is needed. `#size` counts all of its bytes. */
  readonly #begun = new ByteStore()
  #size = 0
  /** With `strip`: the client has not received the bytes in `#begun`. */
  #held = false
  /** With `strip`: the client has received some of this event, so it must receive all. */
  #released = false

  // State of the lines of the unfinished event.
  #lineEmpty = true
  #inComment = false
  #commentsOnly = true
  /** The last byte was CR, so a following LF belongs to the same line end. */
  #afterCr = false
  /** The last event was cut out, so a LF of its last line end must be cut out too. */
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
    if (start < bytes.length) this.#appendUnfinished(bytes, start, out)
    return out === null ? given : out.bytes()
  }

  end(): Uint8Array | null {
    // Some services omit the blank line after the last event. The standard drops such an event; the meter reads it.
    const cut = this.#read(this.#begun.view(), 0, this.#begun.length)
    const held = this.#held && !cut ? this.#begun.view() : null
    this.#forget()
    return held
  }

  /** Handles the LF of a CR LF that was split between two chunks. */
  #lateLf(bytes: Buffer, out: Passing | null): number {
    this.#afterCr = false
    if (bytes[0] !== lf) return 0
    if (this.#size === 0 && this.#cutLast) out?.cut(0, 1)
    return 1
  }

  /** Matches an event that differs from an earlier one only in its text. Returns its end, else -1. */
  #likeBefore(bytes: Buffer, at: number): number {
    const templates = this.#templates
    const end = templates.match(bytes, at)
    if (end === -1) return -1
    templates.value?.append(bytes, templates.textFrom, templates.textTo)
    this.#reply.output = true
    this.#cutLast = false
    return this.#afterLineEnd(bytes, end)
  }

  /** The offset after the event's blank line, or after a comment line before the event. -1 when it has not arrived. */
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

  /** Skips a LF after a CR that is just before `end`. */
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
      // Comments and blank lines have no data.
    } else if (this.#size + end - start > maxReadBytes) {
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

  /** The event continues in the next chunk. */
  #appendUnfinished(bytes: Buffer, start: number, out: Passing | null): void {
    const held = this.#held ? this.#begun.view() : null
    const size = bytes.length - start
    if (this.#size + size > maxReadBytes) this.#passUnread(size)
    else this.#begun.append(bytes, start, bytes.length)
    this.#size += size
    if (out === null || this.#released) return
    if (this.#size <= maxHeldBytes && mayBeUsage(this.#begun)) {
      out.stop(start)
      this.#held = true
    } else {
      if (held !== null) out.put(held)
      this.#held = false
      this.#released = true
    }
  }

  /** The event is too large: counts its bytes and drops them. */
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

  /** Returns true for an event that only has the usage. */
  #read(bytes: Buffer, from: number, to: number): boolean {
    this.#reply.lone = null
    const data = dataOf(bytes.toString('utf8', from, to))
    if (data === null) return false
    if (data.length < maxDoneBytes && data.trim() === '[DONE]') {
      this.#done = true
      return false
    }
    try {
      return this.#reply.read(parseText(data, maxReplyValues))
    } catch {
      return false
    }
  }

  #learn(bytes: Buffer, from: number, to: number): void {
    const piece = this.#reply.lone
    if (piece?.lane) this.#templates.learn(bytes, from, to, piece.key, piece.lane)
  }
}

/** The part of one chunk that is passed on: all of it, unless something is cut out, put before it, or held back at its end. */
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

  /** Passes on bytes that were held back; they precede this chunk. */
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

/** The data lines of an event, joined. Null when it has none. */
function dataOf(text: string): string | null {
  const event = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  // One data line and the blank line: JSON.parse accepts the spaces and line ends around the value.
  if (event.startsWith('data:') && isOneLine(event)) return event.slice(5)
  let data: string | null = null
  for (const line of event.split(lineEnd)) {
    if (line !== 'data' && !line.startsWith('data:')) continue
    const value = line.charAt(5) === ' ' ? line.slice(6) : line.slice(5)
    data = data === null ? value : `${data}\n${value}`
  }
  return data
}

/** Whether the only line ends are at its end. */
function isOneLine(event: string): boolean {
  let end = event.length
  while (end > 0 && event.charCodeAt(end - 1) <= 0x20) end--
  const firstLf = event.indexOf('\n')
  const firstCr = event.indexOf('\r')
  return (firstLf === -1 || firstLf >= end) && (firstCr === -1 || firstCr >= end)
}

const lineEnd = /\r\n|\n|\r/

/** A line `data: [DONE]` counts even before its blank line arrives. */
function isDone(begun: ByteStore): boolean {
  if (begun.length < 11 || begun.length > maxDoneBytes) return false
  return dataOf(begun.view().toString('latin1'))?.trim() === '[DONE]'
}

/** Data that does not begin with an object can't be a usage and is passed on at once. */
function mayBeUsage(begun: ByteStore): boolean {
  const bytes = begun.view()
  if (bytes.length < 7 || bytes.toString('latin1', 0, 5) !== 'data:') return true
  let at = 5
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++
  const first = bytes[at]
  // After an empty data line the object may begin in the next line.
  return first === undefined || first === 0x7b || first === lf || first === cr
}
