import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ClientGone, errorBody, ServiceError } from '../errors.ts'
import { settleEarly } from '../faults/early.ts'
import { replayed } from '../routes/replay.ts'
import { findRoute } from '../routes/routes.ts'
import { type ApiKey, instant } from '../world/accounts.ts'
import type { World } from '../world/world.ts'
import { HttpReply } from './reply.ts'

/** Valid host names of a loopback server. Any other name means that a page used DNS rebinding to reach it. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i
const UNRECORDED = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'])

/** Handles one request: authentication, permission, faults and the route. */
export async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Not parsed as a URL: a path such as `//` is no valid URL, but must get the same reply as any other unknown path.
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s)
  const record = world.records.begin({ method: request.method ?? '', path, query, headers: recordedHeaders(request) })
  const reply = new HttpReply(response, record, (byClient) => world.records.end(record, byClient))
  try {
    if (!LOOPBACK_HOST.test(request.headers.host ?? '')) {
      throw new ServiceError(403, 'host_not_allowed', 'The sandbox answers to loopback names only.')
    }
    const key = authenticate(world, request.headers.authorization)
    record.key = key.seedName
    const orders = request.headers['x-sandbox-fault']
    if (orders !== undefined) reply.faults.order(String(orders))
    permit(world, key, path, reply)
    const { route, parameters } = routeOf(world, request.method ?? '', path)
    const identity = `${key.id} ${request.method} ${path}`
    if (await settleEarly(reply.faults, reply, world.failCounts, identity)) return
    await route.run({ world, key, request, record, reply, parameters })
  } catch (error) {
    await refuse(reply, request, error)
  }
}

/** In a replay, the fixture answers every POST below /v1. */
function routeOf(
  { replay }: World,
  method: string,
  path: string,
): Pick<ReturnType<typeof findRoute>, 'route' | 'parameters'> {
  if (!replay || method !== 'POST' || !path.startsWith('/v1/')) return findRoute(method, path)
  return { route: { method, path, run: (call) => replayed(call, replay, path) }, parameters: {} }
}

/** Answers bytes that are not HTTP with the error object, then closes the connection. */
export function refuseGarbage(error: Error, socket: Duplex): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(errorBody(new ServiceError(400, 'malformed_http', 'This is not a valid HTTP request.')))
  const head = ['HTTP/1.1 400 Bad Request', 'Content-Type: application/json; charset=utf-8', 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** Section Authentication: 401 for an invalid credential, including a revoked one. */
function authenticate(world: World, header: string | undefined): ApiKey {
  const secret = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
  if (secret === undefined) {
    const words = 'Send the header "Authorization: Bearer <API key>".'
    throw new ServiceError(401, 'missing_credentials', words, { 'WWW-Authenticate': 'Bearer' })
  }
  const key = world.accounts.find(secret)
  if (!key)
    throw new ServiceError(401, 'invalid_api_key', 'This API key is not known.', { 'WWW-Authenticate': 'Bearer' })
  if (key.revokedAt !== null) {
    const words = `This API key was revoked on ${key.revokedAt}.`
    throw new ServiceError(401, 'api_key_revoked', words, { 'WWW-Authenticate': 'Bearer' })
  }
  return key
}

/** Checks permission, ban and the request limit. Every later reply carries the headers of the general limit. */
function permit(world: World, key: ApiKey, path: string, reply: HttpReply): void {
  if (!key.permitted) throw new ServiceError(403, 'no_permission', 'This API key has no permission for this request.')
  if (path.startsWith('/sandbox/')) return
  const { bannedUntil } = key.account
  // The rate-limit status stays available during a ban, so that clients can read when the ban ends.
  if (bannedUntil !== null && path !== '/v1/rate-limit') {
    const seconds = Math.max(1, Math.ceil((Date.parse(bannedUntil) - world.now()) / 1000))
    throw new ServiceError(429, 'banned', `Banned until ${bannedUntil}.`, { 'Retry-After': String(seconds) })
  }
  try {
    world.limits.countRequest(key)
  } finally {
    reply.addHeaders(world.limits.headers(key))
  }
  key.lastUsedAt = instant(world.now())
}

/** Sends a failure as an error object. After the first byte of a reply, only closes the connection. */
async function refuse(reply: HttpReply, request: IncomingMessage, error: unknown): Promise<void> {
  if (reply.closed.aborted) return
  if (reply.started || error instanceof ClientGone) {
    reply.destroy()
    return
  }
  const refusal =
    error instanceof ServiceError
      ? error
      : new ServiceError(500, 'internal_error', `The sandbox failed: ${String(error)}`)
  if (refusal.status === 429) asDate(refusal, request)
  try {
    await reply.error(refusal)
  } catch (failed) {
    if (!(failed instanceof ClientGone)) throw failed
  }
}

/** `X-Sandbox-Retry-After: date` makes Retry-After an HTTP date (RFC 9110, 10.2.3) instead of seconds. */
function asDate(refusal: ServiceError, request: IncomingMessage): void {
  const seconds = Number(refusal.headers['Retry-After'])
  if (request.headers['x-sandbox-retry-after'] !== 'date' || !Number.isFinite(seconds)) return
  refusal.headers['Retry-After'] = new Date(Date.now() + seconds * 1000).toUTCString()
}

function recordedHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(([name]) => !UNRECORDED.has(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}
