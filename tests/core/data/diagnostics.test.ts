import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, expect, test } from 'vitest'
import { type Core, createCore } from '../../../src-main/core/core.ts'
import type { Host } from '../../../src-main/core/host.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { freshFolder, readUntil, testHost } from '../helpers/core.ts'

const open: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop()
})

const apiKey = 'plain-key-without-any-prefix-4711'

async function start(problems: string[]): Promise<{ core: Core; report(): Promise<string> }> {
  const sandbox = await startSandbox({ apiKey })
  open.push({ stop: () => sandbox.close() })
  const { host } = testHost(freshFolder())
  const diagnostics: Host['diagnostics'] = {
    versions: () => ({ electron: '45.4.1' }),
    recentProblems: () => problems,
    crashDumps: () => 2,
  }
  const core = await createCore(
    { ...host, diagnostics },
    { connect: { baseUrl: sandbox.baseUrl, apiKey }, proxyPort: 0 },
  )
  open.push(core)
  await core.connection.check()
  const client = createRouterClient(core.router)
  return { core, report: async () => (await client.app.diagnostics()).report }
}

test('the report has versions, state, sizes, settings and the last problems', async () => {
  const { core, report } = await start(['2026-11-23T10:00:00.000Z error The disk was slow.'])
  const media = join(core.addresses().dataDir, 'media')
  mkdirSync(media, { recursive: true })
  writeFileSync(join(media, 'x'), Buffer.alloc(2_500_000))
  const text = await report()
  for (const part of [
    ...['version: 0.0.0-test', 'host: web', 'electron: 45.4.1', `node: ${process.versions.node}`, 'crash dumps: 2'],
    ...[`platform: ${process.platform} ${process.arch}`, 'connection: connected', 'local API: on', 'media: 2.5 MB'],
    ...['studio: ', 'ledger: ', 'bodies: ', 'account: ', 'theme: "system"', 'newChatInstructions: "0 characters"'],
    ...['2026-11-23T10:00:00.000Z error The disk was slow.'],
  ]) {
    expect(text).toContain(part)
  }
})

test('the report has no key, no app key, no text of a chat, no address and no name that the person gave', async () => {
  const problems: string[] = []
  const { core, report } = await start(problems)
  const client = createRouterClient(core.router)
  const { key: appKey } = await client.apps.add({ name: 'Neighbour’s editor' })
  expect(appKey).toMatch(/^isk_/)
  const secretText = 'The garden gate code of my grandmother is forty-two seventeen'
  await client.app.updateSettings({
    newChatInstructions: 'Always call me Captain Marigold',
    proxyOrigins: ['http://intranet.example:3000'],
    chatModel: 'writer-small',
  })
  const sent = await client.chat.send({
    requestId: crypto.randomUUID(),
    conversationId: null,
    text: secretText,
    models: ['mirror'],
  })
  const events = (await client.chat.watch({ conversationId: sent.conversationId }))[Symbol.asyncIterator]()
  await readUntil(events, ({ status }) => status === 'complete')
  await events.return?.(undefined)
  problems.push(
    `2026-11-23T10:00:00.000Z error Refused ${apiKey} and ${appKey} and sk-live-0123456789 in ${homedir()}/chats`,
    `2026-11-23T10:00:01.000Z warn The service says: “${secretText}”`,
    `2026-11-23T10:00:02.000Z warn http://me:password@host.example/?token=abcdef`,
  )
  const text = await report()
  expect(text).toContain('error Refused [key] and isk_… and sk-… in ~/chats')
  for (const secret of [
    ...[apiKey, appKey, appKey.slice(4), 'sk-live', homedir(), 'me:password', 'abcdef', secretText, 'garden gate'],
    ...['Marigold', 'intranet', 'Neighbour', 'writer-small', core.addresses().dataDir],
  ]) {
    expect(text).not.toContain(secret)
  }
  expect(core.state().connection.profile?.baseUrl).toBeTruthy()
  expect(text).not.toContain(core.state().connection.profile?.baseUrl)
})
