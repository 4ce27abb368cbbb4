import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { type ClientConnection, ClientConnections } from '../../../listener/connections.ts'
import { boundedServer } from '../../../listener/server.ts'
import { StallWatch } from '../../../listener/stall.ts'
import { asStudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { dialectOf } from '../dialects/routes.ts'
import type { BodyMemory } from './bodyMemory.ts'
import { type Refusal, sendRawRefusal, sendRefusal } from './errorReplies.ts'
import type { FrontendDependencies, IsValid, ProxyBounds } from './frontendOptions.ts'
import {
  keyEnded,
  malformed,
  notChecked,
  tooManyConnections,
  tooManyPipelined,
  unexpected,
  uploadStalled,
} from './frontendRefusals.ts'
import {
  aProgram,
  checkRequest,
  type GuardPassed,
  type GuardRefused,
  type GuardRules,
  mayUpgrade,
  printable,
} from './guard.ts'
import { ProxiedRequest } from './proxiedRequest.ts'
import { choosesUpgrades, defaultWebSocketBounds, ResponsesSockets } from './webSocket/responsesSockets.ts'

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** The request by which programs find out whether Ollama runs at a port. */
const isHello = ({ method, url }: IncomingMessage): boolean => url === '/' && (method === 'GET' || method === 'HEAD')

/** A path for the request log: without its query, with keys masked, at most 300 characters. */
function pathForLog(url = ''): string {
  const query = url.indexOf('?')
  const bare = query < 0 ? url : url.slice(0, query)
  return printable(bare.slice(0, 1000).replace(/(?:isk_|sk-)[\w-]{8,}/g, '[key]'), 300)
}

/** Receives every request to the local API, on both addresses: checks it, relays it and enforces the bounds. */
export class HttpFrontend {
  readonly #deps: FrontendDependencies
  readonly #bounds: ProxyBounds
  readonly #running = new Set<ProxiedRequest>()
  readonly #stalls: StallWatch<ProxiedRequest>
  readonly #connections: ClientConnections<ProxiedRequest>
  readonly #sockets: ResponsesSockets | null
  #rules: GuardRules
  #relayed = 0
  #refused = 0

  constructor(deps: FrontendDependencies, bounds: ProxyBounds) {
    this.#deps = deps
    this.#bounds = bounds
    const { verify, allowedOrigins, closed, keyless } = deps
    this.#sockets = deps.memory && choosesUpgrades ? this.#openSockets(deps.memory) : null
    const webSockets = this.#sockets !== null
    this.#rules = { hosts: new Set(), verify, allowedOrigins, closed, keyless, webSockets }
    this.#connections = new ClientConnections<ProxiedRequest>(bounds, (socket) => this.#evict(socket))
    this.#stalls = new StallWatch(this.#running, bounds, (watched, stall) => {
      if (stall === 'upload') watched.cut('upload_stalled', uploadStalled)
      else watched.cut('reading_stalled', null)
    })
  }

  /** Creates a server of node:http that passes its requests to this front end. */
  server(): Server {
    const bounds = {
      ...this.#bounds,
      // A large upload may take any time while bytes arrive. StallWatch ends stalled ones.
      requestMs: 0,
      maxHeaderBytes: 32_768,
      // Counted here, because the last reply has to announce that the connection closes.
      requestsPerSocket: 0,
    }
    // The guard refuses a missing host with an error object; node:http would send a bare 400.
    const server = boundedServer(bounds, this.#connections, {
      requireHostHeader: false,
      noDelay: true,
      shouldUpgradeCallback: (request) => this.#sockets !== null && mayUpgrade(request),
    })
    // node:http silently drops headers above its limit. The guard refuses such requests instead.
    server.maxHeadersCount = 0
    server.on('request', (request, response) => this.#receiveSafely(request, response, false))
    server.on('checkContinue', (request, response) => this.#receiveSafely(request, response, true))
    server.on('checkExpectation', (request, response) => this.#refuseUnchecked(request, response, unexpected, aProgram))
    // With a listener, Node before version 24.9 would pass every offer of an upgrade to it.
    if (this.#sockets)
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        this.#upgrade(request, socket, head),
      )
    server.on('connect', (request: IncomingMessage, socket: Duplex) => this.#tunnel(request, socket))
    server.on('clientError', (error: Error, socket: Duplex) => this.#malformed(error, socket))
    server.on('drop', () => this.#recordRefusal(null, { refusal: tooManyConnections, from: aProgram }))
    return server
  }

  /** Sets the `Host` values that are accepted. Call once the port is known. */
  acceptHosts(hosts: ReadonlySet<string>): void {
    this.#rules = { ...this.#rules, hosts }
  }

  counts(): { active: number; relayed: number; refused: number } {
    return {
      active: this.#running.size + (this.#sockets?.running ?? 0),
      relayed: this.#relayed,
      refused: this.#refused,
    }
  }

  cutInvalid(isValid: IsValid): void {
    for (const proxiedRequest of this.#running)
      if (!isValid(proxiedRequest.app.id, proxiedRequest.keyHash)) proxiedRequest.cut('key_ended', keyEnded)
    this.#sockets?.cutInvalid(isValid, keyEnded)
  }

  close(): void {
    this.#stalls.close()
    for (const proxiedRequest of this.#running) proxiedRequest.cut('closing', null)
    this.#sockets?.close('closing')
  }

  /** A failure of the guard, such as unreadable keys, ends one connection and not the process. */
  #receiveSafely(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    try {
      this.#receive(request, response, awaitsContinue)
    } catch (thrown) {
      this.#deps.failed(asStudioError(thrown))
      sendRefusal(response, { ...notChecked, close: true })
    }
  }

  #receive(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const connection = this.#connections.take(request)
    if (!connection) return
    if (connection.open >= this.#bounds.pipelined) {
      this.#refuseUnchecked(request, response, tooManyPipelined, aProgram)
      return
    }
    const verdict = checkRequest(request, this.#rules)
    switch (verdict.verdict) {
      case 'pass':
        if (this.#rules.keyless && isHello(request)) {
          this.#registerReply(request, response, connection)
          response.writeHead(200, 'OK', ['Content-Type', 'text/plain; charset=utf-8']).end('Ollama is running')
          return
        }
        inBackground(
          'A request could not be relayed',
          this.#relay(request, response, verdict, connection, awaitsContinue),
        )
        return
      case 'preflight':
        this.#registerReply(request, response, connection)
        response.writeHead(204, verdict.headers.flat()).end()
        return
      case 'alive':
        this.#registerReply(request, response, connection)
        response
          .writeHead(200, 'OK', ['Content-Type', 'application/json', 'Cache-Control', 'no-store'])
          .end('{"status":"ok"}\n')
        return
      default: {
        // A client that waits for 100 Continue may send its body or omit it, so the next bytes are ambiguous.
        const refusal = awaitsContinue ? { ...verdict.refusal, close: true } : verdict.refusal
        this.#refuse(request, response, connection, { ...verdict, refusal })
      }
    }
  }

  async #relay(
    request: IncomingMessage,
    response: ServerResponse,
    passed: GuardPassed,
    connection: ClientConnection<ProxiedRequest>,
    awaitsContinue: boolean,
  ): Promise<void> {
    this.#connections.proved(request.socket, connection)
    connection.open += 1
    connection.requests += 1
    const last = connection.requests >= this.#bounds.requestsPerSocket
    connection.closing = last
    const proxiedRequest = new ProxiedRequest(request, response, passed, {
      awaitsContinue,
      last,
      marks: this.#stalls.begin(),
    })
    connection.proxiedRequest = proxiedRequest
    this.#running.add(proxiedRequest)
    this.#relayed += 1
    try {
      this.#deps.used(passed.app)
      this.#deps.changed()
      await this.#deps.relay(request, response, proxiedRequest)
    } catch (thrown) {
      response.destroy()
      this.#deps.failed(asStudioError(thrown))
    } finally {
      if (proxiedRequest.refused) {
        this.#relayed -= 1
        this.#refused += 1
      }
      if (proxiedRequest.awaitsContinue) connection.closing = true
      if (!request.complete) this.#discardBody(request)
      // A large reply is not transmitted yet, and its reader is watched until it is. Small replies are written at once.
      if (response.writableLength === 0 || request.socket.destroyed) this.#ended(proxiedRequest, connection)
      else response.once('close', () => this.#ended(proxiedRequest, connection))
    }
  }

  #ended(proxiedRequest: ProxiedRequest, connection: ClientConnection<ProxiedRequest>): void {
    this.#running.delete(proxiedRequest)
    connection.open -= 1
    this.#deps.changed()
  }

  #refuseUnchecked(request: IncomingMessage, response: ServerResponse, refusal: Refusal, from: string): void {
    const connection = this.#connections.take(request)
    if (!connection) return
    const refused = { refusal, from, appId: null, origin: null, extraHeaders: [] }
    this.#refuse(request, response, connection, { verdict: 'refuse', ...refused })
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    connection: ClientConnection<ProxiedRequest>,
    refused: GuardRefused,
  ): void {
    this.#registerReply(request, response, connection)
    if (refused.refusal.close === true) connection.closing = true
    sendRefusal(response, refused.refusal, refused.extraHeaders)
    this.#recordRefusal(request, refused)
  }

  /** Registers a reply that this server sends itself. */
  #registerReply(
    request: IncomingMessage,
    response: ServerResponse,
    connection: ClientConnection<ProxiedRequest>,
  ): void {
    this.#connections.replying(connection, response)
    if (hasBody(request)) this.#discardBody(request)
  }

  /** Reads and discards the rest of a body for `lingerMs`. Closing the connection at once would discard the reply too. */
  #discardBody(request: IncomingMessage): void {
    const { socket } = request
    request.resume()
    // Node calls this after the last reply of a connection. Closing with unread bytes resets the connection, so only our side ends here.
    socket.destroySoon = () => socket.end()
    const timer = setTimeout(() => {
      if (!request.complete) socket.destroy()
    }, this.#bounds.lingerMs).unref()
    request.once('close', () => {
      clearTimeout(timer)
      // The method of the prototype again.
      Reflect.deleteProperty(socket, 'destroySoon')
      if (socket.writableEnded) socket.destroySoon()
    })
  }

  #openSockets(memory: BodyMemory): ResponsesSockets {
    const refusedTurn = (request: IncomingMessage, refusal: Refusal): void => {
      const verdict = checkRequest(request, this.#rules)
      if (verdict.verdict === 'refuse') this.#recordRefusal(request, verdict)
      else this.#recordRefusal(request, { refusal, from: aProgram })
    }
    const dependencies = {
      memory,
      relay: this.#deps.relay.bind(this.#deps),
      failed: this.#deps.failed.bind(this.#deps),
      check: (request: IncomingMessage) => this.#checkTurn(request),
      refused: refusedTurn,
      began: (app: App) => {
        this.#relayed += 1
        this.#deps.used(app)
        this.#deps.changed()
      },
      ended: (isRefused: boolean) => {
        if (isRefused) {
          this.#relayed -= 1
          this.#refused += 1
        }
        this.#deps.changed()
      },
    }
    const bounds = { ...defaultWebSocketBounds, ...this.#bounds.webSockets }
    return new ResponsesSockets(dependencies, bounds, this.#bounds, { upload: uploadStalled, reading: null })
  }

  /** Each turn is checked like a request with the headers of its connection. */
  #checkTurn(request: IncomingMessage): GuardPassed | Refusal {
    try {
      const verdict = checkRequest(request, this.#rules)
      if (verdict.verdict === 'pass') return verdict
      return verdict.verdict === 'refuse' ? verdict.refusal : notChecked
    } catch (thrown) {
      this.#deps.failed(asStudioError(thrown))
      return notChecked
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // node:http no longer handles this socket. Without a listener, its error event would end the process.
    socket.on('error', () => socket.destroy())
    const connection = this.#connections.of(socket)
    if (!(socket instanceof Socket) || !connection || connection.closing || connection.open > 0) {
      socket.destroy()
      return
    }
    try {
      const verdict = checkRequest(request, this.#rules)
      if (verdict.verdict === 'pass') {
        this.#connections.proved(socket, connection)
        const refusal = this.#sockets?.accept(request, socket, head, verdict) ?? null
        if (refusal === null) return
        this.#recordRefusal(request, { refusal, from: verdict.app.name, appId: verdict.app.id })
        sendRawRefusal(socket, refusal)
      } else if (verdict.verdict === 'refuse') {
        this.#recordRefusal(request, verdict)
        sendRawRefusal(socket, verdict.refusal)
      } else socket.destroy()
    } catch (thrown) {
      this.#deps.failed(asStudioError(thrown))
      sendRawRefusal(socket, notChecked)
    }
  }

  #tunnel(request: IncomingMessage, socket: Duplex): void {
    // node:http no longer handles this socket. Without a listener, its error event would end the process.
    socket.on('error', () => socket.destroy())
    const verdict = checkRequest(request, this.#rules)
    if (verdict.verdict !== 'refuse') {
      socket.destroy()
      return
    }
    this.#recordRefusal(request, verdict)
    if (this.#connections.of(socket)?.open === 0) sendRawRefusal(socket, verdict.refusal)
    else socket.destroy()
  }

  #malformed(error: Error, socket: Duplex): void {
    const connection = this.#connections.of(socket)
    const found = malformed(error)
    const isSilent = socket instanceof Socket && socket.bytesRead === 0
    // A lost connection, or one that a browser opened in advance and never used, is not an error.
    if (!found || !connection || connection.closing || isSilent) {
      socket.destroy()
      return
    }
    connection.closing = true
    this.#recordRefusal(null, found)
    const { proxiedRequest } = connection
    if (connection.open === 0) sendRawRefusal(socket, found.refusal)
    else if (
      connection.open === 1 &&
      proxiedRequest &&
      this.#running.has(proxiedRequest) &&
      !proxiedRequest.request.complete
    ) {
      proxiedRequest.cut('malformed_body', found.refusal)
    } else socket.destroy()
  }

  #evict(socket: Socket): void {
    const connection = this.#connections.of(socket)
    this.#recordRefusal(null, { refusal: tooManyConnections, from: 'a program without a key' })
    if (connection) connection.closing = true
    if (connection?.open === 0) sendRawRefusal(socket, tooManyConnections)
    else socket.destroy()
  }

  /** Counts and reports a refusal. `request` is null if there is no parsed request. */
  #recordRefusal(
    request: IncomingMessage | null,
    refused: Pick<GuardRefused, 'refusal' | 'from'> & Partial<GuardRefused>,
  ): void {
    const { refusal, from, appId = null, origin = null } = refused
    const { status, code, message } = refusal
    this.#refused += 1
    const [method, path] = [printable(request?.method ?? '', 20), pathForLog(request?.url)]
    this.#deps.refused({ appId, from, method, path, dialect: dialectOf(method, path), status, code, message, origin })
    this.#deps.changed()
  }
}
