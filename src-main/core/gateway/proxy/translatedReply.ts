import type { IncomingHttpHeaders } from 'node:http'
import { asStudioError, StudioError } from '../../errors.ts'
import { readAll, readStart } from '../../upstream/body.ts'
import { ChatEventReader } from '../../upstream/chatEvents.ts'
import { readReplyError } from '../../upstream/errorBody.ts'
import { flattened, type HeaderPairs, header, isEventStream } from '../../upstream/headers.ts'
import { asBuffer } from '../../upstream/meter/bytes.ts'
import { guardOfReply, type JsonScan, maxReplyValues } from '../../upstream/meter/jsonScan.ts'
import { isFields } from '../../upstream/meter/values.ts'
import type { ForwardReply, ReplyFacts } from '../../upstream/types.ts'
import type { Dialect, DialectProblem, JsonObject, ReplyDetails, StreamTranslator } from '../dialects/types.ts'
import { wholeReplyEvents } from '../dialects/wholeReplyEvents.ts'
import type { AppReply } from './appReply.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import { newRequestId, type Refusal } from './errorReplies.ts'
import { ignoredHeaders, safeReason, translatedReplyHeaders } from './headers.ts'
import { pipeReply } from './replyBody.ts'
import type { Translation } from './translatedBody.ts'

/** Largest whole reply that is translated, bytes. Parsing and writing it takes 80 to 240 ms. No model writes as much. */
const maxWholeReply = 16 * 1024 * 1024
/** Size that is reserved for a reply of unknown length, bytes. */
const usualReply = 1024 * 1024
/** A whole reply up to this size needs no reservation, bytes. */
const shortReply = 64 * 1024
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
 * Sends a reply of the service in the dialect of the request: an error object, a whole reply or a stream, by the reply's own content type.
 * A reply that breaks off or that reports a failure ends with the failure of the dialect.
 * @throws StudioError the failure of the reply, or `cancelled`
 */
export async function sendTranslated(reply: ForwardReply, options: TranslatedReplyOptions): Promise<void> {
  const { response, gone, translation, extraHeaders } = options
  const { dialect, request } = translation
  const envelope: Envelope = { response, dialect, extraHeaders, ignored: request.ignored }
  const requestId = requestIdOf(reply)
  if (!isGood(reply.status)) {
    if (!options.failsInStream(reply.status)) return sendProblem(reply, envelope)
    const text = await new TranslatedStream(options, factsOf(reply, requestId)).refused(await readProblem(reply))
    writeStreamHead({ ...reply, status: 200, statusText: 'OK' }, envelope, requestId)
    response.end(text)
    return
  }
  if (!isEventStream(header(reply.headers, 'content-type'))) return sendWhole(reply, requestId, options, envelope)
  const stream = new TranslatedStream(options, factsOf(reply, requestId))
  if (request.stream) {
    options.streams(stream)
    writeStreamHead(reply, envelope, requestId)
    return pipeReply(stream.apply(reply), response, gone)
  }
  // The service streams although the request did not ask for it.
  for await (const bytes of reply.body) {
    stream.push(bytes)
    if (stream.isOver) break
  }
  await storeAndSend(reply, stream.wholeResult(), options, envelope, requestId)
}

/**
 * Whether the failure of a request is the failure of its stream, with status 200, rather than a status of its own. Codex ignores
 * `x-should-retry` and repeats a request up to 29 times after most statuses, but not after a failed stream
 * (docs/decisions/0011-agent-replays.md).
 */
export function failsInStream(
  { dialect, request }: Translation,
  headers: IncomingHttpHeaders,
  status: number,
): boolean {
  const isCodex = /^codex/i.test(String(headers.originator ?? headers['user-agent'] ?? ''))
  return isCodex && dialect.id === 'responses' && request.stream && (status >= 500 || status === 402)
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
    ['content-type', 'text/event-stream; charset=utf-8'],
    ['X-Studio-Answer', type],
    ...ignoredHeaders(translation.request.ignored),
    ...extraHeaders,
  ]
  response.writeHead(200, 'OK', flattened(head))
  response.end(text)
}

export const isGood = (status: number): boolean => status >= 200 && status <= 299

/** Sends an error reply of the service in the shape of a dialect. */
export async function sendProblem(reply: ForwardReply, envelope: Envelope): Promise<void> {
  const requestId = requestIdOf(reply)
  const problem = await readProblem(reply)
  sendTranslatedJson(reply, envelope.dialect.errorBody(problem, requestId), envelope, requestId)
}

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

