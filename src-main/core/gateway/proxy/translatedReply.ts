import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { asStudioError, StudioError } from '../../errors.ts'
import { flattened, type HeaderPairs, header, isEventStream } from '../../upstream/headers.ts'
import { readReplyError } from '../../upstream/reply/errorBody.ts'
import type { ReplyPiece } from '../../upstream/reply/events.ts'
import { incomplete } from '../../upstream/reply/rules.ts'
import type { ChatStreamEvent, ForwardReply, ReplyFacts } from '../../upstream/types.ts'
import { bytesOf, readStart } from '../../upstream/wire/body.ts'
import type {
  Dialect,
  DialectProblem,
  JsonObject,
  ReplyDetails,
  ReplyTranslation,
  StreamTranslator,
} from '../dialects/types.ts'
import type { AppReply } from './appReply.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import { newRequestId, type Refusal } from './errorReplies.ts'
import { ignoredHeaders, safeReason, translatedReplyHeaders } from './headers.ts'
import { pipeReply } from './replyBody.ts'
import type { Translation } from './translatedBody.ts'

/** Largest reply that can be reserved. A larger one is refused before it is read. Bytes. */
const maxWholeReply = 16 * 1024 * 1024
/** Size that is reserved for a reply of unknown length, bytes. */
const usualReply = 1024 * 1024
/** A whole reply up to this size needs no reservation, bytes. */
const shortReply = 64 * 1024
/** So long after the events of a failure follows what clients must read apart from them (`afterFailure`), ms. */
const apartMs = 500
/** Longest error reply that is read, bytes. */
const maxErrorReply = 64 * 1024

export interface TranslatedReplyOptions {
  response: AppReply
  gone: AbortSignal
  translation: Translation
  details: ReplyDetails
  /** Headers to add: CORS headers for an allowed origin. */
  extraHeaders: HeaderPairs
  reserveMemory(bytes: number): Promise<MemoryReservation | null>
  /**
   * Stores the reply object before the app sees its end, also that of a stream that failed. Resolves to whether it is stored as the app
   * asked. Null when there is nothing to store.
   */
  store: ((reply: JsonObject) => Promise<boolean>) | null
  /** Called when the service refused the request, with its own words. */
  refused(problem: DialectProblem): void
  /** Called with the stream of a streamed reply, before its first bytes. */
  streams(stream: TranslatedStream): void
  /** Whether a failure with this status is sent as the failure of a stream. See `failsInStream`. */
  failsInStream(status: number): boolean
}

/** Where a reply goes, and what its headers say about the request. */
interface Envelope {
  response: AppReply
  dialect: Dialect
  extraHeaders: HeaderPairs
  /** Fields and tools that had no effect. */
  ignored: readonly string[]
}

/**
 * Sends a reply of the service in the dialect of the request: an error object, a whole reply or a stream. A reply that breaks off
 * or that reports a failure ends with the failure of the dialect.
 * @throws StudioError the failure of the reply, or `cancelled`
 */
export async function sendTranslated(reply: ForwardReply, options: TranslatedReplyOptions): Promise<void> {
  const { response, gone, translation, extraHeaders } = options
  const { dialect, request } = translation
  const envelope: Envelope = { response, dialect, extraHeaders, ignored: request.ignored }
  const requestId = requestIdOf(reply)
  if (!isGood(reply.status)) {
    const problem = await readProblem(reply)
    options.refused(problem)
    if (!options.failsInStream(reply.status)) return sendError(reply, problem, envelope, requestId)
    const failing = new TranslatedStream(options, factsOf(reply, requestId))
    const text = await failing.refused(problem)
    writeStreamHead({ ...reply, status: 200, statusText: 'OK' }, envelope, request, requestId)
    return failing.endWith(response, text)
  }
  const stream = new TranslatedStream(options, factsOf(reply, requestId))
  const isStream = isEventStream(header(reply.headers, 'content-type'))
  const given = isStream ? reply : await reservedFor(reply, options)
  // The service may stream although the request did not ask for it.
  if (!request.stream) return storeAndSend(reply, await stream.result(given), options, envelope, requestId)
  if (isStream) {
    options.streams(stream)
    writeStreamHead(reply, envelope, request, requestId)
    return pipeReply(stream.apply(reply), response, gone)
  }
  // The service may ignore `stream`, but the app expects events. A failure still has a status of its own.
  const text = await stream.whole(given)
  writeStreamHead(reply, envelope, request, requestId)
  response.end(text)
}

