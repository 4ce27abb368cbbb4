/** A program and its arguments on one line, quoted for a POSIX shell. For display only, never executed. */
export function commandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args].map(quoted).join(' ')
}

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * Splits a shell command line into words. Supports only the quotes and backslashes of POSIX shells, also at the end of a line that continues.
 * Variables, pipes and globs stay in the words unchanged. Returns null when a quote is not closed.
 */
export function splitCommand(line: string): string[] | null {
  const found = line.match(word)?.filter((one) => !/^(?:\\\r?\n)+$/.test(one)) ?? []
  if (line.replace(word, '').trim() !== '') return null
  return found.map((one) => one.replace(part, (piece) => unquoted(piece)))
}

const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs
const part = /\\.|"(?:[^"\\]|\\.)*"|'[^']*'/gs

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1)
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(?:(["\\$`])|\n)/g, '$1')
  return piece === '\\\n' ? '' : piece.slice(1)
}

/** A longer text is not a command, characters. */
const longestCommand = 8192
/** A path of Windows, where a backslash is no escape, and where spaces are common. */
const windowsPath = /^(?:[A-Za-z]:\\|\\\\)/

/** The program and arguments of a command line that was typed or pasted, or null if there is nothing to split or unquote. */
export function programOf(text: string): { command: string; args: string[] } | null {
  const line = text.trim()
  if (line.length > longestCommand || windowsPath.test(line)) return null
  const [command, ...args] = splitCommand(line) ?? []
  return command === undefined || command === '' || command === line ? null : { command, args }
}
