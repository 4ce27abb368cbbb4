import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { type Core, type CoreOptions, createCore } from '../../../../src-main/core/core.ts'
import type { Notice } from '../../../../src-main/core/host.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { Alert } from '../../../../src-preload/contract/alerts.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from '../../helpers/core.ts'

const canary = 'sk-canary-0123456789abcdef'

async function program(
  connect: CoreOptions['connect'] | null,
  dataDir = freshFolder(),
  proxyPort: number | null = null,
) {
  const notices: Notice[] = []
  const notify = async (notice: Notice): Promise<string | null> => {
    notices.push(notice)
    return null
  }
  const host = { ...testHost(dataDir, memorySecrets()).host, notify }
  const core = await createCore(host, { ...(connect && { connect }), proxyPort })
  onTestFinished(() => core.stop())
  return { core, notices, dataDir, client: createRouterClient(core.router) }
}

async function sandboxWith(options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox({ apiKey: canary, ...options })
  onTestFinished(() => sandbox.close().catch(() => undefined))
  return sandbox
}

type Client = Awaited<ReturnType<typeof program>>['client']

/** The list of alerts, as soon as it satisfies the condition. */
async function until(client: Client, wanted: (alerts: Alert[]) => boolean): Promise<Alert[]> {
  for await (const { alerts } of await client.alerts.watch()) if (wanted(alerts)) return alerts
  throw new Error('The events ended.')
}
const listed = async (client: Client): Promise<Alert[]> => until(client, () => true)

async function ask(core: Core, model: string, text = 'Hello there'): Promise<void> {
  const asked = { requestId: randomUUID(), conversationId: null, text, models: [model] }
  await readUntil(core.chat.watch(await core.chat.send(asked)), ended)
}

/** Waits for the fetch after connecting. */
async function fetched(client: Client): Promise<void> {
  for await (const [account] of await client.usage.watch()) if (account?.asOf && !account.fetching) return
}

it('a balance below the limit is reported once: not again by other figures or after a restart; when it rises, the alert ends', {
  tags: 'long',
}, async () => {
  const sandbox = await sandboxWith({ balance: 8 })
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const first = await program(connect)
  await fetched(first.client)
  expect(await listed(first.client)).toEqual([])
  await first.client.alerts.update({ balanceBelow: '10' })
  const [alert] = await until(first.client, (alerts) => alerts.length > 0)
  expect(alert).toMatchObject({
    facts: { kind: 'balance', balance: '8', below: '10' },
    place: { page: 'usage', id: null },
    endedAt: null,
  })
  await expect
    .poll(() => first.notices)
    .toEqual([
      { title: 'Balance below 10.00 SC', body: 'The account has 8.00 SC left.', place: { page: 'usage', id: null } },
    ])
  await ask(first.core, 'writer-small')
  await first.client.alerts.dismiss({ id: alert?.id ?? '' })
  await first.core.stop()

  const second = await program(connect, first.dataDir)
  await fetched(second.client)
  await second.client.usage.refresh()
  await second.client.alerts.update({ balanceBelow: '9' })
  expect(await listed(second.client)).toEqual([])
  expect(second.notices).toEqual([])
  // A limit below the balance ends the alert. Raised again, it is a new crossing.
  await second.client.alerts.update({ balanceBelow: '5' })
  await second.client.alerts.update({ balanceBelow: '8.5' })
  await until(second.client, (alerts) => alerts.length === 1)
})

it('today’s spend is reported once, by the larger source', { tags: 'long' }, async () => {
  const sandbox = await sandboxWith()
  const { core, client, notices } = await program(sandbox)
  await fetched(client)
  await ask(core, 'writer-small')
  // The service was asked before that, so only the local log knows so far.
  const today = new Date().toISOString().slice(0, 10)
  const compared = async () => {
    for await (const [account] of await client.usage.watch())
      if (account) return client.usage.compare({ accountId: account.id, from: today, to: today })
    throw new Error('The events ended.')
  }
  const [model] = await compared()
  await client.alerts.update({ spendAbove: '0.000001' })
  const [alert] = await until(client, (alerts) => alerts.length > 0)
  expect(alert?.facts).toMatchObject({ kind: 'spend', spent: model?.here?.cost, above: '0.000001', source: 'here' })
  expect(alert?.place).toEqual({ page: 'usage', id: null })
  await ask(core, 'writer-small')
  await client.alerts.update({ spendAbove: '1' })
  await until(client, ([one]) => one?.endedAt !== null)
  await client.alerts.update({ spendAbove: '0.000001' })
  expect(await listed(client)).toHaveLength(1)
  await expect.poll(() => notices.length).toBe(1)
})