/** Whether the failure of a request is the failure of its stream, with status 200, rather than a status of its own. */
export function failsInStream(
  { dialect, request }: Translation,
  headers: IncomingHttpHeaders,
  status: number,
): boolean {
  return request.stream && dialect.failsInStream?.(headers, status) === true
}

/** Sends a failure of this server, such as an unreachable service, as the failure of a stream. Nothing is stored: there is no reply. */
export async function sendFailedStream(options: TranslatedReplyOptions, refusal: Refusal): Promise<void> {
  const { response, translation, extraHeaders } = options
  const { status, type, code, message } = refusal
  const facts = { status, requestId: newRequestId(), contentType: null }
  const stream = new TranslatedStream(
    { ...options, store: null },
    { ...facts, rateLimit: { limit: null, remaining: null, retryAfterMs: null } },
    options.store === null,
  )
  const text = await stream.refused({ status, message, type: null, code, param: null })
  const head: HeaderPairs = [
    ['content-type', streamTypeOf(translation.request)],
    ['X-Studio-Answer', type],
    ...ignoredHeaders(translation.request.ignored),
    ...extraHeaders,
  ]
  if (!response.headersSent) response.writeHead(200, 'OK', flattened(head))
  await stream.endWith(response, text)
}

export const isGood = (status: number): boolean => status >= 200 && status <= 299

/** Sends an error reply of the service in the shape of a dialect. */
export const sendProblem = async (reply: ForwardReply, envelope: Envelope): Promise<void> =>
  sendError(reply, await readProblem(reply), envelope, requestIdOf(reply))

const sendError = (reply: ForwardReply, problem: DialectProblem, envelope: Envelope, requestId: string): void =>
  sendTranslatedJson(reply, envelope.dialect.errorBody(problem, requestId), envelope, requestId)

/** Sends a translated body with the status and the headers of the service's reply. */
export function sendTranslatedJson(
  reply: ForwardReply,
  body: JsonObject | Buffer,
  envelope: Envelope,
  requestId = requestIdOf(reply),
): void {
  const bytes = body instanceof Buffer ? body : Buffer.from(JSON.stringify(body))
  const head = headOf(reply, envelope, requestId)
  head.push(['content-type', 'application/json; charset=utf-8'], ['content-length', String(bytes.length)])
  envelope.response.writeHead(reply.status, safeReason(reply.statusText), flattened(head))
  envelope.response.end(bytes)
}

/** Stores a whole reply and sends it. It says whether it is stored. */
async function storeAndSend(
  reply: ForwardReply,
  whole: JsonObject,
  { translation, store }: Pick<TranslatedReplyOptions, 'translation' | 'store'>,
  envelope: Envelope,
  requestId: string,
): Promise<void> {
  const { toJson } = translation.request
  if (store === null || (await store(whole))) {
    sendTranslatedJson(reply, toJson?.(whole) ?? whole, envelope, requestId)
    return
  }
  const ignored = [...envelope.ignored, 'store']
  sendTranslatedJson(reply, { ...whole, store: false }, { ...envelope, ignored }, requestId)
}

const streamTypeOf = ({ streamType }: ReplyTranslation): string => streamType ?? 'text/event-stream; charset=utf-8'

/** The head of a stream that begins before there is a reply of the service. */
export function earlyStreamHead({ dialect, request }: Translation, extraHeaders: HeaderPairs): HeaderPairs {
  const { requestIdHeader } = dialect
  return [
    ['content-type', streamTypeOf(request)],
    ...(requestIdHeader === undefined ? [] : [[requestIdHeader, newRequestId()] satisfies HeaderPairs[number]]),
    ...ignoredHeaders(request.ignored),
    ...extraHeaders,
  ]
}

