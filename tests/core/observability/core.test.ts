import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { afterEach, expect, it, vi } from 'vitest'
import { createCore } from '../../../src-main/core/core.ts'
import { closeAfterEach } from '../../helpers/closers.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from '../helpers/core.ts'
import { startCollector } from './collector.ts'

const closers = closeAfterEach()
afterEach(() => vi.unstubAllEnvs())

/** A whole core with its sandbox and one app key. */
async function started() {
  const { host, lines } = testHost(freshFolder(), memorySecrets())
  const core = await createCore(host, { connect: { sandbox: true }, proxyPort: 0 })
  closers.push(() => core.stop())
  const { key } = core.apps.add({ name: 'editor' })
  const asks = (headers: Record<string, string> = {}, model = 'writer-small') =>
    fetch(`${core.addresses().proxy}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'SECRET words' }] }),
    })
  return { core, lines, asks, client: createRouterClient(core.router) }
}

it('requests of apps and the studio, and refusals, are counted while metrics are on', async () => {
  const { core, asks, client } = await started()
  expect(await core.metrics()).toBeNull()
  await client.app.updateSettings({ metrics: true })
  expect((await asks()).status).toBe(200)
  expect((await asks({}, 'no-such-model')).status).toBe(404)
  expect((await asks({ origin: 'https://evil.example' })).status).toBe(403)
  await vi.waitFor(
    async () => {
      const text = (await core.metrics()) ?? ''
      expect(text).toMatch(
        /requests_total\{app="editor",app_id="[^"]+",endpoint="chat",status="2xx",state="done"\} 1$/m,
      )
      expect(text).toMatch(
        /requests_total\{app="editor",app_id="[^"]+",endpoint="chat",status="4xx",state="done"\} 1$/m,
      )
      expect(text).toMatch(/refusals_total\{reason="\w+"\} 1$/m)
      expect(text).toMatch(/tokens_total\{app="editor",app_id="[^"]+",kind="out",certainty="measured"\} \d+$/m)
      expect(text).toMatch(/^inference_studio_waiting 0$/m)
    },
    { timeout: 15_000 },
  )
  await client.app.updateSettings({ metrics: false })
  expect(await core.metrics()).toBeNull()
})

it('each request becomes a span without content at the collector that the environment names', {
  tags: 'long',
}, async () => {
  const collector = await startCollector()
  closers.push(collector.close)
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  const { core, asks } = await started()
  expect((await asks()).status).toBe(200)
  const sent = await core.chat.send({
    requestId: randomUUID(),
    conversationId: null,
    text: 'SECRET words',
    models: ['writer-small'],
  })
  await readUntil(core.chat.watch(sent), ended)
  const address = new URL(core.addresses().sandbox?.baseUrl ?? '')
  await core.stop()
  const chats = collector.spans().filter(({ name }) => name === 'chat writer-small')
  const requesters = chats.map(({ attributes }) => attributes['inference_studio.requester'])
  expect(requesters).toContain('app')
  expect(requesters).toContain('studio.chat')
  for (const { attributes, status } of chats) {
    expect(status.code).toBe(0)
    expect(attributes).toMatchObject({
      'http.response.status_code': 200,
      'server.address': address.hostname,
      'server.port': Number(address.port),
    })
    expect(attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
  }
  expect(JSON.stringify(collector.got)).not.toContain('SECRET')
})

it('a dead collector changes nothing for a request', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1')
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '300')
  const { core, asks, lines } = await started()
  for (let number = 0; number < 5; number++) expect((await asks()).status).toBe(200)
  await core.stop()
  expect(lines.filter((line) => line.includes('OpenTelemetry'))).toHaveLength(1)
})
