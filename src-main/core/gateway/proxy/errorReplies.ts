import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import type { StudioError } from '../../errors.ts'
import type { LimitRefusal } from '../../ports/requests.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'
import { dialects } from '../dialects/dialects.ts'
import { dialectOfErrors } from '../dialects/routes.ts'
import type { Dialect, JsonObject } from '../dialects/types.ts'
import type { AppReply } from './appReply.ts'

/**
 * The source of an error reply, sent as `error.type` and `X-Studio-Answer`. The prefix `studio_` distinguishes it from the service's types.
 * `refused`: the guard, or a person. `limit`: the app's own limits. `busy`: the queue. `unavailable`: no connection, or the request log is
 * not writable. `upstream`: a failed request to the service. `bug`: an internal error.
 */
export type ErrorSource =
  | 'studio_refused'
  | 'studio_limit'
  | 'studio_busy'
  | 'studio_unavailable'
  | 'studio_upstream'
  | 'studio_bug'

/** An error reply of this server. */
export interface Refusal {
  status: number
  type: ErrorSource
  code: string
  /** One sentence for the user of the app. */
  message: string
  /** The request field that can't be translated, such as `tools[2].type`. Set only for requests in another vendor's API; null when their whole body is wrong. */
  param?: string | null
  /** As in `DialectProblem`. */
  details?: JsonObject | undefined
  /** The methods that a 405 allows. All by default. */
  allow?: string
  /** Sent as `Retry-After` in whole seconds, rounded up. */
  retryAfterMs?: number | null
  /** Whether the connection closes, because the bytes that follow can't be trusted or will not arrive. */
  close?: boolean
}

/** A refusal by the guard, of a request that the app must change. */
export const refusedByGuard = (status: number, code: string, message: string): Refusal => ({
  status,
  type: 'studio_refused',
  code,
  message,
})

/** Status and source by problem kind. Kinds that are missing here can't occur in a relayed request. */
const replyByKind: Partial<Record<ProblemKind, [status: number, type: ErrorSource]>> = {
  connect_failed: [502, 'studio_upstream'],
  tls_failed: [502, 'studio_upstream'],
  connection_lost: [502, 'studio_upstream'],
  malformed_reply: [502, 'studio_upstream'],
  incomplete_stream: [502, 'studio_upstream'],
  foreign_address: [502, 'studio_upstream'],
  connect_timeout: [504, 'studio_upstream'],
  headers_timeout: [504, 'studio_upstream'],
  idle_timeout: [504, 'studio_upstream'],
  not_connected: [503, 'studio_unavailable'],
  // Nothing was sent. A retry uses the new connection.
  connection_changed: [503, 'studio_unavailable'],
  keychain_locked: [503, 'studio_unavailable'],
  keychain_missing: [503, 'studio_unavailable'],
  // Nothing was sent and a later attempt may succeed: 429, for which clients wait. A request that has already waited gets 503.
  would_wait: [429, 'studio_busy'],
  queue_full: [429, 'studio_busy'],
  queue_timeout: [503, 'studio_busy'],
  // A person stopped the request, or its key is no longer valid. In every other case the app has disconnected.
  cancelled: [503, 'studio_refused'],
  // A request is written to the log before it is sent, so nothing was sent.
  database_locked: [503, 'studio_unavailable'],
  disk_full: [503, 'studio_unavailable'],
  not_writable: [503, 'studio_unavailable'],
  bad_input: [400, 'studio_refused'],
}

/** `Retry-After` when the log could not be written, ms. A lock mostly lasts seconds; a full disk needs a person. */
const notWrittenRetryMs: Partial<Record<ProblemKind, number>> = {
  database_locked: 2000,
  disk_full: 30_000,
  not_writable: 30_000,
}

/** The error reply for a failure of the request to the service, or for an internal error. */
export function refusalOf(error: StudioError): Refusal {
  const [status, type] = replyByKind[error.kind] ?? [500, 'studio_bug']
  const usual = isUnsent(error) ? 0 : (notWrittenRetryMs[error.kind] ?? null)
  return { status, type, code: error.kind, message: error.message, retryAfterMs: error.facts.retryAfterMs ?? usual }
}

