import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import type { AnswerKind, Endpoint } from '../../../../src-preload/contract/requests.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { AllowanceReservation, Expectation, LimitRefusal, RequestEnd, RequestTrace } from '../../ports/requests.ts'
import type { StoredResponses } from '../../ports/storedResponses.ts'
import { flattened, type HeaderPairs, header, isEventStream } from '../../upstream/headers.ts'
import { servicePathOf } from '../../upstream/path.ts'
import { endOfFailure, kindOfStatus } from '../../upstream/reply/errors.ts'
import { totalTokens } from '../../upstream/reply/usage.ts'
import { endpointOf, isInference, isReadOut } from '../../upstream/request/endpoint.ts'
import { headerSelectsModel, selectorBesides } from '../../upstream/request/modelSelectors.ts'
import { unknownParameters } from '../../upstream/request/parameters.ts'
import { replayLimit } from '../../upstream/sending/replay.ts'
import type { ForwardReply, ForwardRequest } from '../../upstream/types.ts'
import type { TranslatedAction } from '../dialects/chatBytes.ts'
import { dialects } from '../dialects/dialects.ts'
import { type Sealing, sealedReasoning } from '../dialects/responses/sealedReasoning.ts'
import { nameInPath } from '../dialects/routeParts.ts'
import { isTranslated, localRouteOf, type TranslatedRoute } from '../dialects/routes.ts'
import type { Dialect, JsonObject, ModelsRoute, PathMembers } from '../dialects/types.ts'
import type { AppReply } from './appReply.ts'
import { askPerson } from './askPerson.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import { ChatStream, chatStreamType, failsInChatStream, type StreamBreak, sendFailedChatStream } from './chatStream.ts'
import { type Refusal, refusalOf, refusalOfLimit, sendRefusal } from './errorReplies.ts'
import {
  adaptedHeaders,
  replyHeaders,
  requestHeaders,
  safeReason,
  translatedReplyHeaders,
  translatedRequestHeaders,
} from './headers.ts'
import { answerLocally } from './localAnswers.ts'
import { modelsPath, sendOwnModel, sendTranslatedModels } from './modelReplies.ts'
import { answerOutsideV1 } from './outsideV1.ts'
import { conversationInHeaders } from './promptReader.ts'
import type { AllowedRequest, CutReason } from './proxiedRequest.ts'
import type { Forward, RelayDependencies } from './relayDependencies.ts'
import {
  addressNamesModel,
  cutMessages,
  fieldSelectsModel,
  notConnected,
  noteRefused,
  redirected,
  refuse,
  stoppedByPerson,
} from './relayRefusals.ts'
import { pipeReply } from './replyBody.ts'
import { modelInAddress, modelOf, type RequestBody, readBody } from './requestBody.ts'
import { readTranslated, type Translation } from './translatedBody.ts'
import {
  earlyStreamHead,
  failsInStream,
  isGood,
  readProblem,
  sendFailedStream,
  sendTranslated,
  type TranslatedReplyOptions,
  type TranslatedStream,
} from './translatedReply.ts'
import { isUpload, Upload } from './upload.ts'

/**
 * Relays one request of an app to the service and the reply back, within the app's limits and with a row in the request log. When the app
 * disconnects, the upstream request is closed at once. When the upstream reply breaks off, the app's connection is cut, so that the app can't
 * mistake a partial reply for a whole one.
 */