function writeStreamHead(reply: ForwardReply, envelope: Envelope, requestId: string): void {
  const head = headOf(reply, envelope, requestId)
  head.push(['content-type', 'text/event-stream; charset=utf-8'])
  envelope.response.writeHead(reply.status, safeReason(reply.statusText), flattened(head))
}

function headOf(reply: ForwardReply, { dialect, ignored, extraHeaders }: Envelope, requestId: string): HeaderPairs {
  const isMessages = dialect.id === 'messages'
  const head = translatedReplyHeaders(reply.headers).filter(
    ([name]) => !(isMessages && name.toLowerCase() === 'request-id'),
  )
  if (isMessages) head.push(['request-id', requestId])
  head.push(...ignoredHeaders(ignored), ...extraHeaders)
  return head
}

async function sendWhole(
  reply: ForwardReply,
  requestId: string,
  options: TranslatedReplyOptions,
  envelope: Envelope,
): Promise<void> {
  const { response, translation, details } = options
  const chat = await readChat(reply, options)
  const { request } = translation
  if (!request.stream) return storeAndSend(reply, request.reply(chat, details), options, envelope, requestId)
  // The service ignores `stream`, but the app expects events.
  const text = await new TranslatedStream(options, factsOf(reply, requestId)).whole(chat)
  writeStreamHead(reply, envelope, requestId)
  response.end(text)
}

/** Reserves memory for a whole reply, until the app has read it. @throws StudioError `malformed_reply` */
async function reserveFor(size: number, { reserveMemory }: TranslatedReplyOptions): Promise<void> {
  if (size > maxWholeReply) throw new StudioError('malformed_reply', 'The reply is too large to be translated.')
  // The service has done the work, so a short reply never fails for memory.
  if (size <= shortReply || (await reserveMemory(size)) !== null) return
  const message = 'There was no free memory to translate the reply. The service may charge the request.'
  throw new StudioError('malformed_reply', message)
}

/** @throws StudioError `malformed_reply` */
async function readChat(reply: ForwardReply, options: TranslatedReplyOptions): Promise<JsonObject> {
  const arrived = reply.whole()
  await reserveFor(arrived?.length ?? Number(header(reply.headers, 'content-length') ?? usualReply), options)
  const scan = guardOfReply(maxReplyValues)
  const bytes = arrived ?? (await readAll(scanned(reply.body, scan), maxWholeReply))
  if (arrived) scan.push(arrived)
  let chat: unknown
  try {
    if (scan.problem === 'depth' || scan.problem === 'values')
      throw new SyntaxError('Nested too deep, or too many values.')
    chat = JSON.parse(asBuffer(bytes).toString('utf8'))
  } catch (cause) {
    throw new StudioError('malformed_reply', 'The service sent a reply that is not JSON.', {}, { cause })
  }
  if (!isFields(chat))
    throw new StudioError('malformed_reply', 'The service sent a reply that is not a chat completion.')
  return chat
}

/** The pieces of a body, each scanned in its turn. A scan of the whole would block the program. */
async function* scanned(body: AsyncIterable<Uint8Array>, scan: JsonScan): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of body) {
    scan.push(piece)
    yield piece
  }
}

