/** A program and its arguments on one line, quoted for a POSIX shell. For display only, never executed. */
export function commandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args].map(quoted).join(' ')
}

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * Splits a shell command line into words. Supports only the quotes and backslashes of POSIX shells. Variables, pipes and globs stay in the
 * words unchanged. Returns null when a quote is not closed.
 */
export function splitCommand(line: string): string[] | null {
  const found = line.match(word) ?? []
  if (line.replace(word, '').trim() !== '') return null
  return found.map((one) => one.replace(part, (piece) => unquoted(piece)))
}

const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs
const part = /\\.|"(?:[^"\\]|\\.)*"|'[^']*'/gs

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1)
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1')
  return piece.slice(1)
}
