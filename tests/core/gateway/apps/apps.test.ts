import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultAppSettings } from '../../../../src-main/core/gateway/apps/appSettings.ts'
import { Apps, openApps } from '../../../../src-main/core/gateway/apps/apps.ts'
import { databaseFile, openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { type App, app as appSchema } from '../../../../src-preload/contract/apps.ts'
import { colour } from '../../../../src-preload/contract/requests.ts'
import { freshFolder } from '../../helpers/core.ts'

let folder: string
let store: Store
let apps: Apps
beforeEach(() => {
  folder = freshFolder()
  store = openStore(folder)
  apps = new Apps(store)
})
afterEach(() => {
  apps.close()
  store.close()
  vi.useRealTimers()
})

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()
const refusedFor = (why: string, id: string) => ({ good: false, why, app: expect.objectContaining({ id }) })
const valid = (app: App) => ({ good: true, app, keyHash: expect.any(Uint8Array) })
const unknown = { good: false, why: 'unknown', app: null }

describe('a key', () => {
  it('has no limits and the next colour by default', () => {
    const { app, key } = apps.add({ name: '  an editor ' })
    expect(app).toEqual({
      ...defaultAppSettings,
      id: expect.stringMatching(/^[a-f0-9]{10}$/),
      name: 'an editor',
      colour: 'blue',
      createdAt: expect.any(String),
      lastUsedAt: null,
      pausedAt: null,
      revokedAt: null,
      previousKeyUntil: null,
    })
    expect(key).toMatch(/^isk_[a-f0-9]{10}_[A-Za-z0-9_-]{43}$/)
    expect(appSchema.parse(app)).toEqual(app)
  })

  it('stores every setting normalized', () => {
    const expiresAt = inMs(60_000)
    const given = {
      name: 'agent',
      colour: 'rose',
      expiresAt: expiresAt.replace('Z', '+00:00'),
      models: ['writer-large', ' writer-small ', 'writer-large'],
      endpoints: ['chat', 'models', 'chat'],
      requestsPerMinute: 60,
      tokensPerMinute: 100_000,
      concurrent: 4,
      budgetDay: '2.50',
      budgetMonth: '0.000000001',
      budgetTotal: '0',
      logBodies: true,
      retries: false,
      failFast: true,
      adaptRequests: false,
    } as const
    const { app } = apps.add({ ...given, models: [...given.models], endpoints: [...given.endpoints] })
    const whole = {
      ...given,
      expiresAt,
      models: ['writer-large', 'writer-small'],
      endpoints: ['chat', 'models'],
      budgetDay: '2.5',
    }
    expect(app).toMatchObject(whole)
    expect(apps.list()).toEqual([app])
    const beside = openApps(folder)
    expect(beside.list()).toEqual([app])
    beside.close()
  })

  it('gets the colour that the fewest apps in use have', () => {
    const made = colour.options.map((_, n) => apps.add({ name: `app ${n}` }).app)
    expect(made.map((app) => app.colour)).toEqual(colour.options)
    apps.revoke(made[3]?.id ?? '')
    expect(apps.add({ name: 'next' }).app.colour).toBe(colour.options[3])
    apps.update(made[5]?.id ?? '', { colour: 'blue' })
    expect(apps.add({ name: 'after' }).app.colour).toBe(colour.options[5])
  })

  it('is stored only as a hash', () => {
    const { key } = apps.add({ name: 'one' })
    apps.close()
    store.close()
    expect(readFileSync(databaseFile(folder)).includes(key.slice(-43))).toBe(false)
    store = openStore(folder)
    apps = new Apps(store)
    expect(apps.verify(key).good).toBe(true)
  })

  it('is refused when any character differs', () => {
    const { app, key } = apps.add({ name: 'one' })
    const other = apps.add({ name: 'two' })
    const wrongSecret = `isk_${app.id}_${'A'.repeat(43)}`
    const swapped = `isk_${app.id}_${other.key.slice(-43)}`
    const texts = ['', 'isk_', key.slice(0, -1), `${key}x`, ` ${key}`, wrongSecret, swapped, key.replace('isk_', 'sk_')]
    for (const text of texts) expect(apps.verify(text)).toEqual(unknown)
    expect(apps.verify(key)).toMatchObject({ good: true, app })
  })

  it('that is not valid says why only for the right secret', () => {
    const { app, key } = apps.add({ name: 'one' })
    const wrong = `isk_${app.id}_${'A'.repeat(43)}`
    apps.pause(app.id, true)
    expect([apps.verify(key), apps.verify(wrong)]).toEqual([refusedFor('paused', app.id), unknown])
    apps.revoke(app.id)
    expect([apps.verify(key), apps.verify(wrong)]).toEqual([refusedFor('revoked', app.id), unknown])
  })

  it('is refused while paused and valid again afterwards', () => {
    const { app, key } = apps.add({ name: 'one' })
    const paused = apps.pause(app.id, true)
    expect(paused.pausedAt).not.toBeNull()
    expect([apps.verify(key), apps.isValid(app.id), apps.count()]).toEqual([refusedFor('paused', app.id), false, 0])
    expect(apps.pause(app.id, true)).toEqual(paused)
    expect(apps.pause(app.id, false)).toEqual(app)
    expect([apps.verify(key), apps.isValid(app.id), apps.count()]).toEqual([valid(app), true, 1])
  })

  it('expires at its instant, checked for each request', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { app, key } = apps.add({ name: 'one', expiresAt: inMs(1000) })
    vi.setSystemTime(Date.now() + 999)
    expect([apps.verify(key).good, apps.isValid(app.id), apps.count()]).toEqual([true, true, 1])
    vi.setSystemTime(Date.now() + 1)
    expect([apps.verify(key), apps.isValid(app.id), apps.count()]).toEqual([refusedFor('expired', app.id), false, 0])
    apps.pause(app.id, true)
    expect(apps.verify(key)).toMatchObject({ why: 'expired' })
    apps.pause(app.id, false)
    apps.update(app.id, { expiresAt: null })
    expect(apps.verify(key).good).toBe(true)
  })

  it('stays revoked', () => {
    const { app, key } = apps.add({ name: 'one' })
    const revoked = apps.revoke(app.id)
    expect(apps.revoke(app.id)).toEqual(revoked)
    for (const paused of [true, false])
      expect(() => apps.pause(app.id, paused)).toThrow(expect.objectContaining({ kind: 'bad_input' }))
    expect(apps.pauseAll(true)).toEqual({ changed: 0 })
    apps.update(app.id, { name: 'the old one' })
    expect(apps.verify(key)).toEqual({ good: false, why: 'revoked', app: { ...revoked, name: 'the old one' } })
  })

  it('that does not exist can’t be changed, paused or revoked', () => {
    const gone = expect.objectContaining({ kind: 'no_such_item' })
    expect(() => apps.update('nobody', { name: 'x' })).toThrow(gone)
    expect(() => apps.pause('nobody', true)).toThrow(gone)
    expect(() => apps.revoke('nobody')).toThrow(gone)
    expect(() => apps.get('nobody')).toThrow(gone)
    expect(apps.isValid('nobody')).toBe(false)
  })
})