it('an app’s budget is reported at its share and again when it is used up, in place of the first; a larger budget ends it', {
  tags: 'long',
}, async () => {
  const sandbox = await sandboxWith()
  const { core, client, notices } = await program(sandbox, freshFolder(), 0)
  await fetched(client)
  const { app, key } = await client.apps.add({ name: 'my‮-editor', budgetTotal: '1' })
  const write = async (): Promise<number> => {
    const address = `${core.addresses().proxy}/chat/completions`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const messages = [{ role: 'user', content: 'Write' }]
    const body = JSON.stringify({ model: 'writer-small', max_tokens: 20, messages })
    const reply = await fetch(address, { method: 'POST', headers, body })
    await reply.arrayBuffer()
    return reply.status
  }
  const spent = async (): Promise<number> => {
    for await (const [use] of await client.apps.watchUsage()) return Number(use?.spentTotal ?? 0)
    throw new Error('The events ended.')
  }
  expect(await write()).toBe(200)
  await expect.poll(spent).toBeGreaterThan(0)
  const one = await spent()
  // Sets a budget so that this request is 90 percent of it, then 100 percent.
  const sc = (amount: number): string => amount.toFixed(9)
  await client.apps.update({ id: app.id, changes: { budgetTotal: sc(one / 0.9) } })
  const near = await until(client, (alerts) => alerts.length === 1)
  expect(near[0]).toMatchObject({
    facts: { kind: 'budget', tool: { id: app.id }, window: 'total', usedUp: false },
    place: { page: 'proxy', id: null },
  })
  await expect.poll(() => notices.map(({ title }) => title)).toEqual(['my -editor: budget nearly used up'])
  await client.apps.update({ id: app.id, changes: { budgetTotal: sc(one) } })
  const up = await until(client, (alerts) => alerts.length === 2)
  expect(up.map(({ facts, endedAt }) => [facts.kind === 'budget' && facts.usedUp, endedAt === null])).toEqual([
    [true, true],
    [false, false],
  ])
  expect(await write()).toBe(402)
  await client.apps.update({ id: app.id, changes: { budgetTotal: '1' } })
  await until(client, (alerts) => alerts.every(({ endedAt }) => endedAt !== null))
  expect(await client.alerts.dismiss({})).toEqual({ dismissed: 2 })
  expect(await listed(client)).toEqual([])
})

it('a budget whose rest is below the usual request is reported before it is used up, and when a request is refused', {
  tags: 'long',
}, async () => {
  const sandbox = await sandboxWith()
  const { core, client, notices } = await program(sandbox, freshFolder(), 0)
  await fetched(client)
  const { app, key } = await client.apps.add({ name: 'editor', budgetTotal: '5' })
  const write = async (tokens: number): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const messages = [{ role: 'user', content: 'Write' }]
    const body = JSON.stringify({ model: 'writer-small', max_tokens: tokens, messages })
    const reply = await fetch(`${core.addresses().proxy}/chat/completions`, { method: 'POST', headers, body })
    await reply.arrayBuffer()
    return reply.status
  }
  const spentNow = async (): Promise<number> => {
    for await (const [use] of await client.apps.watchUsage()) return Number(use?.spentTotal ?? 0)
    throw new Error('The events ended.')
  }
  for (let count = 1; count <= 3; count += 1) {
    const before = await spentNow()
    expect(await write(20)).toBe(200)
    await expect.poll(spentNow).toBeGreaterThan(before)
  }
  const spent = await spentNow()
  // Half of a usual request is left.
  await client.apps.update({ id: app.id, changes: { budgetTotal: (spent + spent / 6).toFixed(9) } })
  const [usual] = await until(client, (alerts) => alerts.length === 1)
  expect(usual).toMatchObject({ facts: { kind: 'budget', usedUp: false, short: 'usual' }, endedAt: null })
  await expect
    .poll(() => notices.map(({ title }) => title))
    .toEqual(['editor: not enough budget left for another request'])

  // Enough for usual requests, but not for a long one.
  await client.apps.update({ id: app.id, changes: { budgetTotal: (spent * 2).toFixed(9) } })
  await until(client, (alerts) => alerts.every(({ endedAt }) => endedAt !== null))
  expect(await write(100_000)).toBe(402)
  const [refused] = await until(client, (alerts) => alerts.length === 2)
  expect(refused).toMatchObject({ facts: { kind: 'budget', usedUp: false, short: 'refused' }, endedAt: null })
  await client.apps.update({ id: app.id, changes: { budgetTotal: '5' } })
  await until(client, (alerts) => alerts.every(({ endedAt }) => endedAt !== null))
  await client.apps.update({ id: app.id, changes: { tokensPerMinute: 2 } })
  const [tokens] = await until(client, (alerts) => alerts.length === 3)
  expect(tokens).toMatchObject({ facts: { kind: 'tokens', limit: 2 }, place: { page: 'proxy' }, endedAt: null })
})

