/** A program and its arguments on one line, quoted for a POSIX shell. For display only, nothing runs it. */
export function commandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args].map(quoted).join(' ')
}

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * A line as people write it for a shell, in words: quotes and backslashes as POSIX has them, nothing else of a shell. Null where a quote
 * is not closed. What a shell would do (variables, pipes, globs) stays in the words as it is written.
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
