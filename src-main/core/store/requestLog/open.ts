import { join } from 'node:path'
import { type Database, type OpenOptions, openDatabase } from '../database.ts'
import { readDatabase } from '../readOnly.ts'
import { number } from '../rows.ts'
import { bodyTable } from './bodies.ts'
import { callerReader, callerTable } from './callers.ts'
import { dailyUsageReader, usedTable } from './dailyUsage.ts'
import { linkReader, linkTable } from './links.ts'
import { priceTable } from './prices.ts'
import { requestReader, requestTable } from './requests.ts'
import { responseTable } from './responses.ts'
import { requestErasing } from './retention.ts'
import { bodyDatabase, requestLogDatabase } from './schema.ts'
import { requestSearch } from './search.ts'
import { sessionReader, sessionTable } from './sessions.ts'
import { spendTable } from './spend.ts'

export const requestLogFile = (dataDir: string): string => join(dataDir, 'ledger.sqlite')
export const bodiesFile = (dataDir: string): string => join(dataDir, 'bodies.sqlite')

/** Opens the two files of the request log. Each table family is a property. @throws as openDatabase does */
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
    search: requestSearch(requestLog.handle),
    spend: spendTable(requestLog),
    sessions: sessionTable(requestLog),
    used: usedTable(requestLog),
    links: linkTable(requestLog),
    prices: priceTable(requestLog),
    facts: factTable(requestLog),
    bodies: bodyTable(bodies),
    responses: responseTable(bodies),
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

/** Small numbers about the log itself. */
function factTable({ handle }: Database) {
  const get = handle.prepare('SELECT value FROM facts WHERE name = ?')
  const set = handle.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)')
  type Fact = 'floor' | 'clock_went_back' | 'erased_to'
  return {
    /**
     * `floor`: every row below it has ended. `clock_went_back`: 1 once ids and times disagreed. `erased_to`: no new row gets this id or a
     * lower one. 0 when the fact is not stored.
     */
    get(name: Fact): number {
      const row = get.get(name)
      return row ? number(row, 'value') : 0
    },
    set: (name: Fact, value: number): void => void set.run(name, value),
  }
}

/**
 * Opens the request log for reading, beside a running core or without one. Null when there is no file yet, and when a core must create its
 * tables or migrate it first.
 * @param isInUse as `openReadOnly`
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openRequestLogReadOnly(dataDir: string, isInUse?: true) {
  const options = { isInUse, whenOlder: () => null }
  return readDatabase(requestLogFile(dataDir), requestLogDatabase, options, ({ handle, isOutdated, close }) => {
    const dataVersion = handle.prepare('PRAGMA data_version')
    return {
      callers: callerReader(handle),
      requests: requestReader(handle),
      search: requestSearch(handle),
      used: dailyUsageReader(handle),
      links: linkReader(handle),
      sessions: sessionReader(handle),
      dataVersion: () => Number(dataVersion.get()?.data_version),
      isOutdated,
      close,
    }
  })
}
export type RequestLogReadOnly = NonNullable<ReturnType<typeof openRequestLogReadOnly>>
