import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createPageSockets } from '../../../src-main/hosts/node/web/socket.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { cookieOf, openPage } from './fixtures/page.ts'
import { cliEntry, commandLine } from './fixtures/process.ts'
import { type Site, startSite } from './fixtures/web.ts'

let site: Site
beforeEach(async () => {
  site = await startSite()
})
afterEach(() => site.stop())

/** A WebSocket with the page's cookie. The test controls its frames and its reading. */
async function rawPage(url = site.server.url): Promise<WebSocket> {
  const { origin, host } = new URL(url)
  const page = new WebSocket(`ws://${host}/rpc`, { headers: { cookie: await cookieOf(url), origin } })
  await new Promise((resolve, reject) => page.once('open', resolve).once('error', reject))
  return page
}

/** A call as oRPC writes it. */
const callOf = (id: string, path: string) => JSON.stringify({ i: id, p: { u: path, b: {} } })

describe('a page that stops reading', () => {
  it('the stream of a page that stops reading pauses at a limit, other pages continue, and the page catches up later', {
    tags: 'long',
  }, async () => {
    const slow = await rawPage()
    slow.send(callOf('1', '/apps/watch'))
    await expect.poll(() => site.seen.pulled).toBeGreaterThan(0)
    slow.pause()
    const other = openPage(() => site.server.url)
    const settle = async () => {
      const before = site.seen.pulled
      for (let call = 0; call < 50; call += 1) await other.client.app.updateSettings({ theme: 'dark' })
      return site.seen.pulled - before
    }
    // The stream is pulled until the kernel's buffers between the two ends are full (some MB), then no more.
    await expect.poll(settle, { timeout: 20_000, interval: 1 }).toBe(0)
    expect(await settle()).toBe(0)
    const held = site.seen.pulled
    expect(held * 16 * 1024).toBeLessThan(32 * 1024 * 1024)
    slow.resume()
    await expect.poll(() => site.seen.pulled).toBeGreaterThan(held)
    slow.terminate()
    await expect.poll(() => site.seen.watchers).toBe(0)
    other.close()
  })

  it('a fast reader neither grows the process nor blocks other pages', { tags: 'long' }, async () => {
    const dataDir = temporaryFolder('studio-pages-')
    // A separate process, because in this process a server that never pauses would also block its readers.
    const host = commandLine(cliEntry).start(['serve', '--json', '--web-port', '0', '--no-api', '--data-dir', dataDir])
    try {
      const { url } = JSON.parse(await host.line()).web
      const other = openPage(() => url)
      await other.client.app.updateSettings({ theme: 'dark' })
      const before = residentMiB(host.child.pid)
      const [slow, greedy] = [await rawPage(url), await rawPage(url)]
      slow.send(callOf('1', '/apps/watch'))
      await new Promise((resolve) => slow.once('message', resolve))
      slow.pause()
      let megabytes = 0
      const enough = new Promise<void>((resolve) => {
        greedy.on('message', (data: Buffer) => {
          megabytes += data.length / 1e6
          if (megabytes > 100) resolve()
        })
      })
      greedy.send(callOf('1', '/apps/watch'))
      await enough
      expect(await other.client.app.updateSettings({ theme: 'light' })).toMatchObject({ theme: 'light' })
      if (before !== null) expect((residentMiB(host.child.pid) ?? 0) - before).toBeLessThan(100)
      for (const page of [slow, greedy]) page.terminate()
      other.close()
    } finally {
      host.child.kill('SIGKILL')
      await host.ended
      rmSync(dataDir, { recursive: true })
    }
  })
})

/** Memory of the process, when the system reports it. */
function residentMiB(pid: number | undefined): number | null {
  if (process.platform !== 'linux') return null
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

describe('limits', () => {
  it('closes a page that sends more than 8 MiB in one message (1009), and no other', async () => {
    const other = openPage(() => site.server.url)
    await other.client.app.updateSettings({ theme: 'dark' })
    const page = await rawPage()
    const closed = new Promise((resolve) => page.once('close', resolve))
    page.on('error', () => undefined)
    page.send('x'.repeat(8 * 1024 * 1024 + 1))
    expect(await closed).toBe(1009)
    expect(await other.client.app.updateSettings({ theme: 'light' })).toMatchObject({ theme: 'light' })
    other.close()
  })

  it('invalid messages do not break the connection', async () => {
    // oRPC reports each of these on standard error.
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const page = await rawPage()
    for (const nonsense of [
      '',
      'x',
      '{}',
      'null',
      '[]',
      '{"i":1}',
      callOf('1', '/no/such'),
      callOf('2', '/__proto__'),
    ]) {
      page.send(nonsense)
    }
    page.send(Buffer.from([0xff, 0x00, 0xfe]))
    const other = openPage(() => site.server.url)
    expect(await other.client.app.updateSettings({ theme: 'light' })).toMatchObject({ theme: 'light' })
    said.mockRestore()
    page.terminate()
    other.close()
  })

  it('the 65th page is refused', async () => {
    const pages = await Promise.all(Array.from({ length: 64 }, () => rawPage()))
    await expect(rawPage()).rejects.toThrow('503')
    pages[0]?.terminate()
    await expect
      .poll(() =>
        rawPage().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })
})

describe('the end', () => {
  it('every page is closed with 1001, and a dead one is not waited for', async () => {
    const one = await startSite()
    const [alive, dead] = [await rawPage(one.server.url), await rawPage(one.server.url)]
    dead.pause()
    const closed = new Promise((resolve) => alive.once('close', resolve))
    await one.stop()
    expect(await closed).toBe(1001)
    dead.terminate()
  })
})

describe('keep-alive', () => {
  it('only the page that does not answer pings is disconnected', async () => {
    const pages = createPageSockets({}, 50)
    const server = createServer().on('upgrade', pages.upgrade)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    const open = async (autoPong: boolean) => {
      const page = new WebSocket(`ws://127.0.0.1:${port}/`, { autoPong })
      await new Promise((resolve) => page.once('open', resolve))
      return page
    }
    const alive = await open(true)
    let pings = 0
    const pinged = new Promise<void>((resolve) => {
      alive.on('ping', () => {
        pings += 1
        if (pings === 4) resolve()
      })
    })
    const dead = await open(false)
    expect(await new Promise((resolve) => dead.once('close', resolve))).toBe(1006)
    await pinged
    expect(alive.readyState).toBe(WebSocket.OPEN)
    await pages.stop()
    server.close()
  })
})
