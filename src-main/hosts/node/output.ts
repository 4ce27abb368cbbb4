import { StudioError } from '../../core/errors.ts'

/** Exit codes of every command. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** One JSON document on a line of standard output. Nothing but these goes there under `--json`. */
export function printJson(document: unknown): void {
  // JSON may hold the control characters from DEL on as they are, and a terminal would do what they command.
  const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${JSON.stringify(document).replace(/[\u007f-\u009f]/g, escaped)}\n`)
}

/** Words for a person, on standard output, as they come. */
export function sayPart(text: string): void {
  process.stdout.write(harmless(text))
}

/** Lines for a person, on standard output. */
export function say(...lines: string[]): void {
  sayPart(lines.map((line) => `${line}\n`).join(''))
}

/** Two columns, the second one aligned. */
export function sayTable(rows: readonly (readonly [name: string, value: string])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  say(...rows.map(([name, value]) => `${name.padEnd(width)}${value}`))
}

/** The log: standard error, one line each. */
export function log(level: 'info' | 'warn' | 'error', line: string): void {
  process.stderr.write(harmless(`${level === 'info' ? '' : `${level}: `}${line}\n`))
}

/** A reply or a service's words could carry escape sequences that command the terminal: no control character goes there. */
export const harmless = (text: string): string => text.replace(/(?!\r?\n|\t)\p{Cc}/gu, '')

/** A failure in words on standard error and, under `--json`, as the command's one document. Answers the exit code. */
export function reportFailure(error: StudioError, json: boolean): number {
  log('error', error.message)
  if (error.kind === 'bug' && error.cause instanceof Error) log('error', error.cause.stack ?? '')
  if (json) printJson({ problem: error.toProblem() })
  return exitCodes.failed
}

/**
 * The value of an environment variable that holds an API key. It is taken out of the environment, so that no program that
 * is started from here (a browser) inherits it.
 * @throws StudioError `bad_input` when it is unset or empty
 */
export function keyFromEnvironment(name: string): string {
  const key = process.env[name]?.trim()
  if (!key) throw new StudioError('bad_input', `The environment variable ${name} is not set.`)
  delete process.env[name]
  return key
}
