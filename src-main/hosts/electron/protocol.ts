/// <reference types="vite/types/import-meta.d.ts" />
import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { type Protocol, protocol } from 'electron'
import type { Opening } from '../../../src-preload/contract/data.ts'
import { givenPath } from '../../../src-preload/contract/desktop.ts'
import { transfersPath } from '../../../src-preload/contract/transfers.ts'
import type { BytesHandler, BytesReply } from '../../core/ports/bytes.ts'
import { contentSecurityPolicy, frameHeaders, securityHeaders } from '../csp.ts'
import { answerMedia, type MediaSource, mediaPrefix } from '../media.ts'
import { openingPage } from '../startUpPage.ts'
import { isOwn, isOwnPage, ownOrigin, scheme } from './address.ts'
import type { GivenFiles } from './givenFiles.ts'

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Server of the page's sources in `npm run dev`, or null. Builds for people have none: the bundler removes what only development uses. */
const devServer = import.meta.env.DEV ? (process.env.ELECTRON_RENDERER_URL ?? null) : null

/** Whether the page of `npm run dev` may connect to this address, which is that of its hot reload. */
export const isOfDevServer = (address: string): boolean =>
  devServer !== null && address.startsWith(`${devServer.replace('http', 'ws')}/`)

/** A file of the page's sources. Its policy allows the inline scripts and styles of hot reload. */
async function sendSource(server: string, url: URL): Promise<Response> {
  const { body, headers, status } = await fetch(`${server}${url.pathname}${url.search}`)
  const policy = contentSecurityPolicy([server.replace('http', 'ws')]).replace(
    /(script|style)-src 'self'/g,
    "$& 'unsafe-inline'",
  )
  const type = headers.get('content-type') ?? 'application/octet-stream'
  return new Response(body, { status, headers: { 'Content-Security-Policy': policy, 'Content-Type': type } })
}

/** Registers the scheme; call it before `ready`. Without `bypassCSP` and service workers the page has the rights of an https page. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ])
}

/** Sources of the data that the page reads and writes in addition to its own files. */
export interface PageSources {
  media: MediaSource
  bytes: BytesHandler
}

/**
 * Serves the built page from `folder`, and media and transfers from `core`. While `opening` returns start-up work, serves the start-up
 * page instead, which polls the progress from `/rpc` as under the web host.
 */
export function servePage(
  target: Protocol,
  folder: string,
  {
    core,
    opening,
    given,
  }: { core(): Promise<PageSources>; opening(): Opening | null; given: Pick<GivenFiles, 'open'> },
): void {
  target.handle(scheme, async (request) => {
    if (!isOwn(request.url)) return refuse(404, 'Not found')
    if (pathOf(request.url).startsWith(mediaPrefix)) return sendMedia(request, (await core()).media)
    if (pathOf(request.url).startsWith(transfersPath)) return sendBytes(request, (await core()).bytes)
    if (pathOf(request.url).startsWith(givenPath)) return sendGiven(request, given)
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Method not allowed')
    // The pages in frames, with their own policies, come from the last build.
    if (devServer !== null && frameHeaders(pathOf(request.url)) === null)
      return sendSource(devServer, new URL(request.url))
    const work = opening()
    if (work && pathOf(request.url) === '/rpc') return refuse(503, JSON.stringify({ opening: work }))
    return sendFile(request, await fileOf(folder, work ? inPlaceOf(request.url) : request.url))
  })
}

async function sendFile({ method, url }: Request, file: string | null): Promise<Response> {
  const bytes = file === null ? null : await readFile(file).catch(() => null)
  if (file === null || bytes === null) return refuse(404, 'Not found')
  const type = contentTypes[extname(file).toLowerCase()] ?? 'application/octet-stream'
  const body = method === 'HEAD' ? null : new Uint8Array(bytes)
  const security = frameHeaders(pathOf(url)) ?? securityHeaders()
  return new Response(body, { headers: { ...security, 'Content-Type': type, 'Cache-Control': 'no-cache' } })
}

/** Replaces the studio page by the start-up page. Other files stay the same. */
const inPlaceOf = (address: string): string => (isOwnPage(address) ? `${ownOrigin}${openingPage}` : address)

/** The path, not decoded. */
const pathOf = (address: string): string => new URL(address).pathname

/** Streams `/media/ID`. Only our page can send requests to this scheme. */
async function sendMedia(request: Request, media: MediaSource): Promise<Response> {
  const { headers, method, url } = request
  const asked = { method, path: pathOf(url), range: headers.get('range'), ifRange: headers.get('if-range') }
  return responseOf(await answerMedia(media, asked))
}

/** Answers `/transfers/ID`. Requests that name another origin are refused. */
async function sendBytes({ body, headers, method, url }: Request, bytes: BytesHandler): Promise<Response> {
  if (isForeign(headers)) return refuse(403, 'Forbidden')
  const length = headers.get('content-length')
  const reply = await bytes({
    method,
    path: pathOf(url),
    query: new URL(url).searchParams,
    contentType: headers.get('content-type'),
    contentLength: length === null ? null : Number(length),
    body: body === null ? Readable.from([]) : Readable.fromWeb(body),
  })
  return responseOf(reply)
}

/**
 * Whether a request names another origin. Reading requests of our page have no `Origin`. Electron removes the origin "null" of frames such as
 * the diagram page; those are kept out by their policy, which allows no connection, and by ids that only our page gets.
 */
const isForeign = (headers: Headers): boolean => (headers.get('origin') ?? ownOrigin) !== ownOrigin

/** Answers `GET /given/ID`, once per id. */
function sendGiven({ headers, method, url }: Request, given: Pick<GivenFiles, 'open'>): Response {
  if (isForeign(headers)) return refuse(403, 'Forbidden')
  if (method !== 'GET') return refuse(405, 'Method not allowed')
  const found = given.open(pathOf(url).slice(givenPath.length))
  if (!found) return refuse(404, 'Not found')
  const reply = { 'Content-Type': found.file.mime, 'Cache-Control': 'no-store' }
  return responseOf({ status: 200, headers: reply, body: found.body })
}

function responseOf({ status, headers, body }: BytesReply): Response {
  const stream = body === null ? null : Readable.toWeb(body)
  return new Response(stream as ReadableStream<Uint8Array> | null, {
    status,
    headers: { ...securityHeaders(), ...headers },
  })
}

function refuse(status: number, words: string): Response {
  return new Response(words, { status, headers: { ...securityHeaders(), 'Content-Type': 'text/plain; charset=utf-8' } })
}

/** The file of an address, with symbolic links resolved, or null when it does not exist or is outside `folder`. */
async function fileOf(folder: string, address: string): Promise<string | null> {
  let path: string
  try {
    path = decodeURIComponent(new URL(address).pathname)
  } catch {
    return null // invalid percent encoding
  }
  // Refuses double encoding of `%2e`, `%2f` or `%5c`, and drive letters or stream names of Windows.
  if (/[\\\0:]/.test(path) || path.split('/').includes('..')) return null
  const root = await realpath(folder)
  const file = await realpath(join(root, path === '/' ? 'index.html' : path)).catch(() => null)
  return file?.startsWith(root + sep) ? file : null
}
