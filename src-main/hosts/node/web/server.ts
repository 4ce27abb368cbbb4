import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { AnyRouter } from '@orpc/server'
import * as z from 'zod'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import { transfersPath } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../../core/errors.ts'
import type { BytesHandler, BytesReply } from '../../../core/ports/bytes.ts'
import { type ClientConnection, ClientConnections } from '../../../listener/connections.ts'
import { isFromOtherUser } from '../../../listener/peerUser.ts'
import { boundedServer, type ServerBounds } from '../../../listener/server.ts'
import { StallWatch, type Watched } from '../../../listener/stall.ts'
import { frameHeaders, securityHeaders } from '../../csp.ts'
import { answerMedia, type MediaSource, mediaPrefix } from '../../media.ts'
import { openingPage, openingWords } from '../../startUpPage.ts'
import { listenOn } from '../listen.ts'
import { type Access, createAccess } from './access.ts'
import { indexPageFiles, type PageFile, sendFile } from './files.ts'
import { createPageSockets, type PageSockets } from './socket.ts'

/** What the core provides to the server. */
export interface Studio {
  /** The core's procedures. */
  router: AnyRouter
  /** Prometheus text for `/metrics`, or null while metrics are switched off. */
  metrics(): Promise<string | null>
  /** Source of `/media/ID`. */
  media: MediaSource
  /** Answers the requests below `/transfers/`. */
  bytes: BytesHandler
}

export interface WebServerOptions {
  /** Null during the start-up work. Then a start-up page is served until `serve` is called. */
  studio: Studio | null
  /** Current start-up work, or null. */
  opening?(): Opening | null
  /** Folder of the built page. */
  pageFolder: string
  /** 0 means any free port. */
  port: number
  /** Try the next ports, ten in all, when this one is in use. */
  orNext: boolean
  log(level: 'info' | 'warn' | 'error', line: string): void
  /** Overrides for tests. */
  bounds?: Partial<WebBounds>
}

export interface WebServer {
  readonly port: number
  /** The URL to print. The token is in the fragment, which browsers never send. */
  readonly url: string
  /** A URL for the command line of a browser, which every user of the computer can read: with a code that works once, within a minute. */
  urlToOpen(): string
  /** Serves the studio from now on. */
  serve(studio: Studio): void
  /** Closes every page's connection, and serves the start-up page until `serve` is called again. */
  pause(): Promise<void>
  /** Number of open connections. */
  connections(): Promise<number>
  /** Closes every page's connection and stops listening. */
  stop(): Promise<void>
}

/** Limits of the web server, in ms, bytes and counts. */
export interface WebBounds extends ServerBounds {
  /** Unanswered requests on one connection. Browsers send one at a time. */
  pipelined: number
  /** Maximum time without progress in a reply to an unauthenticated client, ms. Authenticated pages may pause audio for longer. */
  readMs: number
}

/** Default limits. `strangers` are connections that have shown neither a cookie nor the token. */
const usualBounds: WebBounds = {
  most: 1024,
  strangers: 128,
  graceMs: 1000,
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 5000,
  maxHeaderBytes: 16 * 1024,
  requestsPerSocket: 1000,
  pipelined: 8,
  readMs: 30_000,
}

/** Maximum size of the body of `/session`, bytes. A token and a code have 43. */
const maxSessionBody = 1024

