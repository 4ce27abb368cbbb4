import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { asStudioError } from '../errors.ts'
import type { ForwardReply, ForwardRequest } from '../upstream/types.ts'
import { answer, type Refusal, refusalOf } from './answers.ts'
import { replyHeaders, requestHeaders } from './headers.ts'

export type Forward = (request: ForwardRequest) => Promise<ForwardReply>

/** A body up to this size (bytes) usually comes in one packet with its head. */
const smallBody = 16 * 1024

/**
 * What a tool sends besides its head. A small body that has come whole goes on as bytes, in one write with its head, which takes
 * a third off what a JSON request costs; anything larger or slower is streamed.
 */
async function bodyOf(request: IncomingMessage, signal: AbortSignal): Promise<ForwardRequest['body']> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding !== undefined) return request
  const size = Number(length ?? 0)
  if (size === 0) return null
  if (size > smallBody) return request
  if (request.readableLength === 0) await once(request, 'readable', { signal })
  if (request.readableLength !== size) return request
  const bytes: unknown = request.read()
  return bytes instanceof Uint8Array ? bytes : request
}

/** A client that follows would send the prompt again, to an address that nobody chose. The specification knows no redirect. */
const redirected: Refusal = {
  status: 502,
  type: 'studio_upstream',
  code: 'redirected',
  message: 'The service answered with a redirect, which is not followed. Check the base address in Settings.',
}

/** Bytes go to the tool as they come; a tool that reads slowly holds the service back. */
async function pour(reply: ForwardReply, response: ServerResponse, signal: AbortSignal): Promise<void> {
  // A head that its first bytes follow at once leaves in one write with them; a stream's head does not wait for its first event.
  const flush = setImmediate(() => response.flushHeaders())
  for await (const bytes of reply.body) {
    clearImmediate(flush)
    if (!response.write(bytes)) await once(response, 'drain', { signal })
  }
  clearImmediate(flush)
  response.end()
}

/**
 * Carries one request to the service and its reply back, unchanged in both directions. The tool gone closes upstream at once;
 * upstream cut cuts the tool's connection too, so that nobody takes half a reply for a whole one.
 */
export async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  forward: Forward,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  try {
    const reply = await forward({
      method: request.method ?? 'GET',
      path,
      headers: requestHeaders(request.rawHeaders),
      body: await bodyOf(request, gone.signal),
      signal: gone.signal,
    })
    if (
      reply.status >= 300 &&
      reply.status < 400 &&
      reply.headers.some(([name]) => name.toLowerCase() === 'location')
    ) {
      gone.abort()
      answer(response, redirected)
      return
    }
    const headers = replyHeaders(reply.headers)
    if (reply.retriesExhausted) headers.push(['x-should-retry', 'false'])
    response.writeHead(reply.status, reply.statusText, headers.flat())
    await pour(reply, response, gone.signal)
  } catch (thrown) {
    if (gone.signal.aborted) return
    answer(response, refusalOf(asStudioError(thrown)))
  }
}