export async function relay(
  deps: RelayDependencies,
  request: IncomingMessage,
  response: AppReply,
  allowed: AllowedRequest,
): Promise<void> {
  const { method = 'GET' } = request
  const route = localRouteOf(method, allowed.path, request.headers)
  if (route && !isTranslated(route) && route.action !== 'models')
    return answerLocally(deps, request, response, allowed, route)
  if (route === null && servicePathOf(allowed.path) === null) return answerOutsideV1(deps, request, response, allowed)
  const endpoint = route === null ? endpointOf(method, allowed.path) : route.action === 'models' ? 'models' : 'chat'
  const forward = deps.forward()
  if (!forward) return refuse(deps, request, response, allowed, notConnected)
  const { models } = allowed.app
  // Path and query of a translated request are not sent.
  if (route === null && models !== null && !isReadOut(endpoint) && modelInAddress(allowed.path, models)) {
    return refuse(deps, request, response, allowed, addressNamesModel)
  }
  const reservation = deps.allowance.begin(allowed.app, endpoint)
  if ('status' in reservation) return refuse(deps, request, response, allowed, refusalOfLimit(reservation))
  const relayedRequest = new RelayedRequest(deps, request, response, allowed, endpoint, reservation, route, forward)
  try {
    await relayedRequest.run()
  } finally {
    reservation.settle(relayedRequest.tokens)
    relayedRequest.releaseBody()
    relayedRequest.releaseStored()
  }
}

/** Failures before anything was sent: the scheduler or the request log did not accept the request. */
const unsent: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'database_locked',
  'disk_full',
  'not_writable',
  'would_wait',
  'queue_full',
  'queue_timeout',
  'connection_changed',
])

/** One relayed request. */
class RelayedRequest {
  /** The tokens used, once known. */
  tokens: number | null = null
  readonly #startedMs = Date.now()
  readonly #deps: RelayDependencies
  readonly #request: IncomingMessage
  readonly #response: AppReply
  readonly #allowed: AllowedRequest
  readonly #endpoint: Endpoint
  readonly #reservation: AllowanceReservation
  /** Aborted when the app has disconnected, or when this program ends the request. */
  readonly #gone = new AbortController()
  #trace: RequestTrace | null = null
  #reply: ForwardReply | null = null
  /** The connection of the request. */
  #send: Forward
  /** The request body, until the reply starts. */
  #body: RequestBody | null = null
  #stopped = false
  /** Set when the front end ended the request, after it has replied or cut the connection. */
  #cut: CutReason | null = null
  /** Set when an upload is refused while it is sent, because its model became known. */
  #lateRefusal: Refusal | null = null
  #upload: Upload | null = null
  /** The API of the request when it is not the service's own. */
  readonly #dialect: Dialect | null
  readonly #action: TranslatedAction
  readonly #inPath: PathMembers
  readonly #responses: StoredResponses
  /** Id of the reply to a translated request. */
  readonly #replyId: string
  #translation: Translation | null = null
  /** Set for a request for models in the shape of a dialect. */
  readonly #models: ModelsRoute | null
  /** Set for a request for one model in the service's own shape. */
  readonly #model: string | null
  /** A translated stream, once its reply has begun. */
  #stream: TranslatedStream | null = null
  /** The stream of a chat that is not translated, once its reply has begun. */
  #chatStream: ChatStream | null = null
  /** Headers that this program adds to the reply. */
  readonly #added: HeaderPairs
  /** Whether the request asks for such a stream. */
  #wantsChatStream = false
  #expected: Expectation | null = null
  /** What a person answered, if one was asked. */
  #answer: AnswerKind | null = null
  /** The head of a stream was sent while a person was asked. */
  #isHeadEarly = false
  /** A reply that is not translated has begun. */
  #isPiping = false

  constructor(
    deps: RelayDependencies,
    request: IncomingMessage,
    response: AppReply,
    allowed: AllowedRequest,
    endpoint: Endpoint,
    reservation: AllowanceReservation,
    route: TranslatedRoute | ModelsRoute | null,
    forward: Forward,
  ) {
    this.#deps = deps
    this.#send = forward
    const translated = route?.action === 'models' ? null : route
    const dialect = translated && dialects[translated.dialect]
    this.#action = allowed.turns ? 'turn' : (translated?.action ?? 'create')
    this.#inPath = translated?.action === 'create' ? (translated.inPath ?? {}) : {}
    this.#responses = allowed.turns?.over(deps.responses) ?? deps.responses
    this.#dialect = dialect
    this.#replyId = dialect ? `${dialect.replyIdPrefix}${randomBytes(24).toString('hex')}` : ''
    this.#models = route?.action === 'models' ? route : null
    this.#model = route === null && endpoint === 'models' ? nameInPath(allowed.path) || null : null
    this.#request = request
    this.#response = response
    this.#allowed = allowed
    this.#added = [...allowed.extraHeaders]
    this.#endpoint = endpoint
    this.#reservation = reservation
    response.once('close', () => {
      if (!response.writableFinished) this.#gone.abort()
    })
    allowed.onCut = (why) => {
      this.#cut = why
      this.#gone.abort()
      return why === 'key_ended' && this.#breakOff({ type: 'studio_refused', code: why, message: cutMessages[why] })
    }
  }

