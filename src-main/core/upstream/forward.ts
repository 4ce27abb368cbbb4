import { StudioError } from '../errors.ts'
import type { AdmissionRequest } from '../ports/requests.ts'
import {
  type HeaderPairs,
  header,
  headerList,
  readShouldRetry,
  requestIdOf,
  withoutHopByHop,
  withShouldRetry,
} from './headers.ts'
import { pathProblem } from './path.ts'
import { kindOfStatus } from './reply/errors.ts'
import type { ReplyPiece } from './reply/events.ts'
import { localiseImageUrls } from './reply/imageUrls.ts'
import type { ReplyOptions, ReplyStream } from './reply/replyStream.ts'
import { cleanReading, totalTokens } from './reply/usage.ts'
import { isInference } from './request/endpoint.ts'
import { attemptOnce } from './sending/attempt.ts'
import { copyBody, copyLimit } from './sending/copy.ts'
import type { UpstreamLink } from './sending/link.ts'
import { type OpenedReply, openReplyBody } from './sending/openedReply.ts'
import { ReplayableBody } from './sending/replay.ts'
import { RetriesExhausted, withRetry } from './sending/retry.ts'
import type { ForwardReply, ForwardRequest } from './types.ts'
import { bytesOf, readUpTo } from './wire/body.ts'
import { kindOfEncoding, undecodable } from './wire/decode.ts'
import type { RawReply } from './wire/httpExchange.ts'

/** Headers that this program sets, or has answered (`expect`). `accept-encoding`: the key can't be found in compressed bytes. */
const replacedHeaders: ReadonlySet<string> = new Set(['authorization', 'host', 'expect', 'accept-encoding'])
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Images arrive as base64 in JSON. A larger reply passes unchanged, bytes. */
const imagesLimit = 64 * 1024 * 1024
/** A body ends right after [DONE]. Waiting this long for its end lets the next request reuse the connection. */
const settleMs = 250
/** Size from which a body is passed to undici in pieces, bytes. */
const handedOverFrom = 64 * 1024

/**
 * Relays one request of an app with the real key. Bytes pass both ways as they arrive; a cancel closes the service's socket. Each attempt
 * needs a permit of the scheduler. A request whose body was copied whole may be retried before output, by the program's one retry policy.
 * @throws StudioError when no reply arrived
 */
export function forward(link: UpstreamLink, request: ForwardRequest): Promise<ForwardReply> {
  return new Forwarding(link, request).run()
}

type BodyCopy = ReturnType<typeof copyBody>

function cleanerOf({ credential }: UpstreamLink): (text: string) => string {
  return (text) => credential.redact(text)
}

class Forwarding {
  readonly #link: UpstreamLink
  readonly #request: ForwardRequest
  readonly #admission: AdmissionRequest
  /** A body that has arrived completely, which can be sent again. A stream can be sent again only from its copy. */
  #bytes: Uint8Array | null
  readonly #streamed: ReplayableBody | null
  readonly #sentCopy: BodyCopy | null
  /** The request log stores this function as long as the headers, so it must not refer to this request, least of all to its body. */
  readonly #clean: (text: string) => string
  #stream: ReplyStream | null = null
  #metered: (() => void) | null = null
  #attempts = 0

