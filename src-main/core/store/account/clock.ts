import { type DayNumber, dayMs, dayOfMs, endOfDay } from '../../shared/days.ts'
import type { Database } from '../database.ts'
import { number, numberOrNull, text } from '../rows.ts'
import { prepareAll } from '../statements.ts'
import type { FetchTable } from './fetches.ts'
import { confirms, figureColumns, figureValues, noUsage, readFigures } from './figures.ts'

/** A reply that is about to be written. */
interface Coming {
  what: string
  at: number
  values?: readonly { what: string }[]
  listed?: string
}

/**
 * Corrects replies that were written while the clock was ahead. Their times are in the future, so each would count as the newest reply
 * until then. They get the latest time at which they can have been received. That time is after the last reply with a correct time, and
 * after the start of the newest day that they list.
 */
export function clockTable({ handle }: Pick<Database, 'handle'>, fetches: FetchTable) {
  const later = 'book = :account AND what = :what AND at > :now'
  const sql = prepareAll(handle, {
    spoken: `SELECT min(from_day) AS first, max(to_day) AS last FROM fetches WHERE ${later}`,
    lastRow: 'SELECT max(day) AS day FROM days WHERE book = ? AND what = ?',
    uncover: 'DELETE FROM coverage WHERE book = ? AND what = ? AND first_at > ? AND day > ?',
    recover: `UPDATE coverage SET first_at = min(first_at, :stamp), closed_at = CASE WHEN closed_at <= :now THEN closed_at
        WHEN closed_at > :now AND (day + 1) * ${dayMs} <= :stamp THEN :stamp END,
      last_at = CASE WHEN day <= :day THEN :stamp ELSE first_at END
      WHERE book = :account AND what = :what AND last_at > :now`,
    firsts: `UPDATE days SET first_at = :stamp WHERE book = :account AND what = :what AND first_at > :now`,
    undated: `UPDATE undated SET at = :stamp WHERE ${later}`,
    // The newest version of each row. SQLite takes the other columns from the row with max().
    turns: `SELECT day, model, max(at), ${figureColumns} FROM closed WHERE ${later} GROUP BY day, model`,
    turnBefore: `SELECT ${figureColumns} FROM closed WHERE book = ? AND what = ? AND day = ? AND model = ? ORDER BY at DESC LIMIT 1`,
    putTurn: `INSERT OR REPLACE INTO closed (book, what, day, model, at, ${figureColumns}, corrects)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
        coalesce(?5 > (SELECT closed_at FROM coverage WHERE book = ?1 AND what = ?2 AND day = ?3), 0))`,
    newest: 'SELECT value FROM versions WHERE book = ? AND what = ? ORDER BY at DESC LIMIT 1',
    putVersion: 'INSERT OR REPLACE INTO versions (book, what, at, value) VALUES (?, ?, ?, ?)',
    listed: 'SELECT DISTINCT what FROM versions WHERE book = ? AND what >= ? AND what < ? AND at > ?',
  })
  const drop = (table: string) => handle.prepare(`DELETE FROM ${table} WHERE ${later}`)
  const dropFetches = drop('fetches')
  const dropTurns = drop('closed')
  const dropVersions = drop('versions')
  const value = (account: number, what: string): string => {
    const row = sql.newest.get(account, what)
    return row ? text(row, 'value') : 'null'
  }

  function stampOf(account: number, { what, at }: Coming, now: number): number {
    const right = fetches.before(account, what, now + 1)
    const row = sql.lastRow.get(account, what)
    const day: DayNumber | null = row ? numberOrNull(row, 'day') : null
    const least = Math.max(right === null ? 0 : right + 1, day === null ? 0 : day * dayMs)
    return least === 0 ? at - 1 : Math.min(at - 1, least)
  }

  /** Replaces all fetches from the future with one fetch at `stamp`. */
  function putBackFetches(place: { account: number; what: string; now: number }, stamp: number): void {
    const range = sql.spoken.get(place)
    const first = range ? numberOrNull(range, 'first') : null
    const last = range ? numberOrNull(range, 'last') : null
    dropFetches.run(place)
    const days = first === null || last === null ? null : { from: first, to: Math.min(last, dayOfMs(stamp)) }
    fetches.add(place.account, place.what, { at: stamp, days: days && days.from <= days.to ? days : null })
  }

  function putBackDays(place: { account: number; what: string; now: number }, stamp: number): void {
    const { account, what, now } = place
    sql.uncover.run(account, what, now, dayOfMs(stamp))
    sql.recover.run({ ...place, stamp, day: dayOfMs(stamp) })
    sql.firsts.run({ ...place, stamp })
    sql.undated.run({ ...place, stamp })
    const stored = sql.turns.all(place)
    dropTurns.run(place)
    for (const row of stored) {
      const [day, model, figures] = [number(row, 'day'), text(row, 'model'), readFigures(row)]
      const former = sql.turnBefore.get(account, what, day, model)
      const same = confirms(former ? readFigures(former) : noUsage(what), figures)
      if (!same && stamp >= endOfDay(day)) sql.putTurn.run(account, what, day, model, stamp, ...figureValues(figures))
    }
  }

  function putBackVersions({ account, now }: { account: number; now: number }, coming: Coming, stamp: number): void {
    const { values = [], listed: prefix } = coming
    const known = prefix === undefined ? [] : sql.listed.all(account, prefix, endOf(prefix), now)
    for (const what of new Set([...values.map((one) => one.what), ...known.map((row) => text(row, 'what'))])) {
      const reported = value(account, what)
      const { changes } = dropVersions.run({ account, what, now })
      if (Number(changes) > 0 && value(account, what) !== reported) sql.putVersion.run(account, what, stamp, reported)
    }
  }

  return {
    /** Call before `coming` is written. `now` is the current time. */
    putBack(account: number, coming: Coming, now: number): void {
      const { what } = coming
      if ((fetches.lastAt(account, what) ?? 0) <= now) return
      const place = { account, what, now }
      const stamp = stampOf(account, coming, now)
      putBackFetches(place, stamp)
      putBackDays(place, stamp)
      putBackVersions(place, coming, stamp)
    },
  }
}

/** The upper end of all keys with a prefix that ends with a colon. */
const endOf = (prefix: string): string => `${prefix.slice(0, -1)};`
