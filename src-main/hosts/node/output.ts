import { fstatSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { StudioError } from '../../core/errors.ts'
import { codeOf, fileProblem } from '../../core/shared/diskProblem.ts'
import { oneLine } from './table.ts'

/**
 * Exit codes of every command. `readerGone`: the program that read the output ended first (`| head`); 128 + SIGPIPE, which is what a shell reports for
 * programs that the signal ends.
 */
export const exitCodes = { ok: 0, failed: 1, usage: 2, readerGone: 141 } as const

/** The first failure to write to standard output. Nothing is written after it. */
let failure: Error | null = null
let lastWrite: Promise<unknown> = Promise.resolve()
const failureListeners = new Set<() => void>()

/** Prepares standard output and standard error for one command: without it, a failed write ends the process. */
export function openOutput(): void {
  failure = null
  lastWrite = Promise.resolve()
  failureListeners.clear()
  for (const [stream, listener] of [
    [process.stdout, failed],
    // Words that nobody can read are lost; the exit code is all that is left then.
    [process.stderr, ignored],
  ] as const) {
    if (!stream.listeners('error').includes(listener)) stream.on('error', listener)
  }
}

const ignored = (): void => undefined

function failed(error: Error): void {
  if (failure) return
  failure = error
  for (const listener of failureListeners) listener()
}

/** Calls `listener` once, at the first failure to write to standard output. */
export function onOutputFailure(listener: () => void): void {
  failureListeners.add(listener)
}

function put(bytes: string | Uint8Array): Promise<void> {
  if (failure) return Promise.resolve()
  const written = standardOutputIsFile() ? putInFile(bytes) : putInStream(bytes)
  lastWrite = written
  return written
}

function putInStream(bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(bytes, (error) => {
      if (error) failed(error)
      resolve()
    })
  })
}

/** Node takes a file that accepts only a part (its disk is full) for one that took everything, so that the end would be lost without an error. */
async function putInFile(text: string | Uint8Array): Promise<void> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
  } catch (thrown) {
    failed(thrown instanceof Error ? thrown : new Error(String(thrown)))
  }
}

let isFile: boolean | null = null
function standardOutputIsFile(): boolean {
  isFile ??= outputFacts()?.isFile() ?? false
  return isFile
}

const outputFacts = () => {
  try {
    return fstatSync(1)
  } catch {
    return null
  }
}

/** Whether standard output is the null device. Node opens it in place of a closed standard output (`>&-`), so the two can't be told apart. */
export function outputIsDiscarded(): boolean {
  const facts = outputFacts()
  if (process.platform === 'win32' || !facts?.isCharacterDevice()) return false
  return facts.rdev === statSync(devNull).rdev
}

/** Whether the program that read standard output has ended. */
export const readerIsGone = (): boolean => failure !== null && readerGoneCodes.has(codeOf(failure) ?? '')

/** Of pipes, of sockets with unread bytes, and of pipes on Windows. */
const readerGoneCodes = new Set(['EPIPE', 'ECONNRESET', 'EOF'])

/**
 * Waits until everything said so far is written, and answers why that failed, or null. Kinds: `cancelled` where the reader has gone, `disk_full`, else
 * `not_writable`.
 */
export async function outputFailure(): Promise<StudioError | null> {
  await lastWrite
  if (!failure) return null
  if (readerIsGone()) return new StudioError('cancelled', 'The program that read the output has ended.')
  const { kind, message } = fileProblem(failure, 'Standard output can’t be written')
  return new StudioError(kind === 'disk_full' ? kind : 'not_writable', message, {}, { cause: failure })
}

/**
 * For a command that goes on after its first lines: nobody can open an address that was shown nowhere. A reader that has gone may have read it, so that
 * ends nothing.
 * @throws StudioError `disk_full`, `not_writable`
 */
export async function addressShown(): Promise<void> {
  const problem = await outputFailure()
  if (problem && !readerIsGone()) throw problem
}

/** Writes bytes to standard output, and waits until they are taken. @throws StudioError as `outputFailure` answers */
export async function writeOutput(bytes: string | Uint8Array): Promise<void> {
  await put(bytes)
  const problem = await outputFailure()
  if (problem) throw problem
}

/** One JSON document on a line of standard output. Nothing but these goes there under `--json`. */
export function printJson(document: unknown): void {
  // JSON may hold the control characters from DEL on as they are, and a terminal would do what they command.
  const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  void put(`${JSON.stringify(document).replace(/[\u007f-\u009f]/g, escaped)}\n`)
}

/** Words for a person, on standard output, as they come. */
export function sayPart(text: string): void {
  void put(harmless(text))
}

/** Lines for a person, on standard output. A name with a line feed in it makes no line of its own. */
export function say(...lines: string[]): void {
  sayPart(lines.map((line) => `${oneLine(line)}\n`).join(''))
}

/** Two columns, the second one aligned. */
export function sayTable(rows: readonly (readonly [name: string, value: string])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  say(...rows.map(([name, value]) => `${name.padEnd(width)}${value}`))
}

/** The log: standard error, one line each. */
export function log(level: 'info' | 'warn' | 'error', line: string): void {
  process.stderr.write(harmless(`${level === 'info' ? '' : `${level}: `}${inOneLine(line)}\n`))
}

/** A reply or a service's words could carry escape sequences that command the terminal: no control character goes there. */
export const harmless = (text: string): string => text.replace(/(?!\r?\n|\t)\p{Cc}/gu, '')

/** Longest word of a message, in characters: a mistaken value of thousands would hide what is wrong with it. */
const longestWord = 240

/** A message that quotes what somebody typed, in one line that can be read. */
export const inOneLine = (message: string): string =>
  message
    .trim()
    .replace(/\r?\n/g, '\\n')
    .split(' ')
    .map((word) => (word.length > longestWord ? `${word.slice(0, 120)}…${word.slice(-60)}` : word))
    .join(' ')

/** A failure in words on standard error and, under `--json`, as the command's one document. Answers the exit code. */
export function reportFailure(error: StudioError, json: boolean): number {
  log('error', error.message)
  if (error.kind === 'bug' && error.cause instanceof Error) process.stderr.write(harmless(`${error.cause.stack}\n`))
  if (json) printJson({ problem: error.toProblem() })
  return exitCodes.failed
}

/**
 * The value of an environment variable that holds an API key. It is taken out of the environment, so that no program that
 * is started from here (a browser) inherits it.
 * @throws StudioError `bad_input` when it is unset or empty
 */
export function keyFromEnvironment(name: string): string {
  // An own property: `__proto__` and `constructor` are no variables.
  const key = Object.hasOwn(process.env, name) ? process.env[name]?.trim() : undefined
  if (!key) throw new StudioError('bad_input', `The environment variable ${name} is not set.`)
  delete process.env[name]
  return key
}