  constructor(link: UpstreamLink, request: ForwardRequest) {
    this.#link = link
    this.#clean = cleanerOf(link)
    this.#request = request
    const { body, requester, endpoint, tokens, model, signal, trace } = request
    this.#admission = { requester, slot: isInference(endpoint), tokens, model, signal, trace }
    this.#sentCopy = trace.logBodies ? copyBody(copyLimit) : null
    this.#bytes = body instanceof Uint8Array ? body : null
    this.#streamed =
      body === null || body instanceof Uint8Array ? null : new ReplayableBody(body, this.#onSent, request.mayCopy)
    if (this.#bytes) this.#onSent(this.#bytes)
  }

  async run(): Promise<ForwardReply> {
    const { trace, signal, retries } = this.#request
    const path = checkedPath(this.#link, this.#request.path)
    const headers = this.#requestHeaders()
    try {
      // No await while the service is reachable, so that the scheduler receives the request in the same turn of the event loop.
      const reachable = this.#link.reachability.whenReachable()
      if (reachable) await reachable
      const reply = await withRetry((number) => this.#attempt(number, path, headers), {
        signal,
        retired: this.#link.lifetime.retired,
        policy: retries ? this.#link.retry : { ...this.#link.retry, maxAttempts: 1 },
        canRetry: () => this.#streamed === null || this.#streamed.whole,
        discard: (error) => error instanceof HeldReply && error.reply.body.close(),
        onWait: (wait) => {
          if (wait.for === 'retry') trace.backsOff(wait.problem.status ?? 0)
        },
      })
      return await this.#answer(reply, false)
    } catch (thrown) {
      const held = thrown instanceof RetriesExhausted ? thrown.cause : thrown
      if (held instanceof HeldReply) {
        return await this.#answer(held.reply, thrown instanceof RetriesExhausted && retries)
      }
      if (this.#sentCopy) trace.bodies(this.#sentCopy.done(this.#clean), null)
      throw thrown
    } finally {
      this.#streamed?.forget()
    }
  }

  #requestHeaders(): HeaderPairs {
    const sent = withoutHopByHop(this.#request.headers, replacedHeaders)
    sent.push(['accept-encoding', 'identity'], ...this.#link.credential.headers())
    return sent
  }

  async #attempt(number: number, path: string, headers: HeaderPairs): Promise<RawReply> {
    this.#attempts = number
    const { method, signal, trace } = this.#request
    const bytes = this.#bytes
    const body = bytes && bytes.length > handedOverFrom ? this.#handedOver() : (bytes ?? this.#streamed?.read() ?? null)
    const sent = { method, path, headers: withLength(headers, bytes), body, signal }
    const { reply, rateLimit, metered } = await attemptOnce(this.#link, this.#admission, trace, sent, this.#used)
    if (retriedStatuses.has(reply.status)) throw new HeldReply(reply, rateLimit.retryAfterMs)
    this.#metered = metered
    return reply
  }

  /** undici references its body until the reply ends, which may take many minutes. Of a large body it references only this generator. */
  async *#handedOver(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#bytes) yield this.#bytes
  }

  /** Call when the reply begins: nothing is sent again. */
  #forgetBody(): void {
    this.#bytes = null
    this.#streamed?.forget()
    this.#request.body = null
    this.#request.bodyDone()
  }

  async #answer(reply: RawReply, retriesExhausted: boolean): Promise<ForwardReply> {
    this.#forgetBody()
    const { trace, endpoint, stream, stripUsage, tokensIn, needsEvents = false } = this.#request
    const { status, statusText } = reply
    const clean = this.#clean
    // After our retry loop gave up, no other loop may start. Otherwise the service's own header passes.
    const shouldRetry = retriesExhausted ? false : readShouldRetry(reply.headers)
    const headers = withShouldRetry(withoutHopByHop(reply.headers), shouldRetry)
    trace.replied(status, requestIdOf(headers))
    trace.headers(this.#request.headers, headers, this.#clean)
    const contentType = header(headers, 'content-type')
    const { mask } = this.#link.credential
    const opened = this.#open(reply, {
      ...{ endpoint, stream, status, contentType, stripUsage, tokensIn, needsEvents, mask },
      // Nobody reads the events of a reply that only passes.
      thinkTags: needsEvents && this.#link.thinkTags(),
      wholeEvents: !needsEvents && (endpoint === 'chat' || endpoint === 'completions'),
    })
    const { body, pieces, isCompressed } = opened
    const passed = isCompressed ? headers.filter(([name]) => name.toLowerCase() !== 'content-encoding') : headers
    const isChatStream = opened.stream.hasWholeEvents
    // An event may be removed from a chat's stream, and another one may follow it.
    const hasOtherLength = isCompressed || isChatStream
    const answered: ForwardReply = {
      status,
      statusText,
      headers: hasOtherLength ? withoutLength(passed) : passed,
      body: pieces,
      whole: () => (isCompressed ? null : body.takeWhole()),
      settle: () => body.settle(settleMs),
      clean,
      reading: () => cleanReading(opened.stream.reading(), clean),
      failure: () => opened.stream.failure,
      isChatStream,
      isEnded: () => opened.stream.isEnded,
      attempts: this.#attempts,
      retriesExhausted,
    }
    return endpoint === 'images' && status === 200 && isJson(contentType) ? this.#localised(answered) : answered
  }