it('a refused key is reported once per status and ends with the next successful reply; switched off, nothing is reported', async () => {
  const sandbox = await sandboxWith()
  const { core, client, notices } = await program(sandbox)
  await fetched(client)
  for (const [status, why] of [
    [401, 'refused'],
    [402, 'credits'],
    [403, 'forbidden'],
  ] as const) {
    await ask(core, `fault/${status}`)
    const [alert] = await until(client, ([newest]) => newest?.facts.kind === 'key' && newest.facts.why === why)
    expect(alert?.endedAt).toBeNull()
  }
  await ask(core, 'fault/401')
  expect(await listed(client)).toHaveLength(3)
  await ask(core, 'mirror')
  await until(client, (alerts) => alerts.every(({ endedAt }) => endedAt !== null))
  // The same day, so it was already reported.
  await ask(core, 'fault/401')
  expect(await listed(client)).toHaveLength(3)
  await client.alerts.dismiss({})
  await client.alerts.update({ key: false })
  await ask(core, 'fault/402')
  expect(await listed(client)).toEqual([])
  expect(JSON.stringify(notices)).not.toContain(canary)
})

it('a replaced key ends what was reported of the former one, also when the new key belongs to another account', async () => {
  const sandbox = await sandboxWith()
  const { core, client } = await program(null)
  const { login } = core.connection
  await login({ name: 'Work', baseUrl: sandbox.baseUrl, key: sandbox.keys.main })
  await fetched(client)
  for (const status of [401, 402, 403]) await ask(core, `fault/${status}`)
  await until(client, (alerts) => alerts.length === 3 && alerts.every(({ endedAt }) => endedAt === null))
  await login({ name: 'Work', baseUrl: sandbox.baseUrl, key: sandbox.keys.stranger, updateExisting: true })
  await until(client, (alerts) => alerts.every(({ endedAt }) => endedAt !== null))
})

it('a refusal ends when a request over its own connection succeeds, and not with those of another connection', async () => {
  const sandbox = await sandboxWith()
  const { core, client } = await program(null)
  const { login } = core.connection
  const { id } = await login({ name: 'Work', baseUrl: sandbox.baseUrl, key: sandbox.keys.main })
  await fetched(client)
  await ask(core, 'fault/401')
  await until(client, (alerts) => alerts.length === 1)
  await login({ name: 'Home', baseUrl: sandbox.baseUrl, key: sandbox.keys.stranger })
  await ask(core, 'mirror')
  expect(await listed(client)).toMatchObject([{ endedAt: null }])
  await client.connection.use({ id })
  // Reading the account suffices, because it proves that the service accepts the key.
  await client.usage.refresh()
  await until(client, ([alert]) => alert?.endedAt !== null)
})

it('a deleted connection ends its refusals', async () => {
  const sandbox = await sandboxWith()
  const { core, client } = await program(null)
  const { id } = await core.connection.login({ name: 'Work', baseUrl: sandbox.baseUrl, key: sandbox.keys.main })
  await fetched(client)
  await ask(core, 'fault/402')
  await until(client, (alerts) => alerts.length === 1)
  await client.connection.remove({ id })
  await until(client, ([alert]) => alert?.endedAt !== null)
})