describe('changes', () => {
  it('affect only the named settings', () => {
    const { app } = apps.add({ name: 'one', budgetDay: '2', models: ['a'], failFast: true })
    expect(apps.update(app.id, { budgetDay: '3', models: null })).toEqual({ ...app, budgetDay: '3', models: null })
    expect(apps.update(app.id, { name: undefined, retries: false })).toMatchObject({ name: 'one', retries: false })
  })

  it('apply to the very next check', () => {
    const { app, key } = apps.add({ name: 'one' })
    expect(apps.verify(key).app?.concurrent).toBeNull()
    apps.update(app.id, { concurrent: 3 })
    expect(apps.verify(key).app?.concurrent).toBe(3)
  })

  it('may keep an expiry in the past but not set one', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { app } = apps.add({ name: 'one', expiresAt: inMs(1000) })
    vi.setSystemTime(Date.now() + 5000)
    expect(apps.update(app.id, { name: 'two', expiresAt: app.expiresAt }).name).toBe('two')
    expect(() => apps.update(app.id, { expiresAt: inMs(-1) })).toThrow(expect.objectContaining({ kind: 'bad_input' }))
  })

  it('that are refused change nothing', () => {
    const { app } = apps.add({ name: 'one' })
    expect(() => apps.update(app.id, { name: 'two', budgetDay: '1e3' })).toThrow()
    expect(apps.list()).toEqual([app])
  })

  it('pause and resume every app that is not revoked, and return how many changed', () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => apps.add({ name }))
    apps.revoke(three?.app.id ?? '')
    apps.pause(one?.app.id ?? '', true)
    expect(apps.pauseAll(true)).toEqual({ changed: 1 })
    expect([one, two].map((made) => apps.verify(made?.key ?? '').good)).toEqual([false, false])
    expect(apps.pauseAll(false)).toEqual({ changed: 2 })
    expect([one, two, three].map((made) => apps.verify(made?.key ?? '').good)).toEqual([true, true, false])
  })
})

