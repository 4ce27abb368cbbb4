// @long Waits for the sandbox’s account to report. tests/core/requestLog/spend.test.ts sums the same requests.

import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { CurrentSpend } from '../../../../src-preload/contract/usage.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from '../../helpers/core.ts'

type Spend = { [K in keyof CurrentSpend]: NonNullable<CurrentSpend[K]> }

async function start(dataDir: string, connect: { baseUrl: string; apiKey: string }) {
  const core = await createCore(testHost(dataDir, memorySecrets()).host, { connect, proxyPort: null })
  onTestFinished(() => core.stop())
  return { core, usage: createRouterClient(core.router).usage }
}
type Usage = Awaited<ReturnType<typeof start>>['usage']

/** The spend, as soon as it satisfies the condition. */
async function until(usage: Usage, wanted: (spend: Spend) => boolean): Promise<Spend> {
  for await (const { today, balance } of await usage.watchSpend())
    if (today && balance && wanted({ today, balance })) return { today, balance }
  throw new Error('The events ended.')
}

async function write(core: Core): Promise<void> {
  const asked = { requestId: randomUUID(), conversationId: null, text: 'Hello there', models: ['writer-small'] }
  await readUntil(core.chat.watch(await core.chat.send(asked)), ended)
}

const nano = (amount: string): number => Math.round(Number(amount) * 1e9)

it('today’s cost and the balance follow each request as estimates, also after a restart without a network, until the service reports', async () => {
  const sandbox = await startSandbox({ balance: 8 })
  onTestFinished(() => sandbox.close().catch(() => undefined))
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const dataDir = freshFolder()
  const first = await start(dataDir, connect)
  const reported = await until(first.usage, ({ balance }) => balance.asOf !== null)
  expect(reported).toMatchObject({ today: { estimated: false }, balance: { amount: '8', estimated: false } })

  await write(first.core)
  const one = await until(first.usage, ({ today }) => today.estimated)
  const cost = nano(one.today.amount) - nano(reported.today.amount)
  expect(cost).toBeGreaterThan(0)
  expect(one.today.asOf).toBe(reported.today.asOf)
  expect(one.balance.estimated).toBe(true)
  expect(nano(one.balance.amount)).toBe(8e9 - cost)
  await write(first.core)
  const two = await until(first.usage, ({ today }) => today.amount !== one.today.amount)
  expect(nano(two.today.amount) - nano(one.today.amount)).toBe(nano(one.balance.amount) - nano(two.balance.amount))
  await first.core.stop()

  const reachable = await start(dataDir, connect)
  const later = await until(reachable.usage, ({ today }) => today.asOf !== reported.today.asOf)
  expect(later.today.estimated).toBe(false)
  expect(later.balance.estimated).toBe(false)
  expect(nano(later.today.amount)).toBe(nano(two.today.amount))
  await write(reachable.core)
  const three = await until(reachable.usage, ({ today }) => today.estimated)
  await reachable.core.stop()

  await sandbox.close()
  const offline = await start(dataDir, connect)
  expect(await until(offline.usage, ({ today }) => today.asOf === later.today.asOf)).toEqual(three)
})