/** The error of a reply with a failure status. */
async function readProblem(reply: ForwardReply): Promise<DialectProblem> {
  const bytes = reply.whole()
  const text = bytes
    ? Buffer.from(bytes.subarray(0, maxErrorReply)).toString('utf8')
    : await readStart(reply.body, maxErrorReply)
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

/** One chat stream on its way to the app, in the dialect of the request. */
export class TranslatedStream {
  readonly #reader = new ChatEventReader()
  readonly #translator: StreamTranslator
  readonly #store: TranslatedReplyOptions['store']
  #isFailed = false
  /** Events that were made before the first bytes arrived. */
  #first: string

  /** @param isStorable false for a reply that can't be stored and says so, whatever the app asked */
  constructor({ translation, details, store }: TranslatedReplyOptions, facts: ReplyFacts, isStorable = true) {
    this.#translator = translation.request.openStream(details)
    this.#store = store
    if (!isStorable) this.#translator.notStored?.('')
    this.#first = this.#translator.push({ type: 'open', facts })
  }

  /** Whether more bytes of the service have no effect. */
  get isOver(): boolean {
    return this.#reader.ended || this.#failure !== null
  }

  /** Why the stream can't continue: the failure of the service, or of the translation. */
  get #failure(): StudioError | null {
    const { failure } = this.#translator
    return this.#reader.failure ?? (failure === null ? null : new StudioError('malformed_reply', failure))
  }

  /** The reply with its body translated. */
  apply(reply: ForwardReply): ForwardReply {
    const { flow } = reply
    return {
      ...reply,
      whole: () => null,
      body: this.#bytes(reply),
      flow: flow && ((sink) => this.#flow(reply, flow, sink)),
    }
  }

  /** Returns the text for the next bytes of the service. */
  push(bytes: Uint8Array): string {
    let text = this.#first
    this.#first = ''
    for (const event of this.#reader.push(bytes)) text += this.#translator.push(event)
    return text
  }

  /** The reply object of a stream that was read to its end. @throws StudioError when it is not complete */
  wholeResult(): JsonObject {
    for (const event of this.#reader.end()) this.#translator.push(event)
    if (this.#failure) throw this.#failure
    this.#translator.end()
    return this.#translator.result()
  }

  /** All events of a reply that arrived as one JSON object. @throws StudioError when it is not complete */
  async whole(chat: JsonObject): Promise<string> {
    const events = wholeReplyEvents(chat)
    if ('problem' in events) throw new StudioError('malformed_reply', events.problem)
    let text = this.#first
    for (const event of events) text += this.#translator.push(event)
    if (this.#failure) throw this.#failure
    return text + (await this.#stored(this.#translator.end()))
  }

  /** Stores the reply. Returns its last events, which say whether it is stored. */
  async #stored(last: string): Promise<string> {
    if (this.#store === null || (await this.#store(this.#translator.result()))) return last
    return this.#translator.notStored?.(last) ?? last
  }

  #flow(
    reply: ForwardReply,
    flow: NonNullable<ForwardReply['flow']>,
    sink: Parameters<NonNullable<ForwardReply['flow']>>[0],
  ): { resume(): void } {
    let isOver = false
    const fail = (thrown: unknown): void => {
      if (isOver) return
      isOver = true
      const error = asStudioError(thrown)
      const end = (text: string): void => {
        if (text !== '') sink.write(Buffer.from(text))
        sink.fail(error)
      }
      if (error.kind === 'cancelled') end('')
      else this.failed(error).then(end, (other: unknown) => sink.fail(asStudioError(other)))
    }
    const finish = (text: string): void => {
      if (isOver) return
      isOver = true
      reply.settle()
      const end = (last: string): void => {
        if (text + last !== '') sink.write(Buffer.from(text + last))
        sink.end()
      }
      const last = this.#translator.end()
      if (this.#store === null) end(last)
      else this.#stored(last).then(end, (thrown: unknown) => sink.fail(asStudioError(thrown)))
    }
    return flow({
      write: (bytes) => {
        if (isOver) return true
        try {
          const text = this.push(bytes)
          const failure = this.#failure
          if (this.#reader.ended && failure === null) finish(text)
          else {
            const more = text === '' || sink.write(Buffer.from(text))
            if (failure) fail(failure)
            return more
          }
        } catch (thrown) {
          fail(thrown)
        }
        return true
      },
      end: () => {
        if (isOver) return
        try {
          let text = this.#first
          for (const event of this.#reader.end()) text += this.#translator.push(event)
          if (this.#failure === null) finish(text)
          else {
            if (text !== '') sink.write(Buffer.from(text))
            fail(this.#failure)
          }
        } catch (thrown) {
          fail(thrown)
        }
      },
      fail,
    })
  }

  /** As `#flow`, for a body that can only be iterated. */
  async *#bytes(reply: ForwardReply): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const bytes of reply.body) {
        const text = this.push(bytes)
        if (text !== '') yield Buffer.from(text)
        if (this.#failure) throw this.#failure
        if (this.#reader.ended) break
      }
      let text = this.#first
      for (const event of this.#reader.end()) text += this.#translator.push(event)
      if (this.#failure) throw this.#failure
      text += await this.#stored(this.#translator.end())
      yield Buffer.from(text)
    } catch (thrown) {
      const error = asStudioError(thrown)
      if (error.kind !== 'cancelled') yield Buffer.from(await this.failed(error))
      throw error
    }
  }

  /** Whether the app has got the events that report a failure. */
  get isFailed(): boolean {
    return this.#isFailed
  }

  /** The events that report a failure, once, when the failed reply is stored. A translator that failed itself has none. */
  async failed(error: StudioError): Promise<string> {
    return error.kind === 'bug' || this.#isFailed ? '' : this.refused(problemOf(error))
  }

  /** As `failed`, for a request that was refused before its reply began. */
  async refused(problem: DialectProblem): Promise<string> {
    this.#isFailed = true
    return this.#first + (await this.#stored(this.#translator.fail(problem)))
  }
}
