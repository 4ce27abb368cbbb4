// Replies as bytes on the wire.

export const crlf = '\r\n'

/** One chunk of a chunked body (RFC 9112, 7.1). */
export function chunk(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from(bytes.length.toString(16) + crlf), bytes, Buffer.from(crlf)])
}
export const lastChunk = '0\r\n\r\n'

export const head = (status: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${status}`, ...headers, '', ''].join(crlf)

export const streamHead = head('200 OK', 'content-type: text/event-stream', 'transfer-encoding: chunked')

export const event = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
export const done = 'data: [DONE]\n\n'

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'A whole answer.' }, finish_reason: 'stop' }]
export const jsonBody = JSON.stringify({ id: 'c1', object: 'chat.completion', model: 'm', choices, usage })
export const jsonReply =
  head('200 OK', 'content-type: application/json', `content-length: ${jsonBody.length}`) + jsonBody

export function errorReply(status: number, ...headers: string[]): string {
  const body = JSON.stringify({ error: { message: `Status ${status}.`, type: 'far_end', code: `far_${status}` } })
  return head(`${status} Reason`, 'content-type: application/json', `content-length: ${body.length}`, ...headers) + body
}
