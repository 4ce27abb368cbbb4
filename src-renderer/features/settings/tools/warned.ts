import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { localStore } from '../../../shared/storage.ts'

const key = 'tools.warned'

/** The confirmed program or address by server id. A changed program or address requires a new confirmation. */
function known(): Record<string, string> {
  const read = localStore.getJson(key)
  if (typeof read !== 'object' || read === null) return {}
  return Object.fromEntries(
    Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

const printOf = ({ transport }: McpServer): string => JSON.stringify(transport)

export const needsWarning = (server: McpServer): boolean => known()[server.id] !== printOf(server)

export function warned(server: McpServer): void {
  localStore.setJson(key, { ...known(), [server.id]: printOf(server) })
}
