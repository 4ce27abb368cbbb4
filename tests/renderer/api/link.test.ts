import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LinkState } from '../../../src-renderer/api/link.ts'
import { problemOf } from '../../../src-renderer/api/problem.ts'
import { openPage } from '../../hosts/node/fixtures/page.ts'
import { type Site, startSite } from '../../hosts/node/fixtures/web.ts'

// The page's side of the wire against the real web host, in Node, whose WebSocket is the browser's.

let site: Site | null
let page: ReturnType<typeof openPage>
let states: LinkState[]

beforeEach(async () => {
  site = await startSite()
  page = openPage(() => site?.server.url ?? 'http://127.0.0.1:1/#token=x')
  const { link } = page
  const seen = [link.get()]
  states = seen
  link.subscribe(() => seen.push(link.get()))
})
afterEach(async () => {
  page.close()
  await site?.stop()
})

const opened = () => page.link.opened(AbortSignal.timeout(20_000))
const reached = (state: LinkState) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (page.link.get() !== state) return
      stop()
      resolve()
    }
    const stop = page.link.subscribe(look)
    look()
  })
async function stopSite(): Promise<void> {
  await site?.stop()
  site = null
}
const problemFrom = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (thrown: unknown) => problemOf(thrown),
  )

describe('the link', () => {
  it('goes from connecting over open and lost to open again, by itself, when the program was started anew', async () => {
    await opened()
    await stopSite()
    await reached('lost')
    site = await startSite()
    await opened()
    expect(states).toEqual(['connecting', 'open', 'lost', 'open'])
    expect(await page.client.app.updateSettings({ theme: 'dark' })).toMatchObject({ theme: 'dark' })
  })

  it('is unauthorized where the web host knows the page no more, and stays so', async () => {
    await opened()
    page.close()
    await reached('unauthorized')
    expect(states).toEqual(['connecting', 'open', 'lost', 'unauthorized'])
    expect(await problemFrom(page.client.app.updateSettings({}))).toMatchObject({ kind: 'connection_lost' })
  })

  it('does not open for a wrong token', async () => {
    const stranger = openPage(() => `${new URL(site?.server.url ?? '').origin}/#token=wrong`)
    await new Promise<void>((resolve) => stranger.link.subscribe(resolve))
    expect(stranger.link.get()).toBe('unauthorized')
    expect(site?.seen.calls).toEqual([])
  })

  it('holds a first call back until it is open, and fails one at once while it is lost', async () => {
    expect(page.link.get()).toBe('connecting')
    expect(await page.client.app.updateSettings({ theme: 'light' })).toMatchObject({ theme: 'light' })
    await stopSite()
    await reached('lost')
    expect(await problemFrom(page.client.app.updateSettings({ theme: 'dark' }))).toMatchObject({
      kind: 'connection_lost',
    })
    site = await startSite()
    await opened()
    // A call of before does not happen out of nowhere.
    expect(site.seen.calls).toEqual([])
  })

  it('gives up waiting with its signal', async () => {
    const leaving = new AbortController()
    const waiting = page.client.app.updateSettings({}, { signal: leaving.signal })
    leaving.abort()
    expect(await problemFrom(waiting)).toMatchObject({ kind: 'cancelled' })
    await expect(page.link.opened(AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  })
})

describe('a subscription', () => {
  it('gets a new snapshot after the program was started anew, and ends when it is let go', async () => {
    const folders: string[] = []
    const ends: unknown[] = []
    const next = () => new Promise<void>((resolve) => heard.add(resolve))
    const heard = new Set<() => void>()
    const first = next()
    const stop = page.subscribe(
      (signal) => page.client.app.watch(undefined, { signal }),
      ({ dataDir }) => {
        folders.push(dataDir)
        for (const resolve of heard) resolve()
      },
      (thrown) => ends.push(thrown),
    )
    await first
    await stopSite()
    await reached('lost')
    const second = next()
    site = await startSite()
    await second
    expect(new Set(folders).size).toBe(2)
    expect(folders).toHaveLength(2)
    await expect.poll(() => site?.seen.watchers).toBe(1)
    stop()
    await expect.poll(() => site?.seen.watchers).toBe(0)
    expect(ends).toEqual([])
  })

  it('tells once what the core refused, and asks no more', async () => {
    let asked = 0
    const thrown = await new Promise((resolve) => {
      page.subscribe(
        (signal) => {
          asked += 1
          return page.client.chat.watchList(undefined, { signal })
        },
        () => undefined,
        resolve,
      )
    })
    expect([asked, problemOf(thrown).kind]).toEqual([1, 'bug'])
    expect(page.link.get()).toBe('open')
  })
})

describe('a connection that ends while streams run', () => {
  it('leaves no rejection that nobody handles, whoever lets go when', async () => {
    const unhandled: unknown[] = []
    const note = (thrown: unknown) => unhandled.push(thrown)
    process.on('unhandledRejection', note)
    const stops: (() => void)[] = []
    for (let watcher = 0; watcher < 8; watcher += 1) {
      const first = Promise.withResolvers<void>()
      const open = (signal: AbortSignal) => page.client.app.watch(undefined, { signal })
      stops.push(page.subscribe(open, () => first.resolve(), first.reject))
      await first.promise
    }
    // Some while the socket is closing, the others after it was lost.
    const closing = stopSite()
    for (const stop of stops.splice(0, 4)) stop()
    await closing
    await reached('lost')
    for (const stop of stops) stop()
    site = await startSite()
    await opened()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    expect(site.seen.watchers).toBe(0)
  })
})

describe('problemOf', () => {
  it('answers what a procedure failed with, whole', async () => {
    expect(await problemFrom(page.client.models.list({}))).toEqual({
      kind: 'rate_limited',
      message: 'Wait a little.',
      retryAfterMs: 1500,
    })
  })

  it('calls input that the contract refuses bad_input', async () => {
    expect(await problemFrom(page.client.app.updateSettings({ proxyPort: -1 }))).toMatchObject({ kind: 'bad_input' })
  })

  it('calls a connection that ended under a call connection_lost', async () => {
    await opened()
    const call = problemFrom(page.client.connection.disconnect())
    await stopSite()
    expect(await call).toMatchObject({ kind: 'connection_lost' })
  })

  it('has one sentence for anything else', () => {
    for (const thrown of [new Error('odd'), 'odd', null, undefined, { a: 1 }]) {
      expect(problemOf(thrown)).toMatchObject({ kind: 'bug', message: expect.stringMatching(/^Something went wrong/) })
    }
  })
})
