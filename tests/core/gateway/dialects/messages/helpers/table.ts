import { readFileSync } from 'node:fs'

const file = new URL('../../../../../../docs/dialects/messages.md', import.meta.url)

/** One row of a table in `docs/dialects/messages.md`. */
interface TableRow {
  name: string
  result: string
  /** Name in `x-studio-ignored`, or an empty string. */
  trace: string
}

/** All rows whose first cell is a name, in the sections of `docs/dialects/messages.md` from one heading up to another. */
export function rowsOf(from: string, to: string): TableRow[] {
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(`\n## ${from}\n`)
  const end = text.indexOf(`\n## ${to}\n`)
  if (start === -1 || end <= start) throw new Error(`The document has no section from ${from} to ${to}.`)
  return text
    .slice(start, end)
    .split('\n')
    .flatMap((line) => {
      const [, name, result, , trace] = line.split('|').map((cell) => cell.trim())
      // Rows of other tables, headings and separators have no name in code format.
      if (name === undefined || result === undefined || !/^`[^`]+`$/.test(name)) return []
      return [{ name: name.slice(1, -1), result, trace: (trace ?? '').replaceAll('`', '') }]
    })
}