/**
 * Starts the web server on loopback. Static files contain no secret and need no cookie. `/session` exchanges the token or a code
 * for cookies. `/rpc`, `/media/ID` and `/transfers/ID` need one cookie each. `/metrics` needs the token as a bearer token.
 *
 * @throws StudioError `port_taken`
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const files = await indexPageFiles(options.pageFolder)
  const opening = files.get(openingPage) ?? null
  // The start-up page is served only in place of the studio, never under its own path.
  files.delete(openingPage)
  const bounds = { ...usualBounds, ...options.bounds }
  // Closes without a response: on a preconnected socket, the browser would read the response as the reply to its next request.
  const connections = new ClientConnections(bounds, (socket) => socket.destroy())
  const server = boundedServer(bounds, connections)
  const port = await listenOn(server, options.port, options.orNext)
  const access = createAccess(port)
  const headers = securityHeaders([`ws://127.0.0.1:${port}`, `ws://localhost:${port}`])

  let served: { studio: Studio; pages: PageSockets } | null = null
  const serve = (studio: Studio): void => {
    served = { studio, pages: createPageSockets(studio.router) }
  }
  if (options.studio) serve(options.studio)

  const toStrangers = new Set<Watched>()
  const stalls = new StallWatch(toStrangers, { uploadMs: bounds.requestMs, readMs: bounds.readMs }, ({ request }) =>
    request.socket.destroy(),
  )
  const knows = (request: IncomingMessage): boolean =>
    access.knowsHost(request) &&
    (access.knowsCookie(request) ||
      access.knowsMediaCookie(request) ||
      access.knowsTransfersCookie(request) ||
      access.knowsBearer(request))
  const classify = (request: IncomingMessage, reply: ServerResponse, connection: ClientConnection): void => {
    connections.replying(connection, reply)
    if (connection.proven) return
    if (knows(request)) connections.proved(request.socket, connection)
    else {
      connections.sentHeaders(request.socket, connection)
      const watched = { request, response: reply, awaitsContinue: false, marks: stalls.begin() }
      toStrangers.add(watched)
      reply.once('close', () => toStrangers.delete(watched))
    }
  }

  server.on('request', (request, reply) => {
    const connection = connections.take(request)
    if (!connection) return
    classify(request, reply, connection)
    if (connection.open > bounds.pipelined) {
      connection.closing = true
      return refuse(reply, 429, 'Too many unanswered requests on one connection.')
    }
    const site = {
      access,
      headers,
      files,
      opening,
      studio: served?.studio ?? null,
      work: options.opening ?? (() => null),
      log: options.log,
    }
    answer(request, reply, site).catch((thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      options.log('error', `web: ${request.method} failed: ${why}`)
      if (reply.headersSent) reply.destroy()
      else refuse(reply, 500, 'Something went wrong inside Inference Studio.')
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without this listener, an 'error' event of a refused socket would end the process.
    socket.on('error', () => socket.destroy())
    const allowed =
      access.knowsHost(request) &&
      access.knowsOrigin(request) &&
      access.knowsCookie(request) &&
      pathOf(request) === '/rpc' &&
      request.headers.upgrade?.toLowerCase() === 'websocket'
    const connection = connections.of(socket)
    if (allowed && connection) connections.proved(socket, connection)
    if (allowed && served) served.pages.upgrade(request, socket, head)
    else if (allowed) refuseRaw(socket, '503 Service Unavailable', { ...headers, ...retryAfter })
    else refuseRaw(socket, '403 Forbidden', headers)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Closes without a response: a timed-out preconnected socket would pass the response to the next request of the browser.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy()
    else refuseRaw(socket, '400 Bad Request', headers)
  })

  return {
    port,
    async pause() {
      const before = served
      served = null
      await before?.pages.stop()
    },
    url: `http://127.0.0.1:${port}/#token=${access.token}`,
    urlToOpen: () => `http://127.0.0.1:${port}/#code=${access.issueCode()}`,
    serve,
    connections: () => promisify(server.getConnections.bind(server))(),
    async stop() {
      const closed = closeServer(server)
      stalls.close()
      await served?.pages.stop()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Site {
  access: Access
  headers: Record<string, string>
  files: Map<string, PageFile>
  /** Null during the start-up work. */
  studio: Studio | null
  work(): Opening | null
  /** The start-up page. */
  opening: PageFile | null
  log: WebServerOptions['log']
}

