import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Via, ViaRequest } from '../../ports/appMedia.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { flattened, type HeaderPairs } from '../../upstream/headers.ts'
import { localFilePath } from '../../upstream/path.ts'
import { endpointOf } from '../../upstream/request/endpoint.ts'
import type { AppReply } from '../proxy/appReply.ts'
import type { AllowedRequest } from '../proxy/proxiedRequest.ts'

/** Relays a request, as `relay` does with its dependencies. */
export type Relay = (request: IncomingMessage, response: AppReply, allowed: AllowedRequest) => Promise<void>

/**
 * Sends requests of tools as requests of their app. Each passes the relay like one that arrived over HTTP, so limits, budget, scheduler, log
 * row and cancellation are the same code.
 * @param currentApp the app with its settings of now: a call may send requests for an hour
 */
export function viaRelay(relay: Relay, currentApp: () => App): Via {
  return async (sent, { signal, onRow, onClosed }) => {
    const app = currentApp()
    const request = new ToolRequest(sent)
    const reply = new ToolReply(request)
    const leave = (): void => void reply.destroy()
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted) leave()
    let hasRow = false
    const path = localFilePath(sent.path)
    const allowed: AllowedRequest = {
      // Who may make images may have them, also when the service sends their addresses.
      app: endpointOf(sent.method, path) === 'files' ? { ...app, endpoints: null } : app,
      path,
      extraHeaders: [],
      onCut: null,
      refused: false,
      proceed: () => undefined,
      onRow(id) {
        hasRow = true
        onRow?.(id)
      },
    }
    const relayed = relay(request, reply, allowed)
      .catch((thrown: unknown) => reply.destroy(asStudioError(thrown)))
      .finally(() => {
        signal?.removeEventListener('abort', leave)
        request.destroy()
        if (hasRow) onClosed?.()
      })
    inBackground('A request of a tool could not be relayed', relayed)
    await reply.begun
    const { status, headers } = reply
    return { status, headers, bytes: readThrough(reply, signal) }
  }
}

/** The bytes of a reply. One that breaks off fails as a lost connection to the service does, because that is what the relay met. */
async function* readThrough(reply: ToolReply, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of reply) if (chunk instanceof Uint8Array) yield chunk
  } catch (thrown) {
    throw brokenOff(thrown, signal)
  }
}

function brokenOff(thrown: unknown, signal: AbortSignal | undefined): StudioError {
  if (signal?.aborted) return new StudioError('cancelled', 'This request was cancelled.')
  if (thrown instanceof StudioError) return thrown
  const words = 'The connection to the service was lost in the middle of the reply.'
  return new StudioError('connection_lost', words, { workPossible: true }, { cause: thrown })
}

/** A request without a connection. Its body is read from an iterable. */
class ToolRequest extends IncomingMessage {
  readonly #body: AsyncIterator<Uint8Array>

  constructor({ method, path, headers, body }: ViaRequest) {
    super(new Socket())
    this.method = method
    this.url = localFilePath(path)
    const sized: HeaderPairs =
      body instanceof Uint8Array ? [...headers, ['content-length', String(body.length)]] : [...headers]
    this.rawHeaders = flattened(sized)
    this.headers = Object.fromEntries(sized)
    this.#body = piecesOf(body)
    // All of it is here, so that nothing waits for a sender.
    this.complete = true
  }

  override _read(): void {
    inBackground('The body of a tool’s request could not be read', this.#pull())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const closed = this.#body.return?.()
    if (closed) inBackground('The body of a tool’s request could not be closed', closed)
    done(error)
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#body.next()
      if (!this.destroyed) this.push(next.done === true ? null : next.value)
    } catch (thrown) {
      this.destroy(asStudioError(thrown))
    }
  }
}

async function* piecesOf(body: ViaRequest['body']): AsyncGenerator<Uint8Array, undefined> {
  if (body instanceof Uint8Array) {
    if (body.length > 0) yield body
  } else if (body !== null) yield* body
  return undefined
}

/** The reply to a request of a tool. It holds the relay back until its bytes are read. */
class ToolReply extends PassThrough implements AppReply {
  headersSent = false
  status = 0
  headers: HeaderPairs = []
  readonly req: IncomingMessage
  /** Resolves when the head is known. @throws StudioError `connection_lost`, `cancelled` when it never is */
  readonly begun: Promise<void>
  readonly #begin: () => void

  constructor(req: IncomingMessage) {
    super()
    this.req = req
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.begun = promise
    this.#begin = resolve
    // Also after an error, which `close` follows.
    this.once('error', () => undefined)
    this.once('close', () => reject(this.errored ?? new StudioError('cancelled', 'This request was cancelled.')))
    promise.catch(() => undefined)
  }

  writeHead(status: number, _reason: string, headers: string[]): void {
    this.headersSent = true
    this.status = status
    for (let at = 0; at + 1 < headers.length; at += 2) this.headers.push([headers[at] ?? '', headers[at + 1] ?? ''])
    this.#begin()
  }

  flushHeaders(): void {
    this.headersSent = true
  }
}
