import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Tool } from '../../../src-preload/contract/tools.ts'
import { asStudioError, StudioError } from '../errors.ts'
import { answer } from './answers.ts'
import { hostsOf, judge } from './guard.ts'
import { type Forward, relay } from './relay.ts'

export interface ProxyDeps {
  /** The tool that a presented key belongs to, or null: unknown, revoked. Compared in constant time. */
  verify(presented: string): Tool | null
  /** The way to the service now, or null while nothing is connected. */
  forward(): Forward | null
  /** A request was let through; writes "last used" off the hot path. */
  used(tool: Tool): void
  /** Counters changed. Called often: the receiver coalesces. */
  changed(): void
  /** A mistake of ours while deciding over a request; the tool's connection is cut. */
  failed(error: StudioError): void
}

export interface ProxyServer {
  readonly port: number
  /** Such as `http://127.0.0.1:8787/v1`. */
  readonly baseUrl: string
  counts(): { active: number; relayed: number; refused: number }
  /** Cuts what runs for tools whose key is no longer good. */
  cutRevoked(isLive: (toolId: string) => boolean): void
  /** Cuts what is open and stops listening. */
  close(): Promise<void>
}

/** How many ports above the wanted one are tried when it is taken. */
const portsTried = 50

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

const taken = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'EADDRINUSE' || thrown.code === 'EACCES')

async function listenNear(server: Server, wanted: number): Promise<number> {
  const last = wanted === 0 ? 0 : Math.min(wanted + portsTried, 65_535)
  for (let port = wanted; port <= last; port += 1) {
    try {
      return await listen(server, port)
    } catch (thrown) {
      if (!taken(thrown)) throw thrown
    }
  }
  throw new StudioError('port_taken', `No port from ${wanted} to ${last} is free for the local /v1.`)
}

/** What node:http could not parse (RFC 9112): answered in the error object's shape, then closed. */
function rejectMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const message = tooLarge ? 'The headers are too large.' : 'This is not a request that can be understood.'
  const body = JSON.stringify({ error: { message, type: 'studio_refused', code: 'malformed_request' } })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Studio-Answer: studio_refused\r\nConnection: close\r\n\r\n${body}`,
  )
}

/**
 * Starts the local `/v1` on 127.0.0.1: `wantedPort`, or the next free one; 0 means any.
 * @throws StudioError `port_taken`
 */
export async function startProxy(wantedPort: number, deps: ProxyDeps): Promise<ProxyServer> {
  let [relayed, refused] = [0, 0]
  const running = new Map<ServerResponse, string>()
  let hosts: ReadonlySet<string> = new Set()

  async function take(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<void> {
    const verdict = judge(request, hosts, deps.verify)
    if (!verdict.pass) {
      refused += 1
      answer(response, verdict.refusal)
      deps.changed()
      return
    }
    const forward = deps.forward()
    if (!forward) {
      answer(response, {
        status: 503,
        type: 'studio_unavailable',
        code: 'not_connected',
        message: 'Inference Studio is not connected to a service. Connect it in Settings.',
      })
      return
    }
    // Only now may the body come: a refused upload costs nothing (RFC 9110, 10.1.1).
    if (awaitsContinue) response.writeContinue()
    deps.used(verdict.tool)
    running.set(response, verdict.tool.id)
    relayed += 1
    deps.changed()
    try {
      await relay(request, response, verdict.path, forward)
    } finally {
      running.delete(response)
      deps.changed()
    }
  }

  const server = createServer({
    maxHeaderSize: 32_768,
    headersTimeout: 15_000,
    // A large upload may take as long as it moves; it ends with its connection.
    requestTimeout: 0,
    // Above the 60 s that common clients keep a connection, so that we are not the ones to close under a request.
    keepAliveTimeout: 65_000,
    insecureHTTPParser: false,
    requireHostHeader: true,
    noDelay: true,
  })
  server.maxConnections = 4096
  server.maxRequestsPerSocket = 0
  const handle = (awaitsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    take(request, response, awaitsContinue).catch((thrown: unknown) => {
      response.destroy()
      deps.failed(asStudioError(thrown))
    })
  }
  server.on('request', handle(false))
  server.on('checkContinue', handle(true))
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    refused += 1
    answer(response, {
      status: 417,
      type: 'studio_refused',
      code: 'expectation',
      message: 'Only Expect: 100-continue is understood.',
    })
  })
  const hangUp = (_request: IncomingMessage, socket: { destroy(): void }): void => {
    refused += 1
    socket.destroy()
    deps.changed()
  }
  server.on('connect', hangUp)
  server.on('upgrade', hangUp)
  server.on('clientError', (error: Error, socket) => rejectMalformed(error, socket as Socket))

  const port = await listenNear(server, wantedPort)
  hosts = hostsOf(port)
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    counts: () => ({ active: running.size, relayed, refused }),
    cutRevoked: (isLive) => {
      for (const [response, toolId] of running) if (!isLive(toolId)) response.destroy()
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}
