import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { type CoreOptions, createCore } from '../../../../src-main/core/core.ts'
import { unpackView } from '../../../../src-preload/contract/columns.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { freshFolder, memorySecrets, testHost } from '../../helpers/core.ts'
import { bytesOfCore } from '../../helpers/transfers.ts'

const closers = closeAfterEach()

async function program(dataDir: string, options: CoreOptions = {}) {
  const core = await createCore(testHost(dataDir, memorySecrets()).host, { proxyPort: null, ...options })
  closers.push(() => core.stop())
  return { core, client: createRouterClient(core.router) }
}

it('a page watches the limits of the connected service and exports a usage view as a file [LIM-01]', async () => {
  const { core, client } = await program(freshFolder(), { connect: { sandbox: true } })
  const limits = await client.limits.watch()
  for await (const { status, offers } of limits) {
    if (status === null) continue
    expect([offers, status.minute.limit]).toEqual([true, 600])
    break
  }
  expect(await client.limits.history({ limit: 10 })).toEqual([])
  for await (const [account] of await client.usage.watch()) {
    if (!account || account.asOf === null) continue
    const to = new Date().toISOString().slice(0, 10)
    const from = new Date(Date.parse(to) - 29 * 86_400_000).toISOString().slice(0, 10)
    const query = { accountId: account.id, from, to, grain: 'day', by: 'model', source: 'service' } as const
    const view = unpackView(await client.usage.view(query))
    const file = await client.usage.export({ ...query, format: 'json' })
    expect(file.name).toBe(`usage-service-by-model-${from}-${to}.json`)
    const rows: unknown = JSON.parse(String(await bytesOfCore(core).download(file)))
    expect(rows).toHaveLength(view.buckets.length * view.series.length)
    break
  }
})
