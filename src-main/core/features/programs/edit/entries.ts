import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { StudioError } from '../../../errors.ts'
import { dotenv } from './dotenv.ts'
import { applySplices, cannotEdit, type Format, type Plain, type ValuePlace } from './format.ts'
import { json } from './json.ts'
import { toml } from './toml.ts'
import { yaml } from './yaml.ts'

export const formats = { json, toml, yaml, dotenv } satisfies Record<string, Format>
export type FormatName = keyof typeof formats

/** A key of a map, or the element of a list that has these values. */
export type PathStep = string | { readonly where: Readonly<Record<string, string>> }

/** A value that Connect writes. */
export interface ProgramEntry {
  path: readonly PathStep[]
  value: Plain
  /** The place has a name of ours, so that everything in it is ours, also after somebody changed it. */
  isOwn?: boolean
  /** Written only where there is no value yet. */
  isOptional?: boolean
}

/** An entry that was written. */
export interface WrittenEntry {
  path: readonly PathStep[]
  isOwn: boolean
  /** SHA-256 of the value, as hexadecimal digits. */
  hash: string
  /** Number of steps of the path that existed before. What was created with the entry is removed with it, once it is empty. */
  existing: number
}

/** A written entry with the text of the value that it replaced; null: there was none. May contain a secret of the person. */
export type UndoableEntry = WrittenEntry & { before: string | null }

const byteOrderMark = '\ufeff'

/**
 * Writes entries into the text of a file. Everything else stays as it is, byte for byte.
 * @throws StudioError `bad_input` when the text does not parse or can't be edited
 */
export function writeEntries(
  name: FormatName,
  text: string,
  entries: readonly ProgramEntry[],
): { text: string; written: UndoableEntry[] } {
  const format = formats[name]
  return withoutMark(text, (given) => {
    // An empty file of a list.
    const content = name === 'json' && given.trim() === '' && typeof entries[0]?.path[0] === 'object' ? '[]\n' : given
    // Of the file as it was: the only lines with this end may be in a value that is replaced.
    const eol = eolOf(content)
    let now = content
    let expected = format.parse(content)
    const written: UndoableEntry[] = []
    for (const { path, value, isOwn = false, isOptional = false } of entries.flatMap((entry) => leaves(name, entry))) {
      const { at, existing } = locate(expected, path)
      const isThere = existing === at.length
      if (isThere && isOptional) continue
      const before = isThere ? format.source(now, at) : null
      const isSame = isThere && isDeepStrictEqual(valueAt(expected, at), value)
      const splices = isThere
        ? isSame
          ? []
          : format.replace(now, at, format.write(value))
        : format.add(now, at, existing, value)
      now = applySplices(now, splices, eol)
      expected = withValue(expected, at, value)
      written.push({ path, isOwn, hash: hashOf(value), existing, before })
    }
    check(format, now, expected)
    return { text: now, written }
  })
}

/**
 * Takes written entries out of the text of a file, and restores the values that they replaced. An entry that somebody changed stays, unless
 * its place is ours.
 * @returns `left`: paths of the entries that stay
 * @throws StudioError `bad_input` when the text does not parse or can't be edited
 */
export function removeEntries(
  name: FormatName,
  text: string,
  written: readonly UndoableEntry[],
): { text: string; left: string[] } {
  const format = formats[name]
  const left: string[] = []
  const result = withoutMark(text, (content) => {
    let now = content
    let expected = format.parse(content)
    for (const entry of written.toReversed()) {
      const at = existingPlace(expected, entry.path)
      if (at === null) continue
      if (!entry.isOwn && hashOf(valueAt(expected, at)) !== entry.hash) {
        left.push(pathText(entry.path))
      } else if (entry.before === null) {
        now = applySplices(now, format.remove(now, at))
        expected = withoutValue(expected, at)
      } else {
        now = applySplices(now, format.replace(now, at, entry.before))
        expected = format.parse(now)
      }
    }
    for (const path of createdAround(written)) {
      const at = existingPlace(expected, path)
      if (at === null || !isEmpty(valueAt(expected, at))) continue
      expected = withoutValue(expected, at)
      // A table of TOML without a header is already gone with its last key.
      if (existingPlace(format.parse(now), path) !== null) now = applySplices(now, format.remove(now, at))
    }
    check(format, now, expected)
    return { text: now }
  })
  return { text: result.text, left: left.reverse() }
}

/** The line end of a text. */
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** The written entries as they are in a file now. */
export interface FoundEntries {
  /** Whether all entries have the values that were written; those at a place of ours: whether they are there. */
  isComplete: boolean
  /** The app key in them, or null. */
  key: string | null
}