/** Sends the head, unless one was sent while a person was asked. */
function writeStreamHead(reply: ForwardReply, envelope: Envelope, request: ReplyTranslation, requestId: string): void {
  if (envelope.response.headersSent) return
  const head = headOf(reply, envelope, requestId)
  head.push(['content-type', streamTypeOf(request)])
  envelope.response.writeHead(reply.status, safeReason(reply.statusText), flattened(head))
}

function headOf(reply: ForwardReply, { dialect, ignored, extraHeaders }: Envelope, requestId: string): HeaderPairs {
  const { requestIdHeader } = dialect
  const head = translatedReplyHeaders(reply.headers).filter(([name]) => name.toLowerCase() !== requestIdHeader)
  if (requestIdHeader !== undefined) head.push([requestIdHeader, requestId])
  head.push(...ignoredHeaders(ignored), ...extraHeaders)
  return head
}

/** Reserves memory for a whole reply, until the app has read it. @throws StudioError `malformed_reply` */
async function reservedFor(reply: ForwardReply, { reserveMemory }: TranslatedReplyOptions): Promise<ForwardReply> {
  const arrived = reply.whole()
  const size = arrived?.bytes.length ?? Number(header(reply.headers, 'content-length') ?? usualReply)
  if (size > maxWholeReply) throw new StudioError('malformed_reply', 'The reply is too large to be translated.')
  // The service has done the work, so a short reply never fails for memory.
  if (size > shortReply && (await reserveMemory(size)) === null) {
    const message = 'There was no free memory to translate the reply. The service may charge the request.'
    throw new StudioError('malformed_reply', message)
  }
  return arrived ? { ...reply, body: once(arrived) } : reply
}

async function* once(piece: ReplyPiece): AsyncGenerator<ReplyPiece, void, undefined> {
  yield piece
}

/** The error of a reply with a failure status. */
export async function readProblem(reply: ForwardReply): Promise<DialectProblem> {
  const text = await readStart(bytesOf(reply.body), maxErrorReply)
  const { message, ...known } = readReplyError(text)
  return { status: reply.status, message: message ?? `The service replied with ${reply.status}.`, ...known }
}

const requestIdOf = ({ headers }: ForwardReply): string =>
  header(headers, 'request-id') ?? header(headers, 'x-request-id') ?? newRequestId()

const factsOf = ({ status, headers }: ForwardReply, requestId: string): ReplyFacts => ({
  status,
  requestId,
  contentType: header(headers, 'content-type'),
  rateLimit: { limit: null, remaining: null, retryAfterMs: null },
})

/** A failure as the dialects describe it: 502 for a stream that broke off. */
export function problemOf(error: StudioError): DialectProblem {
  const { type = null, code = null } = error.facts
  return { status: 502, message: error.message, type, code: code ?? error.kind, param: null }
}

/** What events become in the dialect, and how the reply ends with them: well, by a failure, or not yet (null). */
interface Translated {
  text: string
  end: 'done' | StudioError | null
}

/** The failure of a whole reply. Its status is that of a bad gateway, whatever the service says. */
const refused = ({ kind, message, facts }: StudioError): StudioError =>
  new StudioError(kind === 'incomplete_stream' ? kind : 'malformed_reply', message, facts)

const pieceOf = (text: string): ReplyPiece => ({ bytes: Buffer.from(text), events: [] })

/** One chat reply on its way to the app, in the dialect of the request. */
export class TranslatedStream {
  readonly #translator: StreamTranslator
  readonly #store: TranslatedReplyOptions['store']
  /** Called once. */
  #reasoned: (() => void) | null
  #isFailed = false
  #isUnusable = false
  /** Events that were made before the first bytes arrived. */
  #first: string

  /** @param isStorable false for a reply that can't be stored and says so, whatever the app asked */
  constructor({ translation, details, store }: TranslatedReplyOptions, facts: ReplyFacts, isStorable = true) {
    const { request } = translation
    this.#translator = request.openReply(details, !request.stream)
    this.#store = store
    this.#reasoned = details.reasoned ?? null
    if (!isStorable) this.#translator.notStored?.('')
    this.#first = this.#translator.push({ type: 'open', facts })
  }

