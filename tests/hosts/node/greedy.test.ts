import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { os } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Listeners } from '../../../src-main/core/shared/events.ts'
import { StateFeed } from '../../../src-main/core/shared/stateFeed.ts'
import { type CallBounds, usualCallBounds } from '../../../src-main/hosts/calls.ts'
import { createPageSockets } from '../../../src-main/hosts/node/web/socket.ts'
import { heap } from '../../core/upstream/reply/helpers/heap.ts'
import { closeAfterEach } from '../../helpers/closers.ts'

const closers = closeAfterEach()

const answerSize = 30_000
const answer = 'x'.repeat(answerSize)
interface State {
  number: number
  more: string
}

/** The sockets of a web host with procedures of the test. */
async function setUp({ bounds, keepAliveMs = 30_000 }: { bounds?: Partial<CallBounds>; keepAliveMs?: number } = {}) {
  const seen = { begun: 0, running: 0, most: 0 }
  const gate = Promise.withResolvers<void>()
  const changes = new Listeners()
  const state: State = { number: 0, more: answer }
  const feed = new StateFeed<State>({
    everyMs: 1,
    read: () => ({ ...state }),
    observe: (changed) => changes.add(changed),
  })
  const router = {
    large: os.handler(() => {
      seen.begun += 1
      return answer
    }),
    slow: os.handler(async () => {
      seen.begun += 1
      seen.running += 1
      seen.most = Math.max(seen.most, seen.running)
      await gate.promise
      seen.running -= 1
    }),
    small: os.handler(() => 'here'),
    watch: os.handler(({ signal }) => feed.watch(signal)),
  }
  const pages = createPageSockets(router, keepAliveMs, { ...usualCallBounds, ...bounds })
  const server = createServer().on('upgrade', pages.upgrade)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closers.push(async () => {
    gate.resolve()
    await pages.stop()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<Page> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('open', resolve))
    closers.push(() => socket.terminate())
    return new Page(socket)
  }
  const change = (): void => {
    state.number += 1
    changes.notify()
  }
  return { pages, seen, gate, state, change, open }
}

/** A client that writes frames as oRPC does, and reads only when the test allows. */
class Page {
  readonly socket: WebSocket
  /** Received bodies by the call that they answer. */
  readonly heard = new Map<string, unknown[]>()
  readonly closed: Promise<number>

  constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('message', (data: Buffer) => {
      const { i, p } = JSON.parse(data.toString()) as { i: string; p: { b?: { json: unknown }; d?: { json: unknown } } }
      this.heard.set(i, [...(this.heard.get(i) ?? []), (p.b ?? p.d)?.json])
    })
  }

  call(id: string, path: string): void {
    this.socket.send(JSON.stringify({ i: id, p: { u: path, b: {} } }))
  }

  /** Whether a call of this page gets an answer now. */
  async isServed(): Promise<boolean> {
    const id = `served ${this.heard.size}`
    this.call(id, '/small')
    await expect.poll(() => this.heard.get(id)).toEqual(['here'])
    return true
  }
}

/** Polls a value until it no longer changes, and returns it. */
async function settled(read: () => number): Promise<number> {
  let [last, same] = [-1, 0]
  await expect
    .poll(() => {
      const now = read()
      same = now === last ? same + 1 : 0
      last = now
      return same
    })
    .toBeGreaterThan(10)
  return last
}

