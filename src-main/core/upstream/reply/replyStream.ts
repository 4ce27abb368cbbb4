import { isUtf8 } from 'node:buffer'
import { createParser } from 'eventsource-parser'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { StudioError } from '../../errors.ts'
import type { MeterReading, TokenUsage } from '../../ports/requests.ts'
import { isEventStream } from '../headers.ts'
import { asBuffer, ByteStore, markLength } from '../json/bytes.ts'
import { maxReplyValues } from '../json/jsonScan.ts'
import { parseBetween } from '../json/offsets.ts'
import { isFields, textOrNull } from '../json/values.ts'
import { EventSplitter } from './eventSplitter.ts'
import type { ChatStreamEvent, ReplyPiece } from './events.ts'
import type { BodyMask, Mask } from './mask.ts'
import { OutputText } from './outputText.ts'
import { errorInstead, isWholeData, malformed, ReplyReader } from './rules.ts'
import { TopLevel } from './topLevel.ts'
import { readUsage, totalTokens } from './usage.ts'

/** Facts of a reply that determine how it is read. */
export interface ReplyOptions {
  endpoint: Endpoint
  /** The request asked for a stream. */
  stream: boolean
  status: number
  contentType: string | null
  mask: Mask
  /** Leave out events that only have the usage, because this program asked for it and the app did not. */
  stripUsage?: boolean
  /** Pass only whole events on, up to 64 KB each, because another event may follow a reply that breaks off. */
  wholeEvents?: boolean
  /** Whether `<think>…</think>` at the start of a chat's content is reasoning. */
  thinkTags?: boolean
  /** Estimated tokens of the prompt, for a reply without a usage. */
  tokensIn?: number | null
  /** Whether somebody needs each event. An event that is too large to be read is then a failure; otherwise its bytes just pass. */
  needsEvents?: boolean
}

/**
 * Largest event, and largest whole reply, that is read when its events are only metered, bytes. Without a limit a hostile service could fill
 * the memory.
 */
const maxPassing = 1024 * 1024
/** The same when somebody needs each event. Parsing and writing 16 MB takes 80 to 240 ms, and no model writes as much. */
const maxNeeded = 16 * 1024 * 1024
/** A longer unfinished event is no longer held back. One that only has the usage is shorter. Bytes. */
const maxHeld = 64 * 1024
/** Longest JSON of another endpoint in which an error is looked for, bytes. */
const maxError = 64 * 1024
/** From this size on a JSON document is scanned as it arrives. Bytes. */
const scannedFrom = 16 * 1024

/** Reads one reply: the bytes go in as they arrive, in any pieces, and come out with their events. Never throws. */
export abstract class ReplyStream {
  readonly #mask: BodyMask | null
  protected readonly options: ReplyOptions

  constructor(options: ReplyOptions) {
    this.options = options
    this.#mask = options.mask.forBody(options.status < 300)
  }

  /** Returns null for nothing yet. The bytes are the same object unless something in them is masked, left out or held back. */
  push(chunk: Uint8Array): ReplyPiece | null {
    const clean = this.#mask === null ? chunk : this.#mask.push(chunk)
    return clean === null ? null : this.read(clean)
  }

  /** Call when the body has ended. @param isWhole false for one that broke off: its failure is known, and no event is added */
  end(isWhole = true): ReplyPiece | null {
    const held = this.#mask?.end() ?? null
    const before = held === null ? null : this.read(held)
    return joinedPieces(before, this.finish(isWhole))
  }

  protected abstract read(bytes: Uint8Array): ReplyPiece | null
  protected abstract finish(isWhole: boolean): ReplyPiece | null

  /** The use so far. Works at any moment, also after a cut. Tokens that the service did not report are counted by this call. */
  abstract reading(): MeterReading

  /** Why a reply with a good status failed, once it has ended. Null for a good reply, and for one that needs no end. */
  abstract get failure(): StudioError | null

  /** Whether the reply is complete although its bytes may not have ended. */
  get isComplete(): boolean {
    return false
  }

  /** Events that were skipped because they are no JSON object. */
  get skipped(): number {
    return 0
  }

