import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type {
  Allowance,
  AllowanceReservation,
  Expectation,
  RequestEnd,
  RequestLog,
  RequestTrace,
} from '../../ports/requests.ts'
import { Cancel, type CancelSignal } from '../../shared/cancel.ts'
import type { Nano } from '../../shared/money.ts'
import { endpointOf, isInference, isReadOut } from '../../upstream/endpoint.ts'
import { flattened, type HeaderPairs, header } from '../../upstream/headers.ts'
import { nothingAsked } from '../../upstream/meter/request.ts'
import { replayLimit } from '../../upstream/replay.ts'
import type { ForwardReply, ForwardRequest } from '../../upstream/types.ts'
import type { BodyMemory, Feature } from './bodyMemory.ts'
import { answer, type Refusal, refusalOf, refusalOfLimit } from './errorReplies.ts'
import { replyHeaders, requestHeaders, safeReason } from './headers.ts'
import type { AllowedRequest, CutReason } from './proxiedRequest.ts'
import { modelInQuery, modelOf, type RequestBody, readCarried } from './requestBody.ts'
import { isUpload, Upload } from './upload.ts'

export type Forward = (request: ForwardRequest) => Promise<ForwardReply>

export interface RelayDeps {
  /** The way to the service now, or null while nothing is connected. */
  forward(): Forward | null
  requestLog: RequestLog
  allowance: Allowance
  /** What such a request may cost at most, as far as prices are known; null where they are not. */
  price(endpoint: Endpoint, model: string | null, use: Use): Nano | null
  /** Tokens of a usual reply of this model. */
  typicalOut(model: string | null): number
  /** Such as `http://127.0.0.1:8787`. */
  local(): string
  /** Room for the bodies that are held whole. */
  memory: BodyMemory
}

interface Use {
  tokensIn: number
  tokensCached: number
  tokensOut: number
  bytesUp: number
  count: number
}

/** A client that follows would send the prompt again, to an address that nobody chose. The specification knows no redirect. */
const redirected: Refusal = {
  status: 502,
  type: 'studio_upstream',
  code: 'redirected',
  message: 'The service answered with a redirect, which is not followed. Check the base address in Settings.',
}

const notConnected: Refusal = {
  status: 503,
  type: 'studio_unavailable',
  code: 'not_connected',
  message: 'Inference Studio is not connected to a service. Connect it in Settings.',
}

const stoppedByPerson: Refusal = {
  status: 503,
  type: 'studio_refused',
  code: 'stopped',
  message: 'This request was stopped in Inference Studio.',
}

const queryNamesModel: Refusal = {
  status: 403,
  type: 'studio_limit',
  code: 'model_not_allowed',
  message:
    'This tool may use certain models only, and the query of this request names another. Name the model in the body.',
}

const cutWords: Record<CutReason, string> = {
  upload_stalled: 'The upload stopped moving.',
  reading_stalled: 'The tool read nothing of the reply for too long.',
  malformed_body: 'The body could not be read.',
  key_ended: 'The tool’s key was paused, revoked or has expired.',
  closing: 'The local /v1 was switched off or moved.',
}

/**
 * Carries one request of a tool to the service and its reply back, within the tool's limits and written down in the books.
 * The tool gone closes upstream at once; upstream cut cuts the tool's connection too, so that nobody takes half a reply for a whole one.
 */
export async function relay(
  deps: RelayDeps,
  request: IncomingMessage,
  response: ServerResponse,
  pass: AllowedRequest,
): Promise<void> {
  const endpoint = endpointOf(request.method ?? 'GET', pass.path)
  const forward = deps.forward()
  if (!forward) return refuse(deps, request, response, pass, notConnected)
  const { models } = pass.tool
  if (models !== null && !isReadOut(endpoint) && modelInQuery(pass.path, models)) {
    return refuse(deps, request, response, pass, queryNamesModel)
  }
  const share = deps.allowance.begin(pass.tool, endpoint)
  if ('status' in share) return refuse(deps, request, response, pass, refusalOfLimit(share))
  const relayedRequest = new RelayedRequest(deps, request, response, pass, endpoint, share)
  try {
    await relayedRequest.run(forward)
  } finally {
    share.giveBack(relayedRequest.tokens)
    relayedRequest.releaseBody()
  }
}

