// Columns of a terminal. Their cells contain names from apps and from the service.

/** Characters that take two columns of a terminal: East Asian ones and emoji. Joining marks take none. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const joined = /[\p{M}\p{Cf}]/u

/** Width of a text in terminal columns. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += joined.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

/** Replaces line feeds and removes direction marks, so that a cell can't start a row or reorder its neighbours. */
export const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const character of text) {
    if (widthOf(kept + character) >= width) break
    kept += character
  }
  return `${kept}…`
}

/** A shortened column has at least this many columns. */
const minCutWidth = 12

/** Cuts or pads a text to exactly `width` columns. */
export function inColumns(text: string, width: number): string {
  const cell = cut(oneLine(text), width)
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
}

/**
 * Aligns rows in columns. Columns from index `right` on are right-aligned.
 * On a terminal that is too narrow, the column with index `cuts` is shortened. Piped output is never cut.
 */
export function columns(
  rows: readonly (readonly string[])[],
  { right = Number.POSITIVE_INFINITY, cuts }: { right?: number; cuts?: number } = {},
): string[] {
  const shown = rows.map((row) => row.map(oneLine))
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => widthOf(row[at] ?? ''))))
  const available = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  const over = widths.reduce((sum, width) => sum + width + 2, -2) - available
  const given = cuts === undefined ? undefined : widths[cuts]
  if (cuts !== undefined && given !== undefined && over > 0) {
    widths[cuts] = Math.min(given, Math.max(minCutWidth, given - over))
  }
  return shown.map((row) =>
    row
      .map((text, at) => {
        const [width, cell] = [widths[at] ?? 0, cut(text, widths[at] ?? 0)]
        const rest = ' '.repeat(Math.max(0, width - widthOf(cell)))
        return at < right ? cell + rest : rest + cell
      })
      .join('  ')
      .trimEnd(),
  )
}
