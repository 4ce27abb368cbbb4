import type { ServerResponse } from 'node:http'
import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import type { StudioError } from '../errors.ts'

/** Why the gate did not let a request through; `type` of the error object that the tool gets. */
export type Refusal = {
  status: number
  /** `error.type` and `error.code`: ours start with `studio_`, so that nobody takes them for the service's. */
  type: 'studio_refused' | 'studio_unavailable' | 'studio_upstream' | 'studio_bug'
  code: string
  message: string
}

/** Statuses of our own answers for faults between us and the service; what is missing can't reach a tool. */
const statusOf: Partial<Record<ProblemKind, number>> = {
  connect_failed: 502,
  tls_failed: 502,
  connection_lost: 502,
  malformed_reply: 502,
  connect_timeout: 504,
  headers_timeout: 504,
  idle_timeout: 504,
  not_connected: 503,
  keychain_locked: 503,
  keychain_missing: 503,
  bad_input: 400,
}

/** A fault of ours or of the way to the service, as the answer that a tool gets. */
export function refusalOf(error: StudioError): Refusal {
  const status = statusOf[error.kind] ?? 500
  const type = status === 503 ? 'studio_unavailable' : status === 500 ? 'studio_bug' : 'studio_upstream'
  return { status, type, code: error.kind, message: error.message }
}

/**
 * Answers with the service's error object (specification, Errors), marked as ours by `X-Studio-Answer`. An SDK is told not to
 * retry: where a retry was right, it has been made here, and two loops must not stack.
 */
export function answer(response: ServerResponse, { status, type, code, message }: Refusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const body = JSON.stringify({ error: { message, type, code } })
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-should-retry': 'false',
    'x-studio-answer': type,
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="Inference Studio"' } : {}),
    // What is left of a body that was never read must not be taken for the next request.
    connection: 'close',
  })
  response.end(body)
}
