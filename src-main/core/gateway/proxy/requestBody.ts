import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { asBuffer } from '../../upstream/json/bytes.ts'
import { JsonScan, maxDepth, maxParsedValues } from '../../upstream/json/jsonScan.ts'
import { comparablePath } from '../../upstream/path.ts'
import { type Edit, edited } from '../../upstream/request/askForUsage.ts'
import { selectsModel } from '../../upstream/request/modelSelectors.ts'
import { type RequestParameters, RequestScan } from '../../upstream/request/parameters.ts'
import { replayLimit } from '../../upstream/sending/replay.ts'
import type { ForwardRequest } from '../../upstream/types.ts'
import { mappedModel } from '../apps/modelMap.ts'
import type { BodyMemory, MemoryReservation } from './bodyMemory.ts'
import { type Refusal, refusedByGuard } from './errorReplies.ts'

/** Largest JSON request that is buffered, bytes. Buffering is needed to read the model, to check the budget and to retry. */
export const jsonLimit = 32 * 1024 * 1024

/** The body of a request, and what it asks for. `asked` is null if the body is not read here. */
export interface RequestBody {
  body: ForwardRequest['body']
  asked: RequestParameters | null
  /** Whether the request was changed to ask for usage. The event with the usage is then removed from the reply. */
  stripUsage: boolean
  /** Memory for the buffered bytes. The caller releases it. */
  memory: MemoryReservation | null
  /** The model in the request, if the app's model map replaced it. */
  askedModel?: string
  /** The fields that were changed as the app allows. */
  adapted?: string[]
}

const noBody: RequestBody = { body: null, asked: null, stripUsage: false, memory: null }

/** Models that the specification defines for requests without a model. */
const defaultModels: Partial<Record<Endpoint, string>> = { speech: 'tts-1', transcription: 'whisper-1' }

/** The model that a request uses, or null if it is unknown. */
export const modelOf = (endpoint: Endpoint, asked: RequestParameters | null): string | null =>
  asked?.model ?? (asked?.namesModel ? null : (defaultModels[endpoint] ?? null))

const bufferedEndpoints: ReadonlySet<Endpoint> = new Set<Endpoint>(['chat', 'completions', 'speech', 'images'])

/** Whether the app has limits that can be checked only against the body. */
const hasBodyLimits = (app: App): boolean =>
  (app.models ?? app.tokensPerMinute ?? app.budgetDay ?? app.budgetMonth ?? app.budgetTotal) !== null

const tooLarge: Refusal = {
  status: 413,
  type: 'studio_refused',
  code: 'body_too_large',
  message: `A JSON request of an app with limits may have at most ${jsonLimit / 1024 / 1024} MB, because a larger one can’t be checked against them.`,
}

const tooLargeToMap: Refusal = {
  ...tooLarge,
  message: `A chat request of an app with a model map may have at most ${jsonLimit / 1024 / 1024} MB, because the model of a larger one can’t be replaced.`,
}

/** The refusal of a body that is not plain JSON, or null when it is relayed unread. */
function unreadableFor(isChecked: boolean, isMapped: boolean): Refusal | null {
  if (isChecked) return unreadable
  return isMapped ? unreadableToMap : null
}

/** The refusal of a body over `jsonLimit`, or null when it is relayed unread. */
function tooLongFor(isLimited: boolean, isMapped: boolean): Refusal | null {
  if (isLimited) return tooLarge
  return isMapped ? tooLargeToMap : null
}

const unreadableToMap: Refusal = {
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message:
    'This app has a model map, which can be applied only to plain JSON (application/json, UTF-8, not compressed). Send the request uncompressed.',
}

/** Methods that may start work without a body. Requests with other methods only read, unless they have a body. */
const worksWithoutBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Whether a request without a body may start work at a path outside the specification, so that its app's limits can't be checked. */
const lacksBody = ({ method = '' }: IncomingMessage, endpoint: Endpoint, app: App): boolean =>
  endpoint === 'other' && worksWithoutBody.has(method) && hasBodyLimits(app)

