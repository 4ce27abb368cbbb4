/** A program and its arguments on one line, quoted as a POSIX shell would want them: for reading, nothing runs it. */
export function commandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args].map(quoted).join(' ')
}

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
