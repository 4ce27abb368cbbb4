import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { type ClientConnection, ClientConnections, type ConnectionBounds } from '../../../listener/connections.ts'
import { boundedServer } from '../../../listener/server.ts'
import { type StallTimes, StallWatch } from '../../../listener/stall.ts'
import { asStudioError, type StudioError } from '../../errors.ts'
import type { Verified } from '../../ports/requests.ts'
import { SwapRemoveList } from '../../shared/swapRemoveList.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { answer, answerRaw, type Refusal } from './errorReplies.ts'
import { type Gate, judge, type Passed, type Refused, shown } from './guard.ts'
import { malformed } from './malformedRequest.ts'
import { type AllowedRequest, ProxiedRequest } from './proxiedRequest.ts'
import type { SeenRefusal } from './recentRefusals.ts'

export interface ProxyDeps {
  /** What a presented key is. Compared in constant time. */
  verify(presented: string): Verified
  /** Carries one request to its end or to its connection's; answers faults of the way itself, throws for mistakes of ours alone. */
  relay(request: IncomingMessage, response: ServerResponse, pass: AllowedRequest): Promise<void>
  /** A request was let through; writes "last used" off the hot path. */
  used(tool: App): void
  /** Every refusal at the gate. */
  refused(refusal: SeenRefusal): void
  /** Origins that a person allowed by hand, serialized. Asked for each request that carries an origin. */
  allowedOrigins(): readonly string[]
  /** Nobody is let in: this is what they get. */
  closed?: Refusal
  /** Counters changed. Called often: the receiver coalesces. */
  changed(): void
  /** A mistake of ours while deciding over a request or carrying it; the tool's connection is cut. */
  failed(error: StudioError): void
}

/** Bounds of the server, ms and counts; the README has the reasons. Tests make them small. */
export interface Bounds extends StallTimes, ConnectionBounds {
  headersMs: number
  keepAliveMs: number
  requestsPerSocket: number
  /** Unanswered requests on one connection. */
  pipelined: number
  /** How long the rest of an upload that was answered early is read and thrown away, so that its sender gets to the answer. */
  lingerMs: number
}

export const usualBounds: Bounds = {
  uploadMs: 30_000,
  readMs: 60_000,
  most: 4096,
  strangers: 1024,
  graceMs: 1000,
  headersMs: 15_000,
  // Above the 60 s that common clients keep a connection, so that we are not the ones to close under a request.
  keepAliveMs: 65_000,
  requestsPerSocket: 10_000,
  pipelined: 8,
  lingerMs: 5000,
}

const ourAnswer = (status: number, code: string, message: string): Refusal => ({
  status,
  type: 'studio_refused',
  code,
  message,
  close: true,
})
const uploadStalled = ourAnswer(408, 'upload_stalled', 'The upload stopped moving, so Inference Studio ended it.')
const keyEnded = ourAnswer(
  403,
  'tool_key_ended',
  'This tool’s key was paused, revoked or has expired while its request was under way.',
)
const unexpected = ourAnswer(417, 'expectation', 'Only Expect: 100-continue is understood.')
const notJudged: Refusal = {
  ...ourAnswer(503, 'not_judged', 'Inference Studio could not check this request. Its log says why.'),
  type: 'studio_unavailable',
  retryAfterMs: 5000,
}
const tooManyPipelined = ourAnswer(
  429,
  'too_many_pipelined',
  'Too many requests were sent on one connection before their answers.',
)
const tooManyConnections = ourAnswer(
  503,
  'too_many_connections',
  'Too many connections are open that have not sent a good request.',
)

const aProgram = 'a program on this machine'

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** A path as it may stand in the books: without its query, without what looks like a key, bounded. */
function pathForBooks(url = ''): string {
  const query = url.indexOf('?')
  const bare = query < 0 ? url : url.slice(0, query)
  return shown(bare.slice(0, 1000).replace(/(?:isk_|sk-)[\w-]{8,}/g, '[key]'), 300)
}

/** The one place through which every request to the local /v1 comes, on either address. */
export class HttpFrontend {
  readonly #deps: ProxyDeps
  readonly #bounds: Bounds
  readonly #running = new SwapRemoveList<ProxiedRequest>()
  readonly #stalls: StallWatch<ProxiedRequest>
  readonly #connections: ClientConnections<ProxiedRequest>
  #gate: Gate
  #relayed = 0
  #refused = 0

