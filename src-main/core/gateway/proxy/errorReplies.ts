import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import type { StudioError } from '../../errors.ts'
import type { LimitRefusal } from '../../ports/requests.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'

/**
 * Who answers, and why; `error.type` of the object that the tool gets, and `X-Studio-Answer`. All start with `studio_`, so that
 * nobody takes them for the service's. `refused`: the gate, or a person. `limit`: the tool's own limits. `busy`: the queue.
 * `unavailable`: nothing is connected. `upstream`: the way to the service. `bug`: a mistake of ours.
 */
export type AnswerType =
  | 'studio_refused'
  | 'studio_limit'
  | 'studio_busy'
  | 'studio_unavailable'
  | 'studio_upstream'
  | 'studio_bug'

/** An answer of our own in the service's place. */
export interface Refusal {
  status: number
  type: AnswerType
  code: string
  /** One sentence for the person at the tool. */
  message: string
  /** Sent as `Retry-After`, in whole seconds and rounded up. */
  retryAfterMs?: number | null
  /** The connection ends with the answer: what follows on it can't be trusted, or will not come. */
  close?: boolean
}

/** Statuses of our own answers for faults between us and the service; what is missing can't reach a tool. */
const answersTo: Partial<Record<ProblemKind, [status: number, type: AnswerType]>> = {
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
  // Nothing was sent: asked again, it goes to the connection that stands now.
  connection_changed: [503, 'studio_unavailable'],
  keychain_locked: [503, 'studio_unavailable'],
  keychain_missing: [503, 'studio_unavailable'],
  // Nothing was sent and asking later may help: 429, which clients know how to wait for. Who has waited in vain gets 503.
  would_wait: [429, 'studio_busy'],
  queue_full: [429, 'studio_busy'],
  queue_timeout: [503, 'studio_busy'],
  // A person stopped it, or its key ended: the tool itself is gone in every other case.
  cancelled: [503, 'studio_refused'],
  // A request is written to the log before it is sent. Where the log takes nothing, nothing was sent.
  database_locked: [503, 'studio_unavailable'],
  disk_full: [503, 'studio_unavailable'],
  not_writable: [503, 'studio_unavailable'],
  bad_input: [400, 'studio_refused'],
}

/** When a program may ask again after the log could not be written, ms: locks mostly last for seconds, a full disk waits for a person. */
const notWritten: Partial<Record<ProblemKind, number>> = {
  database_locked: 2000,
  disk_full: 30_000,
  not_writable: 30_000,
}

/** A fault of ours or of the way to the service, as the answer that a tool gets. */
export function refusalOf(error: StudioError): Refusal {
  const [status, type] = answersTo[error.kind] ?? [500, 'studio_bug']
  const usual = isUnsent(error) ? 0 : (notWritten[error.kind] ?? null)
  return { status, type, code: error.kind, message: error.message, retryAfterMs: error.facts.retryAfterMs ?? usual }
}

/** The connection changed before it went out, or before it was asked again for what made nothing work. */
const isUnsent = ({ kind, facts }: StudioError): boolean => kind === 'connection_changed' && facts.workPossible !== true

/** A limit of the tool's own, as the answer that it gets: 429 with a time to wait, 402 or 403. */
export function refusalOfLimit({ status, code, message, retryAfterMs }: LimitRefusal): Refusal {
  return { status, type: 'studio_limit', code, message, retryAfterMs }
}

/** Clients of the usual SDKs follow a `Retry-After` up to this; past it they ask again at once, which helps nobody. */
const longestWaitOfSdksMs = 60_000

const bodyOf = ({ message, type, code }: Refusal): string => JSON.stringify({ error: { message, type, code } })

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
  // Where a retry was right it has been made here, and two loops must not stack. What was never sent may wait and come again.
  const unsent =
    status === 429 || ['connection_changed', 'opening', 'body_memory_full', 'database_locked'].includes(refusal.code)
  const maySdkWait = unsent && retryAfterMs !== null && retryAfterMs <= longestWaitOfSdksMs
  if (!maySdkWait) headers.push(['X-Should-Retry', 'false'])
  if (status === 401) headers.push(['WWW-Authenticate', 'Bearer realm="Inference Studio"'])
  if (status === 405) headers.push(['Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])
  if (refusal.close === true) headers.push(['Connection', 'close'])
  return headers
}

/**
 * Answers with the service's error object (specification, Errors), marked as ours by `X-Studio-Answer`. Where a reply has begun
 * already, the connection is cut instead. @param extraHeaders CORS headers for an origin that was allowed by hand
 */
export function answer(response: ServerResponse, refusal: Refusal, extraHeaders: HeaderPairs = []): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const body = bodyOf(refusal)
  // The reason is named: node:http would take the one of a head that failed before.
  const reason = STATUS_CODES[refusal.status] ?? 'Refused'
  response.writeHead(refusal.status, reason, [...headersOf(refusal, body), ...extraHeaders].flat())
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

/** The same answer on a bare socket, where node:http has no request to answer to. The connection ends with it. */
export function answerRaw(socket: Duplex & { destroySoon?(): void }, refusal: Refusal): void {
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