describe('messages for invalid settings', () => {
  it.each([
    ['an empty name', { name: ' ' }, /name/],
    ['a long name', { name: 'x'.repeat(81) }, /80/],
    ['a name of two lines', { name: 'a\nb' }, /one line/],
    ['a colour of nobody’s', { colour: 'pink' as 'blue' }, /pink.*blue/],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, /past/],
    ['an expiry without an offset', { expiresAt: '2030-01-01T00:00:00' }, /instant/],
    ['a day that is none', { expiresAt: '2030-02-30T25:00:00Z' }, /instant/],
    ['no model', { models: [] }, /at least one model/],
    ['an empty model', { models: ['a', ' '] }, /model/],
    ['too many models', { models: Array.from({ length: 501 }, (_, n) => `m${n}`) }, /500/],
    ['no endpoint', { endpoints: [] }, /at least one endpoint/],
    ['an endpoint of nobody’s', { endpoints: ['video' as 'chat'] }, /video.*chat/],
    ['no request a minute', { requestsPerMinute: 0 }, /requests a minute/],
    ['half a token', { tokensPerMinute: 0.5 }, /tokens a minute/],
    ['too many at once', { concurrent: 1_000_000_001 }, /at once/],
    ['a budget below zero', { budgetDay: '-1' }, /negative/],
    ['a budget in words', { budgetMonth: 'two' }, /digits/],
    ['a budget of ten digits behind the point', { budgetTotal: '0.0000000001' }, /nine digits/],
  ])('%s', (_, given, words) => {
    const bad = expect.objectContaining({ kind: 'bad_input', message: expect.stringMatching(words) })
    expect(() => apps.add({ name: 'one', ...given })).toThrow(bad)
    expect(apps.list()).toEqual([])
    const { app } = apps.add({ name: 'one' })
    expect(() => apps.update(app.id, given)).toThrow(bad)
  })
})