/** Whether these headers describe plain UTF-8. */
function isPlainText({
  'content-type': type = '',
  'content-encoding': encoding = 'identity',
}: IncomingHttpHeaders): boolean {
  if (encoding.trim().toLowerCase() !== 'identity') return false
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1] ?? 'utf-8'
  return /^utf-?8$/i.test(charset)
}

/** Whether these headers describe plain UTF-8 JSON, neither compressed nor a form, so that the service reads the body as this proxy does. */
const isPlainJson = (headers: IncomingHttpHeaders): boolean =>
  isPlainText(headers) && !/^\s*(?:multipart\/|application\/x-www-form-urlencoded)/i.test(headers['content-type'] ?? '')

/** Paths with the name of a model at some servers, and what to do with it: `/v1/engines/NAME/completions`, `/v1/models/NAME:generate`. */
const modelInFolder = /\/(?:engines?|deployments?|models?|presets?|adapters?|routes?)\/([^/:]+)(?=[/:]|$)/g

/** Whether the path names a model that the app may not use. */
const modelInPath = (path: string, allowed: readonly string[]): boolean =>
  [...comparablePath(path).matchAll(modelInFolder)].some(
    ([, name]) => !allowed.some((model) => model.toLowerCase() === name),
  )

/**
 * Whether the path or its query names a model that the app may not use (`?model=`, `?models=` and the like, in any spelling). Some servers
 * read form fields from the query too, and use them when the body names no model. A parameter with an allowed model passes.
 */
export function modelInAddress(path: string, allowed: readonly string[]): boolean {
  if (modelInPath(path, allowed)) return true
  const at = path.indexOf('?')
  if (at < 0) return false
  // Some servers also split parameters at ";".
  return path
    .slice(at + 1)
    .split(/[&;]/)
    .some((pair) => {
      const [[name, value] = ['', '']] = [...new URLSearchParams(pair)]
      return selectsModel(name.normalize('NFKC').toLowerCase()) && !(/^\w+$/.test(name) && allowed.includes(value))
    })
}

/** A service that accepts more than this proxy (UTF-16, compressed bodies) must not bypass an app's limits. */
const unreadable: Refusal = {
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message: `This app has limits, which can be checked only in one plain JSON object (application/json, UTF-8, not compressed) with at most ${maxDepth} levels of nesting.`,
}

/** No memory became free in time. Nothing was sent. */
export const noMemory: Refusal = {
  status: 503,
  type: 'studio_busy',
  code: 'body_memory_full',
  message: 'Too many large requests are running. Try again in a few seconds.',
  retryAfterMs: 5000,
}

export interface BodyReadOptions {
  memory: BodyMemory
  /** Ends the wait for memory. */
  signal: AbortSignal
  /** Sends 100 Continue if the client waits for it. Called when there is memory for the body. */
  proceed(): void
  /** Memory that was reserved for the whole body before it was received. */
  reserved?: MemoryReservation | null
}

/**
 * Reads the body of a request. JSON is buffered once there is memory for it. Everything else is streamed, and so is JSON over `jsonLimit`
 * of an app without limits and model map. Returns a refusal if no memory became free in time. Also returns a refusal if the app has limits that can't be
 * checked, because its JSON is too large or not readable.
 */
