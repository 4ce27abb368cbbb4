import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { cutBefore } from '../../../helpers/cut.ts'
import { freshFolder, testHost } from '../../helpers/core.ts'

/** A core with an app key, and a network that the test interrupts. The grace period of the outage is over. */
async function studio() {
  const sandbox = await startSandbox()
  const cut = await cutBefore(sandbox.baseUrl)
  const hour = 3_600_000
  const reconnect = { firstMs: hour, mostMs: hour, leastMs: 0, patienceMs: 5000, answerMs: 1500, graceMs: 0 }
  const core = await createCore(testHost(freshFolder()).host, { proxyPort: 0, reconnect })
  onTestFinished(async () => {
    await core.stop()
    await cut.close()
    await sandbox.close()
  })
  await core.connection.login({ baseUrl: cut.url, key: sandbox.apiKey })
  const client = createRouterClient(core.router)
  const { key } = await client.apps.add({ name: 'Editor' })
  const ask = async () => {
    const before = performance.now()
    const reply = await fetch(`${core.addresses().proxy}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mirror', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    const body: unknown = await reply.json()
    return { reply, body, ms: performance.now() - before }
  }
  return { sandbox, cut, core, client, ask }
}

it.each([
  ['refuse', 502, 'connect_failed'],
  ['reset', 502, 'connect_failed'],
  ['swallow', 504, 'headers_timeout'],
] as const)(
  'without a service (%s) an app gets a clear answer of this program at once, and stored data can be read',
  async (mode, status, code) => {
    const { cut, core, client, ask } = await studio()
    await cut.set(mode)
    await core.connection.check()
    expect(core.state().connection).toMatchObject({ state: 'failed', offline: { since: expect.any(String) } })
    const { reply, body, ms } = await ask()
    expect(reply.status).toBe(status)
    expect(reply.headers.get('x-studio-answer')).toBe('studio_upstream')
    // A retry by the client would be useless.
    expect(reply.headers.get('x-should-retry')).toBe('false')
    expect(body).toMatchObject({ error: { code, message: expect.stringMatching(/service/) } })
    expect(JSON.stringify(body)).not.toContain('Gave up')
    expect(ms).toBeLessThan(5000)

    // Read requests answer without the network.
    const began = performance.now()
    const [{ rows }, accounts, apps] = await Promise.all([
      client.requests.page({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 10 }),
      client.usage.watch().then((feed) => feed.next()),
      client.apps.watch().then((feed) => feed.next()),
    ])
    expect(rows.find(({ path }) => path === '/v1/chat/completions')).toMatchObject({ state: 'failed', status })
    expect([accounts.done, apps.done]).toEqual([false, false])
    expect((await client.models.list({ refresh: false })).models.length).toBeGreaterThan(0)
    expect(performance.now() - began).toBeLessThan(5000)

    // The next request reaches the service and makes the connection `connected`.
    await cut.set('open')
    expect((await ask()).reply.status).toBe(200)
    expect(core.state().connection).toMatchObject({ state: 'connected', offline: null })
  },
)

it('a port of the command line starts the local API, which the person can still switch off and on', async () => {
  const { core, client } = await studio()
  const answers = async () =>
    await fetch(`${core.addresses().proxy}/models`).then(
      ({ status }) => status,
      () => 'closed',
    )
  expect(await answers()).toBe(401)
  await client.app.updateSettings({ proxyEnabled: false })
  await expect.poll(() => core.addresses().proxy).toBeNull()
  await client.app.updateSettings({ proxyEnabled: true })
  await expect.poll(answers).toBe(401)
})
