import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultAppSettings } from '../../../../src-main/core/gateway/apps/appSettings.ts'
import { Apps, openApps } from '../../../../src-main/core/gateway/apps/apps.ts'
import { databaseFile, openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { app as toolSchema } from '../../../../src-preload/contract/apps.ts'
import { colour } from '../../../../src-preload/contract/requests.ts'
import { freshFolder } from '../../helpers/core.ts'

let folder: string
let store: Store
let tools: Apps
beforeEach(() => {
  folder = freshFolder()
  store = openStore(folder)
  tools = new Apps(store)
})
afterEach(() => {
  tools.close()
  store.close()
  vi.useRealTimers()
})

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()
const refusedFor = (why: string, id: string) => ({ good: false, why, tool: expect.objectContaining({ id }) })
const unknown = { good: false, why: 'unknown', tool: null }

describe('a key', () => {
  it('has no limits and the next colour where nothing else was said', () => {
    const { tool, key } = tools.add({ name: '  an editor ' })
    expect(tool).toEqual({
      ...defaultAppSettings,
      id: expect.stringMatching(/^[a-f0-9]{10}$/),
      name: 'an editor',
      colour: 'blue',
      createdAt: expect.any(String),
      lastUsedAt: null,
      pausedAt: null,
      revokedAt: null,
    })
    expect(key).toMatch(/^isk_[a-f0-9]{10}_[A-Za-z0-9_-]{43}$/)
    expect(toolSchema.parse(tool)).toEqual(tool)
  })

  it('keeps every setting, in its one form', () => {
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
    } as const
    const { tool } = tools.add({ ...given, models: [...given.models], endpoints: [...given.endpoints] })
    const whole = {
      ...given,
      expiresAt,
      models: ['writer-large', 'writer-small'],
      endpoints: ['chat', 'models'],
      budgetDay: '2.5',
    }
    expect(tool).toMatchObject(whole)
    expect(tools.list()).toEqual([tool])
    const beside = openApps(folder)
    expect(beside.list()).toEqual([tool])
    beside.close()
  })

  it('gets the colour that the fewest keys in use have', () => {
    const made = colour.options.map((_, n) => tools.add({ name: `tool ${n}` }).tool)
    expect(made.map((tool) => tool.colour)).toEqual(colour.options)
    tools.revoke(made[3]?.id ?? '')
    expect(tools.add({ name: 'next' }).tool.colour).toBe(colour.options[3])
    tools.update(made[5]?.id ?? '', { colour: 'blue' })
    expect(tools.add({ name: 'after' }).tool.colour).toBe(colour.options[5])
  })

  it('is kept as a hash alone', () => {
    const { key } = tools.add({ name: 'one' })
    tools.close()
    store.close()
    expect(readFileSync(databaseFile(folder)).includes(key.slice(-43))).toBe(false)
    store = openStore(folder)
    tools = new Apps(store)
    expect(tools.verify(key).good).toBe(true)
  })

  it('opens nothing when anything of it differs', () => {
    const { tool, key } = tools.add({ name: 'one' })
    const other = tools.add({ name: 'two' })
    const wrongSecret = `isk_${tool.id}_${'A'.repeat(43)}`
    const swapped = `isk_${tool.id}_${other.key.slice(-43)}`
    const texts = ['', 'isk_', key.slice(0, -1), `${key}x`, ` ${key}`, wrongSecret, swapped, key.replace('isk_', 'sk_')]
    for (const text of texts) expect(tools.verify(text)).toEqual(unknown)
    expect(tools.verify(key)).toEqual({ good: true, tool })
  })

  it('that is not good tells so only to who has the right secret', () => {
    const { tool, key } = tools.add({ name: 'one' })
    const wrong = `isk_${tool.id}_${'A'.repeat(43)}`
    tools.pause(tool.id, true)
    expect([tools.verify(key), tools.verify(wrong)]).toEqual([refusedFor('paused', tool.id), unknown])
    tools.revoke(tool.id)
    expect([tools.verify(key), tools.verify(wrong)]).toEqual([refusedFor('revoked', tool.id), unknown])
  })

  it('is refused while it is paused, and good again after', () => {
    const { tool, key } = tools.add({ name: 'one' })
    const paused = tools.pause(tool.id, true)
    expect(paused.pausedAt).not.toBeNull()
    expect([tools.verify(key), tools.isGood(tool.id), tools.count()]).toEqual([refusedFor('paused', tool.id), false, 0])
    expect(tools.pause(tool.id, true)).toEqual(paused)
    expect(tools.pause(tool.id, false)).toEqual(tool)
    expect([tools.verify(key), tools.isGood(tool.id), tools.count()]).toEqual([{ good: true, tool }, true, 1])
  })

  it('expires by the clock at each request', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { tool, key } = tools.add({ name: 'one', expiresAt: inMs(1000) })
    vi.setSystemTime(Date.now() + 999)
    expect([tools.verify(key).good, tools.isGood(tool.id), tools.count()]).toEqual([true, true, 1])
    vi.setSystemTime(Date.now() + 1)
    expect([tools.verify(key), tools.isGood(tool.id), tools.count()]).toEqual([
      refusedFor('expired', tool.id),
      false,
      0,
    ])
    tools.pause(tool.id, true)
    expect(tools.verify(key)).toMatchObject({ why: 'expired' })
    tools.pause(tool.id, false)
    tools.update(tool.id, { expiresAt: null })
    expect(tools.verify(key).good).toBe(true)
  })

  it('stays revoked', () => {
    const { tool, key } = tools.add({ name: 'one' })
    const revoked = tools.revoke(tool.id)
    expect(tools.revoke(tool.id)).toEqual(revoked)
    for (const paused of [true, false])
      expect(() => tools.pause(tool.id, paused)).toThrow(expect.objectContaining({ kind: 'bad_input' }))
    expect(tools.pauseAll(true)).toEqual({ changed: 0 })
    tools.update(tool.id, { name: 'the old one' })
    expect(tools.verify(key)).toEqual({ good: false, why: 'revoked', tool: { ...revoked, name: 'the old one' } })
  })

  it('that is not there can be neither changed, paused nor revoked', () => {
    const gone = expect.objectContaining({ kind: 'no_such_item' })
    expect(() => tools.update('nobody', { name: 'x' })).toThrow(gone)
    expect(() => tools.pause('nobody', true)).toThrow(gone)
    expect(() => tools.revoke('nobody')).toThrow(gone)
    expect(() => tools.get('nobody')).toThrow(gone)
    expect(tools.isGood('nobody')).toBe(false)
  })
})

