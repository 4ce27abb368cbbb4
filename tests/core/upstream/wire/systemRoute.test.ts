import { once } from 'node:events'
import { createServer as createHttp, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, createServer as createTcp, type Server, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SystemNetwork } from '../../../../src-main/core/host.ts'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { exchange } from '../../../../src-main/core/upstream/wire/httpExchange.ts'
import { openNetwork } from '../../../../src-main/core/upstream/wire/network.ts'
import { awayFetch, readRoutes, systemFetch } from '../../../../src-main/core/upstream/wire/systemRoute.ts'
import { newCertificate } from '../../../../src-main/hosts/selfCheck/certificate.ts'
import { tries } from '../../../helpers/effort.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { canary, json, portOf, serve } from '../helpers/service.ts'

// Proxies and services on loopback, with the real protocols. The settings of the system are a function that each test gives.

const { key, cert } = newCertificate('localhost', '127.0.0.1')

const system = (resolve: (url: string) => string, certificates: () => readonly string[] = () => []): SystemNetwork => ({
  resolveProxy: async (url) => resolve(url),
  certificates: async () => certificates(),
})

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return portOf(server.address())
}

const models: RequestListener = (_, response) => json(response, 200, { data: [] })
const secureService = async (): Promise<string> =>
  `https://localhost:${await listen(createHttps({ key, cert }, models))}`

function client(url: string, network: SystemNetwork, connectTimeoutMs = 5000) {
  const upstream = openClient(url, canary, {
    network: { system: network, proxyLoopback: true, env: {}, connectTimeoutMs },
    retry: { baseDelayMs: 1, maxDelayMs: 5 },
  })
  onTestFinished(() => upstream.close())
  return upstream
}

/** Passes bytes on in both directions. */
function pass(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  for (const socket of [one, other]) socket.on('error', () => [one, other].map((each) => each.destroy()))
}

/** A proxy that opens tunnels by CONNECT. Returns its address and the targets it was asked for. */
async function httpProxy({ isSecure = false } = {}): Promise<{ place: string; asked: string[] }> {
  const asked: string[] = []
  const proxy = createHttp((_, response) => response.writeHead(500).end())
  proxy.on('connect', ({ url = '' }, socket: Socket) => {
    asked.push(url)
    const { hostname, port } = new URL(`http://${url}`)
    const onward = connect({ host: hostname === 'localhost' ? '127.0.0.1' : hostname, port: Number(port) }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n')
      pass(socket, onward)
    })
    onward.on('error', () => socket.destroy())
  })
  if (!isSecure) return { place: `127.0.0.1:${await listen(proxy)}`, asked }
  const tls = createTls({ key, cert }, (socket) => void proxy.emit('connection', socket))
  return { place: `localhost:${await listen(tls)}`, asked }
}

/** A SOCKS proxy of either version, without a password. */
async function socksProxy(): Promise<{ place: string; asked: string[] }> {
  const asked: string[] = []
  const port = await listen(
    createTcp((socket) => {
      const go = (name: string, to: number, reply: Buffer): void => {
        asked.push(`${name}:${to}`)
        const onward = connect({ host: '127.0.0.1', port: to }, () => {
          socket.write(reply)
          pass(socket, onward)
        })
      }
      socket.once('data', (hello) => {
        if (hello[0] === 4) {
          const [, name = ''] = hello.subarray(8).toString().split('\0')
          go(name, hello.readUInt16BE(2), Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]))
          return
        }
        socket.write(Buffer.from([5, 0]))
        socket.once('data', (request) => {
          const length = request[4] ?? 0
          const name = request.subarray(5, 5 + length).toString()
          go(name, request.readUInt16BE(5 + length), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        })
      })
    }),
  )
  return { place: `127.0.0.1:${port}`, asked }
}