export async function readBody(
  request: IncomingMessage,
  endpoint: Endpoint,
  app: App,
  options: BodyReadOptions,
): Promise<RequestBody | Refusal> {
  const { memory, signal, proceed } = options
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const size = encoding === undefined ? Number(length ?? 0) : null
  if (size === 0) {
    if (lacksBody(request, endpoint, app)) return unreadable
    proceed()
    return noBody
  }
  const isLimited = hasBodyLimits(app)
  const isChecked = isLimited && endpoint !== 'transcription'
  const isMapped = endpoint === 'chat' && app.modelMap.length > 0
  const tooLong = tooLongFor(isLimited, isMapped)
  const unread = isPlainJson(request.headers) ? null : unreadableFor(isChecked, isMapped)
  if (unread) return unread
  const isOver = size !== null && size > jsonLimit
  if ((!bufferedEndpoints.has(endpoint) && !isChecked) || (isOver && tooLong === null)) {
    // Without memory for a copy the body is still streamed, but it can't be sent again.
    const copyMemory = memory.takeNow(app.id, replayLimit)
    proceed()
    return { body: request, asked: null, stripUsage: false, memory: copyMemory }
  }
  if (isOver) return tooLong ?? tooLarge
  const reservation = await memory.take(app.id, size ?? memory.bounds.smallBody, signal)
  if (reservation === null) return noMemory
  proceed()
  const scan = new RequestScan(endpoint)
  const incoming = new IncomingJson<RequestBody>(request, app, options, reservation, {
    scan,
    unreadable: isLimited ? () => unreadable : null,
    tooLarge: tooLong,
    whole: (bytes, bodyMemory) => changedBody(bytes, bodyMemory, { asked: scan.asked(), endpoint, app, isLimited }),
    // Streams a body that is too large to buffer: first the buffered part, then the rest as it arrives.
    streamed: (buffered, next, bodyMemory) => ({
      body: followedBy(buffered, next, request, bodyMemory),
      asked: null,
      stripUsage: false,
      memory: bodyMemory,
    }),
  })
  return incoming.read(size)
}

/** The whole body, changed to ask for usage, by the app's model map, and to what the service reads. */
function changedBody(
  bytes: Buffer,
  memory: MemoryReservation,
  { asked, endpoint, app, isLimited }: { asked: RequestParameters; endpoint: Endpoint; app: App; isLimited: boolean },
): RequestBody | Refusal {
  if (!asked.json && isLimited) return unreadable
  const edit = endpoint === 'chat' && asked.stream ? asked.usageEdit : null
  const model = endpoint === 'chat' ? modelEdit(asked, app) : null
  if (model && 'status' in model) return model
  const adaptations = endpoint === 'chat' && app.adaptRequests ? asked.adaptations : []
  const edits = [edit, model, ...adaptations.flatMap((one) => one.edits)].filter((one) => one !== null)
  const changed = {
    body: edits.length === 0 ? bytes : edited(bytes, edits),
    stripUsage: edit !== null,
    memory,
    ...(adaptations.length === 0 ? {} : { adapted: adaptations.map(({ field }) => field) }),
  }
  if (model === null) return { ...changed, asked }
  return { ...changed, asked: { ...asked, model: model.model }, askedModel: model.askedModel }
}

const modelRepeated: Refusal = {
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message: 'This request names its model more than once, so the model map of this app can’t be applied. Name it once.',
}

/** The change of a chat request by the app's model map, or null without one. */
function modelEdit(
  { model: askedModel, modelAt }: RequestParameters,
  { modelMap }: App,
): (Edit & { model: string; askedModel: string }) | Refusal | null {
  if (askedModel === null || modelMap.length === 0) return null
  const model = mappedModel(modelMap, askedModel)
  if (model === askedModel) return null
  return modelAt === null ? modelRepeated : { ...modelAt, text: JSON.stringify(model), model, askedModel }
}

/** How one JSON request is checked, and what is made of it. */
interface JsonReading<T> {
  scan: BodyScan
  /** The refusal of a body that the scan refuses, or null when such a body is relayed unread. */
  unreadable: (() => Refusal) | null
  /** The refusal of a body that is too large to buffer, or null when it is relayed unread. */
  tooLarge: Refusal | null
  /** Called with the whole body. */
  whole(bytes: Buffer, memory: MemoryReservation): T | Refusal
  /** Called for a body that is too large to buffer. */
  streamed(buffered: Uint8Array, next: Uint8Array, memory: MemoryReservation): T
}

/** A JSON request that was buffered to be parsed. */
export interface JsonBytes {
  bytes: Buffer
  /** Number of values. 0 for a short body, which was not scanned. */
  values: number
  /** Memory for the bytes. The caller releases it. */
  memory: MemoryReservation
}

