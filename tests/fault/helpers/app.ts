import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { jsonWithKey } from '../../helpers/gateway.ts'

/** What an app saw of its request, however it ended. */
export interface Outcome {
  /** 0 when there was no status line. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The reply ended as its framing requires. */
  whole: boolean
}

export interface Asking {
  request: ClientRequest
  /** Resolves when the first body bytes of the reply have arrived. */
  begun: Promise<Buffer>
  outcome: Promise<Outcome>
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
  let begin: (bytes: Buffer) => void = () => undefined
  const begun = new Promise<Buffer>((resolve) => {
    begin = resolve
  })
  const outcome = new Promise<Outcome>((resolve) => {
    const none: Outcome = { status: 0, headers: {}, body: Buffer.alloc(0), whole: false }
    let replied = false
    request.once('response', (response) => {
      replied = true
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        begin(piece)
      })
      response.on('error', () => undefined)
      response.once('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces),
          whole: response.complete,
        }),
      )
    })
    request.once('error', () => resolve(none))
    request.once('close', () => {
      if (!replied) resolve(none)
    })
  })
  if (body !== null) request.end(body)
  return { request, begun, outcome }
}

/** `error` of an error object, or an empty one. */
export function errorOf({ body }: Outcome): { message?: string; type?: string; code?: string } {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : null
    return typeof error === 'object' && error !== null ? error : {}
  } catch {
    return {}
  }
}
