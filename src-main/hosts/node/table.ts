import type { WriteStream } from 'node:tty'

// Columns of a terminal. Their cells contain names from apps and from the service.

/** Characters that take two columns of a terminal: East Asian ones and emoji. Joining marks take none. A class of a regular expression. */
export const wideCharacters =
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}]'
const wide = new RegExp(wideCharacters, 'u')
const joined = /[\p{M}\p{Cf}]/u

/** Width of a text in terminal columns. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += joined.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

/** Width of the widest text, at least `least`. A loop: a call takes about 120,000 arguments at most. */
export function widest(texts: readonly string[], least = 0): number {
  let width = least
  for (const text of texts) width = Math.max(width, widthOf(text))
  return width
}

/** Replaces line feeds and removes direction marks, so that a cell can't start a row or reorder its neighbours. */
export const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')

/** A text in at most `width` columns. A cut one ends with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const character of text) {
    if (widthOf(kept + character) >= width) break
    kept += character
  }
  return `${kept}…`
}

/** A shortened column has at least this many columns. */
const minCutWidth = 8

/** Width of a terminal that does not say how wide it is: some have 0 columns. */
export const usualWidth = 80

/** Width of the terminal, in columns; unlimited for pipes and files, whose output is never cut. */
export const outputWidth = (stream: WriteStream = process.stdout): number =>
  stream.isTTY ? stream.columns || usualWidth : Number.POSITIVE_INFINITY

interface ColumnOptions {
  /** Columns from this index on are right-aligned. */
  right?: number
  /** Indices of the columns that may be shortened on a narrow terminal, the first one first. */
  cuts?: readonly number[]
  /** Smallest widths, for tables whose rows are printed one after another. */
  atLeast?: readonly number[]
}

/**
 * Aligns rows in columns; the first row is the head. A terminal that is too narrow for the shortened columns gets each row as a list of its
 * names and values.
 */
export function columns(
  rows: readonly (readonly string[])[],
  { right = Number.POSITIVE_INFINITY, cuts = [], atLeast = [] }: ColumnOptions = {},
): string[] {
  const shown = rows.map((row) => row.map(oneLine))
  const [head = []] = shown
  const isUsed = head.map((_, at) => shown.some((row) => (row[at] ?? '') !== ''))
  const available = outputWidth()
  const widths = head.map((_, at) =>
    isUsed[at]
      ? widest(
          shown.map((row) => row[at] ?? ''),
          atLeast[at],
        )
      : -2,
  )
  for (const at of cuts) {
    const width = widths[at] ?? 0
    const over = totalOf(widths) - available
    if (over > 0 && width > minCutWidth) widths[at] = Math.max(minCutWidth, width - over)
  }
  if (totalOf(widths) > available) return shown.slice(1).flatMap((row, at) => asList(head, row, available, at > 0))
  return shown.map((row) =>
    row
      .flatMap((text, at) => {
        const width = widths[at] ?? 0
        if (width < 0) return []
        const cell = cut(text, width)
        const rest = ' '.repeat(Math.max(0, width - widthOf(cell)))
        return [at < right ? cell + rest : rest + cell]
      })
      .join('  ')
      .trimEnd(),
  )
}

/** Two spaces separate columns. A column without a cell has the width -2. */
const totalOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + 2, -2)

/** One row as lines of a name and a value, after an empty line. */
function asList(head: readonly string[], row: readonly string[], width: number, isLater: boolean): string[] {
  const pairs = row.flatMap((text, at) => (text === '' ? [] : [[head[at] ?? '', text] as const]))
  return [...(isLater ? [''] : []), ...pairLines(pairs, width)]
}

/** Names and values in two aligned columns. Long values go on below, indented. */
export function pairLines(
  rows: readonly (readonly [name: string, value: string])[],
  available = outputWidth(),
): string[] {
  const width = Math.min(widest(rows.map(([name]) => name)) + 2, Math.max(4, Math.floor(available / 2)))
  return rows.flatMap(([name, value]) =>
    wrapped(oneLine(value), available - width).map((part, at) => {
      const label = at === 0 ? cut(name, width - 1) : ''
      return `${label}${' '.repeat(Math.max(0, width - widthOf(label)))}${part}`.trimEnd()
    }),
  )
}

/** A line in lines of at most `width` columns, broken at spaces only, so that an address, a path or a key can be copied whole. */
export function folded(line: string, width = outputWidth()): string[] {
  if (widthOf(line) <= width) return [line]
  const lines: string[] = []
  for (const word of line.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** As `folded`, and words that are too long are broken too. */
const wrapped = (text: string, width: number): string[] =>
  folded(text, width).flatMap((line) => {
    const parts = ['']
    for (const character of line) {
      const longer = (parts.at(-1) ?? '') + character
      if (widthOf(longer) <= width) parts[parts.length - 1] = longer
      else parts.push(character)
    }
    return parts
  })
