import { describe, expect, it, vi } from 'vitest'
import type { Sandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { freshFolder, memorySecrets } from '../../helpers/core.ts'
import { accountOf, ask, type Opened, open, service } from './helpers.ts'

const chats = (one: Sandbox) => one.observe.requests().filter(({ path }) => path.endsWith('/chat/completions'))

/** `here` has its own service; `there` and `guest` are two accounts at one address. The last one is active. */
async function threeAccounts(keyAtHere?: (one: Sandbox) => string) {
  const [here, there] = [await service('here'), await service('there')]
  const secrets = memorySecrets()
  const opened = await open({ secrets })
  const { login } = opened.core.connection
  await login({ name: 'there', baseUrl: there.baseUrl, key: there.keys.main })
  await login({ name: 'guest', baseUrl: there.baseUrl, key: there.keys.stranger })
  await login({ name: 'here', baseUrl: here.baseUrl, key: keyAtHere?.(here) ?? here.keys.main })
  const { key } = opened.core.apps.add({ name: 'tool' })
  return { ...opened, here, there, secrets, key }
}

/** Outcome of a request of an app: its complete reply, or why there was none. */
async function outcomeOf(reply: Response): Promise<string> {
  const text = await reply.text()
  if (reply.headers.get('x-studio-answer') !== null) return JSON.parse(text).error.code
  if (!(reply.headers.get('content-type') ?? '').startsWith('text/event-stream')) return `status ${reply.status}`
  return text.trimEnd().endsWith('data: [DONE]') ? 'whole' : 'broken'
}

const usedHere = async ({ client, profile }: Opened, name: string): Promise<number> => {
  const { accountId } = profile(name)
  if (accountId === null) return 0
  const [from, to] = ['2020-01-01', '2099-12-31']
  const view = await client.usage.view({ accountId, from, to, grain: 'month', by: 'model', source: 'here', search: '' })
  return view.series.find((one) => one.id === 'mirror')?.total.requests ?? 0
}

describe('switching between connections', () => {
  it('never sends an API key to another address, nor a request with the key of another account, whatever is running', async () => {
    const world = await threeAccounts()
    const { core, here, there, key } = world
    for (const name of ['there', 'guest', 'here']) {
      await world.use(name)
      await world.settled(name)
    }
    const bodies = [
      { stream: true, model: 'mirror', messages: [{ role: 'user', content: 'word '.repeat(300) }] },
      { model: 'mirror' },
      { model: 'fault/flaky' },
      { model: 'fault/503' },
      { stream: true, sandbox: { fault: 'slow-headers; ms=200' } },
    ]
    const asked: Promise<string>[] = []
    for (let turn = 0; turn < 24; turn += 1) {
      for (const body of bodies) asked.push(ask(core, key, body).then(outcomeOf))
      const name = ['there', 'guest', 'here'][(turn * 7) % 3] ?? ''
      if (turn % 2 === 0) await new Promise((resolve) => setTimeout(resolve, (turn * 13) % 40))
      await world.use(name)
    }
    const outcomes = await Promise.all(asked)
    expect(new Set(outcomes)).not.toContain('broken')
    expect(outcomes.filter((outcome) => outcome === 'whole').length).toBeGreaterThan(10)
    // An unknown key would be reported as none.
    expect(new Set(here.observe.requests().map((one) => one.key))).toEqual(new Set(['main']))
    expect(new Set(there.observe.requests().map((one) => one.key))).toEqual(new Set(['main', 'stranger']))

    // The usage of each account has exactly the requests with its key.
    const sent = (of: Sandbox, by: string) =>
      chats(of).filter((one) => one.model === 'mirror' && one.key === by && one.status === 200).length
    for (const name of ['there', 'guest', 'here']) {
      await world.use(name)
      await world.settled(name)
    }
    await vi.waitFor(
      async () => {
        expect(await usedHere(world, 'here')).toBe(sent(here, 'main'))
        expect(await usedHere(world, 'there')).toBe(sent(there, 'main'))
        expect(await usedHere(world, 'guest')).toBe(sent(there, 'stranger'))
      },
      { timeout: 15_000 },
    )
    expect(sent(there, 'stranger')).toBeGreaterThan(0)
  })

  it('lets a stream finish on its connection while new requests use the new one; deleting the old one cuts it [SSE-05]', {
    tags: 'long',
  }, async () => {
    const world = await threeAccounts()
    const { core, here, there, key } = world
    const long = { model: 'writer-small', stream: true, max_tokens: 400 }
    const first = await ask(core, key, long)
    const reader = first.body?.getReader()
    await reader?.read()
    await world.use('there')
    expect(await outcomeOf(await ask(core, key, {}))).toBe('status 200')
    expect(chats(there).map((one) => one.key)).toEqual(['main'])
    let text = ''
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += Buffer.from(piece.value).toString()
    }
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
    expect(chats(here)).toMatchObject([{ closedByClient: false, status: 200 }])

    await world.use('here')
    const second = await ask(core, key, { ...long, model: 'fault/stall' })
    await second.body?.getReader().read()
    await world.use('there')
    expect(here.observe.openStreams()).toBe(1)
    await world.client.connection.remove({ id: world.profile('here').id })
    await eventually(() => expect(here.observe.openStreams()).toBe(0))
    expect(core.state().connection.profile?.name).toBe('there')
  })

  it('does not send a waiting request elsewhere: the app is asked to retry and reaches the new connection [ERR-05]', async () => {
    const world = await threeAccounts((one) => one.keys.oneAtATime)
    const { core, here, there, key } = world
    await world.settled('here')
    const holder = await ask(core, key, { model: 'fault/stall', stream: true })
    const waiting = [1, 2, 3].map(() => ask(core, key, {}))
    await eventually(() => expect(core.state().proxy.waiting).toBe(3))
    await world.use('there')
    for (const reply of await Promise.all(waiting)) {
      expect([reply.status, reply.headers.get('x-should-retry')]).toEqual([503, null])
      expect(Number(reply.headers.get('retry-after'))).toBe(1)
      expect(await outcomeOf(reply)).toBe('connection_changed')
    }
    expect(core.state().proxy.waiting).toBe(0)
    // Neither the used slot nor the limits of the other service delay this one.
    expect(await outcomeOf(await ask(core, key, {}))).toBe('status 200')
    expect(chats(there)).toHaveLength(1)
    expect(chats(here)).toHaveLength(1)
    await holder.body?.cancel()
  })

  it('does not retry a request after a switch, and reports what the service had answered [ERR-06]', async () => {
    const world = await threeAccounts()
    const { core, here, there, key } = world
    const order = { 'x-sandbox-fault': 'refuse; status=429; retry-after=20' }
    const backsOff = ask(core, key, {}, order)
    await eventually(() => expect(chats(here)).toHaveLength(1))
    await eventually(async () => {
      const { rows } = await world.client.requests.page({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 50 })
      expect(rows.some((row) => row.state === 'backing_off')).toBe(true)
    })
    await world.use('there')
    const reply = await backsOff
    expect([reply.status, await outcomeOf(reply)]).toEqual([503, 'connection_changed'])
    // The 20 s that the previous service requested do not apply to this one.
    expect(core.state().proxy.heldUntil).toBeNull()
    expect(await outcomeOf(await ask(core, key, {}))).toBe('status 200')
    expect([chats(here).length, chats(there).length]).toEqual([1, 1])
  })

  it('separates usage, balances, limits and models, also of two accounts at one address', async () => {
    const world = await threeAccounts()
    const { client, core } = world
    for (const name of ['there', 'guest', 'here']) {
      await world.use(name)
      await world.settled(name)
    }
    const ids = ['there', 'guest', 'here'].map((name) => world.profile(name).accountId)
    expect(new Set(ids).size).toBe(3)
    const accounts = await Promise.all(['there', 'guest', 'here'].map((name) => accountOf(client, world.profile(name))))
    expect(new Set(accounts.map((account) => account?.userId)).size).toBe(3)

    // Its own figures are shown from the moment of the switch, and none of the previous account.
    await world.use('guest')
    expect(await accountOf(client, world.profile('guest'))).toMatchObject({ active: true, userId: accounts[1]?.userId })
    expect(core.state().bucket).toBeNull()
    expect(core.state().profiles.map(({ name, active }) => [name, active])).toEqual([
      ['guest', true],
      ['here', false],
      ['there', false],
    ])
  })

  it('keeps the current connection if the API key of the other one is missing', async () => {
    const world = await threeAccounts()
    await world.settled('here')
    world.secrets.kept.delete(world.profile('there').id)
    await expect(world.use('there')).rejects.toMatchObject({ data: { kind: 'not_connected' } })
    expect(world.core.state().connection).toMatchObject({ state: 'connected', profile: { name: 'here' } })
    expect(await outcomeOf(await ask(world.core, world.key, {}))).toBe('status 200')
    expect(chats(world.here)).toHaveLength(1)
  })

  it('returns to a connection whose API key is only in the memory of this process', async () => {
    const [one, other] = [await service('one'), await service('other')]
    const secrets = memorySecrets()
    const dataDir = freshFolder()
    const opened = await open({ dataDir, secrets, options: { connect: { baseUrl: one.baseUrl, apiKey: one.apiKey } } })
    const run = new URL(one.baseUrl).host
    await opened.core.connection.login({ name: 'stored', baseUrl: other.baseUrl, key: other.apiKey })
    await opened.use(run)
    await opened.settled(run)
    expect(opened.profile(run)).toMatchObject({ active: true, keyKept: 'environment' })
    expect([...secrets.kept.values()]).toEqual([other.apiKey])
    await opened.core.stop()
    const again = await open({ dataDir, secrets })
    expect(again.core.state().profiles.map(({ name }) => name)).toEqual(['stored'])
  })
})
