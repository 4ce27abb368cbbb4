import { isFields } from '../../upstream/json/values.ts'
import { DialectError } from './dialectError.ts'
import type { JsonObject } from './types.ts'

/** More nesting than any real request has. It equals the limit that the gateway sets for every JSON body. */
const maxDepth = 128
/** A hostile request may have thousands of unknown fields. The rest is only counted. */
const maxIgnored = 64
const maxIgnoredLength = 80

/** Members that do nothing when they are false. */
const offByDefault = new Set(['async', 'defer_loading', 'include_obfuscation', 'prewarm'])

/** The fields and tools of one request that have no effect, each named once, in the order of the request. The Messages API has a list of its own. */
export class IgnoredFields {
  readonly #names = new Set<string>()
  #more = 0

  /** @param name path such as `tools.web_search`. It is sent in a header, so other characters than those of a path become `?`. */
  add(name: string): void {
    const safe = name.slice(0, maxIgnoredLength).replace(/[^\w.[\]-]/g, '?')
    if (this.#names.has(safe)) return
    if (this.#names.size < maxIgnored) this.#names.add(safe)
    else this.#more += 1
  }

  /** Adds `PREFIX.key` for each member that has a value and is not in `known`. */
  addUnknown(value: JsonObject, known: ReadonlySet<string>, prefix: string): void {
    for (const key of Object.keys(value)) {
      const isOff = value[key] === false && offByDefault.has(key)
      if (!known.has(key) && !isOff && hasValue(value[key])) this.add(prefix === '' ? key : `${prefix}.${key}`)
    }
  }

  list(): string[] {
    return this.#more === 0 ? [...this.#names] : [...this.#names, `and_${this.#more}_more`]
  }
}

/** Whether a member is set. Null, an empty list and an empty object say nothing. */
export function hasValue(value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (Array.isArray(value)) return value.length > 0
  return !isFields(value) || Object.keys(value).length > 0
}

/** @throws DialectError when the value is absent or not a string */
export function text(value: unknown, param: string): string {
  if (typeof value === 'string') return value
  throw new DialectError(param, `${param} must be a string.`)
}

/** @throws DialectError when the value is absent, empty or not a string */
export function name(value: unknown, param: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new DialectError(param, `${param} must be a string that is not empty.`)
}

/** Null is the same as an absent value in this API. @throws DialectError */
export function optionalText(value: unknown, param: string): string | null {
  return value === null || value === undefined ? null : text(value, param)
}

/** @throws DialectError */
export function optionalFlag(value: unknown, param: string): boolean | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value
  throw new DialectError(param, `${param} must be true or false.`)
}

/** @throws DialectError */
export function optionalNumber(value: unknown, param: string): number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new DialectError(param, `${param} must be a number.`)
}

/** @throws DialectError */
export function optionalObject(value: unknown, param: string): JsonObject | null {
  if (value === null || value === undefined) return null
  return object(value, param)
}

/** @throws DialectError */
export function object(value: unknown, param: string): JsonObject {
  if (isFields(value)) return value as JsonObject
  throw new DialectError(param, `${param} must be an object.`)
}

/** @throws DialectError */
export function list(value: unknown, param: string): unknown[] {
  if (Array.isArray(value)) return value
  throw new DialectError(param, `${param} must be a list.`)
}

/**
 * Checks the nesting of a whole body once, without recursion, so that nothing after it can exceed the call stack.
 * @throws DialectError that names the member of the body
 */
export function checkDepth(body: JsonObject): void {
  for (const key of Object.keys(body)) {
    let level: object[] = []
    addInner(level, body[key])
    for (let depth = 1; level.length > 0; depth++) {
      if (depth > maxDepth)
        throw new DialectError(key, `${key} is nested deeper than ${maxDepth} levels.`, 'body_unreadable')
      level = innerOf(level)
    }
  }
}

/** The objects and lists inside these. Creates no lists of keys and values, because these would take most of the time. */
function innerOf(level: readonly object[]): object[] {
  const inner: object[] = []
  for (const value of level) {
    if (Array.isArray(value)) for (const one of value) addInner(inner, one)
    else for (const name in value) addInner(inner, (value as JsonObject)[name])
  }
  return inner
}

function addInner(level: object[], value: unknown): void {
  if (typeof value === 'object' && value !== null) level.push(value)
}
