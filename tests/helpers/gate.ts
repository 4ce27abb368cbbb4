import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { FrontendDependencies, ProxyBounds } from '../../src-main/core/gateway/proxy/frontendOptions.ts'
import { requestHeaders } from '../../src-main/core/gateway/proxy/headers.ts'
import type { AllowedRequest, CutReason } from '../../src-main/core/gateway/proxy/proxiedRequest.ts'
import type { RefusalWithOrigin } from '../../src-main/core/gateway/proxy/recentRefusals.ts'
import { type ProxyServer, startProxy } from '../../src-main/core/gateway/proxy/server.ts'
import type { Verified } from '../../src-main/core/ports/requests.ts'
import { withoutHopByHop } from '../../src-main/core/upstream/headers.ts'
import type { App } from '../../src-preload/contract/apps.ts'
import { apiKey } from './gateway.ts'
import { plainApp } from './plainApp.ts'

// The guard with the smallest correct relay, so that tests show the behaviour of the guard alone.

export const goodKey = 'isk_testtool_0123456789abcdef'

export const appNamed = (name: string): App => plainApp({ id: name.toLowerCase(), name })

/** Hash of `goodKey`, as far as the guard is concerned. */
export const editorHash = new Uint8Array(32).fill(1)

/** The result of the check for each presented key. */
const keys: Record<string, Verified> = {
  [goodKey]: { good: true, app: appNamed('Editor'), keyHash: editorHash },
  isk_other: { good: true, app: appNamed('Notebook'), keyHash: new Uint8Array(32).fill(2) },
  isk_paused: { good: false, why: 'paused', app: appNamed('Sleeper') },
  isk_revoked: { good: false, why: 'revoked', app: appNamed('Gone') },
  isk_replaced: { good: false, why: 'replaced', app: appNamed('Editor') },
  isk_expired: { good: false, why: 'expired', app: appNamed('Late') },
}

const agent = new Agent({ keepAlive: true })

/** A relay through node:http: head, body, head, body. Ends with its connection. */
export const relayTo =
  (farUrl: string): FrontendDependencies['relay'] =>
  (request, response, pass) =>
    new Promise((resolve) => {
      const { hostname, port, pathname } = new URL(farUrl)
      const headers: string[] = ['Host', new URL(farUrl).host, 'Authorization', `Bearer ${apiKey}`]
      const chunked = request.headers['transfer-encoding'] !== undefined
      headers.push(...withoutHopByHop(requestHeaders(request.rawHeaders)).flat())
      if (chunked) headers.push('Transfer-Encoding', 'chunked')
      // `Connection: content-length` removes the length. node:http would then send a body without a length.
      const length = request.headers['content-length']
      const kept = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length')
      if (!chunked && length !== undefined && !kept) headers.push('Content-Length', length)
      const path = (pathname === '/' ? '' : pathname) + pass.path
      const up = httpRequest({ hostname, port, path, method: request.method ?? 'GET', headers, agent }, (reply) => {
        response.writeHead(
          reply.statusCode ?? 502,
          reply.statusMessage ?? '',
          [...withoutHopByHop(pairsOf(reply)), ...pass.extraHeaders].flat(),
        )
        reply.pipe(response)
        reply.on('error', () => response.destroy())
      })
      const end = () => {
        if (!response.writableFinished) up.destroy()
        resolve()
      }
      response.once('close', end)
      up.on('error', () => response.destroy())
      pass.proceed()
      request.pipe(up)
      request.on('error', () => up.destroy())
    })

const pairsOf = ({ rawHeaders }: IncomingMessage): [string, string][] => {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  return pairs
}

/** Replies at once with the request that was passed on. */
export const echo: FrontendDependencies['relay'] = async (request, response, pass) => {
  pass.proceed()
  response.writeHead(200, 'OK', ['Content-Type', 'text/plain', ...pass.extraHeaders.flat()])
  response.end(request.method === 'HEAD' ? undefined : `${request.method} ${pass.path}`)
}

export interface OpenGate {
  proxy: ProxyServer
  port: number
  url: string
  refused: RefusalWithOrigin[]
  cuts: CutReason[]
  used: string[]
  failures: Error[]
  origins: string[]
  close(): Promise<void>
}

export async function openGate(
  relay: FrontendDependencies['relay'] = echo,
  bounds: Partial<ProxyBounds> = {},
  wanted: Parameters<typeof startProxy>[0] = { port: 0, ipv6: false },
): Promise<OpenGate> {
  const refused: RefusalWithOrigin[] = []
  const [cuts, used, failures, origins]: [CutReason[], string[], Error[], string[]] = [[], [], [], []]
  const proxy = await startProxy(
    wanted,
    {
      verify: (presented) => keys[presented] ?? { good: false, why: 'unknown', app: null },
      relay: (request: IncomingMessage, response: ServerResponse, pass: AllowedRequest) => {
        pass.onCut = (why) => {
          cuts.push(why)
          return false
        }
        return relay(request, response, pass)
      },
      used: ({ name }) => used.push(name),
      refused: (refusal) => refused.push(refusal),
      allowedOrigins: () => origins,
      changed: () => undefined,
      failed: (error) => failures.push(error),
    },
    bounds,
  )
  return {
    proxy,
    port: proxy.port,
    url: proxy.baseUrl.replace('/v1', ''),
    refused,
    cuts,
    used,
    failures,
    origins,
    close: () => proxy.close(),
  }
}

export interface Line {
  socket: Socket
  /** Everything received so far. */
  heard(): string
  /** Resolves with everything received once it satisfies `wanted`. */
  until(wanted: (heard: string) => boolean): Promise<string>
  /** Resolves with everything received, at the end of the connection. */
  closed: Promise<string>
}

/** A bare connection, for bytes that no real client sends. */
export function open(port: number, host = '127.0.0.1'): Line {
  const socket = connect({ port, host })
  let text = ''
  const waiting = new Set<() => void>()
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    for (const look of waiting) look()
  })
  // A reset counts as a normal end here.
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(text))
  })
  return {
    socket,
    heard: () => text,
    closed,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!wanted(text)) return
          waiting.delete(look)
          resolve(text)
        }
        waiting.add(look)
        look()
        void closed.then(() => reject(new Error(`closed after: ${text}`)))
      }),
  }
}

/** Sends raw bytes and returns everything received until the connection ends. */
export function speak(port: number, bytes: string, host?: string): Promise<string> {
  const line = open(port, host)
  line.socket.write(bytes, 'latin1')
  return line.closed
}

/** The one reply in the text of a connection. The names of its headers are in lower case. */
export function replyOf(heard: string): { status: number; headers: Record<string, string>; body: Buffer } {
  const [head = '', body = ''] = heard.split('\r\n\r\n', 2)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(': ')[0]?.toLowerCase() ?? '', line.split(': ')[1] ?? '']),
  )
  return { status: Number(first.split(' ')[1]), headers, body: Buffer.from(body, 'latin1') }
}

/** Resolves once `wanted` is true, checked in each turn of the event loop. The test's own timeout applies. */
export async function once(wanted: () => boolean): Promise<void> {
  while (!wanted()) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