describe('changes', () => {
  it('touch what was named and nothing else', () => {
    const { tool } = tools.add({ name: 'one', budgetDay: '2', models: ['a'], failFast: true })
    expect(tools.update(tool.id, { budgetDay: '3', models: null })).toEqual({ ...tool, budgetDay: '3', models: null })
    expect(tools.update(tool.id, { name: undefined, retries: false })).toMatchObject({ name: 'one', retries: false })
  })

  it('hold for the very next look', () => {
    const { tool, key } = tools.add({ name: 'one' })
    expect(tools.verify(key).tool?.concurrent).toBeNull()
    tools.update(tool.id, { concurrent: 3 })
    expect(tools.verify(key).tool?.concurrent).toBe(3)
  })

  it('may leave an expiry that has passed as it is, and set no new one in the past', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { tool } = tools.add({ name: 'one', expiresAt: inMs(1000) })
    vi.setSystemTime(Date.now() + 5000)
    expect(tools.update(tool.id, { name: 'two', expiresAt: tool.expiresAt }).name).toBe('two')
    expect(() => tools.update(tool.id, { expiresAt: inMs(-1) })).toThrow(expect.objectContaining({ kind: 'bad_input' }))
  })

  it('that are refused change nothing at all', () => {
    const { tool } = tools.add({ name: 'one' })
    expect(() => tools.update(tool.id, { name: 'two', budgetDay: '1e3' })).toThrow()
    expect(tools.list()).toEqual([tool])
  })

  it('pause and resume all that is not revoked, and tell how many that was', () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => tools.add({ name }))
    tools.revoke(three?.tool.id ?? '')
    tools.pause(one?.tool.id ?? '', true)
    expect(tools.pauseAll(true)).toEqual({ changed: 1 })
    expect([one, two].map((made) => tools.verify(made?.key ?? '').good)).toEqual([false, false])
    expect(tools.pauseAll(false)).toEqual({ changed: 2 })
    expect([one, two, three].map((made) => tools.verify(made?.key ?? '').good)).toEqual([true, true, false])
  })
})

describe('words for what can’t be', () => {
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
    ['a budget below zero', { budgetDay: '-1' }, /below zero/],
    ['a budget in words', { budgetMonth: 'two' }, /digits/],
    ['a budget of ten digits behind the point', { budgetTotal: '0.0000000001' }, /nine digits/],
  ])('%s', (_, given, words) => {
    const bad = expect.objectContaining({ kind: 'bad_input', message: expect.stringMatching(words) })
    expect(() => tools.add({ name: 'one', ...given })).toThrow(bad)
    expect(tools.list()).toEqual([])
    const { tool } = tools.add({ name: 'one' })
    expect(() => tools.update(tool.id, given)).toThrow(bad)
  })
})

