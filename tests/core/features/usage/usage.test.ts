import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { UsageFeatureOptions } from '../../../../src-main/core/features/usage/dependencies.ts'
import { createUsage } from '../../../../src-main/core/features/usage/usage.ts'
import type { RequestLog as Log } from '../../../../src-main/core/ports/requests.ts'
import { noRequestLog } from '../../../../src-main/core/upstream/sending/defaults.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { AccountKey } from '../../../../src-preload/contract/account.ts'
import { sandboxAddress } from '../../../../src-preload/contract/usage.ts'
import { client, openAccount, parts, placeAt } from './helpers.ts'

function open(given: Partial<UsageFeatureOptions> = {}) {
  const all = parts(given)
  const feature = createUsage({ ...all, ...given })
  onTestFinished(() => feature.close())
  return { feature, ...all }
}

/** A service that answers each path in this way and records the requested paths. */
async function service(answer: (path: string) => { status?: number; body: string; type?: string }) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const { status = 200, body, type = 'application/json' } = answer(path)
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, server }
}

async function sandbox(options: Parameters<typeof startSandbox>[0] = {}) {
  const started = await startSandbox(options)
  onTestFinished(() => started.close().catch(() => undefined))
  return started
}

const none = { limit: null, used: null, remaining: null }
const limitsAt = (asOf: string) => ({
  asOf,
  minute: { ...none, limit: 5 },
  freeRequestsHour: none,
  freeRequestsDay: none,
  freeTokensHour: none,
  freeTokensDay: none,
  resetSeconds: 3,
  banned: false,
  bannedUntil: null,
})