describe('the result of a proxy lookup', () => {
  it.each([
    ['DIRECT', [{ kind: 'direct' }]],
    ['', [{ kind: 'direct' }]],
    ['PROXY a.example:8080; direct', [{ kind: 'http', host: 'a.example', port: 8080 }, { kind: 'direct' }]],
    ['HTTPS a.example', [{ kind: 'https', host: 'a.example', port: 443 }]],
    ['SOCKS5 [::1]:1080', [{ kind: 'socks5', host: '::1', port: 1080 }]],
    ['SOCKS a:1', [{ kind: 'socks4', host: 'a', port: 1 }]],
    ['PROXY a:0; PROXY a:99999; QUIC a:1; PROXY user@a:1', [{ kind: 'direct' }]],
  ])('%j is read', (result, routes) => {
    expect(readRoutes(result)).toEqual(routes)
  })

  it('of any text is at least one route and at most five', () => {
    const word = fc.constantFrom('PROXY', 'DIRECT', 'SOCKS5', ' ', ';', ':', '[', ']', 'a', '1', '@', '\0', '99999')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const routes = readRoutes(words.join(''))
        expect(routes.length).toBeGreaterThan(0)
        expect(routes.length).toBeLessThanOrEqual(5)
      }),
      { numRuns: tries(500, 5000) },
    )
  })
})

describe('the service is reached', () => {
  it.each(['PROXY', 'HTTPS', 'SOCKS5', 'SOCKS'] as const)(
    'through a proxy of the kind %s, with TLS to the service',
    async (kind) => {
      const url = await secureService()
      const { place, asked } = kind.startsWith('SOCKS')
        ? await socksProxy()
        : await httpProxy({ isSecure: kind === 'HTTPS' })
      await client(
        url,
        system(
          () => `${kind} ${place}`,
          () => [cert],
        ),
      ).listModels()
      expect(asked).toEqual([new URL(url).host])
    },
  )

  it('over plain http through a tunnel, with the same headers as without a proxy', async () => {
    const { url, requests } = await serve(models)
    const { place, asked } = await httpProxy()
    await client(
      url,
      system(() => 'DIRECT'),
    ).listModels()
    await client(
      url,
      system(() => `PROXY ${place}`),
    ).listModels()
    expect(asked).toEqual([new URL(url).host])
    expect(requests[1]?.rawHeaders).toEqual(requests[0]?.rawHeaders)
  })

  it('by the settings of the moment: each new connection asks again', async () => {
    const url = await secureService()
    const { place, asked } = await httpProxy()
    let setting = 'DIRECT'
    const urls: string[] = []
    const network = system(
      (of) => {
        urls.push(of)
        return setting
      },
      () => [cert],
    )
    await client(url, network).listModels()
    setting = `PROXY ${place}`
    await client(url, network).listModels()
    expect(asked.length).toBe(1)
    expect(new Set(urls)).toEqual(new Set([`${url}/`]))
  })

  it('by the next route when a proxy is gone', async () => {
    const url = await secureService()
    await client(
      url,
      system(
        () => 'PROXY 127.0.0.1:1; DIRECT',
        () => [cert],
      ),
    ).listModels()
  })

  it('never through a proxy at a loopback address', async () => {
    const { url } = await serve(models)
    const upstream = openClient(url, canary, {
      network: { system: system(() => 'PROXY 127.0.0.1:1'), env: {} },
    })
    onTestFinished(() => upstream.close())
    await upstream.listModels()
    await upstream.reach()
  })
})

describe('the certificates of the system', () => {
  it('are trusted, and followed when they change', async () => {
    const url = await secureService()
    let certificates: readonly string[] = []
    const upstream = client(
      url,
      system(
        () => 'DIRECT',
        () => certificates,
      ),
    )
    await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'tls_failed' })
    certificates = [cert]
    await upstream.listModels()
  })

  it('are not asked for over plain HTTP, and for a service on this computer only with TLS', async () => {
    let asked = 0
    const network = system(
      () => 'PROXY 127.0.0.1:1',
      () => {
        asked++
        return [cert]
      },
    )
    const ofThisComputer = (url: string) => {
      const upstream = openClient(url, canary, { network: { system: network, env: {} } })
      onTestFinished(() => upstream.close())
      return upstream
    }
    const { url } = await serve(models)
    await ofThisComputer(url).listModels()
    expect(asked).toBe(0)
    await ofThisComputer(await secureService()).listModels()
    expect(asked).toBeGreaterThan(0)
  })

  it('are waited for by requests through a proxy of the environment', async () => {
    const { place, asked } = await httpProxy()
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    const network = { resolveProxy: async () => 'DIRECT', certificates: () => promise }
    const upstream = openClient(await secureService(), canary, {
      network: { system: network, proxyLoopback: true, env: { HTTPS_PROXY: `http://${place}` } },
    })
    onTestFinished(() => upstream.close())
    const models = upstream.listModels()
    expect(asked).toEqual([])
    resolve([cert])
    await models
    expect(asked.length).toBe(1)
  })

  it('count for a fetch of an MCP server, as the proxies do', async () => {
    const url = await secureService()
    const { place, asked } = await httpProxy()
    const reply = await systemFetch(
      system(
        () => `PROXY ${place}`,
        () => [cert],
      ),
    )(url)
    expect([reply.status, await reply.json()]).toEqual([200, { data: [] }])
    expect(asked).toEqual([new URL(url).host])
    await expect(systemFetch(system(() => 'DIRECT'))(url)).rejects.toThrow()
  })
})