describe('the command line beside a running core', () => {
  it('is honoured within a moment, whatever it does', async () => {
    const beside = openApps(folder)
    /** Requests of one millisecond share a look. */
    const moment = () => new Promise((resolve) => setTimeout(resolve, 3))
    const { tool, key } = beside.add({ name: 'an editor' })
    await moment()
    expect(tools.verify(key)).toEqual({ good: true, tool })
    const limited = beside.update(tool.id, { budgetDay: '1' })
    await moment()
    expect(tools.verify(key)).toEqual({ good: true, tool: limited })
    beside.pause(tool.id, true)
    await moment()
    expect([tools.verify(key), tools.isGood(tool.id)]).toEqual([refusedFor('paused', tool.id), false])
    beside.pauseAll(false)
    await moment()
    expect(tools.verify(key).good).toBe(true)
    beside.revoke(tool.id)
    await moment()
    expect([tools.verify(key), tools.isGood(tool.id)]).toEqual([refusedFor('revoked', tool.id), false])
    beside.close()
  })

  it('is shown to who watches', async () => {
    const shown = tools.watch()
    expect((await shown.next()).value).toEqual([])
    const beside = openApps(folder)
    const { tool } = beside.add({ name: 'an editor' })
    expect((await shown.next()).value).toEqual([tool])
    beside.revoke(tool.id)
    expect((await shown.next()).value).toMatchObject([{ id: tool.id, revokedAt: expect.any(String) }])
    beside.close()
    await shown.return?.()
  })

  it('is told to who observes even when a request saw the change first', async () => {
    const { tool, key } = tools.add({ name: 'one' })
    const reported = new Promise<boolean>((resolve) => {
      tools.observe(() => resolve(tools.isGood(tool.id)))
    })
    const beside = openApps(folder)
    beside.pause(tool.id, true)
    beside.close()
    expect(tools.verify(key).good).toBe(false)
    expect(await reported).toBe(false)
  })
})

describe('an expiry', () => {
  it('is told when its time comes, also one that was set while somebody observed', async () => {
    const { tool } = tools.add({ name: 'one' })
    const later = tools.add({ name: 'two', expiresAt: inMs(3_600_000) })
    const { promise, resolve } = Promise.withResolvers<number>()
    const stop = tools.observe(() => {
      if (!tools.isGood(tool.id)) resolve(Date.now())
    })
    const expiresAt = inMs(1000)
    tools.update(tool.id, { expiresAt })
    expect(tools.isGood(tool.id)).toBe(true)
    expect(await promise).toBeGreaterThanOrEqual(Date.parse(expiresAt))
    expect(tools.isGood(later.tool.id)).toBe(true)
    stop()
  })

  it('is told once, and each of several', () => {
    vi.useFakeTimers()
    const soon = [1000, 1000, 40_000].map((ms) => tools.add({ name: `in ${ms}`, expiresAt: inMs(ms) }).tool.id)
    const reported: number[] = []
    const start = Date.now()
    const stop = tools.observe(() => reported.push(Date.now() - start))
    vi.advanceTimersByTime(100_000)
    expect(reported).toEqual([1000, 40_000])
    expect(soon.map(tools.isGood)).toEqual([false, false, false])
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('far away holds no timer longer than timers can be', () => {
    vi.useFakeTimers()
    const day = 86_400_000
    const { tool } = tools.add({ name: 'one', expiresAt: inMs(40 * day) })
    let reported = 0
    const stop = tools.observe(() => {
      reported += 1
    })
    vi.advanceTimersByTime(60_000)
    expect([reported, tools.isGood(tool.id)]).toEqual([0, true])
    vi.setSystemTime(Date.now() + 40 * day)
    vi.advanceTimersByTime(30_000)
    expect([reported, tools.isGood(tool.id)]).toEqual([1, false])
    stop()
  })
})

it('a use is noted once a minute, and forgets nothing at the end', () => {
  const { tool, key } = tools.add({ name: 'one' })
  tools.touch(tool.id)
  tools.touch(tool.id)
  expect(tools.verify(key).tool?.lastUsedAt).toBeNull()
  tools.close()
  expect(tools.verify(key).tool?.lastUsedAt).toEqual(expect.any(String))
  expect(tools.list()[0]).toEqual(tools.verify(key).tool)
})

it('reads the keys once and not before each request, whether an id is known or not', () => {
  const { tool, key } = tools.add({ name: 'one' })
  const all = vi.spyOn(store.toolKeys, 'all')
  const find = vi.spyOn(store.toolKeys, 'find')
  for (let n = 0; n < 100; n += 1) {
    tools.verify(key)
    tools.verify(key.replace(tool.id, `${n}`.padStart(10, 'f')))
    tools.isGood(tool.id)
  }
  expect([all.mock.calls.length, find.mock.calls.length]).toEqual([1, 0])
})
