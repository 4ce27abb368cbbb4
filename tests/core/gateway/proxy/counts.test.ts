import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { freshFolder, testHost } from '../../helpers/core.ts'

it('a request that a limit of its app refuses counts as refused in the state, as it does in the request log', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const core = await createCore(testHost(freshFolder()).host, { connect, proxyPort: 0 })
  onTestFinished(() => core.stop())
  const client = createRouterClient(core.router)
  const { key } = await client.apps.add({ name: 'editor', models: ['mirror'] })
  const post = async (model: string, authorization: string): Promise<number> => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    const headers = { authorization, 'content-type': 'application/json' }
    const reply = await fetch(`${core.addresses().proxy}/chat/completions`, { method: 'POST', headers, body })
    await reply.arrayBuffer()
    return reply.status
  }
  expect(await post('mirror', `Bearer ${key}`)).toBe(200)
  expect(await post('writer-small', `Bearer ${key}`)).toBe(403)
  expect(await post('mirror', 'Bearer unknown')).toBe(401)
  await vi.waitFor(async () => {
    expect(core.state().proxy).toMatchObject({ relayed: 1, refused: 2, active: 0 })
    expect(await client.requests.counts({ filter: {} })).toMatchObject({ refusedToday: 2 })
  })
})