  /** Whether this is a stream of which only whole events are passed on (`wholeEvents`). */
  get hasWholeEvents(): boolean {
    return false
  }

  /** Whether the service itself has ended a stream: it sent `[DONE]`, or an error as an event. */
  get isEnded(): boolean {
    return false
  }
}

/** Creates the reader of a reply, chosen by endpoint, status and content type. */
export function openReply(options: ReplyOptions): ReplyStream {
  const { endpoint, status, stream } = options
  if (status < 200 || status > 299 || !hasUse.has(endpoint)) return new PassingReply(options)
  const type = options.contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const isJson = isJsonType(type)
  // A stream with a wrong content type is read as a stream, as most clients do.
  if (isEventStream(type) || (stream && !isJson)) return new EventsReply(options)
  return isJson || options.needsEvents === true ? new WholeReply(options) : new PassingReply(options)
}

/** Endpoints whose replies report a usage. `other` may be any API of the service. */
const hasUse: ReadonlySet<Endpoint> = new Set<Endpoint>(['chat', 'completions', 'other'])
const isChat = ({ endpoint }: ReplyOptions): boolean => endpoint === 'chat' || endpoint === 'completions'
const isJsonType = (type: string): boolean => type === 'application/json' || type.endsWith('+json')

const nothing = Buffer.alloc(0)
const none: readonly ChatStreamEvent[] = []

/** One piece with the bytes and the events of both. */
export function joinedPieces(first: ReplyPiece | null, second: ReplyPiece | null): ReplyPiece | null {
  if (first === null || second === null) return first ?? second
  const events = first.events.length === 0 ? second.events : [...first.events, ...second.events]
  if (second.bytes.length === 0) return { bytes: first.bytes, events }
  return { bytes: first.bytes.length === 0 ? second.bytes : Buffer.concat([first.bytes, second.bytes]), events }
}

/** A reply without a usage: only records whether any byte arrived, and whether a short JSON reply reports an error. */
class PassingReply extends ReplyStream {
  #size = 0
  #start: ByteStore | null = null
  #failure: StudioError | null = null

  constructor(options: ReplyOptions) {
    super(options)
    const { status, contentType } = options
    const isJson = isJsonType(contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '')
    if (isJson && status < 300 && this.#isOutput) this.#start = new ByteStore()
  }

  get failure(): StudioError | null {
    return this.#failure
  }

  get #isOutput(): boolean {
    const { status, endpoint } = this.options
    return status >= 200 && status < 300 && !readOuts.has(endpoint)
  }