async function answer(request: IncomingMessage, reply: ServerResponse, site: Site): Promise<void> {
  const { access, headers, studio } = site
  for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value)
  if (!access.knowsHost(request)) return refuse(reply, 403, 'Inference Studio does not serve this host name.')
  const path = pathOf(request)
  if (path === '/session') return startSession(request, reply, site)
  if (!studio && isOfStudio(path)) return sendStartUpState(request, reply, site)
  if (path === '/rpc') return sendSessionState(request, reply, access)
  if (studio && path.startsWith(mediaPrefix)) return sendMedia(request, reply, access, studio.media)
  if (studio && path.startsWith(transfersPath)) return sendBytes(request, reply, access, studio.bytes)
  return sendPage(request, reply, site)
}

/** Static files, and `/metrics`. */
async function sendPage(request: IncomingMessage, reply: ServerResponse, site: Site): Promise<void> {
  const { access, files, studio } = site
  const path = pathOf(request)
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(reply, 405, 'Only GET and HEAD are allowed here.')
  if (studio && path === '/metrics') return sendMetrics(request, reply, access, studio.metrics)
  const file = files.get(path)
  const ofFrame = file ? frameHeaders(path) : null
  if (ofFrame) {
    reply.removeHeader('X-Frame-Options')
    for (const [name, value] of Object.entries(ofFrame)) reply.setHeader(name, value)
  }
  if (file) return sendFile(reply, file, request.method === 'HEAD')
  if (path === '/' && files.size === 0) return refuse(reply, 503, 'The page is not built yet: npm run build')
  return refuse(reply, 404, 'Not found.')
}

/** Paths that need the core. All other paths are static files. */
const isOfStudio = (path: string): boolean =>
  ['/', '/index.html', '/rpc', '/metrics'].includes(path) ||
  path.startsWith(mediaPrefix) ||
  path.startsWith(transfersPath)

/** Retry interval, seconds. Start-up work often ends within one. */
const retryAfter = { 'Retry-After': '1' }

