import { TextDecoder } from 'node:util'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import { StudioError } from '../errors.ts'
import { asBuffer } from './meter/bytes.ts'
import { maxReplyValues, parseText } from './meter/jsonScan.ts'
import { ReplyReader } from './meter/replyReader.ts'
import { EventTemplates } from './meter/template.ts'
import { type Fields, isFields } from './meter/values.ts'
import { maxEventSize } from './sse.ts'
import type { ChatStreamEvent } from './types.ts'

/** Maximum size of all events of one reply, because its translator stores their texts. Each event counts at least `eventCost`. */
const maxTotal = 64 * 1024 * 1024
const eventCost = 64

/**
 * Reads the events of a relayed chat stream from its bytes, split anywhere. It has no promise, so that a chunk is translated in the turn
 * of the event loop in which it arrives. The texts were masked before. A chunk that differs from an earlier one only in its
 * text is not parsed again, which would be most of the cost of a translation.
 */
export class ChatEventReader {
  readonly #reader = new ReplyReader()
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #parser: EventSourceParser
  readonly #templates = new EventTemplates<ChatPiece>()
  /** Whether the bytes so far end with a whole event. */
  #isBetweenEvents = true
  #events: ChatStreamEvent[] = []
  #failure: StudioError | null = null
  #ended = false
  #total = 0

  constructor() {
    this.#parser = createParser({
      maxBufferSize: maxEventSize,
      onEvent: ({ data }) => this.#read(data),
      onError: (error) => {
        // The standard ignores unknown fields and odd retry values.
        if (error.type === 'max-buffer-size-exceeded') this.#failure ??= tooLarge()
      },
    })
  }

  /** Whether `[DONE]` has arrived. Later bytes are ignored. */
  get ended(): boolean {
    return this.#ended
  }

  /** Whether the reply is complete, with or without `[DONE]`: at least one choice began, and all have finished. */
  get finished(): boolean {
    return this.#reader.finished
  }

  /** The failure after the events that `push` and `end` have returned, or null. No more events follow a failure. */
  get failure(): StudioError | null {
    return this.#failure
  }

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): ChatStreamEvent[] {
    if (this.#isOver) return none
    const buffer = asBuffer(bytes)
    for (let at = 0; at < buffer.length && !this.#isOver; ) {
      const end = this.#isBetweenEvents ? this.#templates.match(buffer, at) : -1
      at = end === -1 ? this.#parseEvent(buffer, at) : this.#takeMatched(buffer, end)
    }
    return this.#take()
  }

  /** Returns the last event of a stream without a blank line at its end. Sets `failure` for a stream that is not complete. */
  end(): ChatStreamEvent[] {
    if (!this.#isOver) this.#parser.feed('\n\n')
    const events = this.#take()
    if (!this.finished) this.#failure ??= incomplete()
    return events
  }

  get #isOver(): boolean {
    return this.#ended || this.#failure !== null
  }

  /** Adds the event of a chunk that has a template, and returns its end. */
  #takeMatched(bytes: Buffer, end: number): number {
    const { value, textFrom, textTo } = this.#templates
    // Valid UTF-8, and valid inside quotes: the template has checked both.
    const inside = bytes.toString('utf8', textFrom, textTo)
    const text = inside.includes('\\') ? String(JSON.parse(`"${inside}"`)) : inside
    if (value?.type === 'tool_call') {
      const { choice, index, id, name } = value
      this.#add({ type: 'tool_call', choice, index, id, name, arguments: text })
    } else if (value !== null) this.#add({ type: value.type, choice: value.choice, text })
    return end
  }

  /** Parses the bytes from `from` to the end of an event, or all that have arrived of it, and returns that offset. */
  #parseEvent(bytes: Buffer, from: number): number {
    // The blank line of a stream whose lines end otherwise is not found here, but by the parser.
    const blank = bytes.indexOf(blankLine, from)
    const to = blank === -1 ? bytes.length : blank + 2
    const wasBetweenEvents = this.#isBetweenEvents
    this.#isBetweenEvents = blank !== -1
    const before = this.#events.length
    this.#feed(bytes.subarray(from, to))
    const [event] = this.#events.slice(before)
    const piece = this.#reader.lone
    const isLone = this.#events.length === before + 1 && piece !== null
    if (isLone && wasBetweenEvents && blank !== -1 && isPiece(event)) {
      this.#templates.learn(bytes, from, to, piece.key, event)
    }
    return to
  }

  #feed(bytes: Buffer): void {
    let text = ''
    try {
      text = this.#decoder.decode(bytes, { stream: true })
    } catch (cause) {
      this.#failure = new StudioError(
        'malformed_reply',
        'The service sent bytes that are not valid UTF-8.',
        {},
        { cause },
      )
    }
    if (text !== '') this.#parser.feed(text)
  }

  #add(event: ChatStreamEvent): void {
    this.#events.push(event)
    this.#count(event)
  }

  #take(): ChatStreamEvent[] {
    if (this.#events.length === 0) return none
    const events = this.#events
    this.#events = []
    return events
  }

  #read(data: string): void {
    this.#reader.lone = null
    if (this.#isOver) return
    if (data.trim() === '[DONE]') {
      this.#ended = true
      // `[DONE]` alone does not say that the reply is complete: a proxy may send it after a failure.
      if (!this.finished) this.#failure = incomplete()
      return
    }
    let frame: unknown
    try {
      frame = parseText(data, maxReplyValues)
    } catch {
      // The last event of a stream that was cut is incomplete too.
      this.#failure = this.#reader.finished ? malformed() : incomplete()
      return
    }
    if (!isFields(frame)) this.#failure = malformed()
    else if ('error' in frame && frame.error !== null) this.#failure = failureOf(frame)
    else this.#readChunk(frame)
  }

  #readChunk(chunk: unknown): void {
    const events: ChatStreamEvent[] = []
    this.#reader.read(chunk, events)
    for (const event of events) this.#add(event)
  }

  #count(event: ChatStreamEvent): void {
    this.#total += eventCost
    if ('text' in event) this.#total += event.text.length
    else if (event.type === 'tool_call')
      this.#total += event.arguments.length + (event.name?.length ?? 0) + (event.id?.length ?? 0)
    if (this.#total > maxTotal) this.#failure ??= tooLarge()
  }
}

