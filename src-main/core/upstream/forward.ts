import { StudioError } from '../errors.ts'
import type { AdmissionRequest } from '../ports/requests.ts'
import type { BaseAddress } from './address.ts'
import { attemptOnce } from './attempt.ts'
import { type BodySink, readUpTo } from './body.ts'
import { decoded, kindOfEncoding, undecodable } from './decode.ts'
import { isInference } from './endpoint.ts'
import { kindOfStatus } from './errors.ts'
import {
  type HeaderPairs,
  header,
  headerList,
  isEventStream,
  readShouldRetry,
  withoutHopByHop,
  withShouldRetry,
} from './headers.ts'
import type { RawReply } from './httpExchange.ts'
import type { UpstreamLink } from './link.ts'
import { copyBody, copyLimit } from './meter/copy.ts'
import { localiseImageUrls } from './meter/images.ts'
import { type Meter, openMeter } from './meter/meter.ts'
import { totalTokens } from './meter/usage.ts'
import { pathProblem } from './path.ts'
import { ReplayableBody } from './replay.ts'
import { RetriesExhausted, withRetry } from './retry.ts'
import type { ForwardReply, ForwardRequest } from './types.ts'

/** Ours to set, or (`expect`) answered by the local server already. The key can't be found in what is compressed. */
const notTheirs: ReadonlySet<string> = new Set(['authorization', 'host', 'expect', 'accept-encoding'])
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Pictures come as base64 in JSON; a larger reply goes on as it is. */
const imagesLimit = 64 * 1024 * 1024
/** Bytes above which a body is not given to undici as it is. */
const handedOverFrom = 64 * 1024

