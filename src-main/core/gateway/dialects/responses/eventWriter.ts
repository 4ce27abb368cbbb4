import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import type { JsonObject } from '../types.ts'
import { wholeCharacters } from '../wholeCharacters.ts'

/** Name of a streaming event of the API. */
export type EventType = ResponseStreamEvent['type']

/** Writes server-sent events in order, each with the next `sequence_number`. */
export class EventWriter {
  readonly #silent: boolean
  #sequence = 0
  #text = ''
  /** Length of all deltas as JSON, UTF-16 units. */
  jsonLength = 0

  /** @param silent write nothing, for replies that are not streamed */
  constructor(silent: boolean) {
    this.#silent = silent
  }

  write(type: EventType, fields: JsonObject): void {
    if (this.#silent) return
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })
    this.#text += `event: ${type}\ndata: ${data}\n\n`
  }

  /**
   * Writes an event with a Response object, which is JSON text already.
   * @param sequence the number of an event that is written again
   * @returns number and length of the event
   */
  writeResponse(type: EventType, response: string, sequence?: number): { sequence: number; length: number } {
    const number = sequence ?? this.#sequence++
    const event = `event: ${type}\ndata: {"type":"${type}","sequence_number":${number},"response":${response}}\n\n`
    if (!this.#silent) this.#text += event
    return { sequence: number, length: event.length }
  }

  /** The unchanging start of the delta events of one text, up to the sequence number. */
  deltaHead(type: EventType, fields: JsonObject): string {
    if (this.#silent) return ''
    const start = JSON.stringify({ type, ...fields })
    return `event: ${type}\ndata: ${start.slice(0, -1)},"sequence_number":`
  }

  /** Writes an event that differs from others only by its text. @param head from `deltaHead` */
  writeDelta(head: string, delta: string): void {
    if (this.#silent) return
    const json = JSON.stringify(delta)
    this.jsonLength += json.length
    this.#text += `${head}${this.#sequence++},"delta":${json}}\n\n`
  }

  /** Returns the events since the last call. */
  take(): string {
    const written = this.#text
    this.#text = ''
    return written
  }
}

/**
 * A text that is sent in pieces. Half of a surrogate pair waits for its other half, because clients in other languages can't read halves.
 * A half that remains alone becomes U+FFFD.
 */
export class StreamedText {
  text = ''
  #half = ''
  readonly #head: string
  readonly #events: EventWriter

  constructor(head: string, events: EventWriter) {
    this.#head = head
    this.#events = events
  }

  push(piece: string): void {
    const { text, half } = wholeCharacters(this.#half === '' ? piece : this.#half + piece)
    this.#half = half
    if (text !== '') this.#send(text)
  }

  end(): void {
    const half = this.#half
    this.#half = ''
    if (half !== '') this.#send(half.toWellFormed())
  }

  #send(delta: string): void {
    this.text += delta
    this.#events.writeDelta(this.#head, delta)
  }
}