/** Bodies up to this size are parsed without a scan before it, bytes. They have at most half as many values. */
const maxUnscanned = 128 * 1024

/** What checks the bytes of a body while they arrive. */
type BodyScan = Pick<JsonScan, 'push' | 'problem' | 'values' | 'end'>
const unscanned: BodyScan = { push: () => undefined, problem: null, values: 0, end: () => true }

const tooLargeToParse = refusedByGuard(
  413,
  'body_too_large',
  `A request may have at most ${jsonLimit / 1024 / 1024} MB at this path, because it is translated.`,
)
const notPlainJson = refusedByGuard(
  400,
  'body_unreadable',
  'The body must be one JSON object (application/json, UTF-8, not compressed).',
)
const tooDeepToParse = refusedByGuard(
  400,
  'body_unreadable',
  `The body may have at most ${maxDepth} levels of nesting and ${maxParsedValues.toLocaleString('en')} values.`,
)

/**
 * Reads a whole JSON request that is going to be parsed, once there is memory for it. Nesting and number of values of a large one are
 * checked while it arrives, so that the parse can neither block the program nor fill the memory.
 */
export async function readJson(
  request: IncomingMessage,
  app: App,
  options: BodyReadOptions,
): Promise<JsonBytes | Refusal> {
  const { memory, signal, proceed, reserved = null } = options
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const size = encoding === undefined ? Number(length ?? 0) : null
  // The service never sees these bytes, so their media type does not matter. `curl -d` calls any body a form.
  if (size === 0 || !isPlainText(request.headers)) return notPlainJson
  if (size !== null && size > jsonLimit) return tooLargeToParse
  const reservation = reserved ?? (await memory.take(app.id, size ?? memory.bounds.smallBody, signal))
  if (reservation === null) return noMemory
  proceed()
  // The parse of a small body can't block the program, and the translation checks its nesting. A scan before it would take twice as long.
  const scan = size !== null && size <= maxUnscanned ? unscanned : new JsonScan({ maxValues: maxParsedValues })
  const unreadable = (): Refusal =>
    scan.problem === 'depth' || scan.problem === 'values' ? tooDeepToParse : notPlainJson
  return new IncomingJson<JsonBytes>(request, app, options, reservation, {
    scan,
    unreadable,
    tooLarge: tooLargeToParse,
    whole: (bytes, bodyMemory) =>
      scan.end() && (scan !== unscanned || isUtf8(bytes))
        ? { bytes, values: scan.values, memory: bodyMemory }
        : unreadable(),
    streamed() {
      throw new TypeError('A body that is parsed is never streamed.')
    },
  }).read(size)
}

/** One JSON request while it is received. */
class IncomingJson<T extends object> {
  readonly #request: IncomingMessage
  readonly #app: App
  readonly #options: BodyReadOptions
  readonly #reading: JsonReading<T>
  #reservation: MemoryReservation
  /** Bytes that were scanned in this turn of the event loop. */
  #inTurn = 0

  constructor(
    request: IncomingMessage,
    app: App,
    options: BodyReadOptions,
    reservation: MemoryReservation,
    reading: JsonReading<T>,
  ) {
    this.#request = request
    this.#app = app
    this.#options = options
    this.#reading = reading
    this.#reservation = reservation
  }

  /** @param size length of the body in bytes, or null when it is chunked */
  async read(size: number | null): Promise<T | Refusal> {
    let read: T | Refusal | null = null
    try {
      read = size === null ? await this.#readChunked() : await this.#readKnown(size)
      return read
    } finally {
      if (read === null || 'status' in read) this.#reservation.release()
    }
  }

