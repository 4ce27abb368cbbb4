import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { type Protocol, protocol } from 'electron'
import type { Opening } from '../../../src-preload/contract/data.ts'
import { diagramHeaders, isDiagramPath, securityHeaders } from '../csp.ts'
import { answerMedia, type MediaSource, mediaPrefix } from '../media.ts'
import { openingPage } from '../startUpPage.ts'
import { isOwn, isOwnPage, ownOrigin, scheme } from './address.ts'

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

/** Must run before `ready`. Not `bypassCSP`, no service workers: the page gets what an https page gets and no more. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ])
}

/**
 * Serves the built page from `folder`, and nothing outside it; pictures from `media`, once the core is there. While `opening` answers what is done before that,
 * another page stands in its place, and hears that from `/rpc`, as under the web host.
 */
export function servePage(
  target: Protocol,
  folder: string,
  { media, opening }: { media(): Promise<MediaSource>; opening(): Opening | null },
): void {
  target.handle(scheme, async (request) => {
    if (!isOwn(request.url)) return refuse(404, 'Not found')
    if (pathOf(request.url).startsWith(mediaPrefix)) return sendMedia(request, await media())
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Method not allowed')
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
  const walls = isDiagramPath(pathOf(url)) ? diagramHeaders() : securityHeaders()
  return new Response(body, { headers: { ...walls, 'Content-Type': type, 'Cache-Control': 'no-cache' } })
}

/** The studio's page is another one before the core is there; all other files lie still. */
const inPlaceOf = (address: string): string => (isOwnPage(address) ? `${ownOrigin}${openingPage}` : address)

/** As it was asked for, nothing decoded. */
const pathOf = (address: string): string => new URL(address).pathname

/** Who asks is a page of this scheme's one host: no other has a way here, and the network is cut for it. */
async function sendMedia(request: Request, media: MediaSource): Promise<Response> {
  const { headers, method, url } = request
  const asked = { method, path: pathOf(url), range: headers.get('range'), ifRange: headers.get('if-range') }
  const { status, headers: answered, body } = await answerMedia(media, asked)
  const stream = body === null ? null : Readable.toWeb(body)
  return new Response(stream as ReadableStream<Uint8Array> | null, {
    status,
    headers: { ...securityHeaders(), ...answered },
  })
}

function refuse(status: number, words: string): Response {
  return new Response(words, { status, headers: { ...securityHeaders(), 'Content-Type': 'text/plain; charset=utf-8' } })
}

/** The file that an address names, symbolic links followed, or null where that lies outside `folder` or is not there. */
async function fileOf(folder: string, address: string): Promise<string | null> {
  let path: string
  try {
    path = decodeURIComponent(new URL(address).pathname)
  } catch {
    return null // a percent sign that encodes nothing
  }
  // A second reading of `%2e`, `%2f` or `%5c`, a drive letter or a stream name (Windows) can't be meant honestly.
  if (/[\\\0:]/.test(path) || path.split('/').includes('..')) return null
  const root = await realpath(folder)
  const file = await realpath(join(root, path === '/' ? 'index.html' : path)).catch(() => null)
  return file?.startsWith(root + sep) ? file : null
}