/** It did not come past the desk, or the log did not take it: nothing was sent. */
const unsent: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'database_locked',
  'disk_full',
  'not_writable',
  'would_wait',
  'queue_full',
  'queue_timeout',
  'connection_changed',
])

/** One request under way. */
class RelayedRequest {
  /** What was used, once it is known. */
  tokens: number | null = null
  readonly #deps: RelayDeps
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #pass: AllowedRequest
  readonly #endpoint: Endpoint
  readonly #share: AllowanceReservation
  readonly #gone = new Cancel()
  #trace: RequestTrace | null = null
  #reply: ForwardReply | null = null
  /** What the tool sent, until a reply to it begins. */
  #carried: RequestBody | null = null
  #stopped = false
  /** The gate ended it, and has answered or cut the connection. */
  #cut: CutReason | null = null
  /** Said no to after it had begun: the model of an upload stands somewhere in it. */
  #forbidden: Refusal | null = null
  #upload: Upload | null = null

  constructor(
    deps: RelayDeps,
    request: IncomingMessage,
    response: ServerResponse,
    pass: AllowedRequest,
    endpoint: Endpoint,
    share: AllowanceReservation,
  ) {
    this.#deps = deps
    this.#request = request
    this.#response = response
    this.#pass = pass
    this.#endpoint = endpoint
    this.#share = share
    response.once('close', () => {
      if (!response.writableFinished) this.#gone.abort()
    })
    pass.onCut = (why) => {
      this.#cut = why
      this.#gone.abort()
    }
  }