describe('a page that does not read its replies', () => {
  it('only a limited number of 20,000 calls starts, and all are answered once the page reads', {
    tags: 'long',
  }, async () => {
    const { pages, seen, open } = await setUp()
    const [greedy, other] = [await open(), await open()]
    expect(await other.isServed()).toBe(true)
    const before = heap()
    greedy.socket.pause()
    for (let id = 0; id < 20_000; id += 1) greedy.call(String(id), '/large')
    // As many messages as fit into the system's buffers between the two ends, and a few more.
    const begun = await settled(() => seen.begun)
    expect(begun).toBeGreaterThan(0)
    expect(begun * answerSize).toBeLessThan(64 * 1024 * 1024)
    const { running, bytes } = pages.counts()
    expect(running).toBeLessThanOrEqual(usualCallBounds.running)
    expect(bytes).toBeLessThan(16 * 1024 * 1024)
    expect(heap() - before).toBeLessThan(32 * 1024 * 1024)
    expect(await other.isServed()).toBe(true)
    expect(greedy.socket.readyState).toBe(WebSocket.OPEN)

    greedy.socket.resume()
    await expect.poll(() => greedy.heard.size, { timeout: 150_000 }).toBe(20_000)
    expect([...greedy.heard.values()].every((all) => all.length === 1 && all[0] === answer)).toBe(true)
    await expect.poll(() => pages.counts()).toEqual({ running: 0, streams: 0, waiting: 0, bytes: 0 })
  })

  it('one state per stream waits, and the page receives the last one once it reads', async () => {
    const { pages, state, change, open } = await setUp()
    const [slow, other] = [await open(), await open()]
    for (let id = 0; id < 40; id += 1) slow.call(String(id), '/watch')
    other.call('0', '/watch')
    await expect.poll(() => slow.heard.size).toBe(40)
    slow.socket.pause()
    const changes = 3000
    for (let round = 0; round < changes; round += 1) {
      change()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(pages.counts()).toMatchObject({ streams: 41 })
    expect(pages.counts().bytes).toBeLessThan(8 * 1024 * 1024)
    expect(await other.isServed()).toBe(true)
    const last = (page: Page, id: string) => (page.heard.get(id)?.at(-1) as State | undefined)?.number
    await expect.poll(() => last(other, '0')).toBe(state.number)
    slow.socket.resume()
    for (let id = 0; id < 40; id += 1) await expect.poll(() => last(slow, String(id))).toBe(state.number)
    expect(slow.heard.get('0')?.length).toBeLessThan(changes)
  })

  it('a page that does not answer pings either is disconnected', { tags: 'long' }, async () => {
    // Long enough for the pages that answer, even on a busy machine.
    const { pages, seen, open } = await setUp({ keepAliveMs: 1000 })
    const [dead, alive] = [await open(), await open()]
    dead.socket.pause()
    for (let id = 0; id < 5000; id += 1) dead.call(String(id), '/large')
    expect(await settled(() => seen.begun)).toBeGreaterThan(0)
    expect(await alive.isServed()).toBe(true)
    // A page that reads again before it is disconnected would answer the next ping.
    await expect.poll(() => pages.counts()).toEqual({ running: 0, streams: 0, waiting: 0, bytes: 0 })
    dead.socket.resume()
    expect(await dead.closed).toBe(1006)
    expect(await alive.isServed()).toBe(true)
  })
})

describe('a page that sends more than a page should', () => {
  it('only a limited number of calls runs at once, the others follow, and the connection stays open', {
    tags: 'long',
  }, async () => {
    const { pages, seen, gate, open } = await setUp({ keepAliveMs: 1000 })
    const [page, other] = [await open(), await open()]
    for (let id = 0; id < 3000; id += 1) page.call(String(id), '/slow')
    expect(await settled(() => seen.begun)).toBe(usualCallBounds.running)
    expect(pages.counts()).toMatchObject({ running: usualCallBounds.running })
    // Messages that were read in one chunk with these. The rest is not read.
    expect(pages.counts().waiting).toBeLessThan(3000)
    expect(await other.isServed()).toBe(true)
    gate.resolve()
    await expect.poll(() => page.heard.size).toBe(3000)
    expect(seen.most).toBe(usualCallBounds.running)
    expect(page.socket.readyState).toBe(WebSocket.OPEN)
  })

  it('a page with too many streams is closed with 1008, and other pages are not', async () => {
    const { pages, open } = await setUp({ bounds: { streams: 20 } })
    const [page, other] = [await open(), await open()]
    for (let id = 0; id < 20; id += 1) page.call(String(id), '/watch')
    await expect.poll(() => pages.counts().streams).toBe(20)
    expect(page.socket.readyState).toBe(WebSocket.OPEN)
    page.call('one more', '/watch')
    expect(await page.closed).toBe(1008)
    await expect.poll(() => pages.counts()).toEqual({ running: 0, streams: 0, waiting: 0, bytes: 0 })
    expect(await other.isServed()).toBe(true)
  })

  it('a page may open the maximum of streams and still make calls', async () => {
    const { open } = await setUp({ bounds: { running: 4, streams: 20 } })
    const page = await open()
    for (let id = 0; id < 20; id += 1) page.call(String(id), '/watch')
    await expect.poll(() => page.heard.size).toBe(20)
    expect(await page.isServed()).toBe(true)
  })
})
