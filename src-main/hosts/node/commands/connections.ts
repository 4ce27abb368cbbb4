import type { ListedProfile } from '../../../core/features/connections/savedConnections.ts'
import type { ConnectionCommands, Parts } from '../dependencies.ts'
import { findDataDir, openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { columns } from '../table.ts'

interface ConnectionsOptions {
  dataDir?: string
  json: boolean
}

/** All connections of the folder, the active one marked. Asks nobody, and needs no keychain. */
export async function listConnections(options: ConnectionsOptions, parts: Parts): Promise<number> {
  const connections = await parts.openConnectionList(findDataDir(options.dataDir))
  try {
    const all = connections.list()
    if (options.json) for (const profile of all) printJson(profile)
    else if (all.length === 0) say('No connections yet. Make one: inference-studio login --base-url URL')
    else say(...columns([['', 'NAME', 'ADDRESS', 'KEY', 'ID'], ...all.map(cells)], { cuts: 1 }))
  } finally {
    connections.close()
  }
  return exitCodes.ok
}

/** A running program follows within a moment: new requests go there, what was sent before ends where it was sent. */
export function useConnection(which: string, options: ConnectionsOptions, parts: Parts): Promise<number> {
  return withConnections(options, parts, (connections) => {
    const profile = connections.use(which)
    if (options.json) printJson(profile)
    else say(`Requests go to ${profile.name} (${addressOf(profile)}).`)
  })
}

/** Nothing takes the place of the active one. */
export function forgetConnection(which: string, options: ConnectionsOptions, parts: Parts): Promise<number> {
  return withConnections(options, parts, async (connections, dataDir) => {
    const { name, active, id } = await connections.forget(which, createNodeHost(dataDir).secrets)
    if (options.json) printJson({ forgotten: { id, name } })
    else {
      say(`${name} and its key are forgotten. Conversations, usage and the log stay.`)
      if (active) say('Nothing is connected now. Choose another: inference-studio connections use NAME')
    }
  })
}

const keys: Record<ListedProfile['keyKept'], string> = {
  keychain: 'in the keychain',
  session: 'for one session',
  environment: 'from the environment',
  sandbox: 'its own',
  none: 'none',
}

const addressOf = ({ kind, baseUrl }: ListedProfile): string => (kind === 'sandbox' ? 'on this machine' : baseUrl)

const cells = (profile: ListedProfile): string[] => [
  ...[profile.active ? '*' : '', profile.name, addressOf(profile), keys[profile.keyKept], profile.id],
]

async function withConnections(
  options: ConnectionsOptions,
  parts: Parts,
  use: (connections: ConnectionCommands, dataDir: string) => void | Promise<void>,
): Promise<number> {
  const dataDir = await openDataDir(options.dataDir)
  const connections = await parts.openConnections(dataDir)
  try {
    await use(connections, dataDir)
  } finally {
    connections.close()
  }
  return exitCodes.ok
}