describe('the command line while a core runs', () => {
  it('applies each change within a moment', async () => {
    const beside = openApps(folder)
    /** Waits until the cache checks the database again, which it does at most once a millisecond. */
    const moment = () => new Promise((resolve) => setTimeout(resolve, 3))
    const { app, key } = beside.add({ name: 'an editor' })
    await moment()
    expect(apps.verify(key)).toMatchObject({ good: true, app })
    const limited = beside.update(app.id, { budgetDay: '1' })
    await moment()
    expect(apps.verify(key)).toMatchObject({ good: true, app: limited })
    beside.pause(app.id, true)
    await moment()
    expect([apps.verify(key), apps.isValid(app.id)]).toEqual([refusedFor('paused', app.id), false])
    beside.pauseAll(false)
    await moment()
    expect(apps.verify(key).good).toBe(true)
    beside.revoke(app.id)
    await moment()
    expect([apps.verify(key), apps.isValid(app.id)]).toEqual([refusedFor('revoked', app.id), false])
    beside.close()
  })

  it('sends its changes to watchers', async () => {
    const shown = apps.watch()
    expect((await shown.next()).value).toEqual([])
    const beside = openApps(folder)
    const { app } = beside.add({ name: 'an editor' })
    expect((await shown.next()).value).toEqual([app])
    beside.revoke(app.id)
    expect((await shown.next()).value).toMatchObject([{ id: app.id, revokedAt: expect.any(String) }])
    beside.close()
    await shown.return?.()
  })

  it('notifies observers even when a request saw the change first', async () => {
    const { app, key } = apps.add({ name: 'one' })
    const seenByObserver = new Promise<boolean>((resolve) => {
      apps.observe(() => resolve(apps.isValid(app.id)))
    })
    const beside = openApps(folder)
    beside.pause(app.id, true)
    beside.close()
    expect(apps.verify(key).good).toBe(false)
    expect(await seenByObserver).toBe(false)
  })
})

