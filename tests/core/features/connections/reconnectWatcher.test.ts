import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, connect as tcpConnect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asStudioError, StudioError } from '../../../../src-main/core/errors.ts'
import { connect, openStored, testIfOffline } from '../../../../src-main/core/features/connections/connect.ts'
import {
  type ReconnectBounds,
  ReconnectWatcher,
} from '../../../../src-main/core/features/connections/reconnectWatcher.ts'
import { Session } from '../../../../src-main/core/features/connections/session.ts'
import type { RequestLog, RequestNotice } from '../../../../src-main/core/ports/requests.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { Credential } from '../../../../src-main/core/upstream/credential.ts'
import { noRequestLog, openScheduler } from '../../../../src-main/core/upstream/sending/defaults.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { type Cut, cutBefore } from '../../../helpers/cut.ts'
import { freshFolder, memorySecrets } from '../../helpers/core.ts'

const closers = closeAfterEach()
afterEach(() => void vi.useRealTimers())

const quick: Partial<ReconnectBounds> = {
  firstMs: 30,
  mostMs: 200,
  leastMs: 0,
  patienceMs: 3000,
  answerMs: 1500,
  graceMs: 0,
}

interface World {
  session: Session
  cut: Cut
  /** Requests in the request log. */
  asked: RequestNotice[]
  /** Resolves with the first connection state from now on that fulfils the condition. */
  until(wished: (now: Connection) => boolean): Promise<Connection>
}

async function world(bounds = quick): Promise<World> {
  const service = await startSandbox()
  closers.push(() => service.close())
  const cut = await cutBefore(service.baseUrl)
  closers.push(() => cut.close())
  return { cut, ...(await sessionAt(cut.url, service.apiKey, bounds)) }
}

async function sessionAt(baseUrl: string, key: string, bounds = quick) {
  const store = openStore(freshFolder())
  const asked: RequestNotice[] = []
  const requestLog: RequestLog = {
    ...noRequestLog,
    open(notice) {
      asked.push(notice)
      return noRequestLog.open(notice)
    },
  }
  const session = new Session(
    store,
    memorySecrets(),
    { scheduler: openScheduler, requestLogOf: () => requestLog },
    bounds,
  )
  closers.push(async () => {
    await session.close()
    store.close()
  })
  const credential = Credential.fromText(key)
  await connect(session, { baseUrl, credential, allowInsecure: false, keyStorage: 'keychain' })
  return { session, asked, until: (wished: (now: Connection) => boolean) => until(session, wished) }
}

function until(session: Session, wished: (now: Connection) => boolean): Promise<Connection> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      if (!wished(session.connection)) return false
      stop()
      resolve(session.connection)
      return true
    }
    const stop = session.changes.add(look)
    look()
  })
}

/** A watcher without a client. `checks` is the number of its checks. */
function countingWatcher(bounds: Partial<ReconnectBounds> = {}) {
  let count = 0
  const watcher = new ReconnectWatcher({
    current: () => null,
    check: async () => {
      count += 1
    },
    report: () => undefined,
    changed: () => undefined,
    bounds,
  })
  return { watcher, checks: () => count }
}

const away = ({ state, offline }: Connection): boolean => state === 'failed' && Boolean(offline)
const there = ({ state, offline }: Connection): boolean => state === 'connected' && !offline

