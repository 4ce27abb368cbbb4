import { type DayNumber, endOfDay } from '../../shared/days.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, numberOrNull, type Row, text } from '../rows.ts'
import { prepareAll } from '../statements.ts'
import type { Fetch, FetchReader, FetchTable } from './fetches.ts'
import {
  confirms,
  figureColumns,
  figureValues,
  noUsage,
  readFigures,
  sameFigures,
  type UsageFigures,
} from './figures.ts'
import { takeIn } from './timeline.ts'

/** One day's row of a report. `model` is empty in the days of a key. */
export interface DayRow extends UsageFigures {
  day: DayNumber
  model: string
  /** As the service wrote it. */
  date: string
}

/** A row whose date cannot be parsed. */
export type UndatedRow = Omit<DayRow, 'day'>

/** A row of a day that had ended, with a later change of its figures. */
export interface StoredCorrection {
  what: string
  day: DayNumber
  model: string
  before: UsageFigures
  beforeAt: number
  after: UsageFigures
  afterAt: number
}

/** A day in a fetch, and the next stored fetch of that day. */
interface Moment {
  account: number
  what: string
  day: DayNumber
  at: number
  later: number | null
}

interface StoredRow {
  model: string
  figures: UsageFigures
  firstAt: number
}

/** The read statements of `dayTable`. */
export function dayReader(handle: ReadHandle, fetches: FetchReader) {
  const key = 'book = ? AND what = ? AND day = ? AND model = ?'
  const sql = prepareAll(handle, {
    turnBefore: `SELECT at, ${figureColumns} FROM closed WHERE ${key} AND at <= ? ORDER BY at DESC LIMIT 1`,
    allUndated: 'SELECT * FROM undated WHERE book = ? ORDER BY at DESC, what, date, model LIMIT ?',
    countUndated: 'SELECT count(*) AS n FROM undated WHERE book = ?',
    corrections: `SELECT * FROM closed INDEXED BY corrections WHERE book = ? AND corrects = 1 AND day BETWEEN ? AND ?
      ORDER BY day DESC, at DESC, what, model`,
    countCorrections: 'SELECT count(*) AS n FROM closed INDEXED BY corrections WHERE book = ? AND corrects = 1',
    firstDay: 'SELECT min(day) AS day FROM days WHERE book = ? AND what = ?',
  })
  function correctionOf(row: Row, account: number): StoredCorrection {
    const [what, day, model, at] = [text(row, 'what'), number(row, 'day'), text(row, 'model'), number(row, 'at')]
    const former = sql.turnBefore.get(account, what, day, model, at - 1)
    return {
      what,
      day,
      model,
      before: former ? readFigures(former) : noUsage(what),
      beforeAt: fetches.before(account, what, at, day) ?? at,
      after: readFigures(row),
      afterAt: at,
    }
  }

  return {
    /** Rows without a valid date, the most recent first. */
    undatedRows: (account: number, limit: number): (UndatedRow & { what: string; at: number })[] =>
      sql.allUndated.all(account, limit).map((row) => ({
        ...readFigures(row),
        what: text(row, 'what'),
        date: text(row, 'date'),
        model: text(row, 'model'),
        at: number(row, 'at'),
      })),
    undated(account: number): number {
      const row = sql.countUndated.get(account)
      return row ? number(row, 'n') : 0
    },
    /** The newest day first. */
    corrections: (account: number, from: DayNumber, to: DayNumber): StoredCorrection[] =>
      sql.corrections.all(account, from, to).map((row) => correctionOf(row, account)),
    countCorrections(account: number): number {
      const row = sql.countCorrections.get(account)
      return row ? number(row, 'n') : 0
    },
    /** The first day that has a row. */
    firstDay(account: number, what: string): DayNumber | null {
      const row = sql.firstDay.get(account, what)
      return row ? numberOrNull(row, 'day') : null
    },
  }
}