  constructor(deps: ProxyDeps, bounds: Bounds) {
    this.#deps = deps
    this.#bounds = bounds
    const { verify, allowedOrigins, closed } = deps
    this.#gate = { hosts: new Set(), verify, allowedOrigins, closed }
    this.#connections = new ClientConnections<ProxiedRequest>(bounds, (socket) => this.#pushOut(socket))
    this.#stalls = new StallWatch(this.#running, bounds, (watched, what) => {
      if (what === 'upload') watched.cut('upload_stalled', uploadStalled)
      else watched.cut('reading_stalled', null)
    })
  }

  /** A server of node:http before this door, bounded. */
  server(): Server {
    const bounds = {
      ...this.#bounds,
      // A large upload may take as long as it moves: the stall watch ends it.
      requestMs: 0,
      maxHeaderBytes: 32_768,
      // Counted here, since the last answer has to say that the connection ends.
      requestsPerSocket: 0,
    }
    // A missing host is refused by the gate, which answers in the error object's shape.
    const server = boundedServer(bounds, this.#connections, { requireHostHeader: false, noDelay: true })
    // Above a count node:http leaves headers out without a word; the gate refuses instead.
    server.maxHeadersCount = 0
    server.on('request', (request, response) => this.#takeOrCut(request, response, false))
    server.on('checkContinue', (request, response) => this.#takeOrCut(request, response, true))
    server.on('checkExpectation', (request, response) => this.#turnAway(request, response, unexpected, aProgram))
    server.on('connect', (request: IncomingMessage, socket: Duplex) => this.#tunnel(request, socket))
    server.on('clientError', (error: Error, socket: Duplex) => this.#garbled(error, socket))
    server.on('drop', () => this.#note(null, { refusal: tooManyConnections, from: aProgram }))
    return server
  }

  opensFor(hosts: ReadonlySet<string>): void {
    this.#gate = { ...this.#gate, hosts }
  }

  counts(): { active: number; relayed: number; refused: number } {
    return { active: this.#running.size, relayed: this.#relayed, refused: this.#refused }
  }

  cutBad(isGood: (toolId: string) => boolean): void {
    for (const proxiedRequest of this.#running)
      if (!isGood(proxiedRequest.tool.id)) proxiedRequest.cut('key_ended', keyEnded)
  }

  close(): void {
    this.#stalls.close()
    for (const proxiedRequest of this.#running) proxiedRequest.cut('closing', null)
  }

  /** What fails at the gate (keys that can't be read) ends one connection, never the process. */
  #takeOrCut(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    try {
      this.#take(request, response, awaitsContinue)
    } catch (thrown) {
      this.#deps.failed(asStudioError(thrown))
      answer(response, { ...notJudged, close: true })
    }
  }

  #take(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const connection = this.#connections.take(request)
    if (!connection) return
    if (connection.open >= this.#bounds.pipelined) {
      this.#turnAway(request, response, tooManyPipelined, aProgram)
      return
    }
    const verdict = judge(request, this.#gate)
    switch (verdict.verdict) {
      case 'pass':
        inBackground(
          'A request could not be carried',
          this.#carry(request, response, verdict, connection, awaitsContinue),
        )
        return
      case 'preflight':
        this.#answers(request, response, connection)
        response.writeHead(204, verdict.headers.flat()).end()
        return
      default: {
        // A client that was not told to go on may send its body or leave it out: what follows is in doubt.
        const refusal = awaitsContinue ? { ...verdict.refusal, close: true } : verdict.refusal
        this.#refuse(request, response, connection, { ...verdict, refusal })
      }
    }
  }

  async #carry(
    request: IncomingMessage,
    response: ServerResponse,
    passed: Passed,
    connection: ClientConnection<ProxiedRequest>,
    awaitsContinue: boolean,
  ): Promise<void> {
    this.#connections.proved(request.socket, connection)
    connection.open += 1
    connection.requests += 1
    const last = connection.requests >= this.#bounds.requestsPerSocket
    connection.closing = last
    const proxiedRequest = new ProxiedRequest(request, response, passed, {
      holdsBack: awaitsContinue,
      last,
      marks: this.#stalls.begin(),
    })
    connection.proxiedRequest = proxiedRequest
    this.#running.add(proxiedRequest)
    this.#relayed += 1
    try {
      this.#deps.used(passed.tool)
      this.#deps.changed()
      await this.#deps.relay(request, response, proxiedRequest)
    } catch (thrown) {
      response.destroy()
      this.#deps.failed(asStudioError(thrown))
    } finally {
      if (proxiedRequest.holdsBack) connection.closing = true
      if (!request.complete) this.#readPast(request)
      // Given whole, but not taken yet: its reader is watched to the end. Small replies are gone in one go.
      if (response.writableLength === 0 || request.socket.destroyed) this.#ended(proxiedRequest, connection)
      else response.once('close', () => this.#ended(proxiedRequest, connection))
    }
  }

  #ended(proxiedRequest: ProxiedRequest, connection: ClientConnection<ProxiedRequest>): void {
    this.#running.delete(proxiedRequest)
    connection.open -= 1
    this.#deps.changed()
  }

  #turnAway(request: IncomingMessage, response: ServerResponse, refusal: Refusal, from: string): void {
    const connection = this.#connections.take(request)
    if (!connection) return
    const refused = { refusal, from, toolId: null, origin: null, extraHeaders: [] }
    this.#refuse(request, response, connection, { verdict: 'refuse', ...refused })
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    connection: ClientConnection<ProxiedRequest>,
    refused: Refused,
  ): void {
    this.#answers(request, response, connection)
    if (refused.refusal.close === true) connection.closing = true
    answer(response, refused.refusal, refused.extraHeaders)
    this.#note(request, refused)
  }

  /** An answer from the gate itself is on its way. */
  #answers(request: IncomingMessage, response: ServerResponse, connection: ClientConnection<ProxiedRequest>): void {
    this.#connections.answers(connection, response)
    if (hasBody(request)) this.#readPast(request)
  }

  /** The rest of a body that nobody wants, for a while: a connection closed under its sender would take the answer with it. */
  #readPast(request: IncomingMessage): void {
    request.resume()
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy()
    }, this.#bounds.lingerMs).unref()
    request.once('close', () => clearTimeout(timer))
  }

  #tunnel(request: IncomingMessage, socket: Duplex): void {
    // node:http has let go of the socket: its errors are ours to hear, and mean that the client is gone.
    socket.on('error', () => socket.destroy())
    const verdict = judge(request, this.#gate)
    if (verdict.verdict !== 'refuse') {
      socket.destroy()
      return
    }
    this.#note(request, verdict)
    if (this.#connections.of(socket)?.open === 0) answerRaw(socket, verdict.refusal)
    else socket.destroy()
  }

  #garbled(error: Error, socket: Duplex): void {
    const connection = this.#connections.of(socket)
    const what = malformed(error)
    const silent = socket instanceof Socket && socket.bytesRead === 0
    // Lost, or opened in advance and never used (browsers do that): nobody's fault.
    if (!what || !connection || connection.closing || silent) {
      socket.destroy()
      return
    }
    connection.closing = true
    this.#note(null, what)
    const { proxiedRequest } = connection
    if (connection.open === 0) answerRaw(socket, what.refusal)
    else if (
      connection.open === 1 &&
      proxiedRequest &&
      this.#running.has(proxiedRequest) &&
      !proxiedRequest.request.complete
    ) {
      proxiedRequest.cut('malformed_body', what.refusal)
    } else socket.destroy()
  }

  #pushOut(socket: Socket): void {
    const connection = this.#connections.of(socket)
    this.#note(null, { refusal: tooManyConnections, from: 'a program without a key' })
    if (connection) connection.closing = true
    if (connection?.open === 0) answerRaw(socket, tooManyConnections)
    else socket.destroy()
  }

  #note(request: IncomingMessage | null, refused: Pick<Refused, 'refusal' | 'from'> & Partial<Refused>): void {
    const { refusal, from, toolId = null, origin = null } = refused
    const { status, code, message } = refusal
    this.#refused += 1
    const [method, path] = [shown(request?.method ?? '', 20), pathForBooks(request?.url)]
    this.#deps.refused({ toolId, from, method, path, status, code, message, origin })
    this.#deps.changed()
  }
}