  /** The reply with its body translated. */
  apply(reply: ForwardReply): ForwardReply {
    return { ...reply, whole: () => null, body: this.#pieces(reply) }
  }

  /**
   * Reads the reply to its end, and returns its object.
   * @throws StudioError when it is no good
   */
  async result(reply: ForwardReply): Promise<JsonObject> {
    for await (const { events } of reply.body) {
      const { end } = this.#translated(events)
      if (end === null) continue
      reply.settle()
      if (end === 'done') {
        this.#translator.end()
        const failure = this.#failure()
        if (failure) throw failure
      } else if (this.#translator.failure === null) throw refused(end)
      return this.#translator.result()
    }
    throw incomplete()
  }

  /** All events of a reply that arrives as one JSON document. @throws StudioError when it is no good */
  async whole(reply: ForwardReply): Promise<string> {
    let all = ''
    for await (const { events } of reply.body) {
      const { text, end } = this.#translated(events)
      all += text
      if (end === 'done') {
        const last = this.#translator.end()
        const failure = this.#failure()
        if (failure) throw failure
        return all + (await this.#stored(last))
      }
      if (end) throw refused(end)
    }
    throw incomplete()
  }

  #translated(events: readonly ChatStreamEvent[]): Translated {
    let text = this.#first
    this.#first = ''
    for (const event of events) {
      if (event.type === 'done') return { text, end: 'done' }
      if (event.type === 'error') return { text, end: event.error }
      if (event.type === 'reasoning' && this.#reasoned) {
        this.#reasoned()
        this.#reasoned = null
      }
      text += this.#translator.push(event)
      const failure = this.#failure()
      if (failure) return { text, end: failure }
    }
    return { text, end: null }
  }

  /** Why the translator gave up a reply that the service sent well, such as a summary that is not whole. Also after its end. */
  #failure(): StudioError | null {
    const { failure } = this.#translator
    return failure === null ? null : new StudioError('malformed_reply', failure)
  }

  /** Stores the reply. Returns its last events, which say whether it is stored. */
  async #stored(last: string): Promise<string> {
    if (this.#store === null || (await this.#store(this.#translator.result()))) return last
    return this.#translator.notStored?.(last) ?? last
  }

  async *#pieces(reply: ForwardReply): AsyncGenerator<ReplyPiece, void, undefined> {
    try {
      for await (const { events } of reply.body) {
        const { text, end } = this.#translated(events)
        if (end === 'done') {
          reply.settle()
          const last = this.#translator.end()
          const failure = this.#failure()
          // The last events report it.
          if (failure) [this.#isFailed, this.#isUnusable] = [true, true]
          yield pieceOf(text + (await this.#stored(last)))
          if (failure) throw failure
          return
        }
        if (text !== '') yield pieceOf(text)
        if (end) throw end
      }
      throw incomplete()
    } catch (thrown) {
      const error = asStudioError(thrown)
      if (error.kind !== 'cancelled') {
        yield pieceOf(await this.failed(error))
        if (this.#last !== '') {
          await setTimeout(apartMs)
          yield pieceOf(this.#last)
        }
      }
      throw error
    }
  }

  /** Whether the app has got the events that report a failure. */
  get isFailed(): boolean {
    return this.#isFailed
  }

  /** Whether the service's reply was whole, but not what the request needs, so that the app got nothing of it. */
  get isUnusable(): boolean {
    return this.#isUnusable
  }

  /** Ends the reply with the events that report its failure. @param text what `failed` or `refused` returned */
  async endWith(response: AppReply, text: string): Promise<void> {
    response.write(text)
    if (this.#last !== '') await setTimeout(apartMs)
    response.end(this.#last)
  }

  get #last(): string {
    return this.#translator.afterFailure ?? ''
  }

  /** The events that report a failure, once, when the failed reply is stored. A translator that failed itself has none. */
  async failed(error: StudioError): Promise<string> {
    return error.kind === 'bug' || this.#isFailed ? '' : this.refused(problemOf(error))
  }

  /** As `failed`, for a request that was refused before its reply began. */
  async refused(problem: DialectProblem): Promise<string> {
    this.#isFailed = true
    const first = this.#first
    this.#first = ''
    return first + (await this.#stored(this.#translator.fail(problem)))
  }
}
