import { join } from 'node:path'
import { StudioError } from '../../errors.ts'
import { asStoreError, type Database, type OpenOptions, openDatabase } from '../database.ts'
import { isDatabaseThere } from '../databaseFile.ts'
import { PendingWrites } from '../pendingWrites.ts'
import { openReadOnly } from '../readOnly.ts'
import { number, text } from '../rows.ts'
import { accountTable } from './accounts.ts'
import { clockTable } from './clock.ts'
import { sumTable } from './dailySums.ts'
import { dayTable } from './days.ts'
import { fetchTable } from './fetches.ts'
import { replySaver } from './saveReply.ts'
import { accountDatabase } from './schema.ts'
import { versionTable } from './versions.ts'

export const accountFile = (dataDir: string): string => join(dataDir, 'account.sqlite')

/** What the service said of accounts. @throws as openDatabase does */
export function openAccountStore(dataDir: string, options: OpenOptions = {}) {
  const opened = openDatabase(accountFile(dataDir), accountDatabase, options)
  const pending = new PendingWrites(() => opened.handle.isTransaction)
  const database = pending.before(opened)
  const all = tables(database)
  return {
    ...all,
    keep: replySaver({ ...all, clock: clockTable(database, all.fetches) }),
    transaction: database.transaction,
    commits: database.commits,
    isWritable: database.isWritable,
    /** Writes that nobody waits for. */
    pending,
    close() {
      try {
        pending.close()
      } finally {
        database.close()
      }
    },
  }
}
export type AccountStore = ReturnType<typeof openAccountStore>

/**
 * The same for reading alone, beside a running core or without one; null where there is none yet.
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openAccountReadOnly(dataDir: string) {
  const file = accountFile(dataDir)
  try {
    if (!isDatabaseThere(file)) return null
    const { handle } = openReadOnly(file)
    try {
      const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
      if (version > accountDatabase.migrations.length) {
        throw new StudioError('store_newer', `${file} was written by a newer version of Inference Studio.`)
      }
      // Made this moment by a core that has not come to its tables yet, or left by an older one that must migrate it first.
      if (version < accountDatabase.migrations.length) {
        handle.close()
        return null
      }
      return { ...tables({ handle }), close: () => handle.close() }
    } catch (thrown) {
      if (handle.isOpen) handle.close()
      throw thrown
    }
  } catch (thrown) {
    throw asStoreError(thrown, file)
  }
}

function tables({ handle }: Pick<Database, 'handle'>) {
  const fetches = fetchTable({ handle })
  return {
    accounts: accountTable({ handle }),
    fetches,
    days: dayTable({ handle }, fetches),
    versions: versionTable({ handle }, fetches),
    sums: sumTable({ handle }),
    limits: limitTable({ handle }),
  }
}
export type AccountTables = ReturnType<typeof tables>

/** The last rate-limit status of each book, JSON. */
function limitTable({ handle }: Pick<Database, 'handle'>) {
  const get = handle.prepare('SELECT at, value FROM limits WHERE book = ?')
  const put = handle.prepare(
    `INSERT INTO limits (book, at, value) VALUES (?, ?, ?)
      ON CONFLICT (book) DO UPDATE SET at = excluded.at, value = excluded.value WHERE excluded.at >= at OR at > ?`,
  )
  return {
    get(account: number): { at: number; value: string } | null {
      const row = get.get(account)
      return row ? { at: number(row, 'at'), value: text(row, 'value') } : null
    },
    /** An older one is left; `now` is the clock as it is: what claims to be later was told by one that was ahead. */
    put: (account: number, at: number, value: string, now: number): void => void put.run(account, at, value, now),
  }
}