  async run(forward: Forward): Promise<void> {
    const { tool } = this.#pass
    try {
      const carried = await this.#take()
      if ('status' in carried) return this.#refuse(carried)
      this.#carried = carried
      // A body can take its time to come: what is connected by now is asked.
      const way = this.#deps.forward() ?? forward
      const expected = this.#expect(carried)
      const over = expected && this.#deps.allowance.expect(tool, this.#share, expected)
      if (over) return this.#refuse(refusalOfLimit(over))
      const trace = this.#open(carried)
      if (trace.written) await trace.written
      if (carried instanceof Upload) this.#follow(carried, trace)
      this.#reply = await way(this.#forwardRequest(carried, trace, expected))
      await this.#giveBack(this.#reply)
      this.#end(wholeEnd(this.#reply))
    } catch (thrown) {
      // Counting what came may take some ms: the close of the connection goes first.
      if (this.#gone.aborted) await new Promise(setImmediate)
      this.#fail(thrown)
    } finally {
      this.#upload?.close()
    }
  }

  async #take(): Promise<RequestBody | Refusal> {
    const { tool } = this.#pass
    const { memory } = this.#deps
    const proceed = (): void => this.#pass.proceed()
    if (!isUpload(this.#endpoint, this.#request)) {
      return readCarried(this.#request, this.#endpoint, tool, { memory, signal: this.#gone, proceed })
    }
    proceed()
    const upload = await Upload.open(this.#request, tool.models !== null)
    if (upload instanceof Upload) {
      this.#upload = upload
      // Without memory for a copy it is streamed all the same, and sent once.
      upload.feature = memory.takeNow(tool.id, replayLimit)
    }
    return upload
  }

  /** What the tool sent is not needed again. */
  releaseBody(): void {
    this.#carried?.feature?.release()
    // Whoever waits for the reply keeps this object: the bytes must not stay with it.
    if (this.#carried) this.#carried.body = null
    this.#carried = null
  }

  #refuse(refusal: Refusal): void {
    refuse(this.#deps, this.#request, this.#response, this.#pass, refusal)
  }

  /** Null for read-outs and files, which use nothing, and for a body that was not read. */
  #expect({ asked, body }: RequestBody, modelPending = this.#upload !== null && asked === null): Expectation | null {
    const endpoint = this.#endpoint
    // A body at a path that the specification does not know may ask for work all the same.
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

  #open({ asked }: RequestBody): RequestTrace {
    const { tool, path } = this.#pass
    const trace = this.#deps.requestLog.open({
      asker: { kind: 'tool', id: tool.id, failFast: tool.failFast },
      method: this.#request.method ?? 'GET',
      path: path.split('?', 1)[0] ?? path,
      endpoint: this.#endpoint,
      model: asked?.model ?? null,
      stream: asked?.stream ?? false,
      logBodies: tool.logBodies,
      ...(this.#endpoint === 'images' ? { pictures: asked?.count ?? 1 } : {}),
    })
    trace.onStop = () => {
      this.#stopped = true
      this.#gone.abort()
    }
    this.#trace = trace
    return trace
  }

  #forwardRequest(carried: RequestBody, trace: RequestTrace, expected: Expectation | null): ForwardRequest {
    const { tool, path } = this.#pass
    const headers = requestHeaders(this.#request.rawHeaders)
    const { body, asked, stripUsage, feature } = carried
    // Functions made here must not name `body`: as long as the reply runs, they would keep it in memory.
    const bodyDone = isStream(body) ? () => undefined : () => this.releaseBody()
    return {
      method: this.#request.method ?? 'GET',
      path,
      headers: stripUsage && body instanceof Uint8Array ? withLength(headers, body.length) : headers,
      body,
      signal: this.#gone,
      endpoint: this.#endpoint,
      asker: { kind: 'tool', id: tool.id, failFast: tool.failFast },
      trace,
      tokensIn: expected?.tokensIn ?? 0,
      tokens: (expected?.tokensIn ?? 0) + (expected?.tokensOut ?? 0),
      model: expected?.model ?? null,
      stream: asked?.stream ?? false,
      retries: tool.retries,
      stripUsage,
      local: this.#deps.local,
      mayKeep: feature !== null,
      bodyDone,
      roomForReply: (bytes) => this.#roomForReply(bytes),
    }
  }

  async #roomForReply(bytes: number): Promise<Feature | null> {
    const { memory } = this.#deps
    const feature = await memory.take(this.#pass.tool.id, bytes, this.#gone)
    const response = this.#response
    // Held until the tool has read the reply.
    if (response.closed) feature?.release()
    else if (feature) response.once('close', feature.release)
    return feature
  }

  /** The model of an upload may be known only when most of it has gone up: the limits are asked again then, before the request is complete. */
  #follow(upload: Upload, trace: RequestTrace): void {
    const { tool } = this.#pass
    upload.onModel = (model) => {
      trace.asks({ model })
      const expected = this.#expect(
        { body: null, asked: { ...nothingAsked, model }, stripUsage: false, feature: null },
        false,
      )
      const over = expected && this.#deps.allowance.expect(tool, this.#share, expected)
      return over && refusalOfLimit(over)
    }
    upload.onRefused = (refusal) => {
      this.#forbidden = refusal
      this.#gone.abort()
    }
  }

  async #giveBack(reply: ForwardReply): Promise<void> {
    const response = this.#response
    if (reply.status >= 300 && reply.status < 400 && header(reply.headers, 'location') !== null) {
      throw new Redirected()
    }
    const headers = replyHeaders(reply.headers)
    headers.push(...this.#pass.extraHeaders)
    response.writeHead(reply.status, safeReason(reply.statusText), flattened(headers))
    await pour(reply, response, this.#gone)
  }

  #fail(thrown: unknown): void {
    const error = asStudioError(thrown)
    if (this.#cut) {
      this.#end({ state: 'cancelled', by: 'studio', problem: { kind: this.#cut, message: cutWords[this.#cut] } })
    } else if (this.#forbidden) {
      this.#answer(this.#forbidden, 'refused')
    } else if (this.#stopped) {
      this.#end({ state: 'cancelled', by: 'person' })
      answer(this.#response, stoppedByPerson, this.#pass.extraHeaders)
    } else if (this.#gone.aborted) {
      this.#end({ state: 'cancelled', by: 'app' })
    } else if (thrown instanceof Redirected) {
      this.#gone.abort()
      this.#answer(redirected, 'failed')
    } else if (this.#response.headersSent) {
      this.#end({ state: 'cut', problem: { kind: error.kind, message: error.message } })
      this.#response.destroy()
    } else {
      this.#answer(refusalOf(error), unsent.has(error.kind) ? 'refused' : 'failed')
    }
  }

  #answer(refusal: Refusal, state: 'refused' | 'failed'): void {
    this.#trace?.replied(refusal.status, null)
    this.#end({ state, problem: { kind: refusal.code, message: refusal.message } })
    answer(this.#response, refusal, this.#pass.extraHeaders)
  }

  #end(end: RequestEnd): void {
    const reading = this.#reply?.reading() ?? null
    const usage = reading?.usage
    if (usage) this.tokens = usage.totalTokens ?? (usage.promptTokens ?? 0) + (usage.completionTokens ?? 0)
    this.#trace?.ends(end, reading)
  }
}

