import { type DayNumber, endOfDay } from '../../shared/days.ts'
import type { Database } from '../database.ts'
import { number, numberOrNull, type Row, text } from '../rows.ts'
import type { Fetch, FetchTable } from './fetches.ts'
import { figureColumns, figureValues, noUsage, readFigures, sameFigures, type UsageFigures } from './figures.ts'
import { takeIn } from './timeline.ts'

/** One day's row of a read-out; of a key's days `model` is empty. */
export interface DayRow extends UsageFigures {
  day: DayNumber
  model: string
  /** As the service wrote it. */
  date: string
}

/** A row whose date cannot be read. */
export type UndatedRow = Omit<DayRow, 'day'>

/** A closed day's row said something else than before. */
export interface StoredCorrection {
  what: string
  day: DayNumber
  model: string
  before: UsageFigures
  beforeAt: number
  after: UsageFigures
  afterAt: number
}

/** A day at a fetch, and the next fetch of that day, if that is in the books already. */
interface Moment {
  book: number
  what: string
  day: DayNumber
  at: number
  later: number | null
}

interface Kept {
  model: string
  booked: UsageFigures
  firstAt: number
}

export function dayTable({ handle }: Pick<Database, 'handle'>, fetches: FetchTable) {
  const names = figureColumns.split(', ')
  const firstColumns = names.map((name) => `first_${name}`)
  const set = (columns: string[]): string => columns.map((name) => `${name} = ?`).join(', ')
  const key = 'book = ? AND what = ? AND day = ? AND model = ?'
  const ofDay = handle.prepare('SELECT * FROM days WHERE book = ? AND what = ? AND day = ?')
  const insert = handle.prepare(
    `INSERT INTO days (book, what, day, model, date, ${figureColumns}, first_at, ${firstColumns.join(', ')})
      VALUES (${Array(18).fill('?').join(', ')})`,
  )
  const setNow = handle.prepare(`UPDATE days SET ${set(names)} WHERE ${key}`)
  const setFirst = handle.prepare(`UPDATE days SET first_at = ?, date = ?, ${set(firstColumns)} WHERE ${key}`)
  const turnBefore = handle.prepare(
    `SELECT at, ${figureColumns} FROM closed WHERE ${key} AND at <= ? ORDER BY at DESC LIMIT 1`,
  )
  const turnAfter = handle.prepare(
    `SELECT at, ${figureColumns} FROM closed WHERE ${key} AND at > ? ORDER BY at LIMIT 1`,
  )
  const putTurn = handle.prepare(
    `INSERT OR REPLACE INTO closed (book, what, day, model, at, ${figureColumns}, corrects)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
        ?5 > (SELECT closed_at FROM coverage WHERE book = ?1 AND what = ?2 AND day = ?3))`,
  )
  const dropTurn = handle.prepare(`DELETE FROM closed WHERE ${key} AND at = ?`)
  const undated = handle.prepare(
    `INSERT INTO undated (book, what, date, model, at, ${figureColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (book, what, date, model) DO UPDATE SET at = excluded.at,
      ${names.map((name) => `${name} = excluded.${name}`).join(', ')} WHERE excluded.at > at`,
  )
  const dropUndated = handle.prepare('DELETE FROM undated WHERE book = ? AND what = ? AND date = ? AND model = ?')
  const hasUndated = handle.prepare('SELECT 1 FROM undated WHERE book = ? AND what = ? LIMIT 1')
  const allUndated = handle.prepare('SELECT * FROM undated WHERE book = ? ORDER BY at DESC, what, date, model LIMIT ?')
  const countUndated = handle.prepare('SELECT count(*) AS n FROM undated WHERE book = ?')
  // An older answer that is written late may be the first that saw the day ended.
  const recheck = handle.prepare(
    `UPDATE closed SET corrects = 1 WHERE book = ?1 AND what = ?2 AND day = ?3 AND corrects = 0
      AND at > (SELECT closed_at FROM coverage WHERE book = ?1 AND what = ?2 AND day = ?3)`,
  )
  const corrections = handle.prepare(
    `SELECT * FROM closed INDEXED BY corrections WHERE book = ? AND corrects = 1 AND day BETWEEN ? AND ?
      ORDER BY day DESC, at DESC, what, model`,
  )
  const countCorrections = handle.prepare(
    'SELECT count(*) AS n FROM closed INDEXED BY corrections WHERE book = ? AND corrects = 1',
  )
  const firstDay = handle.prepare('SELECT min(day) AS day FROM days WHERE book = ? AND what = ?')

  /** What a day's row said at a fetch; null where the fetch did not list it, which means nothing. */
  function see(moment: Moment, kept: Kept | null, row: DayRow | null): void {
    const { book, what, day, at, later } = moment
    const model = row?.model ?? kept?.model ?? ''
    const booked: UsageFigures = row ?? noUsage(what)
    if (kept) {
      if (later === null && !sameFigures(kept.booked, booked)) {
        setNow.run(...figureValues(booked), book, what, day, model)
      }
      if (row && at < kept.firstAt) setFirst.run(at, row.date, ...figureValues(booked), book, what, day, model)
    } else if (row) {
      const now = later === null ? booked : noUsage(what)
      insert.run(book, what, day, model, row.date, ...figureValues(now), at, ...figureValues(booked))
    }
    if (at >= endOfDay(day)) seeClosed(moment, model, booked)
  }

  function seeClosed({ book, what, day, at, later }: Moment, model: string, booked: UsageFigures): void {
    const before = turnBefore.get(book, what, day, model, at)
    const after = later === null ? undefined : turnAfter.get(book, what, day, model, at)
    const { put, drop } = takeIn(
      { at, value: booked },
      {
        before: before ? readFigures(before) : noUsage(what),
        next: after ? { at: number(after, 'at'), value: readFigures(after) } : null,
        nextFetch: later,
      },
      sameFigures,
    )
    if (drop !== null) dropTurn.run(book, what, day, model, drop)
    for (const turn of put) putTurn.run(book, what, day, model, turn.at, ...figureValues(turn.value))
  }

  /** A clock that was wrong could not place what this one can. */
  function placed(book: number, what: string, rows: readonly DayRow[]): void {
    if (!hasUndated.get(book, what)) return
    for (const { date, model } of rows) dropUndated.run(book, what, date, model)
  }

  function correctionOf(row: Row, book: number): StoredCorrection {
    const [what, day, model, at] = [text(row, 'what'), number(row, 'day'), text(row, 'model'), number(row, 'at')]
    const former = turnBefore.get(book, what, day, model, at - 1)
    return {
      ...{ what, day, model },
      before: former ? readFigures(former) : noUsage(what),
      beforeAt: fetches.before(book, what, at, day) ?? at,
      after: readFigures(row),
      afterAt: at,
    }
  }

  return {
    /** Takes in the days of a fetch that is in the books already (`fetches.add`). Each row lies in its days, a model once a day. */
    keep(book: number, what: string, { at, days }: Fetch, rows: readonly DayRow[]): void {
      if (days === null) return
      const byDay = Map.groupBy(rows, ({ day }) => day)
      placed(book, what, rows)
      for (let { from: day } = days; day <= days.to; day += 1) {
        fetches.cover(book, what, day, at)
        const moment = { book, what, day, at, later: fetches.after(book, what, at, day) }
        const kept = new Map(ofDay.all(book, what, day).map((row) => [text(row, 'model'), readKept(row)]))
        const told = byDay.get(day) ?? []
        for (const row of told) see(moment, kept.get(row.model) ?? null, row)
        for (const row of told) kept.delete(row.model)
        for (const absent of kept.values()) see(moment, absent, null)
        if (moment.later !== null && at >= endOfDay(day)) recheck.run(book, what, day)
      }
    },
    keepUndated(book: number, what: string, at: number, rows: readonly UndatedRow[]): void {
      for (const row of rows) undated.run(book, what, row.date, row.model, at, ...figureValues(row))
    },
    /** The newest told first. */
    undatedRows: (book: number, limit: number): (UndatedRow & { what: string; at: number })[] =>
      allUndated.all(book, limit).map((row) => ({
        ...readFigures(row),
        ...{ what: text(row, 'what'), date: text(row, 'date'), model: text(row, 'model'), at: number(row, 'at') },
      })),
    undated(book: number): number {
      const row = countUndated.get(book)
      return row ? number(row, 'n') : 0
    },
    /** The newest day first. */
    corrections: (book: number, from: DayNumber, to: DayNumber): StoredCorrection[] =>
      corrections.all(book, from, to).map((row) => correctionOf(row, book)),
    countCorrections(book: number): number {
      const row = countCorrections.get(book)
      return row ? number(row, 'n') : 0
    },
    /** The first day that has a row. */
    firstDay(book: number, what: string): DayNumber | null {
      const row = firstDay.get(book, what)
      return row ? numberOrNull(row, 'day') : null
    },
  }
}

export type DayTable = ReturnType<typeof dayTable>

const readKept = (row: Row): Kept => ({
  model: text(row, 'model'),
  booked: readFigures(row),
  firstAt: number(row, 'first_at'),
})