  /**
   * Reads the reply, and copies it when the app's bodies are logged. A compression that we did not ask for is undone: it could hide the
   * key from us and pass it to the app.
   * @throws StudioError `malformed_reply` for an unknown encoding
   */
  #open(reply: RawReply, options: ReplyOptions): OpenedReply {
    const { trace, method } = this.#request
    const hasBody = method !== 'HEAD' && reply.status !== 204 && reply.status !== 304
    if (hasBody && kindOfEncoding(headerList(reply.headers, 'content-encoding')) === 'unknown') {
      reply.body.close()
      throw undecodable()
    }
    const copy = trace.logBodies ? copyBody(copyLimit) : null
    const opened = openReplyBody(reply, options, trace, copy, hasBody)
    const sent = this.#sentCopy
    if (sent && copy) opened.body.onClosed(() => trace.bodies(sent.done(this.#clean), copy.done(this.#clean)))
    this.#stream = opened.stream
    this.#metered?.()
    return opened
  }

  /** Rewrites image URLs to pass through the local API, because the service does not accept app keys. */
  async #localised(reply: ForwardReply): Promise<ForwardReply> {
    const length = Number(header(reply.headers, 'content-length') ?? imagesLimit)
    if (!(length <= imagesLimit)) return reply
    const memory = await this.#request.reserveMemory(length)
    // Large replies are base64, which is usable without the rewrite.
    if (memory === null) return reply
    const { head, rest } = await readUpTo(bytesOf(reply.body), imagesLimit)
    if (rest) return { ...reply, body: joined([head], rest), whole: () => null }
    memory.shrink(head.length)
    const parts = localiseImageUrls(head, this.#link.base, this.#request.local()) ?? [head]
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    const headers = withoutLength(reply.headers)
    headers.push(['content-length', String(size)])
    const whole = size <= handedOverFrom ? Buffer.concat(parts) : parts.length === 1 ? head : null
    return {
      ...reply,
      headers,
      body: joined(parts, null),
      whole: () => whole && { bytes: whole, events: [] },
    }
  }

  readonly #onSent = (bytes: Uint8Array): void => {
    this.#request.trace.sentBytes(bytes.length)
    this.#sentCopy?.push(bytes)
  }

  readonly #used = (): number | null => {
    return totalTokens(this.#stream?.reading().usage ?? null)
  }
}

/** undici can't see the length of a body that is given in pieces. */
function withLength(headers: HeaderPairs, body: Uint8Array | null): HeaderPairs {
  if (body === null || body.length <= handedOverFrom || header(headers, 'content-length') !== null) return headers
  return [...headers, ['content-length', String(body.length)]]
}

function withoutLength(headers: HeaderPairs): HeaderPairs {
  return headers.filter(([name]) => name.toLowerCase() !== 'content-length')
}

async function* joined(
  parts: Uint8Array[],
  rest: AsyncIterable<Uint8Array> | null,
): AsyncGenerator<ReplyPiece, void, undefined> {
  for (const bytes of parts) yield { bytes, events: [] }
  if (rest) for await (const bytes of rest) yield { bytes, events: [] }
}

const isJson = (contentType: string | null): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')

/** An open reply that the policy may retry. When the policy gives up, the app receives this reply. */
class HeldReply extends StudioError {
  readonly reply: RawReply

  constructor(reply: RawReply, retryAfterMs: number | null) {
    const shouldRetry = readShouldRetry(reply.headers)
    const facts = {
      status: reply.status,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
      ...(shouldRetry === null ? {} : { shouldRetry }),
    }
    super(kindOfStatus(reply.status), `The service answered with status ${reply.status}.`, facts)
    this.reply = reply
  }
}

/**
 * Returns the path as the app wrote it, byte for byte, once it is known to remain below the base address. The guard of the local /v1 checks
 * the path too. This second check can't be bypassed, because every request of an app passes here.
 */
function checkedPath({ base }: UpstreamLink, path: string): string {
  const bare = path.split('?', 1)[0] ?? ''
  const why = pathProblem(bare)
  if (why !== null) throw notRelayed(why)
  if (!/^[\x21-\x7e]*$/.test(path) || path.includes('#'))
    throw notRelayed('its query has a character that a query may not contain.')
  if (!base.covers(base.url + bare)) throw notRelayed('it leaves the base address.')
  return base.prefix + path
}

/** @param why the rest of the sentence, from `pathProblem` */
const notRelayed = (why: string): StudioError => new StudioError('bad_input', `This path can’t be relayed: ${why}`)