class Redirected extends StudioError {
  constructor() {
    super('unexpected_status', redirected.message)
  }
}

function wholeEnd(reply: ForwardReply): RequestEnd {
  if (reply.complete()) return { state: 'done' }
  return { state: 'cut', problem: { kind: 'incomplete_stream', message: 'The reply broke off before its end.' } }
}

function refuse(
  { requestLog }: RelayDeps,
  { method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  { tool, path, extraHeaders }: AllowedRequest,
  refusal: Refusal,
): void {
  const { status, code, message } = refusal
  requestLog.refused({
    toolId: tool.id,
    from: tool.name,
    method,
    path: path.split('?', 1)[0] ?? path,
    status,
    code,
    message,
  })
  answer(response, refusal, extraHeaders)
}

const isStream = (body: ForwardRequest['body']): body is AsyncIterable<Uint8Array> =>
  body !== null && !(body instanceof Uint8Array)

/** The body has grown: the length that the tool told holds no more. */
function withLength(headers: HeaderPairs, length: number): HeaderPairs {
  return headers.map(([name, value]) => [name, name.toLowerCase() === 'content-length' ? String(length) : value])
}

/** Bytes go to the tool as they come; a tool that reads slowly holds the service back. */
async function pour(reply: ForwardReply, response: ServerResponse, gone: CancelSignal): Promise<void> {
  // A short reply has mostly come with its head: both leave in one write.
  const whole = reply.whole()
  if (whole) {
    response.end(whole)
    return
  }
  // A head that its first bytes follow at once leaves in one write with them; a stream's head does not wait for its first event.
  const flush = setImmediate(() => response.flushHeaders())
  if (reply.flow) {
    await flowing(reply.flow, response, gone, flush)
    return
  }
  for await (const bytes of reply.body) {
    clearImmediate(flush)
    if (!response.write(bytes)) await drained(response, gone)
  }
  clearImmediate(flush)
  response.end()
}

/** @throws StudioError what broke the reply, or `cancelled` */
function flowing(
  flow: NonNullable<ForwardReply['flow']>,
  response: ServerResponse,
  gone: CancelSignal,
  flush: NodeJS.Immediate,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = false
    let body: { goOn(): void } | null = null
    const over = (): void => {
      clearImmediate(flush)
      response.off('drain', goOn)
      gone.removeEventListener('abort', leave)
    }
    const goOn = (): void => body?.goOn()
    const leave = (): void => {
      over()
      reject(new StudioError('cancelled', 'Cancelled.'))
    }
    if (gone.aborted) return leave()
    response.on('drain', goOn)
    gone.addEventListener('abort', leave, { once: true })
    body = flow({
      write(bytes) {
        if (!begun) clearImmediate(flush)
        begun = true
        return response.write(bytes)
      },
      end() {
        over()
        response.end()
        resolve()
      },
      fail(error) {
        over()
        reject(error)
      },
    })
  })
}

/** Resolves when the tool has taken what was written. @throws StudioError `cancelled` when it goes away instead */
function drained(response: ServerResponse, gone: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      response.off('drain', go)
      reject(new StudioError('cancelled', 'Cancelled.'))
    }
    const go = (): void => {
      gone.removeEventListener('abort', leave)
      resolve()
    }
    if (gone.aborted) return leave()
    response.once('drain', go)
    gone.addEventListener('abort', leave, { once: true })
  })
}
