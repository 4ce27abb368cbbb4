import { type Profile, profile } from '../../../src-preload/contract/app.ts'
import type { Database } from './database.ts'
import { number, type Row, text } from './rows.ts'

/** A place to connect to, as stored. Its key is never here. */
export interface StoredProfile extends Profile {
  /** The person insisted on plain http to an address that is not this machine. */
  allowInsecure: boolean
}

/** At most one profile of each kind, and at most one active. */
export function profileTable({ handle, transaction }: Database) {
  const active = handle.prepare('SELECT * FROM profiles WHERE active = 1')
  const byKind = handle.prepare('SELECT * FROM profiles WHERE kind = ?')
  const calm = handle.prepare('UPDATE profiles SET active = 0 WHERE active = 1')
  const activate = handle.prepare('UPDATE profiles SET active = 1 WHERE id = ?')
  const remove = handle.prepare('DELETE FROM profiles WHERE id = ?')
  const upsert = handle.prepare(
    `INSERT INTO profiles (id, name, kind, base_url, key_kept, allow_insecure, active, updated_at)
     VALUES (:id, :name, :kind, :baseUrl, :keyKept, :allowInsecure, 1, :now)
     ON CONFLICT (id) DO UPDATE SET name = :name, base_url = :baseUrl, key_kept = :keyKept,
       allow_insecure = :allowInsecure, active = 1, updated_at = :now`,
  )

  function readFirst(row: Row | undefined): StoredProfile | null {
    return row ? read(row) : null
  }

  return {
    active: (): StoredProfile | null => readFirst(active.get()),
    ofKind: (kind: Profile['kind']): StoredProfile | null => readFirst(byKind.get(kind)),
    /** Keeps it and makes it the active one. */
    saveActive({ id, name, kind, baseUrl, keyKept, allowInsecure }: StoredProfile): void {
      transaction(() => {
        calm.run()
        const now = new Date().toISOString()
        upsert.run({ id, name, kind, baseUrl, keyKept, allowInsecure: allowInsecure ? 1 : 0, now })
      })
    },
    /** Forgets it; the profile of the other kind, if there is one, becomes the active one and is answered. */
    remove(id: string): StoredProfile | null {
      return transaction(() => {
        remove.run(id)
        const other = readFirst(byKind.get('service')) ?? readFirst(byKind.get('sandbox'))
        calm.run()
        if (other) activate.run(other.id)
        return other
      })
    },
  }
}

function read(row: Row): StoredProfile {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    kind: profile.shape.kind.parse(row.kind),
    baseUrl: text(row, 'base_url'),
    keyKept: profile.shape.keyKept.parse(row.key_kept),
    allowInsecure: number(row, 'allow_insecure') === 1,
  }
}