export function dayTable({ handle }: Pick<Database, 'handle'>, fetches: FetchTable) {
  const names = figureColumns.split(', ')
  const firstColumns = names.map((name) => `first_${name}`)
  const set = (columns: string[]): string => columns.map((name) => `${name} = ?`).join(', ')
  const key = 'book = ? AND what = ? AND day = ? AND model = ?'
  const sql = prepareAll(handle, {
    ofDay: 'SELECT * FROM days WHERE book = ? AND what = ? AND day = ?',
    insert: `INSERT INTO days (book, what, day, model, date, ${figureColumns}, first_at, ${firstColumns.join(', ')})
      VALUES (${Array(20).fill('?').join(', ')})`,
    setNow: `UPDATE days SET ${set(names)} WHERE ${key}`,
    setFirst: `UPDATE days SET first_at = ?, date = ?, ${set(firstColumns)} WHERE ${key}`,
    turnBefore: `SELECT at, ${figureColumns} FROM closed WHERE ${key} AND at <= ? ORDER BY at DESC LIMIT 1`,
    turnAfter: `SELECT at, ${figureColumns} FROM closed WHERE ${key} AND at > ? ORDER BY at LIMIT 1`,
    putTurn: `INSERT OR REPLACE INTO closed (book, what, day, model, at, ${figureColumns}, corrects)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
        ?5 > (SELECT closed_at FROM coverage WHERE book = ?1 AND what = ?2 AND day = ?3))`,
    dropTurn: `DELETE FROM closed WHERE ${key} AND at = ?`,
    undated: `INSERT INTO undated (book, what, date, model, at, ${figureColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (book, what, date, model) DO UPDATE SET at = excluded.at,
      ${names.map((name) => `${name} = excluded.${name}`).join(', ')} WHERE excluded.at > at`,
    dropUndated: 'DELETE FROM undated WHERE book = ? AND what = ? AND date = ? AND model = ?',
    hasUndated: 'SELECT 1 FROM undated WHERE book = ? AND what = ? LIMIT 1',
    // An older reply that is written late may be the first one after the end of the day.
    recheck: `UPDATE closed SET corrects = 1 WHERE book = ?1 AND what = ?2 AND day = ?3 AND corrects = 0
      AND at > (SELECT closed_at FROM coverage WHERE book = ?1 AND what = ?2 AND day = ?3)`,
  })
  /** Applies the figures of a day's row in a fetch. Null when the fetch did not list it, which means zero. */
  function see(moment: Moment, stored: StoredRow | null, row: DayRow | null): void {
    const { account, what, day, at, later } = moment
    const model = row?.model ?? stored?.model ?? ''
    const figures: UsageFigures = row ?? noUsage(what)
    if (stored) {
      if (later === null && !sameFigures(stored.figures, figures)) {
        sql.setNow.run(...figureValues(figures), account, what, day, model)
      }
      if (row && at < stored.firstAt)
        sql.setFirst.run(at, row.date, ...figureValues(figures), account, what, day, model)
    } else if (row) {
      const now = later === null ? figures : noUsage(what)
      sql.insert.run(account, what, day, model, row.date, ...figureValues(now), at, ...figureValues(figures))
    }
    if (at >= endOfDay(day)) seeClosed(moment, model, figures)
  }
  function seeClosed({ account, what, day, at, later }: Moment, model: string, figures: UsageFigures): void {
    const before = sql.turnBefore.get(account, what, day, model, at)
    const after = later === null ? undefined : sql.turnAfter.get(account, what, day, model, at)
    const { put, drop } = takeIn(
      { at, value: figures },
      {
        before: before ? readFigures(before) : noUsage(what),
        next: after ? { at: number(after, 'at'), value: readFigures(after) } : null,
        nextFetch: later,
      },
      confirms,
    )
    if (drop !== null) sql.dropTurn.run(account, what, day, model, drop)
    for (const turn of put) sql.putTurn.run(account, what, day, model, turn.at, ...figureValues(turn.value))
  }
  /** Deletes undated rows whose date can be parsed now. */
  function placed(account: number, what: string, rows: readonly DayRow[]): void {
    if (!sql.hasUndated.get(account, what)) return
    for (const { date, model } of rows) sql.dropUndated.run(account, what, date, model)
  }

  return {
    ...dayReader(handle, fetches),
    /**
     * Stores the days of a fetch that is stored already (`fetches.add`). Each row is within the days of the fetch. Each model is listed at
     * most once a day.
     */
    save(account: number, what: string, { at, days }: Fetch, rows: readonly DayRow[]): void {
      if (days === null) return
      const byDay = Map.groupBy(rows, ({ day }) => day)
      placed(account, what, rows)
      for (let { from: day } = days; day <= days.to; day += 1) {
        fetches.cover(account, what, day, at)
        const moment = { account, what, day, at, later: fetches.after(account, what, at, day) }
        const stored = new Map(sql.ofDay.all(account, what, day).map((row) => [text(row, 'model'), readStored(row)]))
        const reported = byDay.get(day) ?? []
        for (const row of reported) see(moment, stored.get(row.model) ?? null, row)
        for (const row of reported) stored.delete(row.model)
        for (const absent of stored.values()) see(moment, absent, null)
        if (moment.later !== null && at >= endOfDay(day)) sql.recheck.run(account, what, day)
      }
    },
    saveUndated(account: number, what: string, at: number, rows: readonly UndatedRow[]): void {
      for (const row of rows) sql.undated.run(account, what, row.date, row.model, at, ...figureValues(row))
    },
  }
}

export type DayTable = ReturnType<typeof dayTable>

const readStored = (row: Row): StoredRow => ({
  model: text(row, 'model'),
  figures: readFigures(row),
  firstAt: number(row, 'first_at'),
})
