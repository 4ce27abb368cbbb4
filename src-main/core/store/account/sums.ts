import type { StatementSync } from 'node:sqlite'
import type { DayNumber } from '../../days.ts'
import type { Database } from '../database.ts'
import { type Booked, costOf, figureColumns } from './figures.ts'

/** One row of the service's side, for views: `name` is a model, or a key's id. */
export interface ServiceDay extends Booked {
  day: DayNumber
  name: string
}

/** Reads for views, as arrays: a row of ten years' days takes about a microsecond. */
export function sumTable({ handle }: Pick<Database, 'handle'>) {
  const range = 'day BETWEEN ? AND ?'
  const models = arrays(
    handle.prepare(`SELECT day, model, ${figureColumns} FROM days WHERE book = ? AND what = 'usage' AND ${range}`),
  )
  const keys = arrays(
    handle.prepare(
      `SELECT day, substr(what, 6), ${figureColumns} FROM days
        WHERE book = ? AND what >= 'days:' AND what < 'days;' AND ${range}`,
    ),
  )
  const key = arrays(
    handle.prepare(
      `SELECT day, substr(what, 6), ${figureColumns} FROM days WHERE book = ? AND what = 'days:' || ? AND ${range}`,
    ),
  )
  return {
    models: (book: number, from: DayNumber, to: DayNumber): ServiceDay[] => models(book, from, to),
    keys: (book: number, from: DayNumber, to: DayNumber): ServiceDay[] => keys(book, from, to),
    key: (book: number, id: string, from: DayNumber, to: DayNumber): ServiceDay[] => key(book, id, from, to),
  }
}

function arrays(statement: StatementSync): (...given: (number | string)[]) => ServiceDay[] {
  statement.setReturnArrays(true)
  return (...given) => statement.all(...given).map((row: unknown) => readDay(row))
}

function readDay(row: unknown): ServiceDay {
  const [day, name, requests, tokensIn, tokensOut, tokensCached, millionths, below] = Array.isArray(row) ? row : []
  return {
    day: Number(day),
    name: String(name),
    requests: Number(requests),
    tokensIn: Number(tokensIn),
    tokensOut: Number(tokensOut),
    tokensCached: tokensCached === null ? null : Number(tokensCached),
    cost: millionths === null ? null : costOf(Number(millionths), Number(below)),
  }
}
