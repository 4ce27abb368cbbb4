import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'

/** The app key that a test gateway knows. */
export const appKey = 'isk_testtool_0123456789abcdef'
/** The app key of a second app, without limits. */
export const secondKey = 'isk_second_0123456789abcdef'
export const withKey = { authorization: `Bearer ${appKey}` }
export const jsonWithKey = { ...withKey, 'content-type': 'application/json' }

/** A reply as received. */
export interface Answer {
  /** 0 when there was no status line. */
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  /** False if the connection ended before the reply was complete. */
  whole: boolean
}

/** Reads a reply until it is complete or its connection ends. */
export function readAnswer(response: IncomingMessage, onPiece?: (piece: Buffer) => void): Promise<Answer> {
  const pieces: Buffer[] = []
  response.on('data', (piece: Buffer) => {
    pieces.push(piece)
    onPiece?.(piece)
  })
  // A cut reply has `whole: false`.
  response.on('error', () => undefined)
  return new Promise((resolve) => {
    response.once('close', () => {
      const { statusCode: status = 0, headers, complete: whole } = response
      resolve({ status, headers, body: Buffer.concat(pieces), whole })
    })
  })
}

/** Sends one request with exactly the given headers, and reads its reply to the end. Rejects when there is no reply. */
export function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false })
    request.once('response', (response) => resolve(readAnswer(response)))
    request.once('error', reject)
    request.end(body)
  })
}

/** Posts JSON with the app key on a connection of its own, whose errors are ignored. With `null`, the caller writes the body. */
export function postJson(
  url: string,
  body: string | Buffer | null,
  headers: Record<string, string | number> = {},
): ClientRequest {
  const request = httpRequest(url, { method: 'POST', agent: false, headers: { ...jsonWithKey, ...headers } })
  request.on('error', () => undefined)
  if (body !== null) request.end(body)
  return request
}

/** Resolves at the head of the reply, whose body is not read yet. Rejects when there is no reply. */
export async function replyTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (!response) throw new Error('The request has no reply.')
  // A reply may be cut while nothing reads it.
  response.on('error', () => undefined)
  return response
}
