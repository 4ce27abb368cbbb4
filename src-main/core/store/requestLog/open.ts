import { join } from 'node:path'
import { StudioError } from '../../errors.ts'
import { asStoreError, type Database, type OpenOptions, openDatabase } from '../database.ts'
import { isDatabaseThere } from '../databaseFile.ts'
import { openReadOnly } from '../readOnly.ts'
import { number } from '../rows.ts'
import { bodyTable } from './bodies.ts'
import { callerTable } from './callers.ts'
import { usedTable } from './dailyUsage.ts'
import { linkTable } from './links.ts'
import { priceTable } from './prices.ts'
import { requestTable } from './requests.ts'
import { requestErasing } from './retention.ts'
import { bodyDatabase, requestLogDatabase } from './schema.ts'
import { requestSearch } from './search.ts'
import { spendTable } from './spend.ts'

export const requestLogFile = (dataDir: string): string => join(dataDir, 'ledger.sqlite')
export const bodiesFile = (dataDir: string): string => join(dataDir, 'bodies.sqlite')

/** The books' two files, a table family a property. @throws as openDatabase does */
export function openRequestLogTables(dataDir: string, options: OpenOptions = {}) {
  const requestLog = openDatabase(requestLogFile(dataDir), requestLogDatabase, options)
  let bodies: Database
  try {
    bodies = openDatabase(bodiesFile(dataDir), bodyDatabase, options)
  } catch (thrown) {
    requestLog.close()
    throw thrown
  }
  return {
    requests: requestTable(requestLog),
    callers: callerTable(requestLog),
    search: requestSearch(requestLog),
    spend: spendTable(requestLog),
    used: usedTable(requestLog),
    links: linkTable(requestLog),
    prices: priceTable(requestLog),
    facts: factTable(requestLog),
    bodies: bodyTable(bodies),
    erasing: requestErasing(requestLog),
    transaction: requestLog.transaction,
    close() {
      try {
        bodies.close()
      } finally {
        requestLog.close()
      }
    },
  }
}
export type RequestLogTables = ReturnType<typeof openRequestLogTables>

/** Small numbers that the books remember about themselves. */
function factTable({ handle }: Database) {
  const get = handle.prepare('SELECT value FROM facts WHERE name = ?')
  const set = handle.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)')
  type Fact = 'floor' | 'clock_went_back' | 'erased_to'
  return {
    /**
     * `floor`: every row below it has ended. `clock_went_back`: 1 once ids and times disagreed. `erased_to`: no row
     * gets this id or a lower one again. 0 where nothing is known.
     */
    get(name: Fact): number {
      const row = get.get(name)
      return row ? number(row, 'value') : 0
    },
    set: (name: Fact, value: number): void => void set.run(name, value),
  }
}

/**
 * The ledger for reading alone, beside a running core or without one; null where there is none yet.
 * @param isInUse as `openReadOnly`
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openRequestLogReadOnly(dataDir: string, isInUse?: true) {
  const file = requestLogFile(dataDir)
  try {
    if (!isDatabaseThere(file)) return null
    const { handle, isOutdated } = openReadOnly(file, isInUse)
    try {
      const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
      if (version > requestLogDatabase.migrations.length) {
        throw new StudioError('store_newer', `${file} was written by a newer version of Inference Studio.`)
      }
      // Made this moment by a core that has not come to its tables yet, or left by an older one that must migrate it first.
      if (version < requestLogDatabase.migrations.length) {
        handle.close()
        return null
      }
      const dataVersion = handle.prepare('PRAGMA data_version')
      return {
        callers: callerTable({ handle }),
        requests: requestTable({ handle }),
        search: requestSearch({ handle }),
        used: usedTable({ handle }),
        links: linkTable({ handle }),
        dataVersion: () => Number(dataVersion.get()?.data_version),
        isOutdated,
        close: () => handle.close(),
      }
    } catch (thrown) {
      if (handle.isOpen) handle.close()
      throw thrown
    }
  } catch (thrown) {
    throw asStoreError(thrown, file)
  }
}
export type RequestLogReadOnly = NonNullable<ReturnType<typeof openRequestLogReadOnly>>
