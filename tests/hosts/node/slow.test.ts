import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { WebBounds } from '../../../src-main/hosts/node/web/server.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { ask, cookieFor, originOf, type Site, startSite } from './fixtures/web.ts'

const sites: Site[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const site of sites.splice(0)) await site.stop()
})

async function siteWith(bounds: Partial<WebBounds> = {}, largeFile = 0): Promise<Site> {
  const site = await startSite(0, undefined, { bounds, largeFile })
  sites.push(site)
  return site
}

/** Opens a connection and sends these bytes. */
async function connected(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  if (bytes !== '') socket.write(bytes)
  return socket
}
const manyConnected = (count: number, port: number, bytes: string): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => connected(port, bytes)))

const halfAHead = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '
const closedOf = (all: Socket[]): number => all.filter(({ closed }) => closed).length
/** Uses a new connection, because the server may evict an idle kept-alive one. Browsers repeat the request then. */
const page = (site: Site): Promise<number> =>
  ask(site, '/', { headers: { connection: 'close' } }).then(
    ({ status }) => status,
    () => 0,
  )
/** All received bytes, after the connection has ended. */
async function heard(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1')
  })
  // A reset counts as an end here.
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

describe('a web host with hundreds of half-sent requests', () => {
  it('a page is answered at once while they are open', async () => {
    const site = await siteWith()
    const slow = await manyConnected(350, site.server.port, halfAHead)
    await expect.poll(() => page(site)).toBe(200)
    expect(closedOf(slow)).toBeLessThan(350)
  })

  it('all of them are closed at their time limit', async () => {
    const site = await siteWith({ headersMs: 300, requestMs: 300 })
    const slow = await manyConnected(350, site.server.port, halfAHead)
    for (const socket of slow) socket.resume()
    await expect.poll(() => closedOf(slow)).toBe(350)
    expect(await page(site)).toBe(200)
  })

  it('the longest silent connections are closed first, however slowly they send', async () => {
    const site = await siteWith({ strangers: 50, graceMs: 0, most: 400 })
    const slow = await manyConnected(300, site.server.port, halfAHead)
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.resume().write('x')
    }, 20)
    for (let round = 0; round < 20; round += 1) expect(await page(site)).toBe(200)
    await expect.poll(() => closedOf(slow)).toBeGreaterThanOrEqual(250)
    clearInterval(drip)
  })

  it('authenticated pages are never closed, and answered connections only after silent ones', async () => {
    const site = await siteWith({ strangers: 20, graceMs: 0 }, 32 * 1024 * 1024)
    const socket = new WebSocket(`ws://127.0.0.1:${site.server.port}/rpc`, {
      headers: { cookie: await cookieFor(site), origin: originOf(site) },
    })
    await once(socket, 'open')
    const reader = await connected(
      site.server.port,
      `GET /assets/large.js HTTP/1.1\r\nHost: 127.0.0.1:${site.server.port}\r\n\r\n`,
    )
    await once(reader, 'readable')
    // As many as the limit allows in addition. Each further connection evicts a silent one.
    for (let round = 0; round < 5; round += 1) {
      await manyConnected(15, site.server.port, halfAHead)
      expect(await page(site)).toBe(200)
    }
    expect(socket.readyState).toBe(WebSocket.OPEN)
    expect(reader.closed).toBe(false)
    socket.terminate()
  })

  it('the start-up page is served too', async () => {
    const early = await startSite(0, undefined, { opening: () => null })
    sites.push(early)
    await manyConnected(350, early.server.port, halfAHead)
    await expect.poll(() => page(early)).toBe(503)
  })
})

describe('a stranger', () => {
  const request = (site: Site, path = '/') => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${site.server.port}\r\n\r\n`

  it('a stranger that reads nothing of its reply is disconnected', { tags: 'long' }, async () => {
    const site = await siteWith({ readMs: 300 }, 32 * 1024 * 1024)
    const socket = await connected(site.server.port, request(site, '/assets/large.js'))
    await once(socket, 'readable')
    // Only further reading shows the end, which comes long before the end of the file.
    await expect.poll(() => site.server.connections()).toBe(0)
    socket.resume()
    await expect.poll(() => socket.closed).toBe(true)
    expect(socket.bytesRead).toBeLessThan(32 * 1024 * 1024)
  })

  it('a stranger that pipelines requests gets eight replies and 429, and a flood is disconnected', async () => {
    const site = await siteWith()
    const few = await connected(site.server.port, request(site).repeat(12))
    expect(statuses(await heard(few))).toEqual([...Array(8).fill(200), 429])
    const many = await connected(site.server.port, request(site).repeat(2000))
    expect(statuses(await heard(many)).length).toBeLessThanOrEqual(9)
  })

  it('the last allowed reply on a connection announces its end', async () => {
    const site = await siteWith({ requestsPerSocket: 3 })
    const socket = await connected(site.server.port, request(site))
    let text = ''
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1')
    })
    for (let round = 1; round <= 3; round += 1) {
      await expect.poll(() => text.match(/<title>/g)?.length).toBe(round)
      if (round < 3) socket.write(request(site))
    }
    expect(statuses(text)).toEqual([200, 200, 200])
    expect(text.match(/Connection: close/g)).toHaveLength(1)
  })

  it('a stranger that sends half a body is disconnected', async () => {
    const site = await siteWith({ headersMs: 300, requestMs: 300 })
    const origin = originOf(site)
    const socket = await connected(
      site.server.port,
      `POST /session HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{"to`,
    )
    await heard(socket)
  })
})

it('the sandbox responds while a thousand connections send half a request', async () => {
  const sandbox = await startSandbox()
  try {
    const slow = await manyConnected(1200, sandbox.port, halfAHead)
    const models = () =>
      fetch(`${sandbox.baseUrl}/v1/models`, {
        headers: { authorization: `Bearer ${sandbox.apiKey}`, connection: 'close' },
      }).then(({ status }) => status)
    await expect.poll(models).toBe(200)
    // Above the limit of strangers, each new connection closes an older one.
    for (const socket of slow) socket.resume()
    await expect.poll(async () => [await models(), closedOf(slow) >= 1200 - 1024]).toEqual([200, true])
  } finally {
    for (const socket of sockets.splice(0)) socket.destroy()
    await sandbox.close()
  }
})
