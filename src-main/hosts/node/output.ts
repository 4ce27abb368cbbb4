import { StudioError } from '../../core/errors.ts'

/** Exit codes of every command. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** One JSON document on a line of standard output. Nothing but these goes there under `--json`. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document)}\n`)
}

/** Words for a person, on standard output. */
export function say(...lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** The log: standard error, one line each. */
export function log(level: 'info' | 'warn' | 'error', line: string): void {
  process.stderr.write(`${level === 'info' ? '' : `${level}: `}${line}\n`)
}

/** A failure in words on standard error and, under `--json`, as the command's one document. Answers the exit code. */
export function reportFailure(error: StudioError, json: boolean): number {
  log('error', error.message)
  if (error.kind === 'bug' && error.cause instanceof Error) log('error', error.cause.stack ?? '')
  if (json) printJson({ problem: error.toProblem() })
  return exitCodes.failed
}

/**
 * The value of an environment variable that holds an API key.
 * @throws StudioError `bad_input` when it is unset or empty
 */
export function keyFromEnvironment(name: string): string {
  const key = process.env[name]?.trim()
  if (!key) throw new StudioError('bad_input', `The environment variable ${name} is not set.`)
  return key
}
