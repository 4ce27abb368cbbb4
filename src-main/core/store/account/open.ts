import { join } from 'node:path'
import { type Database, type OpenOptions, openDatabase } from '../database.ts'
import { PendingWrites } from '../pendingWrites.ts'
import { type ReadHandle, readDatabase } from '../readOnly.ts'
import { number, text } from '../rows.ts'
import { accountReader, accountTable } from './accounts.ts'
import { clockTable } from './clock.ts'
import { sumReader } from './dailySums.ts'
import { dayReader, dayTable } from './days.ts'
import { fetchReader, fetchTable } from './fetches.ts'
import { accountMerger } from './merge.ts'
import { replySaver } from './saveReply.ts'
import { accountDatabase } from './schema.ts'
import { versionReader, versionTable } from './versions.ts'

export const accountFile = (dataDir: string): string => join(dataDir, 'account.sqlite')

/** Opens the account database: what the service reported about accounts. @throws as openDatabase does */
export function openAccountStore(dataDir: string, options: OpenOptions = {}) {
  const opened = openDatabase(accountFile(dataDir), accountDatabase, options)
  const pending = new PendingWrites(() => opened.handle.isTransaction)
  const database = pending.before(opened)
  const all = tables(database)
  return {
    ...all,
    saveReply: replySaver({ ...all, clock: clockTable(database, all.fetches) }),
    merge: accountMerger(database),
    transaction: database.transaction,
    commits: database.commits,
    isWritable: database.isWritable,
    /** Background writes. */
    pending,
    close: database.close,
  }
}
export type AccountStore = ReturnType<typeof openAccountStore>

/**
 * Opens the account database for reading, beside a running core or without one. Null when there is no file yet, and when a core must create its
 * tables or migrate it first.
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openAccountReadOnly(dataDir: string) {
  const options = { isInUse: undefined, whenOlder: () => null }
  return readDatabase(accountFile(dataDir), accountDatabase, options, ({ handle, close }) => {
    const fetches = fetchReader(handle)
    return {
      accounts: accountReader(handle),
      fetches,
      days: dayReader(handle, fetches),
      versions: versionReader(handle, fetches),
      sums: sumReader(handle),
      limits: limitReader(handle),
      close,
    }
  })
}
/** What views read; the tables of an open AccountStore have it too. */
export type AccountReaders = Omit<NonNullable<ReturnType<typeof openAccountReadOnly>>, 'close'>

function tables({ handle }: Pick<Database, 'handle'>) {
  const fetches = fetchTable({ handle })
  return {
    accounts: accountTable({ handle }),
    fetches,
    days: dayTable({ handle }, fetches),
    versions: versionTable({ handle }, fetches),
    sums: sumReader(handle),
    limits: limitTable({ handle }),
  }
}

/** The last rate-limit status of each account, JSON. */
function limitReader(handle: ReadHandle) {
  const get = handle.prepare('SELECT at, value FROM limits WHERE book = ?')
  return {
    get(account: number): { at: number; value: string } | null {
      const row = get.get(account)
      return row ? { at: number(row, 'at'), value: text(row, 'value') } : null
    },
  }
}

function limitTable({ handle }: Pick<Database, 'handle'>) {
  const put = handle.prepare(
    `INSERT INTO limits (book, at, value) VALUES (?, ?, ?)
      ON CONFLICT (book) DO UPDATE SET at = excluded.at, value = excluded.value WHERE excluded.at >= at OR at > ?`,
  )
  return {
    ...limitReader(handle),
    /**
     * Stores a status unless a newer one is stored. `now` is the current time: a stored status that is later than now was written while the
     * clock was ahead, so it is replaced.
     */
    put: (account: number, at: number, value: string, now: number): void => void put.run(account, at, value, now),
  }
}
