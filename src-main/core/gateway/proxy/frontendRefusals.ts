import { type Refusal, refusedByGuard } from './errorReplies.ts'

/** A refusal after which the connection closes. */
const closing = (status: number, code: string, message: string): Refusal => ({
  ...refusedByGuard(status, code, message),
  close: true,
})
/** Ends an upload of which no more bytes arrive. */
export const uploadStalled = closing(
  408,
  'upload_stalled',
  'No more of the upload arrived, so Inference Studio ended it.',
)

/** Ends a running request whose app key no longer works. */
export const keyEnded = closing(
  403,
  'tool_key_ended',
  'This app key was paused, replaced or revoked, or it expired, while the request was running.',
)

/** Answers an `Expect` header other than `100-continue`. */
export const unexpected = closing(417, 'expectation', 'Only Expect: 100-continue is supported.')

/** Answers a request that could not be checked because of a bug or unreadable keys. */
export const notChecked: Refusal = {
  ...closing(503, 'not_checked', 'Inference Studio could not check this request. See its log for the reason.'),
  type: 'studio_unavailable',
  retryAfterMs: 5000,
}

/** Refuses a request on a connection with too many unanswered ones. */
export const tooManyPipelined = closing(
  429,
  'too_many_pipelined',
  'Too many requests were sent on one connection without waiting for the replies.',
)

/** Ends a connection that never sent a valid request, when too many are open. */
export const tooManyConnections = closing(
  503,
  'too_many_connections',
  'Too many connections are open that have not sent a valid request.',
)