describe('an expiry', () => {
  it('is announced at its instant, also one that was set while observed', async () => {
    const { app } = apps.add({ name: 'one' })
    const later = apps.add({ name: 'two', expiresAt: inMs(3_600_000) })
    const { promise, resolve } = Promise.withResolvers<number>()
    const stop = apps.observe(() => {
      if (!apps.isValid(app.id)) resolve(Date.now())
    })
    const expiresAt = inMs(1000)
    apps.update(app.id, { expiresAt })
    expect(apps.isValid(app.id)).toBe(true)
    expect(await promise).toBeGreaterThanOrEqual(Date.parse(expiresAt))
    expect(apps.isValid(later.app.id)).toBe(true)
    stop()
  })

  it('is announced once, and several ones each', () => {
    vi.useFakeTimers()
    const soon = [1000, 1000, 40_000].map((ms, at) => apps.add({ name: `app ${at}`, expiresAt: inMs(ms) }).app.id)
    const times: number[] = []
    const start = Date.now()
    const stop = apps.observe(() => times.push(Date.now() - start))
    vi.advanceTimersByTime(100_000)
    expect(times).toEqual([1000, 40_000])
    expect(soon.map((id) => apps.isValid(id))).toEqual([false, false, false])
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('in the far future does not overflow the timer', () => {
    vi.useFakeTimers()
    const day = 86_400_000
    const { app } = apps.add({ name: 'one', expiresAt: inMs(40 * day) })
    let calls = 0
    const stop = apps.observe(() => {
      calls += 1
    })
    vi.advanceTimersByTime(60_000)
    expect([calls, apps.isValid(app.id)]).toEqual([0, true])
    vi.setSystemTime(Date.now() + 40 * day)
    vi.advanceTimersByTime(30_000)
    expect([calls, apps.isValid(app.id)]).toEqual([1, false])
    stop()
  })
})

describe('a rotated key', () => {
  const hours = 3_600_000

  it('stops at once, and the new one belongs to the same app', () => {
    const { app, key } = apps.add({ name: 'one', budgetDay: '2' })
    const used = apps.verify(key)
    const next = apps.rotate(app.id, 0)
    expect(next.key).toMatch(new RegExp(`^isk_${app.id}_`))
    expect(apps.verify(next.key)).toEqual(valid(next.app))
    expect(next.app).toEqual({ ...app, previousKeyUntil: expect.any(String) })
    expect(apps.verify(key)).toEqual(refusedFor('replaced', app.id))
    // Requests with the old key are cut, and requests with the new key are not.
    expect(used.good && apps.isValid(app.id, used.keyHash)).toBe(false)
    const now = apps.verify(next.key)
    expect(now.good && apps.isValid(app.id, now.keyHash)).toBe(true)
  })

  it.each([1, 24] as const)('works for %s h more, to the instant', (graceHours) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { app, key } = apps.add({ name: 'one' })
    const next = apps.rotate(app.id, graceHours)
    vi.setSystemTime(Date.now() + graceHours * hours - 1)
    expect(apps.verify(key)).toEqual(valid(next.app))
    const used = apps.verify(key)
    expect(used.good && apps.isValid(app.id, used.keyHash)).toBe(true)
    vi.setSystemTime(Date.now() + 1)
    expect(apps.verify(key)).toEqual(refusedFor('replaced', app.id))
    expect(used.good && apps.isValid(app.id, used.keyHash)).toBe(false)
    expect(apps.verify(next.key)).toEqual(valid(next.app))
  })

  it('is announced when its grace ends, so that its running requests are cut', { tags: 'long' }, () => {
    vi.useFakeTimers()
    const { app } = apps.add({ name: 'one' })
    apps.rotate(app.id, 1)
    const times: number[] = []
    const start = Date.now()
    const stop = apps.observe(() => times.push(Date.now() - start))
    vi.advanceTimersByTime(2 * hours)
    expect(times).toEqual([hours])
    stop()
  })

  it('of an earlier rotation stops at once with the next one', () => {
    const { app, key } = apps.add({ name: 'one' })
    const second = apps.rotate(app.id, 24)
    const third = apps.rotate(app.id, 24)
    expect([key, second.key, third.key].map((each) => apps.verify(each))).toEqual([
      unknown,
      valid(third.app),
      valid(third.app),
    ])
  })

  it('says that the app is paused, expired or revoked first, whichever key is used', () => {
    const { app, key } = apps.add({ name: 'one' })
    const next = apps.rotate(app.id, 24)
    apps.pause(app.id, true)
    expect([key, next.key].map((each) => apps.verify(each))).toEqual([
      refusedFor('paused', app.id),
      refusedFor('paused', app.id),
    ])
    apps.revoke(app.id)
    expect([key, next.key].map((each) => apps.verify(each))).toEqual([
      refusedFor('revoked', app.id),
      refusedFor('revoked', app.id),
    ])
    expect(() => apps.rotate(app.id, 0)).toThrow(expect.objectContaining({ kind: 'bad_input' }))
    expect(() => apps.rotate('nobody', 0)).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
  })

  it('survives a restart with its grace, and neither key is stored', () => {
    const { app, key } = apps.add({ name: 'one' })
    const next = apps.rotate(app.id, 1)
    apps.close()
    store.close()
    const file = readFileSync(databaseFile(folder))
    expect([key, next.key].map((each) => file.includes(each.slice(-43)))).toEqual([false, false])
    store = openStore(folder)
    apps = new Apps(store)
    expect([key, next.key].map((each) => apps.verify(each).good)).toEqual([true, true])
  })
})

it('a use is stored once a minute, and closing stores the last one', () => {
  const { app, key } = apps.add({ name: 'one' })
  apps.touch(app.id)
  apps.touch(app.id)
  expect(apps.verify(key).app?.lastUsedAt).toBeNull()
  apps.close()
  expect(apps.verify(key).app?.lastUsedAt).toEqual(expect.any(String))
  expect(apps.list()[0]).toEqual(apps.verify(key).app)
})

it('the apps are read once and not for each request, for known and unknown ids', () => {
  const { app, key } = apps.add({ name: 'one' })
  const all = vi.spyOn(store.appKeys, 'all')
  const find = vi.spyOn(store.appKeys, 'find')
  for (let n = 0; n < 100; n += 1) {
    apps.verify(key)
    apps.verify(key.replace(app.id, `${n}`.padStart(10, 'f')))
    apps.isValid(app.id)
  }
  expect([all.mock.calls.length, find.mock.calls.length]).toEqual([1, 0])
})