it('a key whose own balance is used up is reported from its record', async () => {
  const sandbox = await sandboxWith()
  const { client } = await program({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.noCredit })
  await fetched(client)
  await client.keys.refresh()
  const [alert] = await until(client, (alerts) => alerts.length > 0)
  expect(alert?.facts).toMatchObject({ kind: 'key', why: 'empty', name: 'Out of credit', left: '0', limit: '25' })
  expect(alert?.place).toMatchObject({ page: 'keys' })
})

it('a ban is reported with its end', async () => {
  const sandbox = await sandboxWith()
  const { client, notices } = await program({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.banned })
  const [alert] = await until(client, (alerts) => alerts.length > 0)
  expect(alert).toMatchObject({ facts: { kind: 'ban' }, place: { page: 'usage', id: 'limits' } })
  const until_ = alert?.facts.kind === 'ban' ? alert.facts.until : null
  expect(Date.parse(until_ ?? '')).toBeGreaterThan(Date.now())
  await expect.poll(() => notices.map(({ title }) => title)).toEqual(['The service blocks requests'])
})

it('while offline no outdated figure is reported, and a limit that was set while offline is checked when the service answers again', async () => {
  const sandbox = await sandboxWith({ balance: 8 })
  // The service behind an interruptible connection.
  let cut = false
  const relay = createServer((request, response) => {
    if (cut) return void request.socket.destroy()
    const authorization = request.headers.authorization ?? ''
    fetch(`${sandbox.baseUrl}${request.url}`, { headers: { authorization } }).then(
      async (reply) => {
        response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
        response.end(Buffer.from(await reply.arrayBuffer()))
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((done) => relay.listen(0, '127.0.0.1', done))
  onTestFinished(() => void relay.close())
  const baseUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  const connect = { baseUrl, apiKey: sandbox.apiKey }
  const first = await program(connect)
  await fetched(first.client)
  await first.core.stop()

  cut = true
  const { core, client } = await program(connect, first.dataDir)
  await expect.poll(() => core.state().connection.state, { timeout: 30_000 }).toBe('failed')
  await client.alerts.update({ balanceBelow: '10' })
  expect(await listed(client)).toEqual([])
  cut = false
  await core.connection.check()
  const [alert] = await until(client, (alerts) => alerts.length > 0)
  expect(alert?.facts).toMatchObject({ kind: 'balance', balance: '8' })
}, 60_000)

it('notifications can be switched off and still be tried', async () => {
  const sandbox = await sandboxWith({ balance: 8 })
  const { client, notices } = await program(sandbox)
  await fetched(client)
  await client.alerts.update({ notify: false, balanceBelow: '10' })
  await until(client, (alerts) => alerts.length > 0)
  expect(await client.alerts.testNotification()).toEqual({ shown: true, reason: null })
  expect(notices.map(({ title }) => title)).toEqual(['Inference Studio'])
})

it('a request of a paused app raises one alert, which ends when the app is resumed', async () => {
  const sandbox = await sandboxWith()
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const { core, client, notices } = await program(connect, freshFolder(), 0)
  const { app, key } = await client.apps.add({ name: 'editor' })
  await client.apps.pause({ id: app.id, paused: true })
  expect(await listed(client)).toEqual([])
  const ask = () => fetch(`${core.addresses().proxy}/models`, { headers: { authorization: `Bearer ${key}` } })
  expect([(await ask()).status, (await ask()).status]).toEqual([403, 403])
  const raised = await until(client, (alerts) => alerts.length > 0)
  expect(raised).toMatchObject([
    {
      endedAt: null,
      place: { page: 'proxy' },
      facts: { kind: 'app', tool: { id: app.id, name: 'editor' }, why: 'paused' },
    },
  ])
  await expect.poll(() => notices.map(({ title }) => title)).toEqual(['editor is paused'])
  await client.apps.pause({ id: app.id, paused: false })
  await until(client, (alerts) => alerts.every(({ endedAt }) => endedAt !== null))
})
