import { type McpTransport, mcpTransport } from '../../../src-preload/contract/tools.ts'
import type { Database } from './database.ts'
import { json, number, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A server as a person configured it. Values of its environment and headers are in the keychain, never here. */
export interface StoredMcpServer {
  id: string
  name: string
  transport: McpTransport
  on: boolean
  timeoutSeconds: number
}

export function mcpServerTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    all: 'SELECT * FROM mcp_servers ORDER BY rowid',
    one: 'SELECT * FROM mcp_servers WHERE id = ?',
    remove: 'DELETE FROM mcp_servers WHERE id = ?',
    issuer: 'SELECT oauth_issuer FROM mcp_servers WHERE id = ?',
    setIssuer: 'UPDATE mcp_servers SET oauth_issuer = :issuer WHERE id = :id',
    on: 'UPDATE mcp_servers SET is_on = :on WHERE id = :id',
    upsert: `INSERT INTO mcp_servers (id, name, transport, is_on, timeout_seconds, updated_at)
     VALUES (:id, :name, :transport, :on, :timeoutSeconds, :now)
     ON CONFLICT (id) DO UPDATE SET name = :name, transport = :transport, is_on = :on, timeout_seconds = :timeoutSeconds,
       updated_at = :now`,
  })

  return {
    /** In the order in which they were added. */
    list: (): StoredMcpServer[] => sql.all.all().map(read),
    find(id: string): StoredMcpServer | null {
      return readOrNull(sql.one.get(id), read)
    },
    save({ id, name, transport, on, timeoutSeconds }: StoredMcpServer): void {
      const now = new Date().toISOString()
      sql.upsert.run({ id, name, transport: JSON.stringify(transport), on: Number(on), timeoutSeconds, now })
    },
    setOn: (id: string, value: boolean): void => void sql.on.run({ id, on: Number(value) }),
    /** Authorization server whose client or tokens the keychain has for this server. Null: it has none. */
    oauthIssuer: (id: string): string | null =>
      readOrNull(sql.issuer.get(id), (row) => textOrNull(row, 'oauth_issuer')),
    setOauthIssuer: (id: string, issuer: string | null): void => void sql.setIssuer.run({ id, issuer }),
    /** Whether the server existed. */
    remove: (id: string): boolean => sql.remove.run(id).changes > 0,
  }
}

function read(row: Row): StoredMcpServer {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    transport: json(row, 'transport', mcpTransport),
    on: number(row, 'is_on') === 1,
    timeoutSeconds: number(row, 'timeout_seconds'),
  }
}
