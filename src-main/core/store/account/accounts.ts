import type { ProfileLocation } from '../../ports/requests.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, numberOrNull, type Row, text, textOrNull } from '../rows.ts'

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
  const all = handle.prepare('SELECT * FROM books ORDER BY used_at DESC, no DESC')
  const byId = handle.prepare('SELECT * FROM books WHERE id = ?')
  const placed = handle.prepare(
    'SELECT books.* FROM places JOIN books ON books.no = places.book WHERE places.profile = ? AND places.base_url = ?',
  )
  const profiles = handle.prepare('SELECT DISTINCT profile FROM places')
  const of = handle.prepare('SELECT * FROM books WHERE base_url = ? AND user_id = ?')

  return {
    /** The most recently used first. */
    all: (): StoredAccount[] => all.all().map(read),
    get: (id: string): StoredAccount | null => readOrNull(byId.get(id)),
    /** The account that this profile used last at that address. */
    at: ({ profile, baseUrl }: ProfileLocation): StoredAccount | null => readOrNull(placed.get(profile, baseUrl)),
    profiles: (): string[] => profiles.all().map((row) => text(row, 'profile')),
    of: (baseUrl: string, userId: string): StoredAccount | null => readOrNull(of.get(baseUrl, userId)),
  }
}

export function accountTable({ handle }: Pick<Database, 'handle'>) {
  const place = handle.prepare('INSERT OR REPLACE INTO places (profile, base_url, book) VALUES (?, ?, ?)')
  const leave = handle.prepare('DELETE FROM places WHERE profile = ? AND base_url = ?')
  const release = handle.prepare(
    `INSERT OR REPLACE INTO places (profile, base_url, book)
      SELECT '', places.base_url, places.book FROM places JOIN books ON books.no = places.book
      WHERE places.profile = ? AND books.user_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM places AS other WHERE other.book = places.book AND other.profile <> places.profile)`,
  )
  const unplace = handle.prepare('DELETE FROM places WHERE profile = ?')
  const dropUnused = handle.prepare(
    `DELETE FROM books WHERE no = ? AND user_id IS NULL AND offers = 'unknown'
      AND NOT EXISTS (SELECT 1 FROM fetches WHERE book = books.no)
      AND NOT EXISTS (SELECT 1 FROM places WHERE book = books.no)`,
  )
  const insert = handle.prepare(
    `INSERT INTO books (id, kind, base_url, user_id, name, used_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
  )
  const user = handle.prepare('UPDATE books SET user_id = ? WHERE no = ?')
  const name = handle.prepare('UPDATE books SET name = ? WHERE no = ?')
  const used = handle.prepare('UPDATE books SET used_at = ? WHERE no = ?')
  const calling = handle.prepare('UPDATE books SET calling_key = ? WHERE no = ?')
  const offers = handle.prepare('UPDATE books SET offers = ?, asked_at = ? WHERE no = ?')
  const dropSandboxes = handle.prepare("DELETE FROM books WHERE kind = 'sandbox'")

  return {
    ...accountReader(handle),
    /** Records that this profile uses the account. */
    place: ({ profile, baseUrl }: ProfileLocation, { no }: StoredAccount): void => void place.run(profile, baseUrl, no),
    /** Records that this profile uses no account there. */
    leave: ({ profile, baseUrl }: ProfileLocation): void => void leave.run(profile, baseUrl),
    /** Forgets a profile. The next profile that connects to its address takes over an account without a user id. */
    release(profile: string): void {
      release.run(profile)
      unplace.run(profile)
    },
    /** Deletes an account without any data, which no profile uses. */
    dropUnused: ({ no }: StoredAccount): void => void dropUnused.run(no),
    add({ id, kind, baseUrl, userId, name, usedAt }: Omit<StoredAccount, 'no' | 'callingKey' | 'offers' | 'askedAt'>) {
      const row = insert.get(id, kind, baseUrl, userId, name, usedAt)
      if (!row) throw new Error('SQLite gave no row back.')
      return read(row)
    },
    setUser: (no: number, userId: string): void => void user.run(userId, no),
    rename: (no: number, to: string): void => void name.run(to, no),
    used: (no: number, at: number): void => void used.run(at, no),
    calling: (no: number, key: string): void => void calling.run(key, no),
    offers: (no: number, value: StoredAccount['offers'], at: number): void => void offers.run(value, at, no),
    /** Deletes the accounts of sandboxes, which end with their process. */
    dropSandboxes: (): void => void dropSandboxes.run(),
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
