import { StudioError } from '../errors.ts'
import type { Link } from './call.ts'
import { kindOfStatus } from './errors.ts'
import { exchange, type RawReply } from './exchange.ts'
import { type HeaderPairs, readRateLimit, withoutHopByHop } from './headers.ts'
import { ReplayableBody } from './replay.ts'
import { RetriesExhausted, withRetry } from './retry.ts'
import type { ForwardReply, ForwardRequest } from './types.ts'

/** Ours to set, or (`expect`) answered by the local server already. */
const notTheirs: ReadonlySet<string> = new Set(['authorization', 'host', 'expect'])
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Relays one request of a tool with the real key. Bytes go both ways as they come; a cancel closes the service's socket.
 * A request whose body was kept whole may be sent again before output, by the program's one retry policy.
 * @throws StudioError when no reply came
 */
export async function forward(link: Link, request: ForwardRequest): Promise<ForwardReply> {
  const path = checkedPath(link, request.path)
  const headers = withoutHopByHop(request.headers, notTheirs)
  headers.push(['authorization', link.credential.authorization()])
  // Bytes that are all here can be sent again as they are; a stream only from a copy of what was read of it.
  const here = request.body instanceof Uint8Array ? request.body : null
  const body = request.body === null || request.body instanceof Uint8Array ? null : new ReplayableBody(request.body)
  const { signal } = request
  let attempts = 0
  const attempt = async (number: number): Promise<RawReply> => {
    attempts = number
    const reply = await exchange(link.network, {
      origin: link.base.origin,
      method: request.method,
      path,
      headers,
      body: here ?? body?.read() ?? null,
      signal,
    })
    const rateLimit = readRateLimit(reply.headers, Date.now())
    link.sawHeaders(rateLimit)
    if (retriedStatuses.has(reply.status)) throw new HeldReply(reply, rateLimit.retryAfterMs)
    return reply
  }
  try {
    const reply = await withRetry(attempt, {
      signal,
      policy: link.retry,
      canRetry: () => body === null || body.whole,
      discard: (error) => error instanceof HeldReply && error.reply.body.close(),
    })
    return answer(link, reply, attempts, false)
  } catch (thrown) {
    const held = thrown instanceof RetriesExhausted ? thrown.cause : thrown
    if (!(held instanceof HeldReply)) throw thrown
    return answer(link, held.reply, attempts, thrown instanceof RetriesExhausted)
  } finally {
    body?.forget()
  }
}

/** A reply that the policy may retry, kept open: if it gives up, the tool gets it as it is. */
class HeldReply extends StudioError {
  readonly reply: RawReply

  constructor(reply: RawReply, retryAfterMs: number | null) {
    const facts = { status: reply.status, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
    super(kindOfStatus(reply.status), `The service answered with status ${reply.status}.`, facts)
    this.reply = reply
  }
}

function answer({ credential }: Link, reply: RawReply, attempts: number, retriesExhausted: boolean): ForwardReply {
  const headers: HeaderPairs = withoutHopByHop(reply.headers)
  // A service that echoes the request's headers must not hand the key to a tool.
  for (const pair of headers) if (credential.standsIn(pair[1])) pair[1] = credential.redact(pair[1])
  return { status: reply.status, statusText: reply.statusText, headers, body: reply.body, attempts, retriesExhausted }
}

/** As the tool wrote it, byte for byte, once it is sure that it stays below `/v1`. */
function checkedPath(link: Link, path: string): string {
  const bare = path.split('?', 1)[0] ?? ''
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes('#') || bare.includes('\\')) {
    throw new StudioError('bad_input', 'This path can’t be relayed.')
  }
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(bare)) throw new StudioError('bad_input', 'This path can’t be relayed.')
  link.base.v1(bare)
  return `${link.base.prefix}/v1${path}`
}
