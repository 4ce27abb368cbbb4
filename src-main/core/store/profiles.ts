import { type Profile, profile } from '../../../src-preload/contract/app.ts'
import { sandboxAddress } from '../../../src-preload/contract/usage.ts'
import type { ProfileLocation } from '../ports/requests.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, type Row, text } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A connection as stored. Its API key is never here. */
export interface StoredProfile extends Profile {
  /** The person allowed plain http to an address that is not this computer. */
  allowInsecure: boolean
}

/** Where the data of a connection belongs: its profile and address. The address of the sandbox changes at each start, so another text stands for it. */
export const locationOf = ({ id, kind, baseUrl }: Pick<Profile, 'id' | 'kind' | 'baseUrl'>): ProfileLocation => ({
  profile: id,
  baseUrl: kind === 'sandbox' ? sandboxAddress : baseUrl,
})

/** The read statements of `profileTable`. */
export function profileReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    all: 'SELECT * FROM profiles ORDER BY name COLLATE NOCASE, id',
    active: 'SELECT * FROM profiles WHERE active = 1',
    byId: 'SELECT * FROM profiles WHERE id = ?',
    sandbox: "SELECT * FROM profiles WHERE kind = 'sandbox'",
  })

  return {
    /** By name. */
    all: (): StoredProfile[] => sql.all.all().map(read),
    active: (): StoredProfile | null => readFirst(sql.active.get()),
    get: (id: string): StoredProfile | null => readFirst(sql.byId.get(id)),
    sandbox: (): StoredProfile | null => readFirst(sql.sandbox.get()),
  }
}

/** Any number of services, at most one sandbox, and at most one active profile. */
export function profileTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    calm: 'UPDATE profiles SET active = 0 WHERE active = 1',
    activate: 'UPDATE profiles SET active = 1 WHERE id = ?',
    rename: 'UPDATE profiles SET name = ? WHERE id = ?',
    remove: 'DELETE FROM profiles WHERE id = ?',
    removeModels: 'DELETE FROM model_lists WHERE profile = ?',
    removeNotes: 'DELETE FROM model_notes WHERE profile = ?',
    upsert: `INSERT INTO profiles (id, name, kind, base_url, key_kept, allow_insecure, active, updated_at)
     VALUES (:id, :name, :kind, :baseUrl, :keyKept, :allowInsecure, 1, :now)
     ON CONFLICT (id) DO UPDATE SET name = :name, base_url = :baseUrl, key_kept = :keyKept,
       allow_insecure = :allowInsecure, active = 1, updated_at = :now`,
  })

  return {
    ...profileReader(handle),
    /** Stores a profile and makes it the active one. */
    saveActive({ id, name, kind, baseUrl, keyKept, allowInsecure }: StoredProfile): void {
      transaction(() => {
        sql.calm.run()
        const now = new Date().toISOString()
        sql.upsert.run({
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
        sql.calm.run()
        sql.activate.run(id)
      })
    },
    rename: (id: string, name: string): void => void transaction(() => sql.rename.run(name, id)),
    /** Deletes a profile, its model list and the notes about its models. No other profile becomes active, because a person must choose which account pays. */
    remove(id: string): void {
      transaction(() => {
        sql.remove.run(id)
        sql.removeModels.run(id)
        sql.removeNotes.run(id)
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