  async run(): Promise<void> {
    const { app } = this.#allowed
    try {
      const body = await this.#readBody()
      if ('status' in body) return await this.#refuse(body)
      this.#body = body
      this.#added.push(...adaptedHeaders(body.adapted ?? []))
      this.#wantsChatStream = this.#endpoint === 'chat' && !this.#dialect && body.asked?.stream === true
      const selector =
        app.models && !isReadOut(this.#endpoint) ? selectorBesides(body.asked?.selectors ?? [], app.models) : null
      if (selector !== null) return await this.#refuse(fieldSelectsModel(selector), body.asked?.model)
      const expected = this.#expect(body)
      this.#expected = expected
      const first = expected && this.#deps.allowance.expect(app, this.#reservation, expected)
      const over = expected && first?.asks ? await this.#askPerson(first, expected, body) : first
      if (over) return await this.#refuse(refusalOfLimit(over), body.asked?.model)
      // The connection may have changed while the body was read or a person was asked, so the current one is used.
      this.#send = this.#deps.forward() ?? this.#send
      const trace = this.#open(body)
      if (trace.written) await trace.written
      if (body instanceof Upload) this.#checkModelOf(body, trace)
      this.#readPrompt(body, trace)
      this.#reply = await this.#send(this.#forwardRequest(body, trace, expected))
      await this.#sendReply(this.#reply)
      this.#end(wholeEnd(this.#reply))
    } catch (thrown) {
      // Counting tokens may take some ms: close the upstream connection first.
      if (this.#gone.signal.aborted) await new Promise(setImmediate)
      await this.#fail(thrown)
    } finally {
      this.#upload?.close()
    }
  }

  async #readBody(): Promise<RequestBody | Refusal> {
    const { app } = this.#allowed
    const { memory } = this.#deps
    const proceed = (): void => this.#allowed.proceed()
    if (this.#dialect) {
      const [action, inPath, replyId, responses] = [this.#action, this.#inPath, this.#replyId, this.#responses]
      const { reserved = null, turns } = this.#allowed
      const isUnstored = (id: string): boolean => turns?.remembers(id) ?? false
      const { translation: threads, fileTexts } = this.#deps
      const refuseReasoning = this.#deps.reasoningRefusals.of(this.#send)
      const sealing = this.#sealing()
      const translation = {
        app,
        dialect: this.#dialect,
        action,
        inPath,
        refuseReasoning,
        sealing,
        replyId,
        responses,
        isUnstored,
        threads,
        fileTexts,
      }
      const body = await readTranslated(this.#request, translation, {
        memory,
        signal: this.#gone.signal,
        proceed,
        reserved,
      })
      if ('translation' in body) this.#translation = body.translation
      return body
    }
    if (!isUpload(this.#endpoint, this.#request)) {
      return readBody(this.#request, this.#endpoint, app, { memory, signal: this.#gone.signal, proceed })
    }
    proceed()
    const upload = await Upload.open(this.#request, app.models !== null)
    if (upload instanceof Upload) {
      this.#upload = upload
      // Without memory for a copy the upload is still streamed, but it can't be sent again.
      upload.memory = memory.takeNow(app.id, replayLimit)
    }
    return upload
  }

  #sealing(): Sealing {
    return { key: this.#deps.sealingKey(), app: this.#allowed.app.id }
  }

  /** Frees the memory of the items that were stored with the reply. */
  releaseStored(): void {
    this.#translation?.storedMemory?.release()
  }

  /** Frees the memory of the request body, when it is no longer needed for a retry. */
  releaseBody(): void {
    this.#body?.memory?.release()
    // The caller references this object until the reply ends, but the bytes must be freed now.
    if (this.#body) this.#body.body = null
    this.#body = null
  }

  async #refuse(refusal: Refusal, model: string | null = null): Promise<void> {
    const answer = this.#answer === 'refuse' ? { answer: this.#answer } : {}
    noteRefused(this.#deps, this.#request, this.#allowed, refusal, { model, ...answer })
    await this.#sendError(refusal)
  }

  /** Waits for the answer of a person. Returns the refusal, or null when the request may be sent. */
  async #askPerson(over: LimitRefusal, expected: Expectation, { asked }: RequestBody): Promise<LimitRefusal | null> {
    const isChat = this.#endpoint === 'chat' || this.#endpoint === 'completions'
    const ownHead: HeaderPairs = [chatStreamType, ['cache-control', 'no-cache'], ...this.#added]
    const ownStream = isChat && !this.#dialect && asked?.stream === true ? ownHead : null
    const translated = this.#translation?.request.stream ? this.#translation : null
    const { refused, answer } = await askPerson(
      this.#deps,
      {
        app: this.#allowed.app,
        reservation: this.#reservation,
        expected,
        gone: this.#gone.signal,
        response: this.#response,
        head: translated ? earlyStreamHead(translated, this.#allowed.extraHeaders) : ownStream,
        headSent: () => {
          this.#isHeadEarly = true
        },
      },
      over,
    )
    this.#answer = answer
    return refused
  }

  /** Whether the app has the head of a stream, which was sent while a person was asked, and nothing of a reply. */
  get #hasHeadOnly(): boolean {
    return this.#isHeadEarly && this.#stream === null && !this.#isPiping
  }

  /**
   * Sends an error before anything of a reply: as an error reply, or as the failure of a stream, when its head was sent, or for a failure
   * whose status would make the app send the request again.
   */
  async #sendError(refusal: Refusal, state: 'refused' | 'failed' = 'refused'): Promise<void> {
    const { status, type, code, message } = refusal
    const isFailure = state === 'failed'
    const translation = this.#translation
    if (
      translation &&
      (this.#hasHeadOnly || (isFailure && failsInStream(translation, this.#request.headers, status)))
    ) {
      await sendFailedStream(this.#replyOptions(translation, notCleaned), refusal)
    } else if (!translation && (this.#hasHeadOnly || (isFailure && this.#failsInChatStream(status)))) {
      const why = isFailure ? { details: { message, code } } : { code, message }
      const head: HeaderPairs = [['X-Studio-Answer', type], ...this.#added]
      sendFailedChatStream(this.#response, head, why, this.#deps.eventReadingMs)
    } else sendRefusal(this.#response, refusal, this.#allowed.extraHeaders)
  }

  /** The expected use of the request. Null for endpoints without cost, and for a body that was not read. */
  #expect({ asked, body }: RequestBody, modelPending = this.#upload !== null && asked === null): Expectation | null {
    const endpoint = this.#endpoint
    // A request to a path outside the specification may still start work.
    if (!isInference(endpoint) && (endpoint !== 'other' || asked === null)) return null
    const model = modelPending ? null : modelOf(endpoint, asked)
    const count = asked?.count ?? 1
    const tokensIn = asked?.tokensIn ?? 0
    const chats = endpoint === 'chat' || endpoint === 'completions'
    const tokensOut = (asked?.maxTokens ?? (chats ? this.#deps.typicalOut(model) : 0)) * count
    const bytesUp = body instanceof Uint8Array ? body.length : Number(this.#request.headers['content-length'] ?? 0)
    const use = { tokensIn, tokensCached: 0, tokensOut, bytesUp, count }
    return { endpoint, model, modelPending, tokensIn, tokensOut, cost: this.#deps.price(endpoint, model, use) }
  }

  #open({ asked, askedModel, adapted }: RequestBody): RequestTrace {
    const { app, path } = this.#allowed
    const trace = this.#deps.requestLog.open({
      requester: { kind: 'app', id: app.id, failFast: app.failFast },
      method: this.#request.method ?? 'GET',
      path: path.split('?', 1)[0] ?? path,
      endpoint: this.#endpoint,
      model: asked?.model ?? null,
      stream: asked?.stream ?? false,
      logBodies: app.logBodies,
      ...(askedModel === undefined ? {} : { askedModel }),
      ...(adapted === undefined ? {} : { adapted }),
      ...(this.#answer === null ? {} : { answer: this.#answer }),
      ...(this.#translation
        ? { dialect: this.#translation.dialect.id, ignored: this.#translation.request.ignored }
        : {}),
      ...(this.#endpoint === 'images' ? { pictures: asked?.count ?? 1 } : {}),
    })
    trace.onStop = () => {
      this.#stopped = true
      this.#gone.abort()
    }
    this.#trace = trace
    this.#allowed.onRow?.(trace.id)
    return trace
  }

  /** Reads the prompt of a chat for the log, in a later turn of the event loop. */
  #readPrompt({ body, asked }: RequestBody, trace: RequestTrace): void {
    if (this.#endpoint !== 'chat' || (asked && !asked.json)) return
    const named = conversationInHeaders(this.#request.headers) ?? this.#translation?.conversation ?? null
    const bytes = body instanceof Uint8Array ? body : null
    this.#deps.prompts.read(this.#allowed.app.id, bytes, named, trace)
  }

  #forwardRequest(requestBody: RequestBody, trace: RequestTrace, expected: Expectation | null): ForwardRequest {
    const { app, path } = this.#allowed
    const { body, asked, askedModel, adapted, stripUsage, memory } = requestBody
    const { rawHeaders } = this.#request
    const sendsTranslation = this.#translation !== null && body instanceof Uint8Array
    const sent = sendsTranslation
      ? translatedRequestHeaders(rawHeaders, body.length, asked?.stream ?? false)
      : requestHeaders(rawHeaders)
    // Some routers let a header select the model.
    const headers = app.models === null ? sent : sent.filter(([name]) => !headerSelectsModel(name.toLowerCase()))
    // Closures created here must not reference `body`, which would stay in memory as long as the reply runs.
    const bodyDone = isStream(body) ? () => undefined : () => this.releaseBody()
    const isForModels = this.#models !== null || this.#model !== null
    return {
      method: this.#model === null ? (this.#request.method ?? 'GET') : 'GET',
      path: sendsTranslation ? chatPath : isForModels ? modelsPath : (servicePathOf(path) ?? path),
      headers:
        (stripUsage || askedModel !== undefined || adapted !== undefined) && body instanceof Uint8Array
          ? withLength(headers, body.length)
          : headers,
      body,
      signal: this.#gone.signal,
      endpoint: this.#endpoint,
      requester: { kind: 'app', id: app.id, failFast: app.failFast },
      trace,
      tokensIn: expected?.tokensIn ?? 0,
      tokens: (expected?.tokensIn ?? 0) + (expected?.tokensOut ?? 0),
      model: expected?.model ?? null,
      stream: asked?.stream ?? false,
      retries: app.retries,
      stripUsage,
      needsEvents: this.#translation !== null,
      local: this.#deps.local,
      mayCopy: memory !== null,
      bodyDone,
      reserveMemory: (bytes) => this.#memoryForReply(bytes),
    }
  }

  async #memoryForReply(bytes: number): Promise<MemoryReservation | null> {
    const { memory } = this.#deps
    const reservation = await memory.take(this.#allowed.app.id, bytes, this.#gone.signal)
    const response = this.#response
    // Released when the app has read the reply.
    if (response.closed) reservation?.release()
    else if (reservation) response.once('close', reservation.release)
    return reservation
  }

  /** Checks the limits again when the model of an upload becomes known, before the request is complete. */
  #checkModelOf(upload: Upload, trace: RequestTrace): void {
    const { app } = this.#allowed
    upload.onModel = (model) => {
      trace.asks({ model })
      const expected = this.#expect(
        { body: null, asked: { ...unknownParameters, model }, stripUsage: false, memory: null },
        false,
      )
      const over = expected && this.#deps.allowance.expect(app, this.#reservation, expected)
      return over && refusalOfLimit(over)
    }
    upload.onRefused = (refusal) => {
      this.#lateRefusal = refusal
      this.#gone.abort()
    }
  }

  async #sendReply(reply: ForwardReply): Promise<void> {
    const response = this.#response
    if (reply.status >= 300 && reply.status < 400 && header(reply.headers, 'location') !== null) {
      throw new Redirected()
    }
    if (this.#translation) return sendTranslated(reply, this.#replyOptions(this.#translation, reply.clean))
    if (this.#models) return sendTranslatedModels(reply, this.#models, this.#allowed, response)
    if (this.#model !== null && isGood(reply.status)) return sendOwnModel(reply, this.#model, this.#allowed, response)
    if (this.#failsInChatStream(reply.status)) {
      const { message, type, code } = await readProblem(reply)
      this.#end({ state: 'done', problem: { kind: kindOfStatus(reply.status), message } })
      const head = [...translatedReplyHeaders(reply.headers), ...this.#added]
      return sendFailedChatStream(response, head, { details: { message, type, code } }, this.#deps.eventReadingMs)
    }
    if (this.#isHeadEarly && !isEventStream(header(reply.headers, 'content-type'))) throw notStreamed()
    const headers = replyHeaders(reply.headers)
    headers.push(...this.#added)
    if (!response.headersSent) response.writeHead(reply.status, safeReason(reply.statusText), flattened(headers))
    this.#isPiping = true
    if (reply.isChatStream) this.#chatStream = new ChatStream(reply, response, this.#deps.eventReadingMs)
    await pipeReply(reply, response, this.#gone.signal, this.#chatStream)
  }

  /** Ends the stream of a chat with an event, and then without an end. Returns false when there is none, or the service has ended it. */
  #breakOff(why: StreamBreak): boolean {
    if (this.#hasHeadOnly && !this.#dialect) {
      sendFailedChatStream(this.#response, [], why, this.#deps.eventReadingMs)
      return true
    }
    return this.#chatStream?.breakOff(why) ?? false
  }

  #replyOptions(translation: Translation, clean: (text: string) => string): TranslatedReplyOptions {
    const { askedModel, reasoning, stored } = translation
    const { tokensIn = 0 } = this.#expected ?? {}
    const model = this.#expected?.model ?? askedModel
    return {
      response: this.#response,
      gone: this.#gone.signal,
      translation,
      details: {
        id: this.#replyId,
        createdAt: Math.floor(Date.now() / 1000),
        model,
        tokensIn,
        seal: (text) => sealedReasoning(text, this.#sealing()),
        completedAt: () => Math.floor(Date.now() / 1000),
        reasoned: () => this.#deps.reasoned(model ?? askedModel),
        clock: { startedMs: this.#startedMs, nowMs: Date.now },
        report: (note) => this.#trace?.ignores(note),
      },
      extraHeaders: this.#allowed.extraHeaders,
      reserveMemory: (bytes) => this.#memoryForReply(bytes),
      refused: (problem) => this.#deps.reasoningRefusals.learn(this.#send, model, reasoning, problem),
      streams: (stream) => {
        this.#stream = stream
      },
      store: stored && ((whole) => this.#store(whole, clean, stored)),
      failsInStream: (status) => this.#isHeadEarly || failsInStream(translation, this.#request.headers, status),
    }
  }

  async #store(
    whole: JsonObject,
    clean: (text: string) => string,
    stored: NonNullable<Translation['stored']>,
  ): Promise<boolean> {
    const [id, appId, request] = [this.#replyId, this.#allowed.app.id, this.#trace?.id ?? 0]
    let isStored = false
    try {
      isStored = await this.#responses.save({ id, appId, request, ...stored, reply: whole }, clean)
    } catch (thrown) {
      // The app must learn the failure of the reply, which explains more than that of the disk.
      if (whole.status !== 'failed') throw thrown
    }
    if (!isStored) this.#trace?.ignores('store')
    return isStored
  }

  async #fail(thrown: unknown): Promise<void> {
    const error = asStudioError(thrown)
    if (this.#cut) {
      this.#end({ state: 'cancelled', by: 'studio', problem: { kind: this.#cut, message: cutMessages[this.#cut] } })
    } else if (this.#lateRefusal) {
      await this.#sendRefusal(this.#lateRefusal, 'refused')
    } else if (this.#stopped) {
      this.#end({ state: 'cancelled', by: 'person' })
      const last = (await this.#stream?.failed(new StudioError('cancelled', stoppedByPerson.message))) ?? ''
      const { type, code, message } = stoppedByPerson
      if (last !== '') await this.#stream?.endWith(this.#response, last)
      else if (!this.#breakOff({ type, code, message })) await this.#sendError(stoppedByPerson)
    } else if (this.#gone.signal.aborted) {
      this.#end({ state: 'cancelled', by: 'app' })
    } else if (thrown instanceof Redirected) {
      this.#gone.abort()
      await this.#sendRefusal(redirected, 'failed')
    } else if (this.#response.headersSent && !this.#hasHeadOnly) this.#failBegun(error)
    else await this.#sendRefusal(refusalOf(error), unsent.has(error.kind) ? 'refused' : 'failed')
  }

  /** The reply broke off after its head was sent. */
  #failBegun(error: StudioError): void {
    const problem = { kind: error.kind, message: error.message }
    const isUnusable = this.#stream?.isUnusable === true
    this.#end(isUnusable ? { state: 'failed', problem } : endOfFailure(error, this.#reply?.reading().output === true))
    // The failure may be that of the translation, while the service still sends.
    this.#gone.abort()
    const { message, facts, kind } = error
    // After the event that reports the failure, a translated stream ends regularly: Codex repeats the request when the connection breaks
    // (docs/decisions/0011-agent-replays.md).
    if (this.#stream?.isFailed) this.#response.end()
    else if (!this.#breakOff({ details: { message, code: facts.code ?? kind } })) this.#response.destroy()
  }

  #failsInChatStream(status: number): boolean {
    if (this.#isHeadEarly) return !isGood(status)
    const programs = () => this.#deps.connectedPrograms(this.#allowed.app.id)
    return this.#wantsChatStream && failsInChatStream(this.#request.headers, status, programs)
  }

  async #sendRefusal(refusal: Refusal, state: 'refused' | 'failed'): Promise<void> {
    const { status, code, message } = refusal
    if (state === 'refused') this.#allowed.refused = true
    // Before the row was opened, such as when a question could not be stored.
    if (this.#trace === null) noteRefused(this.#deps, this.#request, this.#allowed, refusal, { model: null })
    this.#trace?.replied(status, null)
    this.#end({ state, problem: { kind: code, message } })
    await this.#sendError(refusal, state)
  }

  #end(end: RequestEnd): void {
    const reading = this.#reply?.reading() ?? null
    this.tokens = totalTokens(reading?.usage ?? null)
    this.#trace?.ends(end, reading)
  }
}

/** For a failure without a reply, of which nothing is stored. */
const notCleaned = (text: string): string => text

/** The path of translated requests. */
const chatPath = '/v1/chat/completions'
class Redirected extends StudioError {
  constructor() {
    super('unexpected_status', redirected.message)
  }
}

/** The app has got the head of a stream, because a person was asked for long. */
const notStreamed = (): StudioError =>
  new StudioError('malformed_reply', 'The service did not stream its reply, although the request asks for that.')

function wholeEnd(reply: ForwardReply): RequestEnd {
  const failure = reply.failure()
  return failure === null ? { state: 'done' } : endOfFailure(failure, reply.reading().output)
}

const isStream = (body: ForwardRequest['body']): body is AsyncIterable<Uint8Array> =>
  body !== null && !(body instanceof Uint8Array)

/** The headers with a new Content-Length, because the body was edited. */
function withLength(headers: HeaderPairs, length: number): HeaderPairs {
  return headers.map(([name, value]) => [name, name.toLowerCase() === 'content-length' ? String(length) : value])
}