  protected read(bytes: Uint8Array): ReplyPiece {
    this.#size += bytes.length
    if (this.#size > maxError) this.#start = null
    this.#start?.append(bytes, 0, bytes.length)
    return { bytes, events: none }
  }

  protected finish(isWhole: boolean): null {
    if (this.#start === null || !isWhole) return null
    const bytes = this.#start.take()
    const value = parseBetween(bytes, markLength(bytes), bytes.length, maxReplyValues)
    const content = this.options.endpoint === 'images' ? 'data' : 'text'
    this.#failure = errorInstead(value, content, this.options.status, this.options.mask)
    return null
  }

  reading(): MeterReading {
    return { usage: null, measured: false, output: this.#isOutput && this.#size > 0 && this.#failure === null }
  }
}

const readOuts: ReadonlySet<Endpoint> = new Set<Endpoint>(['models', 'account', 'files'])

/** A reply that reports its usage. */
abstract class MeasuredReply extends ReplyStream {
  protected readonly reader: ReplyReader
  /** Created on demand, because most replies report their usage. */
  #text: OutputText | null = null

  constructor(options: ReplyOptions) {
    super(options)
    const { mask, status, thinkTags = false, needsEvents = false } = options
    this.reader = new ReplyReader(mask, status, { thinkTags, isKept: needsEvents })
  }

  get failure(): StudioError | null {
    return this.reader.failure
  }

  override get isComplete(): boolean {
    return this.reader.isComplete
  }

  override get skipped(): number {
    return this.reader.skipped
  }

  protected get text(): OutputText {
    this.#text ??= new OutputText()
    return this.#text
  }

  /** The events since the last call. Their texts are copied for a count. */
  protected take(): readonly ChatStreamEvent[] {
    const events = this.reader.take()
    if (!isMeasured(this.reader.usage)) for (const event of events) this.text.add(event)
    return events
  }

  /**
   * The service's figures if it reported prompt and completion. A missing figure is counted from the text, or is the request's estimate.
   */
  reading(): MeterReading {
    const { output, model, finishReason, usage: reported } = this.reader
    if (isMeasured(reported)) return { usage: reported, measured: true, output, model, finishReason }
    const promptTokens = reported?.promptTokens ?? this.options.tokensIn ?? null
    const completionTokens = reported?.completionTokens ?? this.#text?.tokens() ?? 0
    const cachedTokens = reported?.cachedTokens ?? null
    const usage = { promptTokens, completionTokens, totalTokens: reported?.totalTokens ?? null, cachedTokens }
    return { usage: { ...usage, totalTokens: totalTokens(usage) }, measured: false, output, model, finishReason }
  }
}

const isMeasured = (usage: TokenUsage | null): boolean =>
  usage !== null && usage.promptTokens !== null && usage.completionTokens !== null

/** An event stream (WHATWG HTML, "Server-sent events"). Bytes are never written anew; whole events may be left out. */
class EventsReply extends MeasuredReply {
  readonly #splitter = new EventSplitter()
  readonly #parser = createParser({
    onEvent: ({ data, event = '' }) => {
      this.#data = { data, name: event }
    },
    // The standard ignores unknown fields and odd retry values.
    onError: () => undefined,
  })
  /** What the parser found in the bytes that it was given. */
  #data: { data: string; name: string } | null = null
  /** The unfinished event, unless it is too large. `#size` counts all of its bytes. */
  readonly #begun = new ByteStore()
  #size = 0
  /** Whether the bytes in `#begun` were not passed on. */
  #isHeld = false
  /** The last event was left out, so the LF of its last line end must be left out too. */
  #leftOut = false

  /** The body until its first event, in case that it has none. At most `#limit` bytes. */
  readonly #start = new ByteStore()
  #hasData = false
  /** Whether the service had ended the stream when its bytes ended. Null before. */
  #wasEnded: boolean | null = null

  protected read(given: Uint8Array): ReplyPiece | null {
    const bytes = asBuffer(given)
    const passing = new Passing(given, bytes)
    const late = this.#splitter.start(bytes)
    if (late === 1 && this.#size === 0 && this.#leftOut) passing.leaveOut(0, 1)
    let start = this.#size === 0 ? late : 0
    for (let end = this.#splitter.end(bytes, late); end !== -1; end = this.#splitter.end(bytes, start)) {
      this.#readEvent(bytes, start, end, passing)
      start = end
    }
    if (start < bytes.length) this.#holdOn(bytes, start, passing)
    if (!this.#hasData) this.#start.append(bytes, 0, Math.min(bytes.length, this.#limit - this.#start.length))
    const passed = passing.bytes()
    const events = this.take()
    return passed === null && events.length === 0 ? null : { bytes: passed ?? nothing, events }
  }

  protected finish(isWhole: boolean): ReplyPiece | null {
    // An error in an event without a blank line does not count: no app could read it.
    this.#wasEnded ??= this.reader.isEnded
    let isLeftOut = false
    if (isWhole) {
      const rest = this.#restOf(this.#begun.view())
      const data = this.#dataIn(`${rest}\n\n`)
      if (!this.#hasData && this.#start.length > 0) {
        const { contentType } = this.options
        const type = isEventStream(contentType) ? null : (contentType ?? 'something else').slice(0, 80)
        this.reader.readInstead(rest === '' ? this.#start.take().toString('utf8') : rest, type)
      }
      const isUsage = this.reader.endStream(data?.data ?? null, data?.name)
      // The start of an event would make the event unreadable that reports the failure.
      const isStart = this.hasWholeEvents && data !== null && this.failure !== null && !isWholeData(data.data)
      isLeftOut = (isUsage && this.options.stripUsage === true) || isStart
    }
    // The rest of a broken reply is no whole event, and no app could read it.
    const bytes = isWhole && this.#isHeld && !isLeftOut ? this.#begun.take() : nothing
    this.#forget()
    const events = this.take()
    return bytes.length === 0 && events.length === 0 ? null : { bytes, events }
  }

  /** The line with `[DONE]` counts even before its blank line arrives. */
  override get isComplete(): boolean {
    return super.isComplete || (this.failure === null && this.#isDoneLine)
  }

  override get hasWholeEvents(): boolean {
    return this.options.wholeEvents === true
  }

  override get isEnded(): boolean {
    return this.#wasEnded ?? this.reader.isEnded
  }

  get #isDoneLine(): boolean {
    const begun = this.#begun
    return begun.length >= 11 && begun.length < 64 && /^data:\s*\[DONE\]\s*$/.test(begun.view().toString('latin1'))
  }

  get #limit(): number {
    return this.options.needsEvents === true ? maxNeeded : maxPassing
  }

  /** Reads the event that ends at `end`, and passes its bytes on unless it is left out. */
  #readEvent(bytes: Buffer, start: number, end: number, passing: Passing): void {
    const held = this.#isHeld ? this.#begun.view() : null
    let isUsage = false
    if (this.#size + end - start > this.#limit) this.#tooLarge(end - start, this.#splitter.wasBlank)
    else if (this.#size === 0) isUsage = this.#readBytes(bytes, start, end)
    else {
      this.#begun.append(bytes, start, end)
      isUsage = this.#readBytes(this.#begun.view(), 0, this.#begun.length)
    }
    // An event of which some bytes were passed on is passed on to its end.
    this.#leftOut = isUsage && this.options.stripUsage === true && (this.#size === 0 || this.#isHeld)
    if (this.#leftOut) passing.leaveOut(start, end)
    else if (held !== null) passing.putFirst(held)
    this.#forget()
  }

  #readBytes(bytes: Buffer, from: number, to: number): boolean {
    const data = this.#dataIn(this.#textOf(bytes, from, to))
    return data !== null && this.reader.readEvent(data.data, data.name)
  }

  #textOf(bytes: Buffer, from: number, to: number): string {
    const text = bytes.toString('utf8', from, to)
    if (text.includes('\ufffd') && !isUtf8(bytes.subarray(from, to))) this.reader.fail(notUtf8())
    return text
  }

  /** The text of the last event. The stream may have been cut inside a character. */
  #restOf(bytes: Buffer): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    } catch {
      this.reader.fail(notUtf8())
      return ''
    }
  }

  #dataIn(text: string): { data: string; name: string } | null {
    this.#data = null
    this.#parser.feed(text)
    if (this.#data !== null && !this.#hasData) {
      this.#hasData = true
      this.#start.clear()
    }
    return this.#data
  }

