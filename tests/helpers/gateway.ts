import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ProxyServer, startProxy } from '../../src-main/core/proxy/server.ts'
import { plainTool } from '../../src-main/core/tools/settings.ts'
import { parseBaseAddress } from '../../src-main/core/upstream/address.ts'
import { openUpstream, type Upstream } from '../../src-main/core/upstream/client.ts'
import { Credential } from '../../src-main/core/upstream/credential.ts'
import type { RetryPolicy } from '../../src-main/core/upstream/retry.ts'

export const toolKey = 'isk_testtool_0123456789abcdef'
const tool = plainTool({ id: 'testtool', name: 'test' })

export interface Gateway {
  proxy: ProxyServer
  upstream: Upstream
  /** `http://127.0.0.1:PORT/v1` */
  url: string
  close(): Promise<void>
}

/** The real relay before the address given, with one tool key. */
export async function openGateway(baseUrl: string, apiKey: string, retry: Partial<RetryPolicy> = {}): Promise<Gateway> {
  const upstream = openUpstream({
    base: parseBaseAddress(baseUrl, { allowInsecure: false }),
    credential: Credential.fromText(apiKey),
    retry,
  })
  const proxy = await startProxy(0, {
    verify: (presented) => (presented === toolKey ? tool : null),
    forward: () => upstream.forward,
    used: () => undefined,
    changed: () => undefined,
    failed: (error) => {
      throw error
    },
  })
  return {
    proxy,
    upstream,
    url: proxy.baseUrl,
    close: async () => {
      await proxy.close()
      await upstream.close()
    },
  }
}

export interface FarEnd {
  url: string
  requests: { method: string; url: string; headers: IncomingMessage['headers']; rawHeaders: string[]; body: Buffer }[]
  connections(): number
  close(): Promise<void>
}

/** A service of a test's own making, where exact bytes and moments matter. Sees each request whole unless `early`. */
export async function openFarEnd(
  act: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
  { early = false } = {},
): Promise<FarEnd> {
  const requests: FarEnd['requests'] = []
  let connections = 0
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    const record = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.alloc(0),
    }
    requests.push(record)
    if (early) {
      act(request, response, record.body)
      return
    }
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      record.body = Buffer.concat(pieces)
      act(request, response, record.body)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  /** False where the connection ended before the reply was whole. */
  whole: boolean
}

/** One plain request, its reply read to whatever end it comes to. Headers go exactly as given. */
export function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = []
      const settle = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces),
          whole: response.complete,
        })
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.once('end', settle)
      response.once('error', settle)
    })
    request.once('error', reject)
    request.end(body)
  })
}

export const withKey = { authorization: `Bearer ${toolKey}` }
export const jsonWithKey = { ...withKey, 'content-type': 'application/json' }
