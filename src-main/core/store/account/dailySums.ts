import { StudioError } from '../../errors.ts'
import type { DayNumber } from '../../shared/days.ts'
import type { ReadHandle, ReadStatement } from '../readOnly.ts'
import { costOf, figureColumns, missingIn, type UsageFigures } from './figures.ts'

/** One row of usage as the service reported it. `name` is a model, or the id of a key. */
export interface ServiceDay extends UsageFigures {
  day: DayNumber
  name: string
}

/** Ranges longer than this, in days, are cached for the next view, because views of years come in several forms. */
const longDays = 400
const everyDay = [-1_000_000, 1_000_000] as const

/** Reads usage for views, as arrays. A row takes about a microsecond, so ten years of ten models take some tens of milliseconds, once. */
export function sumReader(handle: ReadHandle) {
  // Together they show changes of this connection and of others.
  const changes = handle.prepare('SELECT total_changes() AS n')
  const dataVersion = handle.prepare('PRAGMA data_version')
  const version = (): string => `${String(changes.get()?.n)} ${String(dataVersion.get()?.data_version)}`
  const cache = new Map<string, { version: string; days: ServiceDay[] }>()

  function inRange(kind: string, read: Reader, account: number, [from, to]: [DayNumber, DayNumber]): ServiceDay[] {
    if (to - from < longDays) return read(account, from, to)
    const now = version()
    const known = cache.get(`${kind} ${account}`)
    const days = known?.version === now ? known.days : read(account, ...everyDay)
    cache.set(`${kind} ${account}`, { version: now, days })
    return days.filter(({ day }) => day >= from && day <= to)
  }

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
    models: (account: number, from: DayNumber, to: DayNumber): ServiceDay[] =>
      inRange('models', models, account, [from, to]),
    keys: (account: number, from: DayNumber, to: DayNumber): ServiceDay[] => inRange('keys', keys, account, [from, to]),
    key: (account: number, id: string, from: DayNumber, to: DayNumber): ServiceDay[] => key(account, id, from, to),
  }
}

type Reader = (...given: (number | string)[]) => ServiceDay[]

function arrays(statement: ReadStatement): Reader {
  statement.setReturnArrays(true)
  return (...given) => statement.all(...given).map((row: unknown) => readDay(row))
}

function readDay(row: unknown): ServiceDay {
  if (!Array.isArray(row)) throw new StudioError('store_damaged', 'A row of the account database is invalid.')
  const cell = (at: number): number => countIn(row[at])
  return {
    day: cell(0),
    name: String(row[1]),
    requests: cell(2),
    tokensIn: cell(3),
    tokensOut: cell(4),
    tokensCached: row[5] === null ? null : cell(5),
    cost: row[6] === null ? null : costOf(cell(6), cell(7)),
    ...(row[8] === null ? {} : missingIn(String(row[8]))),
  }
}

function countIn(value: unknown): number {
  if (typeof value === 'number') return value
  throw new StudioError('store_damaged', 'The account database has a value that is not a number.')
}
