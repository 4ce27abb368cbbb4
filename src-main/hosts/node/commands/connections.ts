import { t } from '../../../../src-renderer/i18n/cli.ts'
import type { ConnectionCommands, ListedProfile } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir, openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { chosenKeyFile } from '../keyFile.ts'
import { exitCodes, printJson, say, sayLines } from '../output.ts'
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
    else if (all.length === 0) say(t('connections.none'))
    else {
      const head = (['name', 'address', 'key', 'id'] as const).map((name) => t(`connections.head.${name}`))
      sayLines(columns([['', ...head], ...all.map(cells)], { cuts: [1, 2] }))
    }
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
    else say(t('connections.using', { name: profile.name, address: addressOf(profile) }))
  })
}

/** `connections forget`: deletes a connection. After the connection in use is deleted, no connection is in use. */
export function forgetConnection(which: string, options: ConnectionsOptions, parts: Parts): Promise<number> {
  return withConnections(options, parts, async (connections, dataDir) => {
    const { name, active, id } = await connections.forget(which, createNodeHost(dataDir).secrets)
    if (options.json) printJson({ forgotten: { id, name } })
    else {
      say(t('connections.deleted', { name }))
      if (active) say(t('connections.noneNow'))
    }
  })
}

const addressOf = ({ kind, baseUrl }: Pick<ListedProfile, 'kind' | 'baseUrl'>): string =>
  kind === 'sandbox' ? t('connections.here') : baseUrl

function cells({ active, name, keyKept, id, ...place }: ListedProfile): string[] {
  const kept = keyKept === 'keychain' && chosenKeyFile() ? 'file' : keyKept
  return [active ? '*' : '', name, addressOf(place), t(`connections.kept.${kept}`), id]
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
