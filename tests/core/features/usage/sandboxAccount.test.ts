import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { accountFile } from '../../../../src-main/core/store/account/open.ts'
import { requestLogFile } from '../../../../src-main/core/store/requestLog/open.ts'
import { type Account, sandboxAddress } from '../../../../src-preload/contract/usage.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from '../../helpers/core.ts'

const today = (): string => new Date().toISOString().slice(0, 10)

/** A core whose stored connection is the sandbox, with a new sandbox process. */
async function start(dataDir: string): Promise<Core> {
  const core = await createCore(testHost(dataDir, memorySecrets()).host, { proxyPort: null })
  onTestFinished(() => core.stop())
  // biome-ignore lint/correctness/useHookAtTopLevel: a procedure whose name starts like a hook's
  await createRouterClient(core.router).connection.useSandbox()
  return core
}

async function fetched(core: Core): Promise<Account> {
  for await (const [account] of await createRouterClient(core.router).usage.watch()) {
    if (account?.active && !account.fetching && account.asOf !== null && account.userId !== null) return account
  }
  throw new Error('The events ended.')
}

async function accounts(core: Core): Promise<Account[]> {
  for await (const all of await createRouterClient(core.router).usage.watch()) return all
  throw new Error('The events ended.')
}

async function chatOnce(core: Core, model = 'mirror'): Promise<void> {
  const asked = { requestId: randomUUID(), conversationId: null, text: 'Hello there, once', models: [model] }
  await readUntil(core.chat.watch(await core.chat.send(asked)), ended)
}

const change = (file: string, work: (handle: DatabaseSync) => void): void => {
  const handle = new DatabaseSync(file)
  work(handle)
  handle.close()
}

it('the sandbox is one account: after a restart its usage and its chats are there, and its own report agrees', async () => {
  const dataDir = freshFolder()
  const first = await start(dataDir)
  const before = await fetched(first)
  await chatOnce(first)
  const favourite = { model: 'mirror', favourite: true }
  await createRouterClient(first.router).models.setFavourite(favourite)
  await first.stop()

  const core = await start(dataDir)
  const account = await fetched(core)
  expect(account).toMatchObject({ id: before.id, baseUrl: sandboxAddress })
  const { usage, models } = createRouterClient(core.router)
  const range = { accountId: account.id, from: today(), to: today() }
  expect(await usage.topConversations({ ...range, limit: 5 })).toMatchObject([{ total: { requests: 1 } }])
  const compared = await usage.compare(range)
  expect(compared.find(({ model }) => model === 'mirror')).toMatchObject({
    here: { requests: 1 },
    service: { requests: 1 },
    drift: 'same',
  })
  expect((await models.facts()).facts).toContainEqual(expect.objectContaining({ id: 'mirror', favourite: true }))
  expect(await accounts(core)).toHaveLength(1)
})

it('requests of sandboxes of earlier versions are found, and those of a service on this computer stay its own', async () => {
  const dataDir = freshFolder()
  const first = await start(dataDir)
  await fetched(first)
  await chatOnce(first)
  await first.stop()
  // As an earlier version left it: the account of that sandbox has its address, and the next start deletes it.
  change(accountFile(dataDir), (handle) => handle.exec('DELETE FROM books'))
  change(requestLogFile(dataDir), (handle) => {
    handle.exec("UPDATE accounts SET base_url = 'http://127.0.0.1:45671', book = 'deleted' WHERE book IS NOT NULL")
    // A local model server, whose account is stored, on a port that programs choose.
    handle.exec("INSERT INTO accounts (id, base_url, profile, book) VALUES (99, 'http://127.0.0.1:11434', '', 'mine')")
  })

  const core = await start(dataDir)
  const account = await fetched(core)
  const { usage } = createRouterClient(core.router)
  const range = { accountId: account.id, from: today(), to: today() }
  await expect
    .poll(async () => (await usage.topConversations({ ...range, limit: 5 })).map(({ total }) => total.requests))
    .toEqual([1])
  await core.stop()
  change(requestLogFile(dataDir), (handle) => {
    const rows = handle.prepare('SELECT base_url, book FROM accounts WHERE id = 99').all()
    expect(rows).toEqual([{ base_url: 'http://127.0.0.1:11434', book: 'mine' }])
  })
})

it('deleting the sandbox deletes its account, and a new one starts from zero', async () => {
  const dataDir = freshFolder()
  const core = await start(dataDir)
  const before = await fetched(core)
  await chatOnce(core)
  const client = createRouterClient(core.router)
  await client.connection.remove({ id: 'sandbox' })
  await expect.poll(async () => (await accounts(core)).length).toBe(0)
  await client.connection.useSandbox()
  const account = await fetched(core)
  expect(account.id).not.toBe(before.id)
  const range = { accountId: account.id, from: today(), to: today() }
  expect(await client.usage.topConversations({ ...range, limit: 5 })).toEqual([])
  expect((await client.usage.compare(range)).filter(({ model }) => model === 'mirror')).toEqual([])
})
