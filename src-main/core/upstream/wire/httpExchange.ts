import type { Dispatcher } from 'undici'
import { StudioError } from '../../errors.ts'
import { flattened, type HeaderPairs, header, isEventStream } from '../headers.ts'
import { ReplyBody } from './body.ts'
import { cancelled, errorOfFault } from './faults.ts'
import type { Network, ReceivedStream } from './network.ts'

/** One attempt on the wire. */
export interface ExchangeRequest {
  origin: string
  method: string
  /** Path with prefix, `/v1` and query. */
  path: string
  headers: HeaderPairs
  body: Uint8Array | AsyncIterable<Uint8Array> | null
  signal: AbortSignal | undefined
  /** Called when the connection exists and sending of the request begins. */
  onConnected?: () => void
  /** Called when the socket has accepted the last byte of the request. */
  onSent?: () => void
}

/** A reply whose head has arrived. */
export interface RawReply {
  status: number
  statusText: string
  headers: HeaderPairs
  body: ReplyBody
}

/**
 * Sends a request and waits for the headers of the final reply. A cancel closes the socket at once, in every phase.
 * @throws StudioError a failure of the connection, or `cancelled`
 */
export function exchange(network: Network, request: ExchangeRequest): Promise<RawReply> {
  if (request.signal?.aborted === true) return Promise.reject(cancelled())
  return new Promise((resolve, reject) => {
    const handler = new ReplyHandler(network, request, resolve, reject)
    const headers = network.proxied ? asRecord(request.headers) : flattened(request.headers)
    const { origin, method, path } = request
    network.entered()
    try {
      const body = request.body === null || request.body instanceof Uint8Array ? request.body : asBody(request.body)
      network.dispatcher.dispatch({ origin, method: asMethod(method), path, headers, body }, handler)
    } catch (fault) {
      handler.failed(fault)
    }
  })
}

class ReplyHandler implements Dispatcher.DispatchHandler, ReceivedStream {
  readonly #network: Network
  readonly #request: ExchangeRequest
  readonly #resolve: (reply: RawReply) => void
  readonly #reject: (error: StudioError) => void
  #controller: Dispatcher.DispatchController | null = null
  #body: ReplyBody | null = null
  #entered = true
  #over = false
  #interimSince: number | null = null

  constructor(
    network: Network,
    request: ExchangeRequest,
    resolve: (reply: RawReply) => void,
    reject: (error: StudioError) => void,
  ) {
    this.#network = network
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    request.signal?.addEventListener('abort', this.#cancel, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#over) controller.abort(cancelled())
    else {
      this.#leave()
      this.#request.onConnected?.()
    }
  }

  onRequestSent(): void {
    this.#request.onSent?.()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _: unknown, statusText?: string): void {
    if (status < 200) this.#receiveInterim(controller)
    if (status < 200 || this.#over) return
    const headers = pairsOf(controller.rawHeaders)
    const isStream = isEventStream(header(headers, 'content-type'))
    if (isStream) this.#network.streams.add(this)
    const body = new ReplyBody(controller)
    this.#body = body
    this.#resolve({ status, statusText: statusText ?? '', headers, body })
  }

  /** An interim reply (1xx). Each restarts undici's headers timeout, so an endless series would block us for ever. */
  #receiveInterim(controller: Dispatcher.DispatchController): void {
    const now = performance.now()
    this.#interimSince ??= now
    if (this.#over || now - this.#interimSince < this.#network.headersTimeoutMs) return
    const facts = { outputStarted: false, workPossible: true }
    this.failed(new StudioError('headers_timeout', 'The service did not begin to answer in time.', facts))
    controller.abort(new Error('The reply did not begin in time.'))
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#finish()
    this.#body?.end()
  }

  onResponseError(_: unknown, fault: Error): void {
    this.failed(fault)
  }

  failed(fault: unknown): void {
    if (this.#over) return
    this.#finish()
    const replied = this.#body !== null
    const outputStarted = (this.#body?.bytes ?? 0) > 0
    const error = errorOfFault(fault, { sent: this.#controller !== null, replied, outputStarted })
    if (this.#body === null) this.#reject(error)
    else this.#body.fail(error)
  }

  get bytes(): number {
    return this.#body?.bytes ?? 0
  }

  get isPaused(): boolean {
    return this.#controller?.paused === true
  }

  lost(): void {
    const facts = { outputStarted: this.bytes > 0, workPossible: true }
    const controller = this.#controller
    this.failed(new StudioError('connection_lost', 'The connection was lost while this computer was asleep.', facts))
    controller?.abort(new Error('The connection was lost during sleep.'))
  }

  readonly #cancel = (): void => {
    if (this.#over) return
    const controller = this.#controller
    this.failed(cancelled({ outputStarted: (this.#body?.bytes ?? 0) > 0 }))
    controller?.abort(cancelled())
  }

  #finish(): void {
    this.#over = true
    this.#network.streams.delete(this)
    this.#request.signal?.removeEventListener('abort', this.#cancel)
    this.#leave()
  }

  #leave(): void {
    if (!this.#entered) return
    this.#entered = false
    this.#network.left()
  }
}

/** Raw headers of undici as name and value pairs. Bytes above ASCII are preserved (latin1). */
function pairsOf(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPairs {
  const pairs: HeaderPairs = []
  if (!Array.isArray(raw)) return pairs
  for (let i = 0; i + 1 < raw.length; i += 2) {
    pairs.push([latin1(raw[i]), latin1(raw[i + 1])])
  }
  return pairs
}

function latin1(part: Buffer | string | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
}

function asRecord(headers: HeaderPairs): Record<string, string[]> {
  const record: Record<string, string[]> = {}
  for (const [name, value] of headers) {
    record[name] ??= []
    record[name].push(value)
  }
  return record
}

// undici accepts any token as a method and any async iterable as a body; its types name fewer.
function asMethod(method: string): Dispatcher.HttpMethod {
  return method as Dispatcher.HttpMethod
}

function asBody(body: AsyncIterable<Uint8Array>): NonNullable<Dispatcher.DispatchOptions['body']> {
  return body as unknown as NonNullable<Dispatcher.DispatchOptions['body']>
}
