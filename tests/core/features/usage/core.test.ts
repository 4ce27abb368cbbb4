import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { openUsage } from '../../../../src-main/core/compose/stored/usage.ts'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { Account } from '../../../../src-preload/contract/usage.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from '../../helpers/core.ts'

const today = (): string => new Date().toISOString().slice(0, 10)

/** The active account, after it was fetched over this connection. */
async function fetchedAccount(core: Core): Promise<Account> {
  const feature = createRouterClient(core.router).usage
  for await (const [account] of await feature.watch()) {
    if (account && !account.fetching && account.asOf !== null && account.offers === 'yes') return account
  }
  throw new Error('The events ended.')
}

it('local and remote usage of an account agree in the running program, with and without a network', {
  tags: 'long',
}, async () => {
  const sandbox = await startSandbox()
  const dataDir = freshFolder()
  const start = async (): Promise<Core> => {
    const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
    const core = await createCore(testHost(dataDir, memorySecrets()).host, { connect, proxyPort: null })
    onTestFinished(() => core.stop())
    return core
  }
  const first = await start()
  const { id, firstDay } = await fetchedAccount(first)
  const asked = { requestId: randomUUID(), conversationId: null, text: 'Hello there, once', models: ['mirror'] }
  await readUntil(first.chat.watch(await first.chat.send(asked)), ended)
  await first.stop()

  const core = await start()
  const account = await fetchedAccount(core)
  expect(account).toMatchObject({ id, active: true, problem: null, firstDay })
  const { usage, keys } = createRouterClient(core.router)
  const range = { accountId: id, from: today(), to: today() }
  const [mirror] = await usage.compare(range)
  expect(mirror).toMatchObject({
    model: 'mirror',
    drift: 'same',
    elsewhere: '0',
    service: { requests: 1 },
    here: { requests: 1 },
  })
  const summary = await usage.summary({ accountId: id })
  expect(summary.pace).toMatch(/^\d+\.\d+$/)
  const top = await usage.topConversations({ accountId: id, from: today(), to: today(), limit: 5 })
  expect(top).toMatchObject([{ total: { requests: 1, cost: mirror?.here?.cost } }])
  expect((await keys.refresh()).keys).toBeGreaterThan(5)
  const query = { ...range, from: '2000-01-01', grain: 'month', by: 'model', source: 'service', search: '' } as const
  const view = await usage.view(query)
  const { total } = await usage.view({ ...query, by: 'key' })
  expect(total.cost).toBe(view.total.cost)

  // The same from the data folder, without a core.
  await sandbox.close()
  const kept = openUsage(dataDir)
  onTestFinished(() => kept.close())
  expect(kept.accounts()).toMatchObject([{ id, balance: account.balance, asOf: account.asOf }])
  expect(kept.view(query).total).toEqual(view.total)
  expect(kept.view({ ...query, from: today(), source: 'here' }).total).toEqual(mirror?.here)
  expect(kept.keys(id)).toEqual(await keysOf(core, id))
})

async function keysOf(core: Core, accountId: string) {
  for await (const keys of await createRouterClient(core.router).keys.watch({ accountId })) return keys
  throw new Error('The events ended.')
}