describe('the account of a connection', () => {
  it('has its days, balance and keys, the calling key first and revoked keys marked [KEY-01] [KEY-02] [KEY-03] [KEY-04] [USE-01]', async () => {
    const { url, key, keys } = await sandbox().then((one) => ({ url: one.baseUrl, key: one.apiKey, keys: one.keys }))
    const learned: string[] = []
    const { feature, local } = open({ learn: (_, { baseUrl }) => void learned.push(baseUrl) })
    feature.follow(client(url, key), placeAt(url, 'Mine'))
    expect(feature.list()).toMatchObject([
      { name: 'Mine', active: true, offers: 'unknown', fetching: true, balance: null },
    ])
    const account = await feature.refresh()
    expect(account).toMatchObject({ offers: 'yes', active: true, problem: null, balance: { value: '250' } })
    expect(account.userId).toMatch(/^[\da-f-]{36}$/)
    expect(local.reported).toContain(account.id)
    expect(learned).toContain(url)
    await feature.refreshKeys()
    const list = feature.reading.keys({ accountId: account.id })
    expect(list.map(({ name }) => name)).toContain('Old laptop')
    expect(list[0]).toMatchObject({ name: 'Everyday', calling: true, gone: false, revokedAt: null })
    expect(list.find(({ name }) => name === 'Five a minute')).toMatchObject({ rpm: 5, tpm: null, calling: false })
    expect(list.at(-1)).toMatchObject({ name: 'Old laptop', totals: { tokensCached: null } })
    expect(list.at(-1)?.revokedAt).toMatch(/Z$/)
    expect(list.every(({ totals }) => totals !== null)).toBe(true)
    // A key of another account is not fetched.
    expect(JSON.stringify(list)).not.toContain(keys.stranger.slice(0, 12))
    const daily = feature.reading.view({
      accountId: account.id,
      from: '2000-01-01',
      to: '2099-01-01',
      grain: 'month',
      by: 'key',
      source: 'service',
      search: '',
    })
    const models = feature.reading.view({ ...daily.query, by: 'model' })
    // The keys of the account together used as much as the account.
    expect(daily.total).toMatchObject({ requests: models.total.requests, cost: models.total.cost })
  })

  it('reuses a reply for ten seconds and fetches again after that', async () => {
    let now = Date.now()
    const { baseUrl, apiKey, observe } = await sandbox()
    const { feature } = open({ now: () => now })
    const asked = (): number => observe.requests().filter(({ path }) => path === '/v1/usage').length
    feature.follow(client(baseUrl, apiKey), placeAt(baseUrl))
    await feature.refresh()
    await feature.refresh()
    expect(asked()).toBe(1)
    now += 10_000
    await feature.refresh()
    expect(asked()).toBe(2)
    // The calling key stays the same over a connection.
    expect(observe.requests().filter(({ path }) => path === '/v1/keys/current')).toHaveLength(1)
  })

  it('is fetched when the day has changed and after use, but not otherwise; undated rows are logged', async () => {
    let now = Date.parse('2026-11-20T22:00:00Z')
    let requests = 0
    const usage = { usage: [{ date: 'soon', model: 'm', requests: 1, cost_sc: 1 }], balance: 7, total_spent: 1 }
    const { url, asked } = await service((path) => ({
      body: JSON.stringify(path === '/v1/usage' ? usage : { id: 'k', user_id: 'u' }),
    }))
    const counted: Log = {
      ...noRequestLog,
      open(notice) {
        requests += 1
        return noRequestLog.open(notice)
      },
    }
    const lines: string[] = []
    const { feature, accountStore } = open({
      now: () => now,
      requests: () => requests,
      log: (_, line) => void lines.push(line),
    })
    const fetches = (): number => asked.filter((path) => path === '/v1/usage').length
    feature.follow(client(url, 'sk-somebody-new', counted), placeAt(url))
    const { id } = await feature.refresh()
    const steps = [
      { at: '2026-11-20T22:16:00Z', requestsBefore: 0, fetched: 1 },
      { at: '2026-11-20T22:17:00Z', requestsBefore: 1, fetched: 2 },
      { at: '2026-11-20T23:59:00Z', requestsBefore: 0, fetched: 2 },
      { at: '2026-11-21T00:01:00Z', requestsBefore: 0, fetched: 2 },
      { at: '2026-11-21T00:02:00Z', requestsBefore: 0, fetched: 3 },
      { at: '2026-11-21T23:00:00Z', requestsBefore: 0, fetched: 3 },
    ]
    for (const { at, requestsBefore, fetched } of steps) {
      now = Date.parse(at)
      requests += requestsBefore
      await feature.fetchDue()
      expect([at, fetches()]).toEqual([at, fetched])
    }
    const { no } = accountStore.accounts.get(id) ?? { no: 0 }
    expect(accountStore.days.undated(no)).toBe(1)
    expect(feature.summary({ accountId: id }).undated).toBe(1)
    expect(feature.reading.undated({ accountId: id })).toMatchObject([{ keyId: null }])
    expect(lines.filter((line) => line.includes('date'))).toHaveLength(1)
  })

  it('recovers from a clock that was ahead: no future time remains, and no future day is known [USE-01]', async () => {
    let now = Date.parse('2026-11-18T12:00:00Z')
    const rows = [{ date: '2026-11-10', model: 'm', requests: 1, cost_sc: 1 }]
    let balance = 9
    const key = { id: 'k', user_id: 'u', name: 'first' }
    const { url } = await service((path) => {
      if (path === '/v1/usage') return { body: JSON.stringify({ usage: rows, balance, total_spent: 1 }) }
      if (path === '/v1/keys/') return { body: JSON.stringify({ api_keys: [key] }) }
      return { body: JSON.stringify(key) }
    })
    const { feature, accountStore } = open({ now: () => now })
    const connect = async (at: string) => {
      now = Date.parse(at)
      feature.follow(client(url, 'sk-somebody-hasty'), placeAt(url))
      const account = await feature.refresh()
      await feature.refreshKeys()
      return account
    }
    await connect('2026-11-18T12:00:00Z')
    // Half a year ahead. The service's clock is right.
    rows.push({ date: '2026-11-19', model: 'm', requests: 2, cost_sc: 2 })
    balance = 7
    key.name = 'second'
    await connect('2027-05-19T12:00:00Z')
    feature.limits.save(limitsAt('2027-05-19T12:00:00.000Z'))
    const put = rows.find(({ date }) => date === '2026-11-19')
    if (put) put.cost_sc = 3
    balance = 6
    key.name = 'third'
    const account = await connect('2026-11-21T12:00:00Z')
    expect(account).toMatchObject({ asOf: '2026-11-21T12:00:00.000Z', balance: { value: '6' } })
    feature.limits.save(limitsAt('2026-11-21T12:00:00.000Z'))
    expect(feature.limits.read()?.asOf).toBe('2026-11-21T12:00:00.000Z')
    expect(feature.reading.keys({ accountId: account.id })).toMatchObject([
      { name: 'third', asOf: '2026-11-21T12:00:00.000Z' },
    ])
    const range = { accountId: account.id, from: '2026-11-09', to: '2026-11-23' }
    const seen = feature.reading.view({ ...range, grain: 'day', by: 'model', source: 'service', search: '' })
    expect(seen.total).toMatchObject({ requests: 3, cost: '4' })
    expect(seen.buckets.map(({ state }) => state)).toEqual([...Array(12).fill('whole'), ...Array(3).fill('running')])
    expect(seen.series[0]?.cost.slice(-3)).toEqual(['0', null, null])
    // It is unknown whether the last row's day had ended when the fast clock fetched it, so its change is no correction.
    expect(feature.reading.corrections(range)).toEqual([])
    expect(accountStore.fetches.coveredDays(1, 'usage', 0, 1_000_000)).toBe(33)
    const versions = ['account', 'key:k'].map((what) => accountStore.versions.all(1, what))
    expect(versions.flat().filter(({ at }) => at > now)).toEqual([])
    expect(versions.map((all) => all.length)).toEqual([3, 3])
    // From here on as usual.
    rows[0] = { date: '2026-11-10', model: 'm', requests: 1, cost_sc: 5 }
    await connect('2026-11-22T12:00:00Z')
    expect(feature.reading.corrections(range)).toMatchObject([
      { day: '2026-11-10', before: { cost: '1' }, after: { cost: '5' } },
    ])
    expect(feature.summary({ accountId: account.id }).gaps).toBe(0)
  })

  it('takes no day from a clock that was behind, and dates those rows once the clock is right [USE-02]', async () => {
    let now = Date.parse('2010-01-01T12:00:00Z')
    const usage = [
      { date: '2026-11-19', model: 'm', requests: 1, cost_sc: 1 },
      { date: '2026-11-20', model: 'm', requests: 1, cost_sc: 1 },
      { date: 'some day', model: 'm', requests: 1, cost_sc: 1 },
    ]
    const { url } = await service((path) => ({
      body: JSON.stringify(path === '/v1/usage' ? { usage, balance: 7 } : { id: 'k', user_id: 'u' }),
    }))
    const { feature } = open({ now: () => now })
    const from = client(url, 'sk-somebody-late')
    feature.follow(from, placeAt(url))
    const { id: accountId } = await feature.refresh()
    expect(feature.summary({ accountId })).toMatchObject({ undated: 3, gaps: 0, account: { firstDay: null } })
    now = Date.parse('2026-11-21T12:00:00Z')
    feature.follow(from, placeAt(url))
    await feature.refresh()
    expect(feature.summary({ accountId })).toMatchObject({
      undated: 1,
      gaps: 0,
      account: { firstDay: '2026-11-19' },
    })
    expect(feature.reading.undated({ accountId })).toMatchObject([{ date: 'some day' }])
  })

  it('fetches one key after another, with pauses unless a caller waits', async () => {
    let now = Date.now()
    const { baseUrl, apiKey } = await sandbox()
    const { feature } = open({ now: () => now })
    feature.follow(client(baseUrl, apiKey), placeAt(baseUrl))
    const { id } = await feature.refresh()
    expect(feature.reading.keys({ accountId: id })).toEqual([])
    now += 31_000
    await feature.fetchDue()
    expect(feature.list()).toMatchObject([{ fetching: true }])
    // With its pauses the round would take longer than this test allows.
    await feature.refreshKeys()
    expect(feature.reading.keys({ accountId: id }).every(({ totals }) => totals !== null)).toBe(true)
  }, 15_000)

  it('stays separate from a second account at the same address, and each is found again', async () => {
    const { baseUrl, apiKey, keys } = await sandbox()
    const { feature, accountStore } = open()
    const ids: string[] = []
    for (const key of [apiKey, keys.stranger, apiKey]) {
      feature.follow(client(baseUrl, key), placeAt(baseUrl))
      ids.push((await feature.refresh()).id)
    }
    expect(ids[0]).toBe(ids[2])
    expect(new Set(ids).size).toBe(2)
    expect(feature.list().map(({ active, balance }) => [active, balance?.value])).toEqual([
      [true, '250'],
      [false, '40'],
    ])
    expect(accountStore.accounts.all()).toHaveLength(2)
  })

  it('stores nothing while the key’s owner is unknown', async () => {
    const usage = JSON.stringify({ usage: [], balance: 7, total_spent: 1 })
    let broken = false
    const { url } = await service((path) => {
      if (path === '/v1/usage') return { body: usage }
      return broken ? { status: 500, body: '{}' } : { body: JSON.stringify({ id: 'k', user_id: 'first' }) }
    })
    const { feature, accountStore } = open()
    feature.follow(client(url, 'sk-first-account'), placeAt(url))
    await feature.refresh()
    broken = true
    feature.follow(client(url, 'sk-second-account'), placeAt(url))
    await expect(feature.refresh()).rejects.toMatchObject({ kind: 'internal' })
    const [first] = accountStore.accounts.all()
    expect(accountStore.versions.all(first?.no ?? 0, 'account')).toHaveLength(1)
    expect(feature.list()).toMatchObject([{ userId: 'first', problem: { kind: 'internal' } }])
  })

  it.each([
    ['knows no such path', { status: 404, body: '{"error":{"message":"no"}}' }],
    ['has not made them', { status: 501, body: '{"error":{"message":"no","type":"x","code":"y"}}' }],
    ['has another use for the path', { status: 405, body: '' }],
    ['answers with a web page', { body: '<!doctype html><p>hello', type: 'text/html' }],
    ['answers with JSON of another kind', { body: '{"ok":true}' }],
  ])('of a service that %s says so without an error, and is not fetched again for a day', async (_, reply) => {
    let now = Date.now()
    const { url, asked } = await service(() => reply)
    const { feature, local } = open({ now: () => now })
    feature.follow(client(url, 'sk-somebody-else'), placeAt(url))
    const account = await feature.refresh()
    expect(account).toMatchObject({ offers: 'no', problem: null, balance: null, asOf: null })
    expect(local.reported).toEqual([account.id])
    expect(feature.summary({ accountId: account.id })).toMatchObject({ gaps: 0, corrections: 0, pace: null })
    const before = asked.length
    now += 23 * 3_600_000
    await feature.fetchDue()
    expect(asked.filter((path) => path === '/v1/usage')).toHaveLength(
      asked.slice(0, before).filter((path) => path === '/v1/usage').length,
    )
    now += 2 * 3_600_000
    await feature.fetchDue()
    expect(asked.length).toBeGreaterThan(before)
  })

  it('shows the last report and its time while the service is away, and continues when it is back', async () => {
    const { baseUrl, apiKey, close, port } = await sandbox()
    const folder = openAccount()
    const { feature } = open({ accountStore: folder.accountStore })
    feature.follow(client(baseUrl, apiKey), placeAt(baseUrl))
    const before = await feature.refresh()
    await close()
    const later = open({ accountStore: folder.accountStore, now: () => Date.now() + 60_000 })
    later.feature.follow(client(baseUrl, apiKey), placeAt(baseUrl))
    await expect(later.feature.refresh()).rejects.toMatchObject({ kind: 'connect_failed' })
    const offline = later.feature.list()[0]
    expect(offline).toMatchObject({ id: before.id, active: true, balance: before.balance, asOf: before.asOf })
    expect(offline?.problem?.kind).toBe('connect_failed')
    const view = {
      accountId: before.id,
      from: '2000-01-01',
      to: '2099-01-01',
      grain: 'month',
      by: 'model',
      source: 'service',
      search: '',
    } as const
    expect(later.feature.reading.view(view).total).toEqual(feature.reading.view(view).total)
    const again = await sandbox({ port })
    expect(again.port).toBe(port)
    later.feature.reachable()
    const events = later.feature.watch()
    for await (const [account] of events) if (account?.problem === null && !account.fetching) break
    expect(later.feature.list()[0]?.asOf).not.toBe(before.asOf)
    // Without a connection too, and without a key.
    later.feature.follow(null, placeAt(baseUrl))
    expect(later.feature.list()).toMatchObject([{ id: before.id, active: true, problem: null }])
    await expect(later.feature.refresh()).rejects.toMatchObject({ kind: 'not_connected' })
    later.feature.follow(null, null)
    expect(later.feature.list()).toMatchObject([{ id: before.id, active: false }])
  })

  it('is the same for each start of the sandbox, until the sandbox is deleted', async () => {
    const { feature, accountStore } = open()
    const place = placeAt(sandboxAddress, 'Sandbox', 'sandbox')
    const ids = new Set<string>()
    for (let starts = 0; starts < 2; starts += 1) {
      const { baseUrl, apiKey } = await sandbox()
      feature.follow(client(baseUrl, apiKey), place)
      ids.add((await feature.refresh()).id)
      // Reconnected while it runs.
      feature.follow(client(baseUrl, apiKey), place)
      ids.add((await feature.refresh()).id)
    }
    expect(ids.size).toBe(1)
    feature.follow(null, null)
    feature.forgotten(place.profile)
    expect(accountStore.accounts.all()).toEqual([])
  })

  it('fetches a revoked key’s usage once a day in the background, and at once when a caller waits [LIM-03]', async () => {
    let now = Date.parse('2026-11-21T08:00:00Z')
    let requests = 0
    const totals = { total_requests: 1, total_tokens_in: 1, total_tokens_out: 1, total_cost_sc: 1 }
    const { url, asked } = await service((path) => {
      if (path === '/v1/usage') return { body: JSON.stringify({ usage: [], balance: 1 }) }
      if (path === '/v1/keys/current') return { body: JSON.stringify({ id: 'k', user_id: 'u' }) }
      if (path === '/v1/keys/')
        return { body: JSON.stringify({ api_keys: [{ id: 'old', revoked_at: 5 }, { id: 'k' }] }) }
      return { body: JSON.stringify(path.endsWith('daily') ? { usage: [] } : totals) }
    })
    const counted: Log = {
      ...noRequestLog,
      open(notice) {
        requests += 1
        return noRequestLog.open(notice)
      },
    }
    const { feature } = open({ now: () => now, requests: () => requests })
    const count = (path: string): number => asked.filter((one) => one === path).length
    feature.follow(client(url, 'sk-somebody-thrifty', counted), placeAt(url))
    await feature.refresh()
    await feature.refreshKeys()
    expect([count('/v1/keys/'), count('/v1/keys/old/usage')]).toEqual([1, 1])
    now += 2 * 3_600_000
    requests += 1
    await feature.fetchDue()
    for await (const [account] of feature.watch()) if (!account?.fetching) break
    expect([count('/v1/keys/'), count('/v1/keys/old/usage')]).toEqual([2, 1])
    await feature.refreshKeys()
    expect(count('/v1/keys/old/usage')).toBe(2)
  })

  it('notifies watchers of the keys, and fetches them when watched, at most once an hour', async () => {
    let now = Date.now()
    const { baseUrl, apiKey, observe } = await sandbox()
    const { feature } = open({ now: () => now })
    feature.follow(client(baseUrl, apiKey), placeAt(baseUrl))
    const { id } = await feature.refresh()
    const whole = (keys: AccountKey[]): boolean => keys.length > 5 && keys.every(({ totals }) => totals !== null)
    for await (const keys of feature.watchKeys({ accountId: id })) if (whole(keys)) break
    for await (const [account] of feature.watch()) if (!account?.fetching) break
    const lists = (): number => observe.requests().filter(({ path }) => path === '/v1/keys/').length
    for await (const _ of feature.watchKeys({ accountId: id })) break
    expect(lists()).toBe(1)
    now += 3_600_001 * 24
    for await (const _ of feature.watchKeys({ accountId: id })) break
    for await (const [account] of feature.watch()) if (!account?.fetching) break
    expect(lists()).toBe(2)
  })

  it('can be renamed, and stores its last rate-limit status', async () => {
    const { baseUrl, apiKey } = await sandbox()
    const { feature } = open()
    feature.follow(client(baseUrl, apiKey), placeAt(baseUrl))
    const { id } = await feature.refresh()
    expect(feature.rename({ id, name: 'At home' })).toMatchObject({ name: 'At home', active: true })
    expect(() => feature.rename({ id: 'no', name: 'x' })).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
    const status = limitsAt(new Date().toISOString())
    feature.limits.save(status)
    feature.limits.save({ ...limitsAt('2020-01-01T00:00:00.000Z'), banned: true })
    expect(feature.limits.read()).toEqual(status)
    feature.follow(null, null)
    expect(feature.limits.read()).toBeNull()
  })

  it('closes at once during a request that other callers share', async () => {
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { feature } = open()
    const from = client(url, 'sk-somebody-silent')
    feature.follow({ ...from, getCurrentKey: () => new Promise(() => undefined) }, placeAt(url))
    await feature.close()
    await from.close()
    expect(feature.list()).toMatchObject([{ active: false, problem: null }])
  })

  it('stores nothing after it is closed, whatever arrives later', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = createServer((_, response) => {
      void held.then(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"balance":1,"user_id":"u"}'),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { feature, accountStore } = open()
    feature.follow(client(url, 'sk-somebody-slow'), placeAt(url))
    await feature.close()
    release()
    expect(accountStore.accounts.all()).toMatchObject([{ offers: 'unknown', userId: null }])
    expect(feature.list()).toMatchObject([{ active: false, fetching: false }])
  })
})
