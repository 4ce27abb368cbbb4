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

/** What node:http could not parse (RFC 9112), as the answer to it and the words for who sent it; null where a connection was just lost. */
export function malformed({ code = '', rawPacket }: ParserError): { refusal: Refusal; from: string } | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const refusal = bad(408, 'slow_headers', 'The head of the request did not come in time.')
    return { refusal, from: 'a program that sends too slowly' }
  }
  // It ended in the middle of a request: a program that was stopped, and not what it sent.
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return null
  if (rawPacket?.[0] === tlsHandshake) {
    const refusal = bad(400, 'not_https', 'This address speaks plain http, not https.')
    return { refusal, from: 'a program that speaks https' }
  }
  const from = 'a program that sends malformed requests'
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { refusal: bad(431, 'headers_too_large', 'The headers are too large.'), from }
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { refusal: bad(413, 'chunk_extensions', 'The chunk extensions are too large.'), from }
  }
  return { refusal: bad(400, 'malformed_request', 'This is not a request that can be understood.'), from }
}
