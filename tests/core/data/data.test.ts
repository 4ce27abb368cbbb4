import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRouterClient } from '@orpc/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createCore } from '../../../src-main/core/core.ts'
import { failureOf } from '../../../src-main/hosts/node/failure.ts'
import { sealKey } from '../../../src-main/hosts/node/seal.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import type { DataState } from '../../../src-preload/contract/data.ts'
import { ended, freshFolder, memorySecrets, readUntil, testHost } from '../helpers/core.ts'
import { bytesOfCore } from '../helpers/transfers.ts'
import { contentsOf, filledFolder, soundness } from './fill.ts'

const open: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop()
})
async function coreIn(dataDir: string, secrets = memorySecrets()) {
  const core = await createCore(testHost(dataDir, secrets).host, { proxyPort: null })
  open.push(core)
  return { core, client: createRouterClient(core.router) }
}
type Studio = Awaited<ReturnType<typeof coreIn>>
type Client = Studio['client']

async function stateOf(client: Client, until: (state: DataState) => boolean = () => true): Promise<DataState> {
  const end = new AbortController()
  for await (const state of await client.data.watch(undefined, { signal: end.signal })) {
    if (!until(state)) continue
    end.abort()
    return state
  }
  throw new Error('The state ended.')
}
async function promptsOf(client: Client): Promise<string[]> {
  for await (const { prompts } of await client.library.watch()) return prompts.map(({ name }) => name)
  return []
}
/** Opens every conversation like a page, and returns the errors. */
async function readsAll(client: Client): Promise<string[]> {
  const met: string[] = []
  for await (const event of await client.chat.watchList()) {
    const ids = 'conversations' in event ? event.conversations.map(({ id }) => id) : []
    for (const conversationId of ids) {
      try {
        for await (const _ of await client.chat.watch({ conversationId })) break
      } catch (thrown) {
        met.push(failureOf(thrown).kind)
      }
    }
    break
  }
  return met
}
/** A filled data folder that a core opened and closed properly, with the bytes of its largest database. */
async function properlyClosed() {
  const dataDir = filledFolder({ conversations: 30, messages: 30 })
  const { core } = await coreIn(dataDir)
  await core.stop()
  const path = join(dataDir, 'studio.sqlite')
  return { dataDir, path, bytes: readFileSync(path) }
}
/** Downloads a file and uploads one, like a page. */
async function save({ core, client }: Studio): Promise<Buffer> {
  const { name, mime, ...download } = await client.data.backup()
  expect(name).toMatch(/^inference-studio-\d{4}-\d\d-\d\d-\d\d-\d\d\.tar$/)
  expect(mime).toBe('application/x-tar')
  return bytesOfCore(core).download(download)
}
const sendUp = ({ core, client }: Studio, bytes: Buffer): Promise<string> =>
  bytesOfCore(core).upload(client, 'backup.tar', bytes)