/** Serves the start-up page, and the progress that it polls from `/rpc`. The progress needs the cookie. */
async function sendStartUpState(request: IncomingMessage, reply: ServerResponse, site: Site): Promise<void> {
  const isHead = request.method === 'HEAD'
  if (request.method !== 'GET' && !isHead) return refuse(reply, 405, 'Only GET and HEAD are allowed here.')
  for (const [name, value] of Object.entries(retryAfter)) reply.setHeader(name, value)
  const path = pathOf(request)
  const page = path === '/' || path === '/index.html' ? site.opening : null
  if (page) return sendFile(reply, { ...page, cacheControl: 'no-store' }, isHead, 503)
  if (path !== '/rpc' || !site.access.knowsCookie(request)) return refuse(reply, 503, openingWords)
  reply.writeHead(503, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
  reply.end(JSON.stringify({ opening: site.work() }))
}

/** `/session`: exchanges the token or a code for the cookies. */
async function startSession(request: IncomingMessage, reply: ServerResponse, { access, log }: Site): Promise<void> {
  if (request.method !== 'POST') return refuse(reply, 405, 'Only POST is allowed here.')
  if (!access.knowsOrigin(request))
    return refuse(reply, 403, 'Only the page of Inference Studio may send this request.')
  if (request.headers['content-type'] !== 'application/json')
    return refuse(reply, 415, 'Only application/json is accepted here.')
  const body = await readBody(request, maxSessionBody)
  if (body === null) return refuse(reply, 413, 'The request body is too long.')
  const { token, code } = credentialsIn(body)
  if (code !== null && access.knowsCode(code) && (await isFromOtherUser(request.socket))) {
    // The code stays valid for the browser that it was made for.
    log('warn', 'web: another user of this computer tried to use the code of the address that was opened.')
    return refuse(reply, 403, 'This address belongs to another user of this computer.')
  }
  const isKnown = code === null ? token !== null && access.knowsToken(token) : access.takeCode(code)
  if (!isKnown) {
    const why = code === null ? 'The token is wrong.' : 'This code was used already, or is older than a minute.'
    return refuse(reply, 403, `${why} Open the URL that the terminal printed.`)
  }
  reply.writeHead(204, { 'Set-Cookie': [...access.cookies], 'Cache-Control': 'no-store' }).end()
}

/** `/media/ID`: streams a file to a page with the media cookie. */
async function sendMedia(
  request: IncomingMessage,
  reply: ServerResponse,
  access: Access,
  media: MediaSource,
): Promise<void> {
  if (!access.knowsMediaCookie(request)) return refuse(reply, 403, 'Only the page of Inference Studio may read this.')
  const { range = null, 'if-range': ifRange } = request.headers
  const asked = { method: request.method ?? 'GET', path: pathOf(request), range, ifRange: ifRange?.toString() ?? null }
  await send(reply, await answerMedia(media, asked))
}

/** `/transfers/ID`, for a page with the cookie. A request that stores data also needs the exact origin. */
async function sendBytes(
  request: IncomingMessage,
  reply: ServerResponse,
  access: Access,
  bytes: BytesHandler,
): Promise<void> {
  const { method = 'GET', headers } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const isOurs = isRead ? access.isFromOwnPage(request) : access.knowsOrigin(request)
  if (!isOurs || !access.knowsTransfersCookie(request)) {
    return refuse(reply, 403, 'Only the page of Inference Studio may send this request.')
  }
  const length = headers['content-length']
  const answered = await bytes({
    method,
    path: pathOf(request),
    query: new URLSearchParams(request.url?.slice(pathOf(request).length)),
    contentType: headers['content-type'] ?? null,
    contentLength: length === undefined ? null : Number(length),
    body: request,
  })
  await send(reply, answered)
}

/** Sends the reply. A reader that disconnects is not an error. */
async function send(reply: ServerResponse, { status, headers, body }: BytesReply): Promise<void> {
  reply.writeHead(status, headers)
  if (body === null) reply.end()
  else await pipeline(body, reply).catch(() => reply.destroy())
}

/** `GET /rpc`: reports whether the session is valid. Browsers hide the reason for a refused WebSocket from the page. */
async function sendSessionState(request: IncomingMessage, reply: ServerResponse, access: Access): Promise<void> {
  if (request.method !== 'GET') return refuse(reply, 405, 'Only GET is allowed here.')
  if (!access.knowsCookie(request)) return refuse(reply, 401, 'Open the URL that the terminal printed.')
  reply.writeHead(204, { 'Cache-Control': 'no-store' }).end()
}

/** `/metrics`, for programs with the token. */
async function sendMetrics(
  request: IncomingMessage,
  reply: ServerResponse,
  access: Access,
  metrics: Studio['metrics'],
): Promise<void> {
  if (!access.knowsBearer(request)) {
    reply.setHeader('WWW-Authenticate', 'Bearer')
    return refuse(reply, 401, 'Send the token of the printed URL as Authorization: Bearer.')
  }
  const text = await metrics()
  if (text === null) return refuse(reply, 404, 'Metrics are switched off in the settings.')
  reply
    .writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(request.method === 'HEAD' ? undefined : text)
}

function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '/'
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/** Reads the body as text, or null when it is longer than `limit` bytes. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const credentials = z.object({ token: z.string().nullable().default(null), code: z.string().nullable().default(null) })

function credentialsIn(body: string): z.infer<typeof credentials> {
  let parsed: unknown = null
  try {
    parsed = JSON.parse(body)
  } catch {
    // Not JSON, so no token either.
  }
  return credentials.safeParse(parsed).data ?? { token: null, code: null }
}

function refuse(reply: ServerResponse, status: number, words: string): void {
  reply
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      Connection: 'close',
    })
    .end(`${words}\n`)
}

function refuseRaw(socket: Duplex, status: string, headers: Record<string, string>): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status}`, ...lines, 'Connection: close', 'Content-Length: 0', '', ''].join('\r\n'))
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error) reject(new StudioError('bug', 'The web server did not close.', {}, { cause: error }))
      else resolve()
    })
  })
}