  async #readKnown(size: number): Promise<T | Refusal> {
    // The parser delivers the body after the headers in the same turn. Microtasks run when the whole packet is parsed.
    await Promise.resolve()
    if (this.#request.readableLength === size) {
      const all: unknown = this.#request.read()
      if (all instanceof Uint8Array) {
        const refused = all.length > scanAtOnce ? await this.#scannedInTurns(all) : this.#scanned(all)
        return refused ?? this.#reading.whole(asBuffer(all), this.#reservation)
      }
    }
    const bytes = Buffer.allocUnsafeSlow(size)
    let end = 0
    for await (const piece of piecesOf(this.#request)) {
      bytes.set(piece, end)
      end += piece.length
      const refused = this.#scanned(piece)
      if (refused) return refused
      this.#inTurn += piece.length
      if (this.#inTurn >= scanAtOnce) await this.#nextTurn()
    }
    return this.#reading.whole(bytes.subarray(0, end), this.#reservation)
  }

  async #readChunked(): Promise<T | Refusal> {
    const { smallBody } = this.#options.memory.bounds
    // Pieces are copied into one buffer, because many small ones would cost several times their length.
    let bytes: Buffer = Buffer.allocUnsafeSlow(Math.min(firstSize, smallBody))
    let end = 0
    for await (const piece of piecesOf(this.#request)) {
      const needed = end + piece.length
      if (needed > jsonLimit) {
        const { tooLarge: refusal, streamed } = this.#reading
        return refusal ?? streamed(bytes.subarray(0, end), piece, this.#reservation)
      }
      if (needed > smallBody && bytes.length <= smallBody) {
        if (!(await this.#takeLargeMemory())) return noMemory
        bytes = grown(bytes, end, jsonLimit)
      } else if (needed > bytes.length) {
        bytes = grown(bytes, end, Math.min(smallBody, Math.max(needed, 2 * bytes.length)))
      }
      bytes.set(piece, end)
      end = needed
      const refused = this.#scanned(piece)
      if (refused) return refused
      this.#inTurn += piece.length
      if (this.#inTurn >= scanAtOnce) await this.#nextTurn()
    }
    // The unwritten end of the largest buffer occupies no physical memory.
    this.#reservation.shrink(bytes.length <= smallBody ? bytes.length : end)
    return this.#reading.whole(bytes.subarray(0, end), this.#reservation)
  }

  /** Moves to the large pool. The small reservation is released only afterwards, because the bytes so far occupy it. */
  async #takeLargeMemory(): Promise<boolean> {
    const { memory, signal } = this.#options
    const reservation = await memory.take(this.#app.id, jsonLimit, signal)
    if (reservation === null) return false
    this.#reservation.release()
    this.#reservation = reservation
    return true
  }

  /** As `#scanned`, for a long body that has arrived at once: a message of a WebSocket. Other requests go on between its parts. */
  async #scannedInTurns(bytes: Uint8Array): Promise<Refusal | null> {
    for (let at = 0; at < bytes.length; at += scanAtOnce) {
      const refused = this.#scanned(bytes.subarray(at, at + scanAtOnce))
      if (refused) return refused
      await new Promise(setImmediate)
    }
    return null
  }

  /** One read of the system can have 2 MB, for which everything else would wait. */
  async #nextTurn(): Promise<void> {
    await new Promise(setImmediate)
    this.#inTurn = 0
  }

  /** Scans a piece. Returns a refusal when the body can't be checked, whatever follows. */
  #scanned(piece: Uint8Array): Refusal | null {
    const { scan, unreadable: refuse } = this.#reading
    scan.push(piece)
    return scan.problem !== null && refuse ? refuse() : null
  }
}

/** How much of a body is scanned in one turn of the event loop, bytes. It takes about 1 ms, and 40 ms with as many members as possible. */
const scanAtOnce = 256 * 1024
/** Initial buffer for a body of unknown length, bytes. */
const firstSize = 64 * 1024

function grown(bytes: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size)
  bytes.copy(larger, 0, 0, length)
  return larger
}

/** The body in pieces. Stopping early does not destroy the connection, which the reply still needs. */
async function* piecesOf(request: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    if (piece instanceof Uint8Array) yield piece
  }
}

async function* followedBy(
  buffered: Uint8Array,
  next: Uint8Array,
  request: IncomingMessage,
  reservation: MemoryReservation,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield buffered
  // When the reader asks for more, the buffered bytes have been written to the network.
  reservation.release()
  yield next
  yield* piecesOf(request)
}
