import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createRouterClient } from '@orpc/server'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import type { CoreOptions } from '../../../core/core.ts'
import type { Host } from '../../../core/host.ts'
import { databaseProblem, folderUser } from '../../../core/stored.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { chosenKeyFile, keyFileText } from '../keyFile.ts'
import { listenOn } from '../listen.ts'
import { exitCodes, printJson, sayTable } from '../output.ts'
import { wordsOf } from '../ownWords.ts'
import { widthOf } from '../table.ts'
import { startTemporaryCore, type TemporaryCore } from '../temporaryCore.ts'

interface DoctorOptions extends ConnectionOptions {
  ignoreWarnings: boolean
  dataDir?: string
  json: boolean
}

/** One result. `warning`: the program runs with a limitation. */
interface Check {
  name: 'node' | 'keychain' | 'dataFolder' | 'webPort' | 'apiPort' | 'baseAddress' | 'key'
  status: 'ok' | 'warning' | 'failed'
  detail: string
}

const labelOf = (name: Check['name']): Check['name'] | 'keyFile' =>
  name === 'keychain' && chosenKeyFile() ? 'keyFile' : name

/** The status in a column of its own. */
function statusAndDetail(status: Check['status'], detail: string): string {
  const words = (['ok', 'warning', 'failed'] as const).map((one) => t(`doctor.status.${one}`))
  const width = Math.max(...words.map(widthOf)) + 2
  const shown = t(`doctor.status.${status}`)
  return `${shown}${' '.repeat(width - widthOf(shown))}${detail}`
}

/** `doctor`: checks the environment and prints the results, never the API key. Exits with 1 unless every check is ok. */
export async function doctor(options: DoctorOptions, parts: Parts): Promise<number> {
  const dataDir = findDataDir(options.dataDir)
  const host = createNodeHost(dataDir)
  const checks: Check[] = [
    checkNode(),
    await checkKeychain(host),
    await checkFolder(dataDir),
    ...(await checkPorts(dataDir)),
    ...(await checkConnection(dataDir, options, parts)),
  ]
  const ok = checks.every(({ status }) => status === 'ok' || (status === 'warning' && options.ignoreWarnings))
  if (options.json) printJson({ ok, dataDir, checks })
  else
    sayTable(
      checks.map(({ name, status, detail }) => [t(`doctor.name.${labelOf(name)}`), statusAndDetail(status, detail)]),
    )
  return ok ? exitCodes.ok : exitCodes.failed
}

/** Major version of Node that the program is built for and tested with. The minimum is 22.16 (main.ts). */
const wantedNode = 24

function checkNode(): Check {
  const { node } = process.versions
  if (Number.parseInt(node, 10) >= wantedNode) return { name: 'node', status: 'ok', detail: node }
  return { name: 'node', status: 'warning', detail: t('doctor.testedWith', { version: node, wanted: wantedNode }) }
}

async function checkKeychain(host: Host): Promise<Check> {
  const { available, reason } = await host.secrets.probe()
  const file = chosenKeyFile()
  if (available) return { name: 'keychain', status: 'ok', detail: file ? keyFileText(file) : t('doctor.unlocked') }
  return { name: 'keychain', status: file ? 'failed' : 'warning', detail: reason ?? t('doctor.notAvailable') }
}

async function checkFolder(dataDir: string): Promise<Check> {
  const facts = await stat(dataDir).catch(() => null)
  if (facts === null) {
    return { name: 'dataFolder', status: 'ok', detail: t('doctor.newFolder', { path: dataDir }) }
  }
  const ours = process.getuid === undefined || facts.uid === process.getuid()
  const writable = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  const openToOthers = process.platform !== 'win32' && (facts.mode & 0o077) !== 0
  if (!writable) return { name: 'dataFolder', status: 'failed', detail: t('doctor.notWritable', { path: dataDir }) }
  const unreadable = await databaseProblem(dataDir)
  if (unreadable !== null) return { name: 'dataFolder', status: 'failed', detail: unreadable }
  if (!ours) return { name: 'dataFolder', status: 'failed', detail: t('doctor.ofOther', { path: dataDir }) }
  if (openToOthers)
    return {
      name: 'dataFolder',
      status: 'warning',
      detail: t('doctor.openToOthers', { path: dataDir }),
    }
  return { name: 'dataFolder', status: 'ok', detail: t('doctor.goodFolder', { path: dataDir }) }
}

