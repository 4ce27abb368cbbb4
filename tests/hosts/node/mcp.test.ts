import { readdirSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Core, createCore } from '../../../src-main/core/core.ts'
import { type LocalSocket, openLocalSocket } from '../../../src-main/hosts/node/localSocket.ts'
import { realParts } from '../../../src-main/hosts/node/realDependencies.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { testHost } from '../../core/helpers/core.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { runInProcess } from './fixtures/inProcess.ts'
import { environmentOf, sourceEntry } from './fixtures/process.ts'

/** The official client, which starts `inference-studio mcp` as agents do. */
async function agent(args: string[], env: Record<string, string>): Promise<Client> {
  const home = temporaryFolder('studio-home-')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [sourceEntry, 'mcp', ...args],
    env: environmentOf({ HOME: home, ...env }),
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport, { timeout: 60_000 })
  onTestFinished(() => client.close())
  return client
}

/** Lets commands find this core, as a running studio does. */
async function serveLocally(dataDir: string, core: Core): Promise<LocalSocket | null> {
  const socket = await openLocalSocket(
    dataDir,
    () => null,
    () => undefined,
  )
  onTestFinished(() => socket?.close())
  await socket?.serve(core)
  return socket
}

it('over standard input and output an agent uses the running studio, and a cancelled call ends there', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const dataDir = temporaryFolder('studio-mcp-')
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const core = await createCore(testHost(dataDir).host, { connect, proxyPort: 0 })
  onTestFinished(() => core.stop())
  const client = createRouterClient(core.router)
  const { key } = await client.apps.add({ name: 'agent', tools: true })
  await serveLocally(dataDir, core)
  // The local API has a port of its own, which no setting names: the socket says where it is.
  const port = process.platform === 'win32' ? ['--api-port', new URL(core.addresses().proxy ?? '').port] : []
  const own = await agent(['--data-dir', dataDir, ...port], { INFERENCE_STUDIO_KEY: key })
  expect((await own.listTools()).tools.map(({ name }) => name)).toContain('speak')
  const spoken = await own.callTool({ name: 'speak', arguments: { text: 'The harbour is quiet.' } })
  expect(spoken.content[1]?.type).toBe('audio')

  const stop = new AbortController()
  const call = own.callTool(
    { name: 'generate_image', arguments: { prompt: 'A lighthouse', model: 'fault/stall' } },
    { signal: stop.signal },
  )
  const ended = expect(call).rejects.toThrow()
  await vi.waitFor(() => expect(core.activity.read().requests).toBe(1), 10_000)
  stop.abort()
  await ended
  await vi.waitFor(() => expect(core.activity.read().requests).toBe(0), 10_000)
})

it('an agent goes on when the studio was started again, which has forgotten its session', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const dataDir = temporaryFolder('studio-mcp-')
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const first = await createCore(testHost(dataDir).host, { connect, proxyPort: 0 })
  const { key } = await createRouterClient(first.router).apps.add({ name: 'agent', tools: true })
  const proxyPort = Number(new URL(first.addresses().proxy ?? '').port)
  const socket = await serveLocally(dataDir, first)
  const port = process.platform === 'win32' ? ['--api-port', `${proxyPort}`] : []
  const own = await agent(['--data-dir', dataDir, ...port], { INFERENCE_STUDIO_KEY: key })
  expect((await own.listTools()).tools).toHaveLength(6)
  await socket?.close()
  await first.stop()
  const second = await createCore(testHost(dataDir).host, { connect, proxyPort })
  onTestFinished(() => second.stop())
  const both = ['list_models', 'usage_and_limits'].map((name) => own.callTool({ name, arguments: {} }))
  for (const { isError, content } of await Promise.all(both)) {
    expect(isError).toBeFalsy()
    expect(content).toHaveLength(1)
  }
})

it('without a running studio the command starts one for its time, with the data folder of the person', async () => {
  const dataDir = temporaryFolder('studio-mcp-')
  const added = await runInProcess(['apps', 'add', 'agent', '--tools', '--json', '--data-dir', dataDir], realParts)
  const { key } = JSON.parse(added.stdout)
  const own = await agent(['--data-dir', dataDir, '--sandbox'], { INFERENCE_STUDIO_KEY: key })
  const drawn = await own.callTool({ name: 'generate_image', arguments: { prompt: 'A lighthouse' } })
  expect(drawn.content[1]?.type).toBe('image')
  expect(readdirSync(dataDir)).toContain('media')
})

it.skipIf(process.platform === 'win32')('a running studio without a local API is named as the reason', async () => {
  const dataDir = temporaryFolder('studio-mcp-')
  const core = await createCore(testHost(dataDir).host, { proxyPort: null })
  onTestFinished(() => core.stop())
  await serveLocally(dataDir, core)
  vi.stubEnv('INFERENCE_STUDIO_KEY', 'isk_any')
  const { code, stderr } = await runInProcess(['mcp', '--data-dir', dataDir], realParts)
  // Programs that the command starts do not inherit it.
  expect(process.env).not.toHaveProperty('INFERENCE_STUDIO_KEY')
  vi.unstubAllEnvs()
  expect([code, stderr]).toEqual([1, expect.stringContaining('The local API of the running studio is off.')])
})

it('without a key the command says where to get one', async () => {
  vi.stubEnv('INFERENCE_STUDIO_KEY', '')
  const { code, stderr } = await runInProcess(['mcp', '--data-dir', temporaryFolder('studio-mcp-')], realParts)
  vi.unstubAllEnvs()
  expect(code).toBe(1)
  expect(stderr).toContain('apps add NAME --tools')
})
