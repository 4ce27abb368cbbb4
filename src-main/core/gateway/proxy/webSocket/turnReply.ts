import type { IncomingMessage } from 'node:http'
import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { isEventStream } from '../../../upstream/headers.ts'
import { isFields } from '../../../upstream/json/values.ts'
import type { AppReply } from '../appReply.ts'

/** Longest error reply, characters. The relay sends shorter ones. */
const maxErrorLength = 1024 * 1024

/** Events that end a turn well: the response is whole, or as long as the app allowed. */
const good = /^event: response\.(?:completed|incomplete)$/m
const failed = /^event: error$/m

/** What an error message says. */
export interface TurnProblem {
  status: number
  type: string
  code: string
  message: string
  param: string | null
}

/** The message that reports a failure outside of a response. @see https://www.openresponses.org/specification (WebSocket errors) */
export const errorMessage = ({ status, ...error }: TurnProblem): string =>
  JSON.stringify({ type: 'error', status, error })

/**
 * The reply to one turn. It takes what the relay writes as HTTP and sends each server-sent event as one text message with the same JSON, and
 * an error reply as an error message.
 *
 * One event is left out: `error` in a stream. `response.failed` follows it directly, and clients begin the next turn at the first message
 * that ends one.
 */
export class TurnReply extends Writable implements AppReply {
  headersSent = false
  /** Whether the response was sent to its end. */
  succeeded = false
  readonly req: IncomingMessage
  readonly #send: (message: string, sent: () => void) => void
  readonly #decoder = new StringDecoder('utf8')
  #status = 200
  #streams = false
  #text = ''

  /** @param send sends a text message, and calls back when the system has accepted it or the connection is closed */
  constructor(req: IncomingMessage, send: (message: string, sent: () => void) => void) {
    super()
    this.req = req
    this.#send = send
  }

  writeHead(status: number, _reason: string, headers: string[]): void {
    this.headersSent = true
    this.#status = status
    const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type')
    this.#streams = isEventStream(headers[at + 1] ?? null)
  }

  flushHeaders(): void {
    this.headersSent = true
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#text += this.#decoder.write(bytes)
    if (this.#streams) {
      const events = this.#text.split('\n\n')
      this.#text = events.pop() ?? ''
      this.#sendEvents(events, done)
      return
    }
    if (this.#text.length > maxErrorLength) this.#text = ''
    done()
  }

  override _final(done: () => void): void {
    if (this.#streams) done()
    else this.#send(errorMessage(this.#problem()), done)
  }

  #sendEvents(events: readonly string[], done: () => void): void {
    const messages: string[] = []
    for (const event of events) {
      if (good.test(event)) this.succeeded = true
      const data = event.indexOf('data: ')
      if (data >= 0 && !failed.test(event.slice(0, data))) messages.push(event.slice(data + 6))
    }
    const last = messages.pop()
    for (const message of messages) this.#send(message, () => undefined)
    if (last === undefined) done()
    else this.#send(last, done)
  }

  #problem(): TurnProblem {
    const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)
    const { type, code, message, param } = errorIn(this.#text)
    const shownType = text(type, 'server_error')
    return {
      status: this.#status,
      type: shownType,
      code: text(code, shownType),
      message: text(message, 'The request failed.'),
      param: typeof param === 'string' ? param : null,
    }
  }
}

function errorIn(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body)
    return isFields(parsed) && isFields(parsed.error) ? parsed.error : {}
  } catch {
    // The relay writes JSON only. Without it, the status is all that is known.
    return {}
  }
}
