import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Core, createCore } from '../../src-main/core/core.ts'
import { connect, openStored } from '../../src-main/core/features/connections/connect.ts'
import { Session } from '../../src-main/core/features/connections/session.ts'
import { openStore } from '../../src-main/core/store/store.ts'
import { Credential } from '../../src-main/core/upstream/credential.ts'
import { noRequestLog, openScheduler } from '../../src-main/core/upstream/sending/defaults.ts'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { closeAfterEach } from '../helpers/closers.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from './helpers/core.ts'

const closers = closeAfterEach()

async function core(
  dataDir: string,
  secrets = memorySecrets(),
  options = {},
): Promise<{ core: Core; lines: string[] }> {
  const { host, lines } = testHost(dataDir, secrets)
  const made = await createCore(host, options)
  closers.push(() => made.stop())
  return { core: made, lines }
}

const writer = async (made: Core): Promise<string> => {
  const { models } = await made.models.list({ refresh: false })
  const found = models.find(({ id }) => id.includes('writer')) ?? models[0]
  if (!found) throw new Error('The sandbox lists no models.')
  return found.id
}

describe('a core', () => {
  it('streams a reply from the sandbox, stores it, and has it after a restart [CHAT-05] [CHAT-15] [SSE-01]', {
    tags: 'long',
  }, async () => {
    const folder = freshFolder()
    const first = await core(folder, memorySecrets(), { connect: { sandbox: true } })
    const model = await writer(first.core)
    const sent = await first.core.chat.send({
      requestId: randomUUID(),
      conversationId: null,
      text: 'Hello',
      models: [model],
    })
    const path = await readUntil(first.core.chat.watch(sent), ended)
    const reply = path.at(-1)
    expect(path.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(reply).toMatchObject({ status: 'complete', problem: null })
    expect(reply?.text.length).toBeGreaterThan(0)
    expect(reply?.usage?.promptTokens).toBeGreaterThan(0)
    await first.core.stop()

    const second = await core(folder)
    const again = await readUntil(second.core.chat.watch(sent), ended)
    expect(again.at(-1)).toEqual(reply)
  })

  it('sends the same request once, however often it is submitted', { tags: 'long' }, async () => {
    const { core: made } = await core(freshFolder(), memorySecrets(), { connect: { sandbox: true } })
    const input = { requestId: randomUUID(), conversationId: null, text: 'Once', models: [await writer(made)] }
    const both = await Promise.all([made.chat.send(input), made.chat.send(input)])
    const later = await made.chat.send(input)
    expect(new Set([...both, later].map((sent) => JSON.stringify(sent))).size).toBe(1)
    const path = await readUntil(made.chat.watch(later), ended)
    expect(path).toHaveLength(2)
    expect(path[1]?.siblings).toBe(1)
  })

  it('refuses a second process on its folder, and names the first', async () => {
    const folder = freshFolder()
    await core(folder)
    await expect(core(folder)).rejects.toMatchObject({
      kind: 'folder_in_use',
      message: expect.stringContaining(`Process ${process.pid}`),
    })
  })

  it('stores nothing without a keychain, and connects for this session on request', async () => {
    const service = await startSandbox()
    closers.push(() => service.close())
    const secrets = memorySecrets('missing')
    const { core: made } = await core(freshFolder(), secrets)
    const login = made.connection.login({ baseUrl: service.baseUrl, key: service.apiKey })
    await expect(login).rejects.toMatchObject({ kind: 'keychain_missing' })
    expect(made.state().connection).toMatchObject({ state: 'none', profile: null })

    const credential = Credential.fromText(service.apiKey)
    const input = { baseUrl: service.baseUrl, credential, allowInsecure: false, keyStorage: 'session' as const }
    const store = openStore(freshFolder())
    const session = new Session(store, secrets, { scheduler: openScheduler, requestLogOf: () => noRequestLog })
    closers.push(async () => {
      await session.close()
      store.close()
    })
    expect(await connect(session, input)).toMatchObject({ keyKept: 'session' })
    expect(session.connection.state).toBe('connected')
    // Within this session the key is available again.
    await openStored(session)
    expect(session.connection).toMatchObject({ problem: null, profile: { keyKept: 'session' } })
    // As after a restart: the profile exists without its key.
    session.keys.clear()
    await openStored(session)
    expect(session.connection).toMatchObject({
      state: 'failed',
      profile: { keyKept: 'none' },
      problem: { kind: 'not_connected' },
    })
  })

  it('finds its key in the keychain after a restart, and deletes profile and key on disconnect', async () => {
    const service = await startSandbox()
    closers.push(() => service.close())
    const [folder, secrets] = [freshFolder(), memorySecrets()]
    const first = await core(folder, secrets)
    await first.core.connection.login({ baseUrl: `${service.baseUrl}/v1/`, key: service.apiKey })
    expect([...secrets.kept.values()]).toEqual([service.apiKey])
    await first.core.stop()
    const second = await core(folder, secrets)
    await second.core.connection.check()
    expect(second.core.state().connection).toMatchObject({ state: 'connected', profile: { baseUrl: service.baseUrl } })
    await second.core.connection.logout()
    expect(secrets.kept.size).toBe(0)
    expect(second.core.state().connection.state).toBe('none')
  })

  it('reports a refused key and stores nothing of it [AUTH-02]', async () => {
    const service = await startSandbox()
    closers.push(() => service.close())
    const secrets = memorySecrets()
    const { core: made } = await core(freshFolder(), secrets)
    const login = made.connection.login({ baseUrl: service.baseUrl, key: 'sk-not-a-key-of-anyone' })
    await expect(login).rejects.toMatchObject({ kind: 'unauthorized' })
    expect(secrets.kept.size).toBe(0)
    expect(made.state().connection.state).toBe('none')
  })
})
