import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, type Row, text } from '../rows.ts'
import { prepareAll } from '../statements.ts'
import type { FetchReader, FetchTable } from './fetches.ts'
import { takeIn } from './timeline.ts'

/** The value from the fetch at `at` until the next version. `value` is JSON text; `null` when it did not exist. */
export interface Version {
  what: string
  at: number
  value: string
}

const absent = 'null'

/** The read statements of `versionTable`. */
export function versionReader(handle: ReadHandle, fetches: FetchReader) {
  const sql = prepareAll(handle, {
    after: 'SELECT * FROM versions WHERE book = ? AND what = ? AND at > ? ORDER BY at LIMIT 1',
    known: 'SELECT DISTINCT what FROM versions WHERE book = ? AND what >= ? AND what < ?',
    newest: 'SELECT * FROM versions WHERE book = ? AND what = ? AND value <> ? ORDER BY at DESC LIMIT 1',
    all: 'SELECT * FROM versions WHERE book = ? AND what = ? ORDER BY at',
  })

  /** The first version after a time, or null. */
  const after = (account: number, what: string, at: number): Version | null => {
    const row = sql.after.get(account, what, at)
    return row ? read(row) : null
  }

  return {
    after,
    /** All names that were ever reported with a prefix that ends with a colon, such as `key:`. */
    known: (account: number, prefix: string): string[] =>
      sql.known.all(account, prefix, `${prefix.slice(0, -1)};`).map((row) => text(row, 'what')),
    /** The newest version with a value, and whether it is still valid. `seenAt` is the last fetch of `log` that had it. */
    newest(account: number, log: string, what: string): (Version & { seenAt: number; isCurrent: boolean }) | null {
      const row = sql.newest.get(account, what, absent)
      if (!row) return null
      const version = read(row)
      const next = after(account, what, version.at)
      const seenAt = next ? fetches.before(account, log, next.at) : fetches.lastAt(account, log)
      return { ...version, seenAt: seenAt ?? version.at, isCurrent: next === null }
    },
    all: (account: number, what: string): Version[] => sql.all.all(account, what).map(read),
  }
}

/** Values that each fetch reports completely and that rarely change: one version for each change. */
export function versionTable({ handle }: Pick<Database, 'handle'>, fetches: FetchTable) {
  const sql = prepareAll(handle, {
    before: 'SELECT * FROM versions WHERE book = ? AND what = ? AND at <= ? ORDER BY at DESC LIMIT 1',
    put: 'INSERT OR REPLACE INTO versions (book, what, at, value) VALUES (?, ?, ?, ?)',
    drop: 'DELETE FROM versions WHERE book = ? AND what = ? AND at = ?',
  })

  const reader = versionReader(handle, fetches)
  return {
    ...reader,
    /** Stores a value of a fetch of `log` that is stored already. */
    save(account: number, log: string, { what, at, value }: Version): void {
      const nextFetch = fetches.after(account, log, at)
      const former = sql.before.get(account, what, at)
      const next = nextFetch === null ? null : reader.after(account, what, at)
      const change = takeIn(
        { at, value },
        {
          before: former ? text(former, 'value') : absent,
          next,
          nextFetch,
        },
        (a, b) => a === b,
      )
      if (change.drop !== null) sql.drop.run(account, what, change.drop)
      for (const turn of change.put) sql.put.run(account, what, turn.at, turn.value)
    },
  }
}

export type VersionTable = ReturnType<typeof versionTable>

const read = (row: Row): Version => ({ what: text(row, 'what'), at: number(row, 'at'), value: text(row, 'value') })
