import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { CancelSignal } from '../../shared/cancel.ts'
import { edited } from '../../upstream/meter/askForUsage.ts'
import { asBuffer } from '../../upstream/meter/bytes.ts'
import { maxDepth } from '../../upstream/meter/jsonScan.ts'
import { type RequestParameters, RequestScan } from '../../upstream/meter/request.ts'
import { replayLimit } from '../../upstream/replay.ts'
import type { ForwardRequest } from '../../upstream/types.ts'
import type { BodyMemory, Feature } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'

/** A JSON request up to this size (bytes) is read whole before it goes on: its model, its budget and its replay hang on it. */
export const jsonLimit = 32 * 1024 * 1024

/** What a request carries and asks for. `asked` is null where the body is none of ours to read. */
export interface RequestBody {
  body: ForwardRequest['body']
  asked: RequestParameters | null
  /** Usage was asked for on the tool's behalf: the event that brings it is cut out again. */
  stripUsage: boolean
  /** Room for the bytes that are held, which the caller releases. */
  feature: Feature | null
}

const nothing: RequestBody = { body: null, asked: null, stripUsage: false, feature: null }

/** Models that the specification names for requests which name none. */
const defaultModels: Partial<Record<Endpoint, string>> = { speech: 'tts-1', transcription: 'whisper-1' }

export const modelOf = (endpoint: Endpoint, asked: RequestParameters | null): string | null =>
  asked?.model ?? (asked?.namesModel ? null : (defaultModels[endpoint] ?? null))

const readWhole: ReadonlySet<Endpoint> = new Set<Endpoint>(['chat', 'completions', 'speech', 'images'])

/** Whether what the key may do can be told from the body alone. */
const limited = (tool: App): boolean =>
  (tool.models ?? tool.tokensPerMinute ?? tool.budgetDay ?? tool.budgetMonth ?? tool.budgetTotal) !== null

const tooLarge: Refusal = {
  status: 413,
  type: 'studio_refused',
  code: 'body_too_large',
  message: `A JSON request of a tool that has limits may have at most ${jsonLimit / 1024 / 1024} MB: a larger one can’t be checked against them.`,
}

/** Methods whose requests ask for work. Others are read-outs, unless they carry a body all the same. */
const worksWithoutBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Whether a request asks for work at a path that the specification does not know, and says nothing that its app's limits could be checked against. */
const lacksBody = ({ method = '' }: IncomingMessage, endpoint: Endpoint, tool: App): boolean =>
  endpoint === 'other' && worksWithoutBody.has(method) && limited(tool)

/** Whether a service that goes by these headers reads the body as we do: plain UTF-8 JSON, not compressed and no form. */
function saysJson({
  'content-type': type = '',
  'content-encoding': encoding = 'identity',
}: IncomingHttpHeaders): boolean {
  if (encoding.trim().toLowerCase() !== 'identity') return false
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1] ?? 'utf-8'
  return /^utf-?8$/i.test(charset) && !/^\s*(?:multipart\/|application\/x-www-form-urlencoded)/i.test(type)
}

/**
 * Whether the query of a request names a model (`?model=`, in any spelling). Some servers read form fields from the query too, and take that one where
 * the body names none. `model` itself may stand there when it is allowed and the only one.
 */
