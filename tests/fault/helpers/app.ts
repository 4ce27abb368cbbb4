import { type ClientRequest, request as httpRequest } from 'node:http'
import { type Answer, jsonWithKey, readAnswer } from '../../helpers/appRequest.ts'

export interface Asking {
  request: ClientRequest
  /** Resolves when the first body bytes of the reply have arrived. */
  begun: Promise<Buffer>
  /** What the app received of the reply. */
  outcome: Promise<Answer>
}

export const chatBody = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...more })

/** An app that requests usage itself, so that nothing has to be added to its stream and removed again. */
export const streamBody = chatBody({ stream: true, stream_options: { include_usage: true } })

/** Sends one request of an app on a connection of its own and observes it until it ends. Never rejects. */
export function asks(
  url: string,
  { method = 'POST', path = '/chat/completions', headers = {}, body = chatBody() as string | Buffer | null } = {},
): Asking {
  const length: Record<string, string> = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const request = httpRequest(`${url}${path}`, {
    method,
    agent: false,
    headers: { ...jsonWithKey, ...length, ...headers },
  })
  const begun = Promise.withResolvers<Buffer>()
  const outcome = new Promise<Answer>((resolve) => {
    const none: Answer = { status: 0, headers: {}, body: Buffer.alloc(0), whole: false }
    let replied = false
    request.once('response', (response) => {
      replied = true
      resolve(readAnswer(response, begun.resolve))
    })
    request.once('error', () => resolve(none))
    request.once('close', () => {
      if (!replied) resolve(none)
    })
  })
  if (body !== null) request.end(body)
  return { request, begun: begun.promise, outcome }
}

/**
 * A stream of chat completions that broke off, without the event by which the gateway says so, and that event's `error.code`. Null for a stream without
 * that event.
 */
export function brokenOff(body: Buffer): { before: Buffer; code: string } | null {
  const at = body.lastIndexOf('data: {"error":{"message":"Inference Studio ')
  if (at < 0 || !body.toString().endsWith('}\n\n')) return null
  const { error } = JSON.parse(body.toString('utf8', at + 'data: '.length)) as { error: { code: string } }
  return { before: body.subarray(0, at), code: error.code }
}

/** `error` of an error object, or an empty one. */
export function errorOf({ body }: Pick<Answer, 'body'>): { message?: string; type?: string; code?: string } {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : null
    return typeof error === 'object' && error !== null ? error : {}
  } catch {
    return {}
  }
}
