import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { problemOf } from '../../../src-renderer/api/problem.ts'
import { subscribe } from '../../../src-renderer/api/watch.ts'
import type { LinkStatus } from '../../../src-renderer/stores/app.ts'
import { openPage } from '../../hosts/node/fixtures/page.ts'
import { type Site, startSite } from '../../hosts/node/fixtures/web.ts'

// Runs the page's side of the connection against the real web host. Node has the same WebSocket API as a browser.

let site: Site | null
let page: ReturnType<typeof openPage>
let states: LinkStatus[]

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
const reached = (state: LinkStatus) =>
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
  it('reconnects automatically after the program restarts: connecting, open, lost, open', async () => {
    await opened()
    await stopSite()
    await reached('lost')
    site = await startSite()
    await opened()
    expect(states).toEqual(['connecting', 'open', 'lost', 'open'])
    expect(await page.client.app.updateSettings({ theme: 'dark' })).toMatchObject({ theme: 'dark' })
  })

  it('becomes unauthorized when the web host no longer accepts the page, and stays unauthorized', async () => {
    await opened()
    page.close()
    await reached('unauthorized')
    expect(states).toEqual(['connecting', 'open', 'lost', 'unauthorized'])
    expect(await problemFrom(page.client.app.updateSettings({}))).toMatchObject({ kind: 'connection_lost' })
  })

  it('does not open with a wrong token', async () => {
    const stranger = openPage(() => `${new URL(site?.server.url ?? '').origin}/#token=wrong`)
    await new Promise<void>((resolve) => stranger.link.subscribe(resolve))
    expect(stranger.link.get()).toBe('unauthorized')
    expect(site?.seen.calls).toEqual([])
  })

  it('delays a first call until the link is open, and fails a call at once while the link is lost', async () => {
    expect(page.link.get()).toBe('connecting')
    expect(await page.client.app.updateSettings({ theme: 'light' })).toMatchObject({ theme: 'light' })
    await stopSite()
    await reached('lost')
    expect(await problemFrom(page.client.app.updateSettings({ theme: 'dark' }))).toMatchObject({
      kind: 'connection_lost',
    })
    site = await startSite()
    await opened()
    // The call that failed is not sent later either.
    expect(site.seen.calls).toEqual([])
  })

  it('stops waiting when the signal aborts', async () => {
    const leaving = new AbortController()
    const waiting = page.client.app.updateSettings({}, { signal: leaving.signal })
    leaving.abort()
    expect(await problemFrom(waiting)).toMatchObject({ kind: 'cancelled' })
    await expect(page.link.opened(AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  })
})

describe('a subscription', () => {
  it('gets a new snapshot after the program restarted, and ends when it is stopped', async () => {
    const folders: string[] = []
    const refusals: unknown[] = []
    const next = () => new Promise<void>((resolve) => listeners.add(resolve))
    const listeners = new Set<() => void>()
    const first = next()
    const stop = subscribe(
      page.client,
      (signal) => page.client.app.watch(undefined, { signal }),
      ({ dataDir }) => {
        folders.push(dataDir)
        for (const resolve of listeners) resolve()
      },
      (thrown) => refusals.push(thrown),
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
    expect(refusals).toEqual([])
  })

  it('asks again after each refusal by the core, over the same link', async () => {
    let calls = 0
    const kinds: string[] = []
    const stop = subscribe(
      page.client,
      (signal) => {
        calls += 1
        return page.client.chat.watchList(undefined, { signal })
      },
      () => undefined,
      (thrown) => kinds.push(problemOf(thrown).kind),
    )
    await expect.poll(() => kinds).toEqual(['bug', 'bug'])
    stop()
    expect(calls).toBe(2)
    expect(page.link.get()).toBe('open')
  })
})

describe('a connection that ends while streams run', () => {
  it('leaves no unhandled rejection, whether a subscription stops before or after the loss', async () => {
    const unhandled: unknown[] = []
    const note = (thrown: unknown) => unhandled.push(thrown)
    process.on('unhandledRejection', note)
    const stops: (() => void)[] = []
    for (let watcher = 0; watcher < 8; watcher += 1) {
      const first = Promise.withResolvers<void>()
      const open = (signal: AbortSignal) => page.client.app.watch(undefined, { signal })
      stops.push(subscribe(page.client, open, () => first.resolve(), first.reject))
      await first.promise
    }
    // Four subscriptions stop while the socket closes, the others afterwards.
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
  it('returns the whole problem that a procedure failed with', async () => {
    expect(await problemFrom(page.client.models.list({}))).toEqual({
      kind: 'rate_limited',
      message: 'Wait a little.',
      retryAfterMs: 1500,
    })
  })

  it('returns bad_input for input that the contract refuses', async () => {
    expect(await problemFrom(page.client.app.updateSettings({ proxyPort: -1 }))).toMatchObject({ kind: 'bad_input' })
  })

  it('returns connection_lost when the connection ends during a call', async () => {
    await opened()
    const call = problemFrom(page.client.connection.disconnect())
    await stopSite()
    expect(await call).toMatchObject({ kind: 'connection_lost' })
  })

  it('returns a bug with the same first words for anything else', () => {
    for (const thrown of [new Error('odd'), 'odd', null, undefined, { a: 1 }]) {
      expect(problemOf(thrown)).toMatchObject({ kind: 'bug', message: expect.stringMatching(/^Something went wrong/) })
    }
  })
})