/**
 * Relays one request of a tool with the real key. Bytes go both ways as they come; a cancel closes the service's socket.
 * Each attempt passes the desk. A request whose body was kept whole may be sent again before output, by the program's one retry policy.
 * @throws StudioError when no reply came
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
  readonly #wish: AdmissionRequest
  /** Bytes that are all here can be sent again as they are; a stream only from a copy of what was read of it. */
  #here: Uint8Array | null
  readonly #streamed: ReplayableBody | null
  readonly #sentCopy: BodyCopy | null
  /** The books keep it for as long as they keep headers, so it must hold nothing of this request, its body least of all. */
  readonly #clean: (text: string) => string
  #meter: Meter | null = null
  #metered: (() => void) | null = null
  #attempts = 0

  constructor(link: UpstreamLink, request: ForwardRequest) {
    this.#link = link
    this.#clean = cleanerOf(link)
    this.#request = request
    const { body, asker, endpoint, tokens, model, signal, trace } = request
    this.#wish = { asker, slot: isInference(endpoint), tokens, model, signal, trace }
    this.#sentCopy = trace.logBodies ? copyBody(copyLimit) : null
    this.#here = body instanceof Uint8Array ? body : null
    this.#streamed =
      body === null || body instanceof Uint8Array ? null : new ReplayableBody(body, this.#goesUp, request.mayKeep)
    if (this.#here) this.#goesUp(this.#here)
  }

  async run(): Promise<ForwardReply> {
    const { trace, signal, retries } = this.#request
    const path = checkedPath(this.#link, this.#request.path)
    const headers = this.#requestHeaders()
    try {
      // Nothing waits where somebody answers: the desk has the request in the same turn.
      const gone = this.#link.way.gone()
      if (gone) await gone
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
    const sent = withoutHopByHop(this.#request.headers, notTheirs)
    sent.push(['accept-encoding', 'identity'], ['authorization', this.#link.credential.authorization()])
    return sent
  }

  async #attempt(number: number, path: string, headers: HeaderPairs): Promise<RawReply> {
    this.#attempts = number
    const { method, signal, trace } = this.#request
    const here = this.#here
    const body = here && here.length > handedOverFrom ? this.#handedOver() : (here ?? this.#streamed?.read() ?? null)
    const sent = { method, path, headers: withLength(headers, here), body, signal }
    const { reply, rateLimit, metered } = await attemptOnce(this.#link, this.#wish, trace, sent, this.#used)
    if (retriedStatuses.has(reply.status)) throw new HeldReply(reply, rateLimit.retryAfterMs)
    this.#metered = metered
    return reply
  }

  /** undici refers to what it is given until the reply is over, which may take many minutes: of a large body it gets only this. */
  async *#handedOver(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#here) yield this.#here
  }

  /** The reply begins: nothing is sent again. */
  #forgetBody(): void {
    this.#here = null
    this.#streamed?.forget()
    this.#request.body = null
    this.#request.bodyDone()
  }

  async #answer(reply: RawReply, retriesExhausted: boolean): Promise<ForwardReply> {
    this.#forgetBody()
    const { trace, endpoint, stream, stripUsage, tokensIn } = this.#request
    const { status, statusText } = reply
    // Where our loop gave up no other may start; else the service's wish stands.
    const wish = retriesExhausted ? false : readShouldRetry(reply.headers)
    const headers = withShouldRetry(withoutHopByHop(reply.headers), wish)
    trace.replied(status, requestIdOf(headers))
    trace.headers(this.#request.headers, headers, this.#clean)
    const contentType = header(headers, 'content-type')
    const contentEncoding = headerList(headers, 'content-encoding')
    const meter = openMeter({ endpoint, stream, status, contentType, contentEncoding, stripUsage, tokensIn })
    this.#meter = meter
    trace.reads(() => meter.reading())
    this.#follow(reply, meter)
    this.#metered?.()
    const answered: ForwardReply = {
      status,
      statusText,
      // An event that is cut out of a stream of stated length makes it shorter.
      headers: stripUsage && isEventStream(contentType) ? withoutLength(headers) : headers,
      body: reply.body,
      whole: () => reply.body.takeWhole(),
      flow: (sink: BodySink) => {
        reply.body.flow(sink)
        return reply.body
      },
      reading: () => meter.reading(),
      complete: () => !isEventStream(contentType) || meter.complete,
      attempts: this.#attempts,
      retriesExhausted,
    }
    const hasBody = this.#request.method !== 'HEAD' && status !== 204 && status !== 304
    const encoded = hasBody && kindOfEncoding(contentEncoding) !== 'none'
    const plain = encoded ? this.#decoded(answered, reply, contentEncoding) : answered
    return endpoint === 'images' && status === 200 && isJson(contentType) ? this.#localised(plain) : plain
  }

  /** Counts, meters and, where the tool's bodies are logged, copies what comes. */
  #follow({ body }: RawReply, meter: Meter): void {
    const { trace } = this.#request
    const copy = trace.logBodies ? copyBody(copyLimit) : null
    body.tap({
      push(bytes) {
        trace.receivedBytes(bytes.length)
        copy?.push(bytes)
        return meter.push(bytes)
      },
      end: () => meter.end(),
    })
    const sent = this.#sentCopy
    if (sent && copy) body.onClosed(() => trace.bodies(sent.done(this.#clean), copy.done(this.#clean)))
  }

  /**
   * A service that compresses although `identity` was asked for could hide the key from us, and show it to the tool.
   * @throws StudioError `malformed_reply` for an encoding that is not known
   */
  #decoded(reply: ForwardReply, { body, status }: RawReply, contentEncoding: string | null): ForwardReply {
    if (kindOfEncoding(contentEncoding) === 'unknown') {
      body.close()
      throw undecodable()
    }
    const bytes = decoded(body, contentEncoding, this.#link.credential.redactor.forBody(status < 300))
    const headers = withoutLength(reply.headers).filter(([name]) => name.toLowerCase() !== 'content-encoding')
    return { ...reply, headers, body: bytes, whole: () => null, flow: null }
  }

  /** The addresses of pictures lead to the service, where a tool's key is not known: ours take their place. */
  async #localised(reply: ForwardReply): Promise<ForwardReply> {
    const length = Number(header(reply.headers, 'content-length') ?? imagesLimit)
    if (!(length <= imagesLimit)) return reply
    const feature = await this.#request.roomForReply(length)
    // Base64 is whole without the change, which is what large replies have.
    if (feature === null) return reply
    const { head, rest } = await readUpTo(reply.body, imagesLimit)
    if (rest) return { ...reply, body: joined([head], rest), whole: () => null, flow: null }
    feature.shrink(head.length)
    const parts = localiseImageUrls(head, this.#link.base, this.#request.local()) ?? [head]
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    const headers = withoutLength(reply.headers)
    headers.push(['content-length', String(size)])
    const whole = size <= handedOverFrom ? Buffer.concat(parts) : parts.length === 1 ? head : null
    return { ...reply, headers, body: joined(parts, null), whole: () => whole, flow: null }
  }

  readonly #goesUp = (bytes: Uint8Array): void => {
    this.#request.trace.sentBytes(bytes.length)
    this.#sentCopy?.push(bytes)
  }

  readonly #used = (): number | null => {
    return totalTokens(this.#meter?.reading().usage ?? null)
  }
}

/** A body that is handed over piece by piece has no length that undici could see. */
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
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts
  if (rest) yield* rest
}

const isJson = (contentType: string | null): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')

function requestIdOf(headers: HeaderPairs): string | null {
  return (header(headers, 'x-request-id') ?? header(headers, 'request-id'))?.slice(0, 200) ?? null
}

/** A reply that the policy may retry, kept open: if it gives up, the tool gets it as it is. */
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

/** Paths that were found to lie below their base address: tools ask for the same few again and again. */
const goodPaths = new WeakMap<BaseAddress, Set<string>>()
const mostGoodPaths = 100

/** As the tool wrote it, byte for byte, once it is sure that it stays below the base address. */
function checkedPath({ base }: UpstreamLink, path: string): string {
  const good = goodPaths.get(base) ?? new Set()
  if (!good.has(path)) {
    checkPath(base, path)
    if (good.size < mostGoodPaths) goodPaths.set(base, good.add(path))
  }
  return base.prefix + path
}

/** The gate of the local /v1 has checked it too. Here nobody can forget to: this is the only way to the service for an app. */
function checkPath(base: BaseAddress, path: string): void {
  const bare = path.split('?', 1)[0] ?? ''
  const why = pathProblem(bare)
  if (why !== null) throw notRelayed(why)
  if (!/^[\x21-\x7e]*$/.test(path) || path.includes('#'))
    throw notRelayed('its query has a character that a query may not contain.')
  if (!base.covers(base.url + bare)) throw notRelayed('it leaves the base address.')
}

/** @param why the rest of the sentence, as `pathProblem` gives it */
const notRelayed = (why: string): StudioError => new StudioError('bad_input', `This path can’t be relayed: ${why}`)
