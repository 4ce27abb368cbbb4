import type { IncomingHttpHeaders } from 'node:http'
import type { ProgramId } from '../../../../src-preload/contract/programs.ts'
import { flattened, type HeaderPairs } from '../../upstream/headers.ts'
import type { ForwardReply } from '../../upstream/types.ts'
import type { AppReply } from './appReply.ts'

/** Why the stream of a chat breaks off, as the event says that ends it. */
export interface StreamBreak {
  /** `error.type`, `studio_upstream` by default. */
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
  type = 'studio_upstream',
  code = 'incomplete_reply',
  message = noCompleteReply,
  details,
}: StreamBreak) {
  return `data: ${JSON.stringify({ error: { message, type, code, details } })}\n\n`
}

/**
 * How long the connection stays open after the event, ms. Some clients drop what they have not read when the connection closes: opencode, whose
 * runtime is Bun, sent the request again when both came at once, and did not after 300 ms.
 */
const readMs = 300

/** Sends the event, and then closes the connection without an end of the reply. */
function endWithEvent(response: AppReply, why: StreamBreak, gap: string): void {
  response.write(gap + eventOf(why), () => {
    const timer = setTimeout(() => response.destroy(), readMs)
    timer.unref()
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

  constructor(reply: ForwardReply, response: AppReply) {
    this.#reply = reply
    this.#response = response
  }

  /** Ends the stream with an event. Does nothing, and returns false, when the service has already ended it. */
  breakOff(why: StreamBreak): boolean {
    if (this.#reply.isEnded() || this.#response.destroyed || this.#response.writableEnded) return false
    endWithEvent(this.#response, why, endsEvent(this.last) ? '' : '\n\n')
    return true
  }
}

/**
 * Agents that send a request again after a failure status, whatever `x-should-retry` says, but not after a stream that ends with an error. By the start of
 * their `User-Agent`: opencode, Kilo, Qwen Code, Pi, Cline, and Continue, whose library calls itself `ls/JS`.
 */
const repeatingAgents = /^(?:(?:opencode|kilo-code|qwencode|pi|cline)\/|ls\/js )/i

/** The same agents as connected programs. Cline and Nanocoder send the name of a library that many programs use. */
const repeatingPrograms: ReadonlySet<ProgramId> = new Set([
  ...(['opencode', 'kilo', 'qwen-code', 'pi', 'cline', 'continue', 'nanocoder'] as const),
])

/**
 * Whether a failure of a streamed chat with this status is sent as the failure of its stream, with status 200.
 * @param programs the connected programs of the app, which are read only when they matter
 */
export const failsInChatStream = (
  headers: IncomingHttpHeaders,
  status: number,
  programs: () => readonly ProgramId[],
): boolean =>
  status >= 500 &&
  (repeatingAgents.test(headers['user-agent'] ?? '') || programs().some((program) => repeatingPrograms.has(program)))

/** Sends the failure of a request, of which no reply has begun, as the failure of a stream. @param head without a content type */
export function sendFailedChatStream(response: AppReply, head: HeaderPairs, why: StreamBreak): void {
  response.writeHead(200, 'OK', flattened([...head, ['content-type', 'text/event-stream; charset=utf-8']]))
  endWithEvent(response, why, '')
}