describe('the page', () => {
  it('saves a backup of a running program, restores it with the next start, and reports the former data', {
    tags: 'long',
  }, async () => {
    const dataDir = filledFolder({ conversations: 4 })
    const first = await coreIn(dataDir)
    const bytes = await save(first)
    expect((await stateOf(first.client)).backup).toBeNull()
    // Changes after the backup.
    await first.client.library.savePrompt({ name: 'Later', text: 'Later' })
    const uploadId = await sendUp(first, bytes)
    const checked = await first.client.data.checkBackup({ uploadId })
    expect(checked).toMatchObject({
      backup: { version: '0.0.0-test', counts: expect.arrayContaining([{ thing: 'conversations', count: 4 }]) },
      now: { counts: expect.arrayContaining([{ thing: 'conversations', count: 4 }]), bytes: expect.any(Number) },
    })
    expect((await stateOf(first.client)).pendingRestore).toBeNull()
    await first.client.data.restore({ uploadId })
    expect((await stateOf(first.client)).pendingRestore?.summary).toEqual(checked.backup)
    // Nothing has changed yet.
    expect(await promptsOf(first.client)).toContain('Later')
    await first.core.stop()

    const second = await coreIn(dataDir)
    expect(await promptsOf(second.client)).not.toContain('Later')
    const state = await stateOf(second.client)
    expect(state).toMatchObject({ pendingRestore: null, restored: { acknowledged: false, summary: checked.backup } })
    const prompts = contentsOf(join(state.restored?.keptAt ?? '', 'studio.sqlite')).get('prompts')
    expect(prompts?.some((row) => row.includes('Later'))).toBe(true)
    await second.client.data.acknowledge({ id: state.restored?.id ?? '' })
    expect((await stateOf(second.client)).restored?.acknowledged).toBe(true)
    await second.client.data.deleteSetAside({ name: state.setAside[0]?.name ?? '' })
    expect((await stateOf(second.client)).setAside).toEqual([])
  })

  it('cancels a scheduled restore, and refuses a file that is not a backup', { tags: 'long' }, async () => {
    const dataDir = filledFolder()
    const { client, core } = await coreIn(dataDir)
    const bytes = await save({ core, client })
    await client.data.restore({ uploadId: await sendUp({ core, client }, bytes) })
    expect(await client.data.discardRestore()).toEqual({ dropped: true })
    expect(await client.data.discardRestore()).toEqual({ dropped: false })
    const wrong = await sendUp({ core, client }, Buffer.from('nothing of a backup'.repeat(100)))
    await expect(client.data.checkBackup({ uploadId: wrong })).rejects.toMatchObject({ data: { kind: 'bad_input' } })
    expect((await stateOf(client)).restore).toBeNull()
    await core.stop()
    expect(readdirSync(dataDir).filter((name) => /staging|waiting|swapping|replaced/.test(name))).toEqual([])
  })

  it('reports that a scheduled restore was damaged on the disk and deleted, and that no data was changed', {
    tags: 'long',
  }, async () => {
    const dataDir = filledFolder({ conversations: 4 })
    const first = await coreIn(dataDir)
    await first.client.data.restore({ uploadId: await sendUp(first, await save(first)) })
    await first.core.stop()
    rmSync(join(dataDir, 'waiting', 'new', 'ledger.sqlite'))
    const before = contentsOf(join(dataDir, 'studio.sqlite'))
    const second = await coreIn(dataDir)
    expect(await stateOf(second.client)).toMatchObject({
      pendingRestore: null,
      restored: null,
      problem: { kind: 'store_damaged' },
    })
    expect(contentsOf(join(dataDir, 'studio.sqlite')).get('messages')).toEqual(before.get('messages'))
  })

  it('sees the progress of a backup, and cancels it', { tags: 'long' }, async () => {
    const dataDir = filledFolder({ conversations: 200, messages: 60 })
    const { client } = await coreIn(dataDir)
    const made = client.data.backup()
    made.catch(() => undefined)
    const { backup } = await stateOf(client, (state) => state.backup !== null)
    expect(backup).toMatchObject({ stage: expect.stringMatching(/databases|packing/), total: expect.any(Number) })
    await expect(client.data.backup()).rejects.toMatchObject({ data: { kind: 'busy' } })
    expect(await client.data.cancelBackup()).toEqual({ cancelled: true })
    await expect(made).rejects.toMatchObject({ data: { kind: 'cancelled' } })
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
    expect(existsSync(join(dataDir, 'backups'))).toBe(false)
  })

  it('never finds the key in use in a backup', { tags: 'long' }, async () => {
    const service = await startSandbox({ port: 0 })
    open.push({ stop: () => service.close() })
    const dataDir = freshFolder()
    const { core, client } = await coreIn(dataDir)
    const { publicKey } = await client.connection.sealingKey()
    await client.connection.connect({
      baseUrl: service.baseUrl,
      key: await sealKey(publicKey, service.apiKey),
      keyStorage: 'keychain',
      allowInsecure: false,
    })
    const sent = await core.chat.send({
      requestId: crypto.randomUUID(),
      conversationId: null,
      text: 'Hello',
      models: ['mirror'],
    })
    await readUntil(core.chat.watch(sent), ended)
    const bytes = await save({ core, client })
    expect(bytes.includes('Hello')).toBe(true)
    const secret = service.apiKey
    for (const form of [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')]) {
      expect(bytes.includes(form)).toBe(false)
    }
  })
})

/** First and last byte of the page where a table starts. */
function pageOf(path: string, table: string): [number, number] {
  const file = new DatabaseSync(path, { readOnly: true })
  const root = Number(file.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.rootpage)
  file.close()
  return [(root - 1) * 4096, root * 4096]
}

describe('a start', () => {
  it('with a damaged database opens with the readable rows, and reports the damage until it is acknowledged', async () => {
    const dataDir = filledFolder({ conversations: 30, messages: 30 })
    const path = join(dataDir, 'studio.sqlite')
    const bytes = readFileSync(path)
    // The header, and the schema table with the root pages of all tables.
    bytes.fill(0, 0, 4096)
    writeFileSync(path, bytes)
    const { client, core } = await coreIn(dataDir)
    const { damage } = await stateOf(client)
    expect(damage).toMatchObject([{ database: 'studio', acknowledged: false }])
    expect(damage[0]?.recovered).toEqual(expect.arrayContaining([{ thing: 'messages', count: 900 }]))
    // The search index is rebuilt in the background.
    await expect
      .poll(async () => (await client.library.search({ text: 'Message 3 of 7', limit: 5 })).hits.length)
      .toBeGreaterThan(0)
    await client.data.acknowledge({ id: damage[0]?.id ?? '' })
    await core.stop()
    const again = await coreIn(dataDir)
    expect((await stateOf(again.client)).damage).toMatchObject([{ acknowledged: true }])
  })

  it('after damage that the program met while it ran checks everything, and recovers it', {
    tags: 'long',
  }, async () => {
    const { dataDir, path, bytes } = await properlyClosed()
    const at = bytes.lastIndexOf('Message 2 of 29')
    bytes.fill(0xff, at - (at % 4096), at - (at % 4096) + 4096)
    writeFileSync(path, bytes)
    // It was closed properly, so the next start does not check every page.
    const second = await coreIn(dataDir)
    expect((await stateOf(second.client)).damage).toEqual([])
    expect(await readsAll(second.client)).toContain('store_damaged')
    await second.core.stop()
    const third = await coreIn(dataDir)
    expect((await stateOf(third.client)).damage).toMatchObject([{ database: 'studio' }])
    await third.core.stop()
    expect(soundness(path)).toEqual({ integrity: 'ok', foreign: 0 })
  })

  it('recovers a file that was closed properly but is damaged in the pages that the program reads first', {
    tags: 'long',
  }, async () => {
    const { dataDir, path, bytes } = await properlyClosed()
    // The root pages of these tables. The first page of the file, which every start checks, is sound.
    for (const table of ['settings', 'profiles', 'alerts']) bytes.fill(0, ...pageOf(path, table))
    writeFileSync(path, bytes)
    const { client, core } = await coreIn(dataDir)
    expect((await stateOf(client)).damage).toMatchObject([{ database: 'studio', acknowledged: false }])
    await core.stop()
    expect(soundness(path)).toEqual({ integrity: 'ok', foreign: 0 })
    expect(existsSync(join(dataDir, 'studio.check'))).toBe(false)
  })

  it('continues with a damaged lock or note of the last owner', async () => {
    const dataDir = filledFolder()
    writeFileSync(join(dataDir, 'studio.lock'), 'nonsense '.repeat(1000))
    mkdirSync(join(dataDir, 'studio.owner.json'))
    const { core } = await coreIn(dataDir)
    await core.stop()
    writeFileSync(join(dataDir, 'studio.owner.json'), '{"pid":')
    const again = await coreIn(dataDir)
    await again.core.stop()
    expect(readdirSync(dataDir)).not.toContain('studio.owner.json')
    rmSync(dataDir, { recursive: true })
  })
})
