import type { SQLOutputValue } from 'node:sqlite'
import type * as z from 'zod'
import { StudioError } from '../errors.ts'

/** A row of SQLite. Strict tables guarantee the types; these readers check them. */
export type Row = Record<string, SQLOutputValue>

/** The value of a row that a query may not have found. */
export const readOrNull = <T>(row: Row | undefined, read: (row: Row) => T): T | null => (row ? read(row) : null)

/** The value of a row. @throws StudioError `no_such_item` with the message `gone` where the query found none */
export function readOrThrow<T>(row: Row | undefined, read: (row: Row) => T, gone: string): T {
  if (!row) throw new StudioError('no_such_item', gone)
  return read(row)
}

/** Reads a column that may be NULL, which becomes null. */
function nullable<T>(read: (row: Row, column: string) => T) {
  return (row: Row, column: string): T | null => (row[column] === null ? null : read(row, column))
}

/** The readers of columns throw when the value has another type: the file was changed by another program, or is damaged. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw wrongType(column, 'text')
  return value
}

/** Text columns with the names of their properties. */
export const texts = columns(text)

export const textOrNull = nullable(text)

export function number(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw wrongType(column, 'a number')
  return value
}

/** Number columns with the names of their properties. */
export const numbers = columns(number)

export const numberOrNull = nullable(number)

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw wrongType(column, 'bytes')
  return value
}

/** A column of JSON text, validated against its schema. @throws StudioError `store_damaged` */
export function json<T>(row: Row, column: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(parseJson(text(row, column)))
  if (!parsed.success) throw wrongType(column, 'valid for its schema')
  return parsed.data
}

export function jsonOrNull<T>(row: Row, column: string, schema: z.ZodType<T>): T | null {
  return row[column] === null ? null : json(row, column, schema)
}

/** The value of JSON text; undefined when it cannot be parsed. */
export function parseJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The members of stored JSON. Each is read by itself, and an unreadable one has its default. */
export function readEach<T extends object>(
  shape: Readonly<Record<string, z.ZodType>>,
  defaults: T,
  stored: unknown,
): T {
  const given = new Map<string, unknown>(Object.entries(stored ?? {}))
  const readable = Object.entries(shape).flatMap(([name, schema]) => {
    const { success, data } = schema.safeParse(given.get(name))
    return success ? [[name, data] as const] : []
  })
  return { ...defaults, ...Object.fromEntries(readable) }
}

/** The value of a JSON column. Null for a missing value. */
export function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

function columns<T>(read: (row: Row, column: string) => T) {
  return <Name extends string>(row: Row, ...names: Name[]): Record<Name, T> =>
    Object.fromEntries(names.map((name) => [name, read(row, name)])) as Record<Name, T>
}

function wrongType(column: string, wanted: string): StudioError {
  return new StudioError('store_damaged', `The database has a value in the column ${column} that is not ${wanted}.`)
}