/** The connection changed before the request was sent, or between attempts that started no work. */
const isUnsent = ({ kind, facts }: StudioError): boolean => kind === 'connection_changed' && facts.workPossible !== true

/** The error reply for one of the app's own limits: 429 with a wait, 402 or 403. */
export function refusalOfLimit({ status, code, message, retryAfterMs }: LimitRefusal): Refusal {
  return { status, type: 'studio_limit', code, message, retryAfterMs }
}

/** The longest `Retry-After` that common SDKs follow, ms. After a longer one they retry at once. */
const longestSdkWaitMs = 60_000

const bodyOf = ({ message, type, code }: Refusal): string => JSON.stringify({ error: { message, type, code } })

/** The body of a refusal in the shape that the client of a dialect expects. */
function bodyInDialect(
  { status, message, type, code, param, details }: Refusal,
  dialect: Dialect,
  requestId: string,
): string {
  const isInvalid = param !== undefined
  const problem = { status, message, type: isInvalid ? 'invalid_request_error' : type, code, param: param ?? null }
  return JSON.stringify(dialect.errorBody(details ? { ...problem, details } : problem, requestId))
}

/** Id of a reply of this server, for clients that expect one: `req_` and 24 hexadecimal digits. */
export const newRequestId = (): string => `req_${randomBytes(12).toString('hex')}`

function headersOf(refusal: Refusal, body: string): HeaderPairs {
  const { status, type, retryAfterMs = null } = refusal
  const headers: HeaderPairs = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Studio-Answer', type],
  ]
  if (retryAfterMs !== null) headers.push(['Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000)))])
  // The relay has retried already where that is safe, and a second loop in the SDK must not add to it. A request that was never sent may be retried.
  const unsent =
    status === 429 || ['connection_changed', 'opening', 'body_memory_full', 'database_locked'].includes(refusal.code)
  const maySdkWait = unsent && retryAfterMs !== null && retryAfterMs <= longestSdkWaitMs
  if (!maySdkWait) headers.push(['X-Should-Retry', 'false'])
  if (status === 401) headers.push(['WWW-Authenticate', 'Bearer realm="Inference Studio"'])
  if (status === 405) headers.push(['Allow', refusal.allow ?? 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])
  if (refusal.close === true) headers.push(['Connection', 'close'])
  return headers
}

/**
 * Sends the error object of the specification (Errors), or that of the dialect that the path belongs to, marked by `X-Studio-Answer`. Cuts the connection instead if a reply has already
 * started.
 * @param extraHeaders CORS headers for an allowed origin
 */
export function sendRefusal(response: AppReply, refusal: Refusal, extraHeaders: HeaderPairs = []): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const { url = '', headers: asked } = response.req
  const id = dialectOfErrors(url, asked)
  const dialect = id && dialects[id]
  const requestId = newRequestId()
  const body = dialect === null ? bodyOf(refusal) : bodyInDialect(refusal, dialect, requestId)
  const headers = headersOf(refusal, body)
  if (dialect?.requestIdHeader !== undefined) headers.push([dialect.requestIdHeader, requestId])
  // The reason is given explicitly, because node:http would reuse the reason of an earlier writeHead that failed.
  const reason = STATUS_CODES[refusal.status] ?? 'Refused'
  response.writeHead(refusal.status, reason, [...headers, ...extraHeaders].flat())
  response.end(body)
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/** Sends the error object on a bare socket, for which node:http has no response object, and closes the connection. */
export function sendRawRefusal(socket: Duplex & { destroySoon?(): void }, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = bodyOf(refusal)
  const lines = headersOf({ ...refusal, close: true }, body).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? 'Refused'}\r\n${lines.join('')}\r\n${body}`)
  if (socket.destroySoon) socket.destroySoon()
  else socket.end()
}