  /** The event continues in the next chunk. */
  #holdOn(bytes: Buffer, start: number, passing: Passing): void {
    const size = bytes.length - start
    const { stripUsage, wholeEvents } = this.options
    const mayHold = (stripUsage === true || wholeEvents === true) && (this.#size === 0 || this.#isHeld)
    const held = this.#isHeld ? this.#begun.view() : null
    if (this.#size + size > this.#limit) this.#tooLarge(size, this.#splitter.isBlank)
    else this.#begun.append(bytes, start, bytes.length)
    this.#size += size
    const isHeld = mayHold && this.#size <= maxHeld && !this.#isDoneLine
    if (held !== null && !isHeld) passing.putFirst(held)
    if (isHeld) passing.stopAt(start)
    this.#isHeld = isHeld
  }

  /** @param isBlank whether the event has nothing but comments so far */
  #tooLarge(size: number, isBlank: boolean): void {
    const unread = this.#begun.length + size
    this.#begun.clear()
    if (isBlank) return
    this.text.unread += unread
    this.reader.output = true
    if (this.options.needsEvents === true) this.reader.fail(malformed('The service sent an event that is too large.'))
  }

  #forget(): void {
    this.#begun.clear()
    this.#size = 0
    this.#isHeld = false
  }
}

const notUtf8 = (): StudioError => malformed('The service sent bytes that are not valid UTF-8.')

