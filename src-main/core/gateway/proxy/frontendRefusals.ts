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

interface ParserError extends Error {
  code?: string
  rawPacket?: Uint8Array
}

/** The first byte of a TLS handshake (RFC 8446, 5.1). */
const tlsHandshake = 0x16

/** The error reply to a request that node:http could not parse (RFC 9112), and its sender as text. Null if the connection was only lost. */
export function malformed({ code = '', rawPacket }: ParserError): { refusal: Refusal; from: string } | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const refusal = closing(408, 'slow_headers', 'The request headers did not arrive in time.')
    return { refusal, from: 'a program that sends too slowly' }
  }
  // The connection ended within a request: the program stopped, and its request was not malformed.
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return null
  if (rawPacket?.[0] === tlsHandshake) {
    const refusal = closing(400, 'not_https', 'This server uses http, not https.')
    return { refusal, from: 'a program that uses https' }
  }
  const from = 'a program that sends malformed requests'
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { refusal: closing(431, 'headers_too_large', 'The headers are too large.'), from }
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { refusal: closing(413, 'chunk_extensions', 'The chunk extensions are too large.'), from }
  }
  return { refusal: closing(400, 'malformed_request', 'This is not a valid HTTP request.'), from }
}
