import type { Tool } from '../../../src-preload/contract/tools.ts'
import type { Database } from './database.ts'
import { bytes, number, type Row, text, textOrNull } from './rows.ts'

export interface StoredToolKey extends Tool {
  /** SHA-256 of the secret half. */
  hash: Uint8Array
}

export function toolKeyTable({ handle, transaction, journal }: Database) {
  const insert = handle.prepare('INSERT INTO tool_keys (id, name, hash, created_at) VALUES (:id, :name, :hash, :now)')
  const one = handle.prepare('SELECT * FROM tool_keys WHERE id = ?')
  const all = handle.prepare('SELECT * FROM tool_keys ORDER BY created_at DESC, rowid DESC')
  const live = handle.prepare('SELECT count(*) AS n FROM tool_keys WHERE revoked_at IS NULL')
  const revoke = handle.prepare('UPDATE tool_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL')
  const used = handle.prepare('UPDATE tool_keys SET last_used_at = :at WHERE id = :id')

  return {
    insert: (key: { id: string; name: string; hash: Uint8Array; now: string }): void =>
      transaction(() => void insert.run(key)),
    /** Read anew each time, by the primary key: a key that the command line revoked is dead with the next request. */
    find(id: string): StoredToolKey | null {
      const row = one.get(id)
      return row ? { ...read(row), hash: bytes(row, 'hash') } : null
    },
    /** Newest first, revoked ones too. */
    list: (): Tool[] => all.all().map(read),
    count(): number {
      const row = live.get()
      return row ? number(row, 'n') : 0
    },
    revoke: (id: string, now: string): void => transaction(() => void revoke.run({ id, now })),
    markUsed: (uses: Map<string, string>): void =>
      journal(() => {
        for (const [id, at] of uses) used.run({ id, at })
      }),
  }
}

function read(row: Row): Tool {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    createdAt: text(row, 'created_at'),
    lastUsedAt: textOrNull(row, 'last_used_at'),
    revokedAt: textOrNull(row, 'revoked_at'),
  }
}
