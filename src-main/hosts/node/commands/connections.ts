import type { ConnectionCommands, ListedProfile } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir, openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { chosenKeyFile } from '../keyFile.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { columns } from '../table.ts'

interface ConnectionsOptions {
  dataDir?: string
  json: boolean
}

/** `connections list`: prints the connections and marks the one in use. Needs no network and no keychain. */
export async function listConnections(options: ConnectionsOptions, parts: Parts): Promise<number> {
  const connections = await parts.openConnectionList(findDataDir(options.dataDir))
  try {
    const all = connections.list()
    if (options.json) for (const profile of all) printJson(profile)
    else if (all.length === 0) say('No connections yet. Add one with: inference-studio login --base-url URL')
    else say(...columns([['', 'NAME', 'ADDRESS', 'KEY', 'ID'], ...all.map(cells)], { cuts: [1, 2] }))
  } finally {
    connections.close()
  }
  return exitCodes.ok
}

/** `connections use`: a running studio uses the connection for new requests at once. Running requests continue on the old connection. */
export function useConnection(which: string, options: ConnectionsOptions, parts: Parts): Promise<number> {
  return withConnections(options, parts, (connections) => {
    const profile = connections.use(which)
    if (options.json) printJson(profile)
    else say(`Now using ${profile.name} (${addressOf(profile)}).`)
  })
}

/** `connections forget`: deletes a connection. After the connection in use is deleted, no connection is in use. */
export function forgetConnection(which: string, options: ConnectionsOptions, parts: Parts): Promise<number> {
  return withConnections(options, parts, async (connections, dataDir) => {
    const { name, active, id } = await connections.forget(which, createNodeHost(dataDir).secrets)
    if (options.json) printJson({ forgotten: { id, name } })
    else {
      say(`Deleted ${name} and its API key. Chats, usage and the request log stay.`)
      if (active) say('No connection is in use now. Choose one with: inference-studio connections use NAME')
    }
  })
}

const keys: Record<ListedProfile['keyKept'], string> = {
  keychain: 'keychain',
  session: 'this session only',
  environment: 'environment',
  sandbox: 'built in',
  none: 'none',
  unneeded: 'not needed',
}

const addressOf = ({ kind, baseUrl }: Pick<ListedProfile, 'kind' | 'baseUrl'>): string =>
  kind === 'sandbox' ? 'this computer' : baseUrl

function cells({ active, name, keyKept, id, ...place }: ListedProfile): string[] {
  const key = keyKept === 'keychain' && chosenKeyFile() ? 'key file' : keys[keyKept]
  return [active ? '*' : '', name, addressOf(place), key, id]
}

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
