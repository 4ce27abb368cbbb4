import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { Apps } from '../../../../src-main/core/gateway/apps/apps.ts'
import { appUses } from '../../../../src-main/core/gateway/apps/appUsage.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { RequestFilter } from '../../../../src-preload/contract/requests.ts'
import { freshFolder, testHost } from '../../helpers/core.ts'

it('refused requests, repeats included, are the same number in the state, the request log, the metrics and the report', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const core = await createCore(testHost(freshFolder()).host, { connect, proxyPort: 0 })
  onTestFinished(() => core.stop())
  const client = createRouterClient(core.router)
  await client.app.updateSettings({ metrics: true })
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
  for (let n = 0; n < 3; n += 1) expect(await post('mirror', 'Bearer unknown')).toBe(401)
  await vi.waitFor(async () => {
    const { proxy } = core.state()
    expect(proxy).toMatchObject({ relayed: 1, refused: 4, refusedUnknown: { count: 3 }, active: 0 })
    expect(proxy.refusals.map(({ times }) => times)).toEqual([3])
    expect(await client.requests.counts({ filter: { outcome: 'refused' } })).toMatchObject({
      stored: 2,
      refusedToday: 4,
    })
    const timesOf = async (filter: RequestFilter): Promise<number> => {
      const { rows } = await client.requests.page({ filter, before: Number.MAX_SAFE_INTEGER, limit: 100 })
      return rows.reduce((sum, { times }) => sum + times, 0)
    }
    const since = proxy.refusedUnknown.since ?? ''
    expect(await timesOf({ outcome: 'refused' })).toBe(4)
    expect(await timesOf({ outcome: 'refused', who: 'strangers', since })).toBe(3)
    const counted = (await core.metrics())?.matchAll(/^inference_studio_refusals_total\{.*\} (\d+)$/gm) ?? []
    expect([...counted].reduce((sum, [, figure]) => sum + Number(figure), 0)).toBe(4)
    expect((await client.app.diagnostics()).report).toContain('4 refused since start')
  })
})

it('the last use of an app is exact where its figures are shown, although it is stored once a minute', async () => {
  const apps = new Apps(openStore(freshFolder()))
  const { app } = apps.add({ name: 'editor' })
  const now = vi.spyOn(Date, 'now')
  onTestFinished(() => now.mockRestore())
  const start = Date.now()
  const noSpend = {
    ...{ day: 0n, month: 0n, total: 0n, estimated: false, unpricedToday: 0 },
    ...{ requestsToday: 0, tokensToday: 0, perMinute: [] },
  }
  const used = (): (string | null)[] =>
    appUses({
      apps,
      requestLog: { spent: () => noSpend, liveOf: () => ({ active: 0, waiting: 0 }) },
      allowance: { use: () => ({ reserved: 0n }), shortBudget: () => null },
      grants: () => ({ extra: { day: 0n, month: 0n, total: 0n }, open: new Set() }),
    }).map(({ lastUsedAt }) => lastUsedAt)
  expect(used()).toEqual([null])
  for (const at of [start, start + 59_000]) {
    now.mockReturnValue(at)
    apps.touch(app.id)
    expect(used()).toEqual([new Date(at).toISOString()])
  }
  apps.close()
  expect(apps.list()[0]?.lastUsedAt).toBe(new Date(start + 59_000).toISOString())
})
