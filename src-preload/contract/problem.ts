import { oc } from '@orpc/contract'
import * as z from 'zod'

/**
 * Every way in which something can fail, one word each. The renderer has words and one action for each of them;
 * the command line prints `message`.
 */
export const problemKinds = [
  // The service's own table of statuses (specification, Errors).
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
  // The way there and back.
  'connect_failed', // refused, unreachable, name not found
  'connect_timeout',
  'tls_failed', // the certificate or the handshake
  'headers_timeout', // connected, but no reply began in time
  'idle_timeout', // the reply began, then nothing came for too long
  'connection_lost', // the connection ended in the middle
  'malformed_reply', // a reply that is not what its content type says
  'incomplete_stream', // ended with neither [DONE] nor a finish reason
  'foreign_address', // the service named an address that is not under its base address
  'cancelled',
  // The desk before the service.
  'would_wait', // asked to fail fast, and it is not its turn
  'queue_full',
  'queue_timeout',
  // Ours.
  'bad_input',
  'not_connected', // no profile, or no key for it
  'connection_changed', // another profile was chosen before it was sent
  'keychain_missing', // no keychain answers on this machine
  'keychain_locked',
  'no_such_item', // a conversation, reply or tool key that is not (or no longer) there
  'busy', // the same thing is under way already
  'folder_in_use', // another process owns the data folder
  'store_newer', // the database was written by a newer version
  'store_damaged',
  'disk_full', // no space left on the disk of the data folder or of a file to be written
  'not_writable', // missing permission, or a read-only file system
  'database_locked', // another program has locked a database; passes when that program lets go
  'port_taken',
  'bug', // a mistake of this program
] as const

export const problemKind = z.enum(problemKinds)
export type ProblemKind = z.infer<typeof problemKind>

/** A failure as it crosses to a person: plain JSON, never holding the key. */
export const problem = z.object({
  kind: problemKind,
  /** One English sentence: what happened. */
  message: z.string(),
  /** HTTP status of the service's reply, where there was one. */
  status: z.number().int().optional(),
  /** The service's own words (`error.message`), where it had any: which model can't do what is told nowhere else. */
  said: z.string().optional(),
  /** `error.code` and `error.type` of the service's error object, as given. */
  code: z.string().optional(),
  type: z.string().optional(),
  requestId: z.string().optional(),
  /** Milliseconds that the service asked to wait (`Retry-After`). */
  retryAfterMs: z.number().optional(),
  /** Whether output had begun: what came is kept, and nothing is replayed. */
  outputStarted: z.boolean().optional(),
  /** The service may have done work, and charged for it, although its answer did not come. */
  workPossible: z.boolean().optional(),
  /** Nothing of it left this machine, in no attempt: sent later, it would not be sent twice. */
  unsent: z.boolean().optional(),
  /** The start of the raw reply body, at most 4,096 characters, the key cut out. */
  raw: z.string().optional(),
})
export type Problem = z.infer<typeof problem>

/** The root of every procedure: each may fail with `PROBLEM`, and with nothing else on purpose. */
export const procedure = oc.errors({ PROBLEM: { data: problem } })

/** A UTC instant, ISO 8601 with milliseconds and `Z`. */
export const instant = z.string()
/** An id of ours: a UUID. */
export const id = z.uuid()
/**
 * Identifies one intent of a person, made by the caller. The same id again, also at the same time or after a restart, starts nothing new and
 * answers what the first call answered: a caller that lost the answer can ask again without paying twice.
 */
export const requestId = z.uuid()
