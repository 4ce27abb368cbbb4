import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Upstream, UpstreamOptions } from '../../../../src-main/core/upstream/client.ts'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { openClient } from '../../../helpers/openClient.ts'

export const canary = 'sk-canary-7f3a9b.42_x~A-0'

export interface Service {
  url: string
  upstream: Upstream
  requests: IncomingMessage[]
  sockets: ReadonlySet<Socket>
}

/** A small service on loopback and a client of it. Both end with the test. */
export async function serve(listener: RequestListener, options: Partial<UpstreamOptions> = {}): Promise<Service> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    listener(request, response)
  })
  const { url, sockets, close } = await listenOnLoopback(server)
  const upstream = openClient(url, canary, {
    retry: { baseDelayMs: 1, maxDelayMs: 5 },
    ...options,
  })
  onTestFinished(async () => {
    await upstream.close()
    close()
  })
  return { url, upstream, requests, sockets }
}

export function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return address.port
}

/** Listens on a free port of 127.0.0.1 until the test ends. Returns the port. */
export async function listenUntilTestEnds(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return portOf(server.address())
}

/** The only element of a list. Throws if there is none. */
export function theOnly<T>(list: readonly T[]): T {
  const [one] = list
  if (one === undefined || list.length > 1) throw new Error(`One element expected, ${list.length} found.`)
  return one
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

export function sse(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

export async function readBody(request: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** When the peer closed this request's socket: `performance.now()`. */
export function closed(request: IncomingMessage): Promise<number> {
  return new Promise((resolve) => {
    if (request.socket.destroyed) resolve(performance.now())
    else request.socket.once('close', () => resolve(performance.now()))
  })
}

/**
 * Whether something happens within `ms` of a responsive process. A few more rounds of the event loop follow, so that load of other
 * processes delays the clock as much as the event. A longer delay of the tested code is still detected.
 */
export async function comesWithin(ms: number, happening: Promise<unknown>): Promise<boolean> {
  let come = false
  const seen = happening.then(() => {
    come = true
  })
  await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, ms))])
  for (let round = 0; round < 20 && !come; round += 1) await new Promise((resolve) => setImmediate(resolve))
  return come
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The error of a rejected promise. Fails the test when the promise resolves. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
  throw new Error('It succeeded.')
}