export function modelInQuery(path: string, allowed: readonly string[]): boolean {
  const at = path.indexOf('?')
  if (at < 0) return false
  // Some servers part parameters at ";" too.
  return path
    .slice(at + 1)
    .split(/[&;]/)
    .some((pair) => {
      const [[name, value] = ['', '']] = [...new URLSearchParams(pair)]
      return /^\s*model\s*(?:\[|$)/i.test(name.normalize('NFKC')) && !(name === 'model' && allowed.includes(value))
    })
}

/** A service that is more tolerant than we are (UTF-16, compressed bodies) must not read past a tool's limits. */
const unreadable: Refusal = {
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message: `This tool has limits, which can be checked only for one plain JSON object (application/json, UTF-8, not compressed), nested at most ${maxDepth} levels deep.`,
}

const noRoom: Refusal = {
  status: 503,
  type: 'studio_busy',
  code: 'body_memory_full',
  message: 'Too many large requests are under way. Try again in a few seconds.',
  retryAfterMs: 5000,
}

export interface Reading {
  memory: BodyMemory
  /** Ends the wait for room. */
  signal: CancelSignal
  /** Sends 100 Continue where the client waits for it: called when there is room for the body. */
  proceed(): void
}

/**
 * Takes in what a tool sends besides its head. JSON is read whole, once there is room for it; anything else is streamed on as it comes, and so
 * is JSON over `jsonLimit`, unless the tool has limits. Answers a refusal for JSON that is too large, or can't be read, where reading it
 * matters, and where no room came free in time.
 */
export async function readCarried(
  request: IncomingMessage,
  endpoint: Endpoint,
  tool: App,
  reading: Reading,
): Promise<RequestBody | Refusal> {
  const { memory, signal, proceed } = reading
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const size = encoding === undefined ? Number(length ?? 0) : null
  if (size === 0) {
    if (lacksBody(request, endpoint, tool)) return unreadable
    proceed()
    return nothing
  }
  const isLimited = limited(tool)
  const isChecked = isLimited && endpoint !== 'transcription'
  if (isChecked && !saysJson(request.headers)) return unreadable
  if ((!readWhole.has(endpoint) && !isChecked) || (size !== null && size > jsonLimit && !isLimited)) {
    // Without memory for a copy it is streamed all the same, and sent once.
    const feature = memory.takeNow(tool.id, replayLimit)
    proceed()
    return { body: request, asked: null, stripUsage: false, feature }
  }
  if (size !== null && size > jsonLimit) return tooLarge
  const feature = await memory.take(tool.id, size ?? memory.bounds.smallBody, signal)
  if (feature === null) return noRoom
  proceed()
  const incoming = new IncomingJson(request, endpoint, tool, reading, feature)
  let carried: RequestBody | Refusal | null = null
  try {
    carried = size === null ? await incoming.readChunked() : await incoming.readKnown(size)
    return carried
  } finally {
    if (carried === null || 'status' in carried) incoming.release()
  }
}

/** One JSON request on its way in. */
class IncomingJson {
  readonly #request: IncomingMessage
  readonly #tool: App
  readonly #endpoint: Endpoint
  readonly #reading: Reading
  readonly #isLimited: boolean
  readonly #scan: RequestScan
  #feature: Feature

  constructor(request: IncomingMessage, endpoint: Endpoint, tool: App, reading: Reading, feature: Feature) {
    this.#request = request
    this.#endpoint = endpoint
    this.#tool = tool
    this.#reading = reading
    this.#isLimited = limited(tool)
    this.#scan = new RequestScan(endpoint)
    this.#feature = feature
  }

  release(): void {
    this.#feature.release()
  }

  async readKnown(size: number): Promise<RequestBody | Refusal> {
    // The parser hands the body over after the head, in the same turn: microtasks run when it is through with the packet.
    await Promise.resolve()
    if (this.#request.readableLength === size) {
      const all: unknown = this.#request.read()
      if (all instanceof Uint8Array) {
        this.#scan.push(all)
        return this.#whole(asBuffer(all), 0)
      }
    }
    const bytes = Buffer.allocUnsafeSlow(headroom + size)
    let end = headroom
    for await (const piece of piecesOf(this.#request)) {
      bytes.set(piece, end)
      end += piece.length
      if (this.#isUnreadable(piece)) return unreadable
    }
    return this.#whole(bytes.subarray(0, end), headroom)
  }

  async readChunked(): Promise<RequestBody | Refusal> {
    const { smallBody } = this.#reading.memory.bounds
    // Pieces of a few bytes each would cost many times their length, so that they are copied together.
    let bytes: Buffer = Buffer.allocUnsafeSlow(Math.min(firstSize, smallBody))
    let end = headroom
    for await (const piece of piecesOf(this.#request)) {
      const needed = end + piece.length
      if (needed > headroom + jsonLimit) {
        return this.#isLimited ? tooLarge : this.#streamedOn(bytes.subarray(headroom, end), piece)
      }
      if (needed > smallBody && bytes.length <= smallBody) {
        if (!(await this.#takeLargeRoom())) return noRoom
        bytes = grown(bytes, end, headroom + jsonLimit)
      } else if (needed > bytes.length) {
        bytes = grown(bytes, end, Math.min(smallBody, Math.max(needed, 2 * bytes.length)))
      }
      bytes.set(piece, end)
      end = needed
      if (this.#isUnreadable(piece)) return unreadable
    }
    // Of the largest size, what was never written to takes no memory.
    this.#feature.shrink(bytes.length <= smallBody ? bytes.length : end)
    return this.#whole(bytes.subarray(0, end), headroom)
  }

  /** The small pool's room goes back only then: what was read so far is held meanwhile. */
  async #takeLargeRoom(): Promise<boolean> {
    const { memory, signal } = this.#reading
    const feature = await memory.take(this.#tool.id, jsonLimit, signal)
    if (feature === null) return false
    this.#feature.release()
    this.#feature = feature
    return true
  }

  /** Nothing that follows can make it readable. */
  #isUnreadable(piece: Uint8Array): boolean {
    this.#scan.push(piece)
    return this.#scan.problem !== null && this.#isLimited
  }

  /** The body begins at `from`; what is put into it may use the bytes before. */
  #whole(bytes: Buffer, from: number): RequestBody | Refusal {
    const feature = this.#feature
    const asked = this.#scan.asked()
    if (!asked.json && this.#isLimited) return unreadable
    const edit = this.#endpoint === 'chat' && asked.stream ? asked.usageEdit : null
    return { body: edit ? edited(bytes, edit, from) : bytes.subarray(from), asked, stripUsage: edit !== null, feature }
  }

  /** It is too large to be held: what has come goes up first, then the rest as it comes. */
  #streamedOn(held: Uint8Array, next: Uint8Array): RequestBody {
    return {
      body: followed(held, next, this.#request, this.#feature),
      asked: null,
      stripUsage: false,
      feature: this.#feature,
    }
  }
}

/** Bytes taken for the start of a body of unknown length. */
const firstSize = 64 * 1024
/** Bytes left free in front of a body, so that asking for the usage makes no copy of it. */
const headroom = 64

function grown(bytes: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size)
  bytes.copy(larger, 0, 0, length)
  return larger
}

/** Leaving early keeps the connection: the answer still has to go out on it. */
async function* piecesOf(request: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    if (piece instanceof Uint8Array) yield piece
  }
}

async function* followed(
  held: Uint8Array,
  next: Uint8Array,
  request: IncomingMessage,
  feature: Feature,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield held
  // With the reader's next wish, the network has taken them.
  feature.release()
  yield next
  yield* piecesOf(request)
}