/** The part of one chunk that is passed on: all of it, unless something is left out, put before it, or held back at its end. */
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
  putFirst(held: Uint8Array): void {
    if (held.length > 0) this.#parts.push(held)
  }

  leaveOut(from: number, to: number): void {
    if (from > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, from))
    this.#from = to
  }

  /** Holds the bytes from `at` on back. */
  stopAt(at: number): void {
    this.#to = at
  }

  bytes(): Uint8Array | null {
    if (this.#parts.length === 0 && this.#from === 0 && this.#to === this.#bytes.length) return this.#given
    if (this.#to > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, this.#to))
    const [first] = this.#parts
    return first === undefined ? null : this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
  }
}

/** One JSON document. It is parsed once, when it has arrived. Of one that is too large only usage and model are read, as it passes. */
class WholeReply extends MeasuredReply {
  #chunks: Uint8Array[] = []
  #size = 0
  #scan: TopLevel | null = null

  protected read(bytes: Uint8Array): ReplyPiece {
    const wasScanned = this.#scan !== null
    this.#size += bytes.length
    this.#chunks.push(bytes)
    if (!wasScanned && (this.#size > scannedFrom || this.#chunks.length > maxChunks)) this.#startScan()
    else this.#scan?.push(asBuffer(bytes))
    if (this.#isTooLarge) this.#chunks = []
    return { bytes, events: none }
  }

  protected finish(isWhole: boolean): ReplyPiece | null {
    const { reader } = this
    if (isWhole && !this.#isTooLarge) this.#readWhole()
    else {
      this.#readTopLevel()
      if (isWhole && this.options.needsEvents === true)
        reader.fail(malformed('The service sent a reply that is too large to be read.'))
    }
    this.#chunks = []
    const events = this.take()
    return events.length === 0 ? null : { bytes: nothing, events }
  }

  get #isTooLarge(): boolean {
    const limit = this.options.needsEvents === true ? maxNeeded : maxPassing
    const scan = this.#scan
    return this.#size > limit || (scan !== null && (scan.problem === 'depth' || scan.values > maxReplyValues))
  }

  #startScan(): void {
    this.#scan = new TopLevel(['usage', 'model'])
    for (const chunk of this.#chunks) this.#scan.push(asBuffer(chunk))
  }

  #readWhole(): void {
    const { reader } = this
    // Its depth and its number of values were checked as it arrived.
    const value = parsed(this.#takeText())
    if (value === undefined) {
      this.#unread()
      reader.fail(malformed('The service sent a reply that is not JSON.'))
    } else if (isChat(this.options)) reader.readWhole(value)
    else this.#readOther(value)
  }

  /** The text of the reply. Its bytes are no longer held, so that they are not in memory beside the text and what is parsed from it. */
  #takeText(): string {
    const [first = nothing] = this.#chunks
    const bytes = this.#chunks.length === 1 ? asBuffer(first) : Buffer.concat(this.#chunks)
    this.#chunks = []
    return bytes.toString('utf8', markLength(bytes))
  }

  /** A reply of an endpoint that is not specified. */
  #readOther(value: unknown): void {
    const { reader } = this
    const { status, mask } = this.options
    const failure = errorInstead(value, null, status, mask)
    if (failure) reader.fail(failure)
    else if (isFields(value)) {
      reader.model = textOrNull(value.model)
      if (isFields(value.usage)) reader.usage = readUsage(value.usage)
      reader.output = true
    }
  }

  #readTopLevel(): void {
    if (this.#scan === null) this.#startScan()
    const usage = this.#scan?.value('usage')
    if (isFields(usage)) this.reader.usage = readUsage(usage)
    this.reader.model = textOrNull(this.#scan?.value('model'))
    this.#unread()
  }

  /** The reply was cut, or is too large. Its bytes count as output. */
  #unread(): void {
    this.reader.output = this.#size > 0
    this.text.unread = this.#size
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A body in more chunks is scanned, however short: joining them costs more than a scan. */
const maxChunks = 4096
