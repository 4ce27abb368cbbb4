// Columns of a terminal. What stands in them was named by tools and by the service.

/** Wide and narrow as terminals take them: East Asian characters and pictures two columns, marks that join none. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const joined = /[\p{M}\p{Cf}]/u

/** Columns that a text takes. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += joined.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

/** One line of what can be seen: a line feed would make a row of its own, and a change of direction turn the others about. */
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

const leastCut = 12

/** One line in exactly so many columns: cut where it is too long, else filled up with blanks. */
export function inColumns(text: string, width: number): string {
  const cell = cut(oneLine(text), width)
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
}

/**
 * Rows with their columns aligned, those from `right` on to the right. Where they are wider than the terminal, the column `cuts` gives way:
 * it holds names. What is piped is never cut.
 */
export function columns(
  rows: readonly (readonly string[])[],
  { right = Number.POSITIVE_INFINITY, cuts }: { right?: number; cuts?: number } = {},
): string[] {
  const shown = rows.map((row) => row.map(oneLine))
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => widthOf(row[at] ?? ''))))
  const feature = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  const over = widths.reduce((sum, width) => sum + width + 2, -2) - feature
  const given = cuts === undefined ? undefined : widths[cuts]
  if (cuts !== undefined && given !== undefined && over > 0) {
    widths[cuts] = Math.min(given, Math.max(leastCut, given - over))
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