describe('the reconnect watcher', () => {
  it.each(['refuse', 'reset', 'swallow'] as const)(
    'notices through a request that the service is gone (%s), and on its own that it is back',
    async (mode) => {
      const { session, cut, until } = await world()
      expect(session.connection).toMatchObject({ state: 'connected', offline: null })
      await cut.set(mode)
      const upstream = await session.upstream()
      upstream.getUsage().catch(() => undefined)
      // A service that accepts a connection and resets it, or stays silent, is found by a request.
      if (mode !== 'refuse') void session.check()
      const { offline, problem } = await until(away)
      expect(problem?.kind).toMatch({ refuse: /^connect_failed/, reset: /^connect/, swallow: /^headers_timeout/ }[mode])
      expect(Date.parse(offline?.since ?? '')).toBeLessThanOrEqual(Date.now())
      const back: string[] = []
      session.returned.add(({ base }) => void back.push(base.url))
      await cut.set('open')
      await until(there)
      expect(back).toEqual([cut.url])
    },
  )

  it('checks without a request, so that hours without a network leave no rows in the log', async () => {
    const { session, cut, asked, until } = await world()
    await cut.set('refuse')
    await session.check()
    expect(session.connection.state).toBe('failed')
    const before = asked.length
    for (let looks = 0; looks < 5; looks += 1) await session.check({ quiet: true })
    expect(asked).toHaveLength(before)
    const { since } = (await until(away)).offline ?? {}
    await session.check({ quiet: true })
    // There was one outage.
    expect(session.connection.offline?.since).toBe(since)
  })

  it('a check that a listener of a result requests is a new one, and its result is shown', async () => {
    const { session, until } = await world()
    const again: Promise<void>[] = []
    const stop = session.changes.add(() => {
      if (session.connection.state !== 'connected') return
      stop()
      again.push(session.check())
    })
    await session.check()
    await Promise.all(again)
    expect(again).toHaveLength(1)
    expect((await until(there)).state).toBe('connected')
  })

  it('checks less and less often, at random intervals, up to a maximum', async () => {
    const { session, cut } = await world({ firstMs: 1000, mostMs: 8000, leastMs: 0 })
    await cut.set('refuse')
    const waits: number[] = []
    for (let looks = 0; looks < 6; looks += 1) {
      await session.check({ quiet: true })
      waits.push(Date.parse(session.connection.offline?.nextCheckAt ?? '') - Date.now())
    }
    for (const [index, wait] of waits.entries()) {
      const whole = Math.min(8000, 1000 * 2 ** index)
      expect(wait).toBeGreaterThan(whole * 0.8 - 100)
      expect(wait).toBeLessThanOrEqual(whole * 1.2)
    }
  })

  it('checks at once when a window is focused, and not at all while the service answers', async () => {
    const { session, cut, until } = await world({ ...quick, answerMs: 20_000, firstMs: 3_600_000, mostMs: 3_600_000 })
    const quiet = cut.taken()
    testIfOffline(session)
    await new Promise(setImmediate)
    expect(cut.taken()).toBe(quiet)
    await cut.set('refuse')
    await session.check()
    await cut.set('open')
    testIfOffline(session)
    await until(there)
  })

  it('remembers a hint that follows a check too soon, and checks as soon as allowed', async () => {
    const hours = { ...quick, firstMs: 3_600_000, mostMs: 3_600_000, answerMs: 20_000 }
    const { session, cut, until } = await world({ ...hours, leastMs: 300 })
    await cut.set('refuse')
    await session.check()
    const taken = cut.taken()
    await cut.set('open')
    testIfOffline(session)
    expect(Date.parse(session.connection.offline?.nextCheckAt ?? '') - Date.now()).toBeLessThanOrEqual(300)
    expect(cut.taken()).toBe(taken)
    await until(there)
  })

  it('checks once more after a hint during a check, which may have started before the network was back', {
    tags: 'long',
  }, async () => {
    const service = await startSandbox()
    closers.push(() => service.close())
    const sockets = new Set<Socket>()
    let deaf = false
    let unheard = 0
    const way = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      if (deaf) unheard += 1
      else {
        const beyond = tcpConnect(Number(new URL(service.baseUrl).port), '127.0.0.1')
        beyond.on('error', () => undefined)
        socket.pipe(beyond).pipe(socket)
      }
    })
    await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
    const letGo = (): void => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    }
    closers.push(async () => {
      letGo()
      way.close()
    })
    const { port } = way.address() as AddressInfo
    // After the check that the hint causes, there is none for an hour.
    const hours = { ...quick, firstMs: 3_600_000, mostMs: 3_600_000, answerMs: 2500 }
    const { session, until } = await sessionAt(`http://127.0.0.1:${port}`, service.apiKey, hours)
    deaf = true
    letGo()
    await session.check({ quiet: true })
    expect(away(session.connection)).toBe(true)

    const before = unheard
    testIfOffline(session)
    // It is connected and has sent its request, which is never answered, even when the network is open again.
    await expect.poll(() => unheard).toBe(before + 2)
    deaf = false
    testIfOffline(session)
    await until(there)
  })

  it('waits at most a day, whatever Retry-After says, and does not check at once', async () => {
    const { watcher, checks } = countingWatcher()
    const retryAfterMs = 40 * 86_400_000
    watcher.checked({
      ...new StudioError('unavailable', 'Later.', { retryAfterMs }).toProblem(),
      kind: 'connect_failed',
    })
    const next = Date.parse(watcher.offline?.nextCheckAt ?? '') - Date.now()
    expect(next).toBeGreaterThan(86_000_000)
    expect(next).toBeLessThanOrEqual(86_400_000)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(checks()).toBe(0)
    watcher.reset()
  })

  it('plans the check again if its timer fires too early, as timers may by a millisecond, or by more after the clock was set back', async () => {
    for (const earlyMs of [1, 900]) {
      vi.useFakeTimers({ now: Date.UTC(2026, 10, 1), toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      const { watcher, checks } = countingWatcher({ firstMs: 3_600_000, mostMs: 3_600_000, leastMs: 1000 })
      watcher.checked({ ...new StudioError('unavailable', 'Later.').toProblem(), kind: 'connect_failed' })
      await watcher.checkNow()
      vi.setSystemTime(Date.now() - earlyMs)
      await vi.advanceTimersByTimeAsync(1000)
      expect(checks()).toBe(0)
      await vi.advanceTimersByTimeAsync(earlyMs)
      expect(checks()).toBe(1)
      watcher.reset()
      vi.useRealTimers()
    }
  })

  it('treats a successful reply to any request as the return of the service', async () => {
    const { session, cut, until } = await world({
      ...quick,
      answerMs: 20_000,
      firstMs: 3_600_000,
      mostMs: 3_600_000,
      graceMs: 3_600_000,
    })
    await cut.set('refuse')
    await session.check()
    expect(away(session.connection)).toBe(true)
    await cut.set('open')
    await (await session.upstream()).getCurrentKey()
    expect(there(await until(there))).toBe(true)
  })

  it('checks for a request of a person, and refuses it at once if the service is unreachable', async () => {
    const { session, cut, asked } = await world({ ...quick, answerMs: 20_000, firstMs: 3_600_000, mostMs: 3_600_000 })
    await cut.set('refuse')
    await session.check()
    const upstream = await session.upstream()
    const before = performance.now()
    const refused = upstream.createImage({ prompt: 'A fox' }, { feature: 'images' })
    await expect(refused).rejects.toMatchObject({ kind: 'connect_failed', facts: { unsent: true } })
    // Without retries and their pauses.
    expect(performance.now() - before).toBeLessThan(2000)
    const rows = asked.length
    // Requests of the program itself retry later, and leave no row for a request that was never sent.
    await expect(upstream.getUsage()).rejects.toMatchObject({ kind: 'connect_failed' })
    expect(asked).toHaveLength(rows)
    await cut.set('open')
    expect((await upstream.createImage({ prompt: 'A fox' }, { feature: 'images' })).value).toHaveLength(1)
    expect(session.connection.state).toBe('connected')
  })

  it('reports that a request was sent once, even if the last attempt found the service unreachable', async () => {
    const { session, cut } = await world({ ...quick, graceMs: 3_600_000 })
    await cut.set('swallow')
    const upstream = await session.upstream()
    const failed = upstream.createImage(
      { prompt: 'A fox' },
      {
        onWait: (wait) => {
          if (wait.for === 'reply') void cut.set('refuse')
        },
      },
    )
    const { kind, facts } = await failed.then(
      () => expect.unreachable(),
      (thrown: unknown) => asStudioError(thrown),
    )
    expect(kind).toBe('connect_failed')
    expect(facts).not.toHaveProperty('unsent')
  })

  it('does not retry failures that a person must fix', async () => {
    const refusing = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"No."}}')
    })
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    closers.push(() => new Promise((resolve) => refusing.close(resolve)))
    const { session, cut } = await world()
    const { port } = refusing.address() as AddressInfo
    session.store.profiles.saveActive({
      ...(session.connection.profile ?? expect.unreachable()),
      baseUrl: `http://127.0.0.1:${port}`,
      allowInsecure: false,
    })
    await openStored(session)
    await session.check()
    expect(session.connection).toMatchObject({ state: 'failed', offline: null, problem: { kind: 'unauthorized' } })
    const taken = cut.taken()
    await session.reconnect.checkNow()
    expect(cut.taken()).toBe(taken)
  })

  it('starts with an unknown host name, and reports it within seconds', async () => {
    const { session, until } = await world()
    session.store.profiles.saveActive({
      ...(session.connection.profile ?? expect.unreachable()),
      baseUrl: 'http://nowhere.invalid',
      allowInsecure: true,
    })
    const before = performance.now()
    await openStored(session)
    void session.check()
    expect((await until(away)).problem?.kind).toMatch(/^connect_/)
    expect(performance.now() - before).toBeLessThan(5000)
  })
})
