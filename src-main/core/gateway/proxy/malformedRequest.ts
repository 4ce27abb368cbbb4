import type { Refusal } from './errorReplies.ts'

interface ParserError extends Error {
  code?: string
  rawPacket?: Uint8Array
}

const bad = (status: number, code: string, message: string): Refusal => ({
  status,
  type: 'studio_refused',
  code,
  message,
  close: true,
})

/** The first byte of a TLS handshake (RFC 8446, 5.1). */
const tlsHandshake = 0x16

/** The error reply to a request that node:http could not parse (RFC 9112), and its sender as text. Null if the connection was only lost. */
export function malformed({ code = '', rawPacket }: ParserError): { refusal: Refusal; from: string } | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const refusal = bad(408, 'slow_headers', 'The request headers did not arrive in time.')
    return { refusal, from: 'a program that sends too slowly' }
  }
  // The connection ended within a request: the program stopped, and its request was not malformed.
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return null
  if (rawPacket?.[0] === tlsHandshake) {
    const refusal = bad(400, 'not_https', 'This server uses http, not https.')
    return { refusal, from: 'a program that uses https' }
  }
  const from = 'a program that sends malformed requests'
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { refusal: bad(431, 'headers_too_large', 'The headers are too large.'), from }
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { refusal: bad(413, 'chunk_extensions', 'The chunk extensions are too large.'), from }
  }
  return { refusal: bad(400, 'malformed_request', 'This is not a valid HTTP request.'), from }
}
