import { homedir } from 'node:os'
import { modelFacts } from '../features/models/modelFacts.ts'
import type { Machine } from '../features/programs/definition.ts'
import { createPrograms, type Programs } from '../features/programs/programs.ts'
import { pathForServers } from '../features/tools/mcp/process.ts'
import type { Apps } from '../gateway/apps/apps.ts'
import type { LocalV1 } from '../gateway/proxy/localV1.ts'
import type { Host } from '../host.ts'
import type { ComposedAccount } from './account.ts'
import type { OpenData } from './data.ts'

export interface ProgramsDependencies extends Pick<OpenData, 'store' | 'settings' | 'apps' | 'requestLog'> {
  host: Pick<Host, 'dataDir'>
  account: Pick<ComposedAccount, 'models'>
  proxy: Pick<LocalV1, 'status'>
}

/** Most requests of a trial that are returned. */
const maxRequests = 100

/** Programs of this computer that Connect sets up. */
export function composePrograms({
  host,
  store,
  settings,
  apps,
  requestLog,
  account,
  proxy,
}: ProgramsDependencies): Programs {
  return createPrograms({
    store,
    dataDir: host.dataDir,
    machine: thisMachine(),
    app: (id) => apps.get(id),
    allowTools: (id) => allowTools(apps, id),
    ownerOf: (key) => ownerOf(apps, key),
    baseUrl: () => proxy.status().baseUrl ?? `http://127.0.0.1:${settings.value.proxyPort}/v1`,
    modelFacts: (model) => modelFacts(account.models).facts.find(({ id }) => id === model),
    terminalPath: pathForServers,
    requests: (who, since) => requestLog.page({ who, since }, Number.MAX_SAFE_INTEGER, maxRequests),
  })
}

export const thisMachine = (): Machine => ({ platform: process.platform, home: homedir(), env: process.env })

/** Lets an app use tools. Its folders stay as they are. */
export function allowTools(apps: Pick<Apps, 'get' | 'update'>, id: string): void {
  if (!apps.get(id).tools) apps.update(id, { tools: true })
}

/** Id of the app whose key this is, or null for a key that was replaced, has expired or is unknown. */
export function ownerOf(apps: Pick<Apps, 'verify'>, key: string): string | null {
  const verified = apps.verify(key)
  return verified.good || verified.why === 'paused' ? (verified.app?.id ?? null) : null
}
