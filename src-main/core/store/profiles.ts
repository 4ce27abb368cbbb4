import { type Profile, profile } from '../../../src-preload/contract/app.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, type Row, text } from './rows.ts'

/** A connection as stored. Its API key is never here. */
export interface StoredProfile extends Profile {
  /** The person allowed plain http to an address that is not this computer. */
  allowInsecure: boolean
}

/** The read statements of `profileTable`. */
export function profileReader(handle: ReadHandle) {
  const all = handle.prepare('SELECT * FROM profiles ORDER BY name COLLATE NOCASE, id')
  const active = handle.prepare('SELECT * FROM profiles WHERE active = 1')
  const byId = handle.prepare('SELECT * FROM profiles WHERE id = ?')
  const sandbox = handle.prepare("SELECT * FROM profiles WHERE kind = 'sandbox'")

  return {
    /** By name. */
    all: (): StoredProfile[] => all.all().map(read),
    active: (): StoredProfile | null => readFirst(active.get()),
    get: (id: string): StoredProfile | null => readFirst(byId.get(id)),
    sandbox: (): StoredProfile | null => readFirst(sandbox.get()),
  }
}

/** Any number of services, at most one sandbox, and at most one active profile. */
export function profileTable({ handle, transaction }: Database) {
  const calm = handle.prepare('UPDATE profiles SET active = 0 WHERE active = 1')
  const activate = handle.prepare('UPDATE profiles SET active = 1 WHERE id = ?')
  const rename = handle.prepare('UPDATE profiles SET name = ? WHERE id = ?')
  const remove = handle.prepare('DELETE FROM profiles WHERE id = ?')
  const removeModels = handle.prepare('DELETE FROM model_lists WHERE profile = ?')
  const removeNotes = handle.prepare('DELETE FROM model_notes WHERE profile = ?')
  const upsert = handle.prepare(
    `INSERT INTO profiles (id, name, kind, base_url, key_kept, allow_insecure, active, updated_at)
     VALUES (:id, :name, :kind, :baseUrl, :keyKept, :allowInsecure, 1, :now)
     ON CONFLICT (id) DO UPDATE SET name = :name, base_url = :baseUrl, key_kept = :keyKept,
       allow_insecure = :allowInsecure, active = 1, updated_at = :now`,
  )

  return {
    ...profileReader(handle),
    /** Stores a profile and makes it the active one. */
    saveActive({ id, name, kind, baseUrl, keyKept, allowInsecure }: StoredProfile): void {
      transaction(() => {
        calm.run()
        const now = new Date().toISOString()
        upsert.run({
          id,
          name,
          kind,
          baseUrl,
          keyKept: keyKept === 'unneeded' ? 'none' : keyKept,
          allowInsecure: allowInsecure ? 1 : 0,
          now,
        })
      })
    },
    /** Makes a profile the active one. None is active when it does not exist. */
    activate(id: string): void {
      transaction(() => {
        calm.run()
        activate.run(id)
      })
    },
    rename: (id: string, name: string): void => void transaction(() => rename.run(name, id)),
    /** Deletes a profile, its model list and the notes about its models. No other profile becomes active, because a person must choose which account pays. */
    remove(id: string): void {
      transaction(() => {
        remove.run(id)
        removeModels.run(id)
        removeNotes.run(id)
      })
    },
  }
}

const readFirst = (row: Row | undefined): StoredProfile | null => (row ? read(row) : null)

function read(row: Row): StoredProfile {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    kind: profile.shape.kind.parse(row.kind),
    baseUrl: text(row, 'base_url'),
    // `unneeded` is stored as `none`, because the first version of the table allows `none` and never used it.
    keyKept: row.key_kept === 'none' ? 'unneeded' : profile.shape.keyKept.parse(row.key_kept),
    allowInsecure: number(row, 'allow_insecure') === 1,
  }
}
