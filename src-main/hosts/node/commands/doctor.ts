import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createRouterClient } from '@orpc/server'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import { asStudioError } from '../../../core/errors.ts'
import type { Host } from '../../../core/host.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { listenOn } from '../listen.ts'
import { exitCodes, printJson, say } from '../output.ts'
import type { Parts } from '../parts.ts'

interface DoctorOptions extends ConnectionOptions {
  dataDir?: string
  json: boolean
}

/** `warning`: the program runs, with less. */
interface Check {
  name: 'node' | 'keychain' | 'dataFolder' | 'webPort' | 'proxyPort' | 'baseAddress' | 'key'
  status: 'ok' | 'warning' | 'failed'
  detail: string
}

/** What was found on this machine, never the key. Fails when a check failed. */
export async function doctor(options: DoctorOptions, parts: Parts): Promise<number> {
  const dataDir = await openDataDir(options.dataDir)
  const host = createNodeHost(dataDir)
  const checks: Check[] = [
    checkNode(),
    await checkKeychain(host),
    await checkFolder(dataDir),
    await checkPort('webPort', 8786),
    await checkPort('proxyPort', 8787),
    ...(await checkConnection(host, options, parts)),
  ]
  const ok = checks.every((check) => check.status !== 'failed')
  if (options.json) printJson({ ok, dataDir, checks })
  else say(...checks.map((check) => `${check.status.padEnd(8)}${check.name.padEnd(13)}${check.detail}`))
  return ok ? exitCodes.ok : exitCodes.failed
}

function checkNode(): Check {
  const major = Number(process.versions.node.split('.')[0])
  const status = major >= 24 ? 'ok' : 'failed'
  return { name: 'node', status, detail: `Node ${process.versions.node}${status === 'ok' ? '' : ', 24 is needed'}` }
}

async function checkKeychain(host: Host): Promise<Check> {
  const { available, reason } = await host.secrets.probe()
  if (available) return { name: 'keychain', status: 'ok', detail: 'answers and is unlocked' }
  return { name: 'keychain', status: 'warning', detail: reason ?? 'does not answer' }
}

async function checkFolder(dataDir: string): Promise<Check> {
  const facts = await stat(dataDir)
  const ours = process.getuid === undefined || facts.uid === process.getuid()
  const writable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  const openToOthers = process.platform !== 'win32' && (facts.mode & 0o077) !== 0
  if (!writable) return { name: 'dataFolder', status: 'failed', detail: `${dataDir} is not writable` }
  if (!ours) return { name: 'dataFolder', status: 'warning', detail: `${dataDir} belongs to another user` }
  if (openToOthers) return { name: 'dataFolder', status: 'warning', detail: `${dataDir} can be read by other users` }
  return { name: 'dataFolder', status: 'ok', detail: `${dataDir} is writable and ours alone` }
}

async function checkPort(name: 'webPort' | 'proxyPort', port: number): Promise<Check> {
  const server = createServer()
  try {
    await listenOn(server, port, false)
    await new Promise((resolve) => server.close(resolve))
    return { name, status: 'ok', detail: `${port} is free` }
  } catch (thrown) {
    return { name, status: 'warning', detail: `${asStudioError(thrown).message} The next free one is used.` }
  }
}

/** Through a core, the only one that may use the key. */
async function checkConnection(host: Host, options: DoctorOptions, parts: Parts): Promise<Check[]> {
  try {
    const connect = connectionFrom(options)
    const core = await parts.startCore(host, { proxyPort: null, ...(connect && { connect }) })
    try {
      return fromConnection(await settledConnection(createRouterClient(core.router)))
    } finally {
      await core.stop()
    }
  } catch (thrown) {
    const error = asStudioError(thrown)
    if (error.kind !== 'folder_in_use') return bothChecks('failed', error.message)
    return bothChecks('warning', `not asked: ${error.message}`)
  }
}

async function settledConnection(client: {
  app: { watch(): Promise<AsyncIterable<{ connection: Connection }>> }
}): Promise<Connection | null> {
  for await (const { connection } of await client.app.watch()) {
    if (connection.state !== 'checking') return connection
  }
  return null
}

function fromConnection(connection: Connection | null): Check[] {
  if (!connection || connection.state === 'none') return bothChecks('warning', 'nothing is connected yet')
  const address = connection.profile?.baseUrl ?? 'the service'
  if (connection.state === 'connected') {
    return [
      { name: 'baseAddress', status: 'ok', detail: `${address} answers` },
      { name: 'key', status: 'ok', detail: 'accepted' },
    ]
  }
  const { problem } = connection
  const words = problem?.message ?? 'does not answer'
  // A status line is an answer: then it is the key, or the service, that failed.
  if (problem?.status === undefined) {
    return [
      { name: 'baseAddress', status: 'failed', detail: `${address}: ${words}` },
      { name: 'key', status: 'warning', detail: 'not asked' },
    ]
  }
  return [
    { name: 'baseAddress', status: 'ok', detail: `${address} answers` },
    { name: 'key', status: 'failed', detail: words },
  ]
}

function bothChecks(status: Check['status'], detail: string): Check[] {
  return [
    { name: 'baseAddress', status, detail },
    { name: 'key', status, detail },
  ]
}
