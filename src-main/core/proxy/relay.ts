import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { asStudioError } from '../errors.ts'
import type { ForwardReply, ForwardRequest } from '../upstream/types.ts'
import { answer, refusalOf } from './answers.ts'
import { replyHeaders, requestHeaders } from './headers.ts'

export type Forward = (request: ForwardRequest) => Promise<ForwardReply>

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Bytes go to the tool as they come; a tool that reads slowly holds the service back. */
async function pour(reply: ForwardReply, response: ServerResponse, signal: AbortSignal): Promise<void> {
  for await (const bytes of reply.body) {
    if (!response.write(bytes)) await once(response, 'drain', { signal })
  }
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
      body: hasBody(request) ? request : null,
      signal: gone.signal,
    })
    const headers = replyHeaders(reply.headers)
    if (reply.retriesExhausted) headers.push(['x-should-retry', 'false'])
    response.writeHead(reply.status, reply.statusText, headers.flat())
    response.flushHeaders()
    await pour(reply, response, gone.signal)
  } catch (thrown) {
    if (gone.signal.aborted) return
    answer(response, refusalOf(asStudioError(thrown)))
  }
}