/** An event that carries a piece of text. */
type ChatPiece = Extract<ChatStreamEvent, { text: string } | { arguments: string }>
const isPiece = (event: ChatStreamEvent | undefined): event is ChatPiece =>
  event !== undefined && ('text' in event || 'arguments' in event)

const none: ChatStreamEvent[] = []
const blankLine = Buffer.from('\n\n')
/** Longest text of an error object that is passed on. */
const maxWords = 2000

const incomplete = (): StudioError =>
  new StudioError('incomplete_stream', 'The reply broke off before its end.', { workPossible: true })
const malformed = (): StudioError =>
  new StudioError('malformed_reply', 'The service sent an event that is not a chat chunk.', { workPossible: true })
const tooLarge = (): StudioError =>
  new StudioError('malformed_reply', 'The service sent more than can be translated.', { workPossible: true })

const words = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== ''
    ? value.slice(0, maxWords)
    : typeof value === 'number'
      ? String(value)
      : null

/** The failure that an error object in a stream reports. */
function failureOf({ error }: Fields): StudioError {
  const inner: Fields = isFields(error) ? error : { message: error }
  const [message, type, code] = [words(inner.message), words(inner.type), words(inner.code)]
  return new StudioError('internal', message ?? 'The service reported an error mid-stream.', {
    workPossible: true,
    ...(message === null ? {} : { said: message }),
    ...(type === null ? {} : { type }),
    ...(code === null ? {} : { code }),
  })
}
