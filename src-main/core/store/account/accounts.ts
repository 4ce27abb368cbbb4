import type { ProfileLocation } from '../../ports/requests.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, numberOrNull, type Row, text, textOrNull } from '../rows.ts'
import { prepareAll } from '../statements.ts'

/** An account at a base address. `no` is its number within this file. */
export interface StoredAccount {
  no: number
  id: string
  kind: 'service' | 'sandbox'
  baseUrl: string
  userId: string | null
  name: string
  /** The API key that was used last. */
  callingKey: string | null
  offers: 'yes' | 'no' | 'unknown'
  /** When `offers` was determined, ms since 1970. */
  askedAt: number | null
  usedAt: number
}

/** The read statements of `accountTable`. */
export function accountReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    all: 'SELECT * FROM books ORDER BY used_at DESC, no DESC',
    byId: 'SELECT * FROM books WHERE id = ?',
    placed:
      'SELECT books.* FROM places JOIN books ON books.no = places.book WHERE places.profile = ? AND places.base_url = ?',
    profiles: 'SELECT DISTINCT profile FROM places',
    of: 'SELECT * FROM books WHERE base_url = ? AND user_id = ?',
  })

  return {
    /** The most recently used first. */
    all: (): StoredAccount[] => sql.all.all().map(read),
    get: (id: string): StoredAccount | null => readOrNull(sql.byId.get(id)),
    /** The account that this profile used last at that address. */
    at: ({ profile, baseUrl }: ProfileLocation): StoredAccount | null => readOrNull(sql.placed.get(profile, baseUrl)),
    profiles: (): string[] => sql.profiles.all().map((row) => text(row, 'profile')),
    of: (baseUrl: string, userId: string): StoredAccount | null => readOrNull(sql.of.get(baseUrl, userId)),
  }
}

export function accountTable({ handle }: Pick<Database, 'handle'>) {
  const sql = prepareAll(handle, {
    place: 'INSERT OR REPLACE INTO places (profile, base_url, book) VALUES (?, ?, ?)',
    leave: 'DELETE FROM places WHERE profile = ? AND base_url = ?',
    release: `INSERT OR REPLACE INTO places (profile, base_url, book)
      SELECT '', places.base_url, places.book FROM places JOIN books ON books.no = places.book
      WHERE places.profile = ? AND books.user_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM places AS other WHERE other.book = places.book AND other.profile <> places.profile)`,
    unplace: 'DELETE FROM places WHERE profile = ?',
    dropUnused: `DELETE FROM books WHERE no = ? AND user_id IS NULL AND offers = 'unknown'
      AND NOT EXISTS (SELECT 1 FROM fetches WHERE book = books.no)
      AND NOT EXISTS (SELECT 1 FROM places WHERE book = books.no)`,
    insert: `INSERT INTO books (id, kind, base_url, user_id, name, used_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
    user: 'UPDATE books SET user_id = ? WHERE no = ?',
    name: 'UPDATE books SET name = ? WHERE no = ?',
    used: 'UPDATE books SET used_at = ? WHERE no = ?',
    calling: 'UPDATE books SET calling_key = ? WHERE no = ?',
    offers: 'UPDATE books SET offers = ?, asked_at = ? WHERE no = ?',
    dropSandbox: "DELETE FROM books WHERE kind = 'sandbox' AND no IN (SELECT book FROM places WHERE profile = ?)",
  })

  return {
    ...accountReader(handle),
    /** Records that this profile uses the account. */
    place: ({ profile, baseUrl }: ProfileLocation, { no }: StoredAccount): void =>
      void sql.place.run(profile, baseUrl, no),
    /** Records that this profile uses no account there. */
    leave: ({ profile, baseUrl }: ProfileLocation): void => void sql.leave.run(profile, baseUrl),
    /** Forgets a profile. The next profile that connects to its address takes over an account without a user id. */
    release(profile: string): void {
      sql.release.run(profile)
      sql.unplace.run(profile)
    },
    /** Deletes an account without any data, which no profile uses. */
    dropUnused: ({ no }: StoredAccount): void => void sql.dropUnused.run(no),
    add({ id, kind, baseUrl, userId, name, usedAt }: Omit<StoredAccount, 'no' | 'callingKey' | 'offers' | 'askedAt'>) {
      const row = sql.insert.get(id, kind, baseUrl, userId, name, usedAt)
      if (!row) throw new Error('SQLite gave no row back.')
      return read(row)
    },
    setUser: (no: number, userId: string): void => void sql.user.run(userId, no),
    rename: (no: number, to: string): void => void sql.name.run(to, no),
    used: (no: number, at: number): void => void sql.used.run(at, no),
    calling: (no: number, key: string): void => void sql.calling.run(key, no),
    offers: (no: number, value: StoredAccount['offers'], at: number): void => void sql.offers.run(value, at, no),
    /** Deletes the account of a deleted sandbox. */
    dropSandbox: (profile: string): void => void sql.dropSandbox.run(profile),
  }
}

const readOrNull = (row: Row | undefined): StoredAccount | null => (row ? read(row) : null)

function read(row: Row): StoredAccount {
  const [kind, offers] = [text(row, 'kind'), text(row, 'offers')]
  return {
    no: number(row, 'no'),
    id: text(row, 'id'),
    kind: kind === 'sandbox' ? kind : 'service',
    baseUrl: text(row, 'base_url'),
    userId: textOrNull(row, 'user_id'),
    name: text(row, 'name'),
    callingKey: textOrNull(row, 'calling_key'),
    offers: offers === 'yes' || offers === 'no' ? offers : 'unknown',
    askedAt: numberOrNull(row, 'asked_at'),
    usedAt: number(row, 'used_at'),
  }
}