/** A studio that runs on the folder has the ports that it needs. */
async function checkPorts(dataDir: string): Promise<Check[]> {
  const user = await folderUser(dataDir)
  if (user === null) return [await checkPort('webPort', 8786), await checkPort('apiPort', 8787)]
  const detail = t('doctor.portsUsed')
  return [
    { name: 'webPort', status: 'ok', detail },
    { name: 'apiPort', status: 'ok', detail },
  ]
}

async function checkPort(name: 'webPort' | 'apiPort', port: number): Promise<Check> {
  // The server closes only after its last connection, so each connection is destroyed.
  const server = createServer((socket) => socket.destroy())
  try {
    await listenOn(server, port, false)
    await new Promise((resolve) => server.close(resolve))
    return { name, status: 'ok', detail: t('doctor.portFree', { port: String(port) }) }
  } catch (thrown) {
    const error = failureOf(thrown)
    const detail = error.kind === 'port_taken' ? t('doctor.portTaken', { port: String(port) }) : wordsOf(error)
    return { name, status: 'warning', detail }
  }
}

/**
 * Checks the service through a core, because only a core may use the API key. The core runs in a temporary folder, so that `doctor` never
 * changes the data folder.
 */
async function checkConnection(dataDir: string, options: DoctorOptions, parts: Parts): Promise<Check[]> {
  try {
    const connect = await connectionFrom(options)
    const { core, close } = await openCore(dataDir, parts, { proxyPort: null, ...(connect && { connect }) })
    try {
      return fromConnection(await settledConnection(createRouterClient(core.router)))
    } finally {
      await close()
    }
  } catch (thrown) {
    const error = failureOf(thrown)
    const status = error.kind === 'folder_in_use' ? 'warning' : 'failed'
    return [
      {
        ...{ name: 'baseAddress', status },
        detail: status === 'warning' ? t('doctor.notCheckedBecause', { reason: wordsOf(error) }) : wordsOf(error),
      },
      { name: 'key', status: 'warning', detail: t('doctor.notChecked') },
    ]
  }
}

/** Starts a core with a copy of the stored connections, or with the given one. @throws StudioError `folder_in_use` while a studio runs */
async function openCore(dataDir: string, parts: Parts, options: CoreOptions): Promise<TemporaryCore> {
  if (options.connect && !('profile' in options.connect)) return startTemporaryCore(parts, options)
  const user = await folderUser(dataDir)
  if (user) throw user
  const stored = await parts.openConnectionList(dataDir)
  try {
    return await startTemporaryCore(parts, options, stored.copyTo)
  } finally {
    stored.close()
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
  if (!connection || connection.state === 'none') {
    return [
      { name: 'baseAddress', status: 'warning', detail: t('doctor.noConnection') },
      { name: 'key', status: 'warning', detail: t('doctor.noKey') },
    ]
  }
  const address = connection.profile?.baseUrl ?? t('doctor.theService')
  if (connection.state === 'connected') {
    return [
      { name: 'baseAddress', status: 'ok', detail: t('doctor.responds', { address }) },
      { name: 'key', status: 'ok', detail: t('doctor.accepted') },
    ]
  }
  const { problem } = connection
  const words = problem ? wordsOf(problem) : t('doctor.noResponse')
  // An HTTP status proves that the service is reachable. The key or the service itself failed.
  if (problem?.status === undefined) {
    return [
      { name: 'baseAddress', status: 'failed', detail: t('doctor.because', { what: address, reason: words }) },
      { name: 'key', status: 'warning', detail: t('doctor.notChecked') },
    ]
  }
  return [
    { name: 'baseAddress', status: 'ok', detail: t('doctor.responds', { address }) },
    { name: 'key', status: 'failed', detail: words },
  ]
}
