import { type DayNumber, endOfDay } from '../../shared/days.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, numberOrNull, type Row } from '../rows.ts'
import { prepareAll } from '../statements.ts'

/** One reply of a report. `at`: when it was requested, so its content is at least as new. */
export interface Fetch {
  at: number
  /** The days that it covers, both ends included; null when it covers none. */
  days: { from: DayNumber; to: DayNumber } | null
}

/** How well a day is covered. */
export interface Covered {
  day: DayNumber
  firstAt: number
  lastAt: number
  /** The first fetch after the day had ended (UTC); null if none. */
  closedAt: number | null
}

/** The read statements of `fetchTable`. */
export function fetchReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    last: 'SELECT max(at) AS at FROM fetches WHERE book = ? AND what = ?',
    next: 'SELECT min(at) AS at FROM fetches WHERE book = ? AND what = ? AND at > ?',
    nextOfDay:
      'SELECT min(at) AS at FROM fetches WHERE book = ? AND what = ? AND at > ? AND from_day <= ? AND to_day >= ?',
    lastBefore: 'SELECT max(at) AS at FROM fetches WHERE book = ? AND what = ? AND at < ?',
    lastOfDay:
      'SELECT max(at) AS at FROM fetches WHERE book = ? AND what = ? AND at < ? AND from_day <= ? AND to_day >= ?',
    lastOfKeys: "SELECT max(last_at) AS at FROM coverage WHERE book = ? AND what >= 'days:' AND what < 'days;'",
    covered: 'SELECT * FROM coverage WHERE book = ? AND what = ? AND day BETWEEN ? AND ?',
    ofKeys: `SELECT day, min(first_at) AS first_at, min(last_at) AS last_at, min(closed_at) AS closed_at FROM coverage
      WHERE book = ? AND what >= 'days:' AND what < 'days;' AND day BETWEEN ? AND ? GROUP BY day`,
    count: 'SELECT count(*) AS n FROM coverage WHERE book = ? AND what = ? AND day BETWEEN ? AND ?',
    firstDay: 'SELECT min(day) AS day FROM coverage WHERE book = ? AND what = ?',
  })
  const at = (row: Row | undefined): number | null => (row ? numberOrNull(row, 'at') : null)

  return {
    lastAt: (account: number, what: string): number | null => at(sql.last.get(account, what)),
    /** When the days of any key were requested last. */
    lastOfKeys: (account: number): number | null => at(sql.lastOfKeys.get(account)),
    /** The next fetch; with a day, the next that covers it. */
    after: (account: number, what: string, given: number, day?: DayNumber): number | null =>
      at(day === undefined ? sql.next.get(account, what, given) : sql.nextOfDay.get(account, what, given, day, day)),
    before: (account: number, what: string, given: number, day?: DayNumber): number | null =>
      at(
        day === undefined
          ? sql.lastBefore.get(account, what, given)
          : sql.lastOfDay.get(account, what, given, day, day),
      ),
    coverage: (account: number, what: string, from: DayNumber, to: DayNumber): Covered[] =>
      sql.covered.all(account, what, from, to).map(read),
    /** Coverage of all keys together: the coverage of the key with the least, among the keys that cover the day at all. */
    coverageOfKeys: (account: number, from: DayNumber, to: DayNumber): Covered[] =>
      sql.ofKeys.all(account, from, to).map(read),
    coveredDays: (account: number, what: string, from: DayNumber, to: DayNumber): number => {
      const row = sql.count.get(account, what, from, to)
      return row ? number(row, 'n') : 0
    },
    firstDay(account: number, what: string): DayNumber | null {
      const row = sql.firstDay.get(account, what)
      return row ? numberOrNull(row, 'day') : null
    },
  }
}

export function fetchTable({ handle }: Pick<Database, 'handle'>) {
  const add = handle.prepare('INSERT OR IGNORE INTO fetches (book, what, at, from_day, to_day) VALUES (?, ?, ?, ?, ?)')
  const cover = handle.prepare(
    `INSERT INTO coverage (book, what, day, first_at, last_at, closed_at) VALUES (:account, :what, :day, :at, :at, :closed)
      ON CONFLICT (book, what, day) DO UPDATE SET first_at = min(first_at, :at), last_at = max(last_at, :at),
        closed_at = CASE WHEN :closed IS NULL THEN closed_at ELSE min(coalesce(closed_at, :closed), :closed) END`,
  )

  return {
    ...fetchReader(handle),
    /** Returns false when this fetch is stored already. */
    add(account: number, what: string, fetch: Fetch): boolean {
      const { changes } = add.run(account, what, fetch.at, fetch.days?.from ?? null, fetch.days?.to ?? null)
      return Number(changes) > 0
    },
    cover(account: number, what: string, day: DayNumber, at: number): void {
      cover.run({ account, what, day, at, closed: at >= endOfDay(day) ? at : null })
    },
  }
}
export type FetchReader = ReturnType<typeof fetchReader>
export type FetchTable = ReturnType<typeof fetchTable>

const read = (row: Row): Covered => ({
  day: number(row, 'day'),
  firstAt: number(row, 'first_at'),
  lastAt: number(row, 'last_at'),
  closedAt: numberOrNull(row, 'closed_at'),
})
