import { StudioError } from '../../../errors.ts'

/** A value that all formats can express. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain }

/** A place in a parsed file: keys of maps, indices of lists. */
export type ValuePlace = readonly (string | number)[]

/** Replaces `start` to `end` of a text, UTF-16 units. */
export interface Splice {
  start: number
  end: number
  text: string
}

/**
 * Edits one format in place: everything outside the changed values stays as it is, byte for byte. Texts have no byte order mark.
 * Functions that edit throw `bad_input` for a shape that they can't edit. Callers compare the values before and after.
 */
export interface Format {
  /** The content as plain values; `{}` for an empty file. @throws StudioError `bad_input` when it does not parse */
  parse(text: string): unknown
  /** The text of the value at an existing place. */
  source(text: string, at: ValuePlace): string
  /** Replaces the value at an existing place by text from `source` or `write`. */
  replace(text: string, at: ValuePlace, source: string): Splice[]
  /** Adds a value. `at` must not exist; `existing` is the length of its longest beginning that does. An index is that after the last element. */
  add(text: string, at: ValuePlace, existing: number, value: Plain): Splice[]
  /** Removes the value at an existing place, with its key and its line when nothing else is on it. */
  remove(text: string, at: ValuePlace): Splice[]
  /** A value as text for `replace`. */
  write(value: Plain): string
}

/** @param eol the line end of added lines, which the formats write as `\n` */
export function applySplices(text: string, splices: readonly Splice[], eol = '\n'): string {
  let result = text
  for (const { start, end, text: added } of [...splices].sort((a, b) => b.start - a.start || b.end - a.end)) {
    result = result.slice(0, start) + added.replaceAll('\n', eol) + result.slice(end)
  }
  return result
}

/** Start of the line of a position. */
export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** End of the line of a position, before its line end. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  if (end < 0) return text.length
  return text[end - 1] === '\r' && end > at ? end - 1 : end
}

/** Start of the next line; the end of the text on the last one. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

export const isBlank = (text: string): boolean => /^[ \t\r]*$/.test(text)

/** The range with its whole lines, if nothing else is on them; else the range with the spaces before it. */
export function withLine(text: string, start: number, end: number): { start: number; end: number } {
  const from = lineStart(text, start)
  if (isBlank(text.slice(from, start)) && isBlank(text.slice(end, lineEnd(text, end)))) {
    return { start: from, end: nextLine(text, end) }
  }
  let first = start
  while (first > from && /[ \t]/.test(text[first - 1] ?? '')) first -= 1
  return { start: first, end }
}

/** The number of spaces, or the tab, by which the text indents. @param or when no line is indented */
export function indentUnit(text: string, or = '  '): string {
  const found = /^([ \t]+)[^\s]/m.exec(text)?.[1]
  if (found === undefined) return or
  return found.startsWith('\t') ? '\t' : found
}

export const cannotParse = (what: string, why: string): StudioError =>
  new StudioError('bad_input', `The file is not valid ${what}: ${why}. Correct it, or copy the lines by hand.`)

export const cannotEdit = (): StudioError =>
  new StudioError(
    'bad_input',
    'The file has a shape that can’t be edited safely. Nothing was changed. Copy the lines by hand.',
  )