/** @throws StudioError `bad_input` when the text does not parse */
export function findEntries(name: FormatName, text: string, written: readonly WrittenEntry[]): FoundEntries {
  const value = formats[name].parse(contentOf(text))
  const found = written.map(({ path, hash, isOwn }) => {
    const at = existingPlace(value, path)
    if (at === null) return null
    const current = valueAt(value, at)
    return { current, isKept: isOwn || hashOf(current) === hash }
  })
  const key = /\bisk_[\w-]{6,200}/.exec(JSON.stringify(found.map((entry) => entry?.current)))?.[0] ?? null
  return { isComplete: found.every((entry) => entry?.isKept === true), key }
}

/** Whether a file has no content besides white space and an empty map or list. Comments count as content. */
export const isEmptyFile = (name: FormatName, text: string): boolean =>
  isEmpty(formats[name].parse(contentOf(text))) && !/[#/]/.test(text)

/** TOML tables are written key by key. */
function leaves(name: FormatName, entry: ProgramEntry): ProgramEntry[] {
  const { path, value } = entry
  if (name !== 'toml' || typeof value !== 'object' || value === null || Array.isArray(value)) return [entry]
  return Object.entries(value).map(([key, inner]) => ({ ...entry, path: [...path, key], value: inner as Plain }))
}

const pathText = (path: readonly PathStep[]): string =>
  path.map((step) => (typeof step === 'string' ? step : `[${Object.values(step.where).join(', ')}]`)).join('.')

const contentOf = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text)

function withoutMark<T extends { text: string }>(text: string, edit: (content: string) => T): T {
  if (!text.startsWith(byteOrderMark)) return edit(text)
  const result = edit(text.slice(1))
  return { ...result, text: byteOrderMark + result.text }
}

function check(format: Format, text: string, expected: unknown): void {
  if (!isDeepStrictEqual(format.parse(text), expected)) throw cannotEdit()
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

interface Located {
  at: (string | number)[]
  /** Length of the longest beginning of `at` that exists. */
  existing: number
}

/** @throws StudioError `bad_input` when a value in the way is neither map nor list */
function locate(value: unknown, path: readonly PathStep[]): Located {
  const found = tryLocate(value, path)
  if (found === null) throw cannotEdit()
  return found
}

/** Null when a value in the way is neither map nor list. */
function tryLocate(value: unknown, path: readonly PathStep[]): Located | null {
  const at: (string | number)[] = []
  let current = value
  for (const [index, step] of path.entries()) {
    const key = keyIn(current, step)
    if (key === null) return null
    at.push(key)
    if (!Object.hasOwn(current as object, key)) {
      const rest = path.slice(index + 1).map((later) => (typeof later === 'string' ? later : 0))
      return { at: [...at, ...rest], existing: index }
    }
    current = (current as Record<string | number, unknown>)[key]
  }
  return { at, existing: at.length }
}

/** The key or index of a step in a map or list; for an element that is not there, that after the last one. Null in any other value. */
function keyIn(value: unknown, step: PathStep): string | number | null {
  if (typeof step === 'string') return isObject(value) ? step : null
  if (!Array.isArray(value)) return null
  const wanted = Object.entries(step.where)
  const index = value.findIndex((item) => isObject(item) && wanted.every(([key, text]) => item[key] === text))
  return index < 0 ? value.length : index
}

function existingPlace(value: unknown, path: readonly PathStep[]): ValuePlace | null {
  const found = tryLocate(value, path)
  return found === null || found.existing < found.at.length ? null : found.at
}

/** Paths of maps and lists that were created for entries, the innermost first. */
function createdAround(written: readonly WrittenEntry[]): (readonly PathStep[])[] {
  return written.toReversed().flatMap(({ path, existing }) => {
    const depths = Array.from(
      { length: Math.max(0, path.length - 1 - existing) },
      (_, index) => path.length - 1 - index,
    )
    return depths.map((depth) => path.slice(0, depth))
  })
}

function valueAt(value: unknown, at: ValuePlace): unknown {
  return at.reduce<unknown>((current, step) => (current as Record<string | number, unknown>)[step], value)
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

function withValue(value: unknown, at: ValuePlace, added: Plain): unknown {
  const [step, ...rest] = at
  if (step === undefined) return added
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? [...value] : []
    list[step] = withValue(list[step], rest, added)
    return list
  }
  const map = isObject(value) ? value : {}
  return { ...map, [step]: withValue(Object.hasOwn(map, step) ? map[step] : undefined, rest, added) }
}

function withoutValue(value: unknown, at: ValuePlace): unknown {
  const [step, ...rest] = at
  if (typeof step === 'number' && Array.isArray(value)) {
    return rest.length === 0 ? value.toSpliced(step, 1) : value.with(step, withoutValue(value[step], rest))
  }
  if (typeof step !== 'string' || !isObject(value)) return value
  if (rest.length > 0) return { ...value, [step]: withoutValue(value[step], rest) }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step))
}

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')

/** @throws StudioError `bad_input` */
export function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw new StudioError(
      'bad_input',
      'The file is not UTF-8 text. Save it as UTF-8, or copy the lines by hand.',
      {},
      { cause: thrown },
    )
  }
}
