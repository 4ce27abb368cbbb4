import type { IncomingHttpHeaders } from 'node:http'
import type { ProgramId } from '../../../../src-preload/contract/programs.ts'
import { flattened, type HeaderPairs } from '../../upstream/headers.ts'
import type { ForwardReply } from '../../upstream/types.ts'
import type { AppReply } from './appReply.ts'

/** Why the stream of a chat breaks off, as the event says that ends it. */
export interface StreamBreak {
  /** `error.type`, `invalid_request_error` by default. */
  type?: string
  /** `error.code`, `incomplete_reply` by default. */
  code?: string
  /** A fixed sentence of this program, for a break that is not the service's. */
  message?: string
  /** What the service said, or what happened on the way to it. */
  details?: { message: string; type?: string | null; code?: string | null }
}

/**
 * What an app is told about a reply that the service did not complete. Coding agents decide by the words of a message whether they send the
 * request again: after a status number, "failed", "connection" or "timeout" some do (docs/decisions/0011-agent-replays.md). What the service said is
 * therefore in `error.details`.
 */
const noCompleteReply = 'Inference Studio received no complete reply from the service. The reason is in its log.'

function eventOf({
  // Does not describe a failure of the service. Qwen Code repeats after every type but this one and a few like it.
  type = 'invalid_request_error',
  code = 'incomplete_reply',
  message = noCompleteReply,
  details,
}: StreamBreak) {
  return `data: ${JSON.stringify({ error: { message, type, code, details } })}\n\n`
}

/**
 * How long the connection stays open after the event unless the app closes it, ms. An app that learns of the closed connection before it has read the event
 * sends the request again: opencode does so in most cases when both come at once, and in some after 300 ms.
 */
export const eventReadingMs = 2000

/** The header of a stream of the service's own API. */
export const chatStreamType: [name: string, value: string] = ['content-type', 'text/event-stream; charset=utf-8']

/** Sends the event, and after `readingMs` closes the connection without an end of the reply. */
function endWithEvent(response: AppReply, why: StreamBreak, gap: string, readingMs: number): void {
  response.write(gap + eventOf(why), () => {
    const timer = setTimeout(() => response.destroy(), readingMs)
    response.once('close', () => clearTimeout(timer))
  })
}

/** Whether the next event may follow these bytes: there are none, or they end with a blank line. */
const endsEvent = (bytes: Uint8Array): boolean =>
  bytes.length === 0 || /(?:\n\n|\r\r|\r\n\r\n)$/.test(Buffer.from(bytes.slice(-4)).toString('latin1'))

/**
 * The stream of a chat that is not translated, from its head on. When it breaks off, its last event is an error, and then its connection closes without an
 * end: nothing can take it for a complete reply, and no agent sends the request again.
 */
export class ChatStream {
  /** The last bytes that were sent. */
  last: Uint8Array = new Uint8Array()
  readonly #reply: ForwardReply
  readonly #response: AppReply
  readonly #readingMs: number

  constructor(reply: ForwardReply, response: AppReply, readingMs: number) {
    this.#reply = reply
    this.#response = response
    this.#readingMs = readingMs
  }

  /** Ends the stream with an event. Does nothing, and returns false, when the service has already ended it. */
  breakOff(why: StreamBreak): boolean {
    if (this.#reply.isEnded() || this.#response.destroyed || this.#response.writableEnded) return false
    endWithEvent(this.#response, why, endsEvent(this.last) ? '' : '\n\n', this.#readingMs)
    return true
  }
}

/**
 * Agents that send a request again after a failure status, whatever `x-should-retry` says, but not after a stream that ends with an error. By the start of
 * their `User-Agent`: opencode, Kilo, Qwen Code, Pi, Cline, and Continue, whose library calls itself `ls/JS`.
 */
const repeatingAgents = /^(?:(?:opencode|kilo-code|qwencode|pi|cline)\/|ls\/js )/i

/** The same agents, and two whose `User-Agent` is that of a library, as programs that are connected with an app. */
const repeatingPrograms: readonly ProgramId[] = [
  'opencode',
  'kilo',
  'qwen-code',
  'pi',
  'continue',
  'cline',
  'nanocoder',
]

/** Whether a failure of a streamed chat with this status is sent as the failure of its stream, with status 200. `programs`: those connected with the app. */
export const failsInChatStream = (
  headers: IncomingHttpHeaders,
  status: number,
  programs: () => readonly ProgramId[],
): boolean =>
  status >= 500 &&
  (repeatingAgents.test(headers['user-agent'] ?? '') ||
    programs().some((program) => repeatingPrograms.includes(program)))

/**
 * Sends the failure of a request, of which no reply has begun, as the failure of a stream.
 * @param head without a content type. Not sent if a head was sent while a person was asked
 */
export function sendFailedChatStream(response: AppReply, head: HeaderPairs, why: StreamBreak, readingMs: number): void {
  if (!response.headersSent) response.writeHead(200, 'OK', flattened([...head, chatStreamType]))
  endWithEvent(response, why, '', readingMs)
}
