import { DialectError } from '../dialectError.ts'
import { object, optionalNumber } from '../fields.ts'
import type { JsonObject } from '../types.ts'

/**
 * The members of a message of this API by their camel-case names. The official API accepts the names of its definition as well
 * (`inline_data`), and its own examples send both. Not for data of a program, such as arguments.
 * @throws DialectError when the value is no object
 */
export function members(value: unknown, param: string): JsonObject {
  const given = object(value, param)
  if (!Object.keys(given).some((key) => key.includes('_'))) return given
  return Object.fromEntries(
    Object.entries(given).map(([key, member]) => [
      key.replace(/(?<=[a-z0-9])_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      member,
    ]),
  )
}

/** As `members`; null when the value is absent. */
export const optionalMembers = (value: unknown, param: string): JsonObject | null =>
  value === undefined || value === null ? null : members(value, param)

/** A list. The official API accepts a single element in its place. */
export const elements = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** A number, which the JSON of this API may also have as a text. @throws DialectError */
export const numberAt = (value: unknown, param: string): number | null =>
  optionalNumber(typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value, param)

/** A name of an enumeration, in capitals. Null when it is absent or says nothing. @throws DialectError */
export function enumAt(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new DialectError(param, `${param} must be a name.`)
  const name = value.toUpperCase()
  return name === '' || name.endsWith('UNSPECIFIED') ? null : name
}
