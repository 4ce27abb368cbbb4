import { oc } from '@orpc/contract'
import * as z from 'zod'
import { note } from './note.ts'

/** All kinds of failure. The renderer has texts and one action for each kind; the command line prints `message`. */
export const problemKinds = [
  // Statuses of the service (specification, Errors).
  'invalid_request', // 400
  'unauthorized', // 401
  'insufficient_credits', // 402
  'forbidden', // 403
  'not_found', // 404
  'rate_limited', // 429
  'internal', // 500
  'not_implemented', // 501
  'bad_gateway', // 502
  'unavailable', // 503
  'gateway_timeout', // 504
  'unexpected_status', // any other
  // Transport.
  'connect_failed', // refused, unreachable, name not found
  'connect_timeout',
  'tls_failed', // the certificate or the handshake
  'headers_timeout', // connected, but no response in time
  'idle_timeout', // the response started, then nothing arrived for too long
  'connection_lost', // the connection closed in the middle of the response
  'malformed_reply', // the body does not match its content type
  'incomplete_stream', // ended without [DONE] and without a finish reason
  'foreign_address', // the service named a URL outside its base URL
  'cancelled',
  // The scheduler in front of the service.
  'would_wait', // fail fast was requested, and the request would have to wait
  'queue_full',
  'queue_timeout',
  // This program.
  'bad_input',
  'not_connected', // no connection, or no API key for it
  'connection_changed', // another connection was put in use before sending
  'keychain_missing', // no keychain on this computer
  'keychain_locked',
  'no_such_item', // a conversation, reply or app that does not exist (any more)
  'busy', // the same operation is already running
  'folder_in_use', // another process owns the data folder
  'store_newer', // the database was written by a newer version
  'store_damaged',
  'disk_full', // no space left on the disk
  'not_writable', // missing permission, or a read-only file system
  'too_many_open_files', // the operating system allows no more open files now
  'database_locked', // another program has locked a database; temporary
  'port_taken',
  'bug', // a bug of this program
] as const

export const problemKind = z.enum(problemKinds)
export type ProblemKind = z.infer<typeof problemKind>

/** A failure to show to a person: plain JSON without secrets. */
export const problem = z.object({
  kind: problemKind,
  /** One English sentence: what happened. */
  message: z.string(),
  /** The same sentence by its code, for the person's language, where it has one. */
  note: note.optional(),
  /** HTTP status of the service, if any. */
  status: z.number().int().optional(),
  /** Message of the service (`error.message`), if any. Only it says which feature a model lacks. */
  said: z.string().optional(),
  /** `error.code` and `error.type` of the service. */
  code: z.string().optional(),
  type: z.string().optional(),
  requestId: z.string().optional(),
  /** Code of the operating system, TLS or HTTP client for a failed connection, such as `ECONNREFUSED`. */
  fault: z.string().optional(),
  /** Waiting time requested by the service (`Retry-After`), ms. */
  retryAfterMs: z.number().optional(),
  /** Value of `x-should-retry`, if any. */
  shouldRetry: z.boolean().optional(),
  /** Whether output had started. It is stored and not replayed. */
  outputStarted: z.boolean().optional(),
  /** The service may have processed and charged the request although no response arrived. */
  workPossible: z.boolean().optional(),
  /** Nothing was sent in any attempt, so sending it later can't duplicate it. */
  unsent: z.boolean().optional(),
  /** Start of the raw response body, at most 4,096 characters, without the API key. */
  raw: z.string().optional(),
})
export type Problem = z.infer<typeof problem>
/** Why something failed; null if it did not. */
export const problemOrNull = problem.nullable()

/** Base of every procedure. Each may fail with `PROBLEM` only. */
export const procedure = oc.errors({ PROBLEM: { data: problem } })

/** A whole number: a count, an index or bytes. */
export const whole = z.number().int()

/** A UTC instant, ISO 8601 with milliseconds and `Z`. */
export const instant = z.string()
/** An id of this program: a UUID. */
export const id = z.uuid()
/**
 * Id of a user action, chosen by the caller. A repeated id, also at the same time or after a restart, starts nothing new
 * and returns the result of the first call. A caller that lost the result can repeat the call without paying twice.
 */
export const requestId = z.uuid()