describe('a fetch of addresses elsewhere', () => {
  // `localhost` is an example of a name that a lookup resolves to this computer: only the lookup refuses it.
  it('refuses a name that resolves to this computer, by the lookup of the connection itself', async () => {
    const requests: unknown[] = []
    const { url } = await serve((request, response) => {
      requests.push(request)
      response.end()
    })
    const named = url.replace('127.0.0.1', 'localhost')
    for (const fetch of [awayFetch(null), awayFetch(system(() => 'DIRECT'))])
      await expect(fetch(named)).rejects.toMatchObject({ cause: { kind: 'foreign_address' } })
    expect(requests).toEqual([])
  })

  it('leaves the lookup to a proxy of the system, which may be on this computer', async () => {
    const url = await secureService()
    const { place, asked } = await httpProxy()
    const reply = await awayFetch(
      system(
        () => `PROXY ${place}`,
        () => [cert],
      ),
    )(url)
    expect(reply.status).toBe(200)
    expect(asked).toEqual([new URL(url).host])
  })
})

describe('a proxy that fails is named', () => {
  it.each([
    ['asks for a password', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', /asks for a password/],
    ['refuses', 'HTTP/1.1 403 Forbidden\r\n\r\n', /status is 403/],
    ['is no proxy', 'SSH-2.0-OpenSSH\r\n\r\n', /not HTTP/],
    ['answers without end', `HTTP/1.1 200 OK\r\n${'x'.repeat(40_000)}`, /too long/],
    ['closes', '', /closed the connection/],
  ])('when it %s', async (_, reply, message) => {
    const port = await listen(
      createTcp((socket) => {
        socket.once('data', () => (reply === '' ? socket.end() : socket.write(reply)))
      }),
    )
    const upstream = client(
      'https://localhost:1',
      system(() => `PROXY 127.0.0.1:${port}`),
    )
    await expect(upstream.listModels()).rejects.toMatchObject({
      kind: 'connect_failed',
      message: expect.stringMatching(message),
    })
  })

  it('when it never answers, in the time of a connection', async () => {
    const port = await listen(createTcp(() => undefined))
    const upstream = client(
      'https://localhost:1',
      system(() => `PROXY 127.0.0.1:${port}`),
      300,
    )
    await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'connect_timeout' })
  })
})

describe('after sleep', () => {
  it('a stream that stays silent is ended as lost, and one that goes on is not', async () => {
    const responses: ServerResponse[] = []
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {}\n\n')
      responses.push(response)
    })
    const network = openNetwork(parseBaseAddress(url, { allowInsecure: false }), { env: {} })
    onTestFinished(() => network.destroy())
    const open = async () => {
      const request = { origin: url, method: 'GET', path: '/v1/x', headers: [], body: null, signal: undefined }
      const { body } = await exchange(network, request)
      const pieces = body[Symbol.asyncIterator]()
      await pieces.next()
      return pieces
    }
    const silent = await open()
    const alive = await open()
    network.resumed(200)
    responses[1]?.write(': ping\n\n')
    expect((await alive.next()).done).toBe(false)
    await expect(silent.next()).rejects.toMatchObject({
      kind: 'connection_lost',
      message: expect.stringContaining('asleep'),
      facts: { outputStarted: true, workPossible: true },
    })
    expect(network.streams.size).toBe(1)
    responses[1]?.end('data: end\n\n')
    expect((await alive.next()).done).toBe(false)
    expect((await alive.next()).done).toBe(true)
    expect(network.streams.size).toBe(0)
  })
})
