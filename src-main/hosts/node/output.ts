import { fstatSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { help, t } from '../../../src-renderer/i18n/cli.ts'
import type { StudioError } from '../../core/errors.ts'
import { codeOf } from '../../core/shared/diskProblem.ts'
import { goesToJournal, type LogLevel, logLine } from './logFormat.ts'
import { fileError, meaningOf, messageOf, ownError } from './ownWords.ts'
import { folded, oneLine, outputWidth, pairLines } from './table.ts'

/**
 * Exit codes of every command. Codes above 128 are 128 + a signal, as shells report for programs that a signal ended; `signals.ts` has
 * those of the end signals.
 */
export const exitCodes = { ok: 0, failed: 1, usage: 2, readerGone: 141 } as const

/** The meaning of every exit code, for the help, the man page and the guide. */
export const exitCodeTable = (): readonly (readonly [code: string, meaning: string])[] => [
  ['0', help('exitCode.ok')],
  ['1', help('exitCode.failed')],
  ['2', help('exitCode.usage')],
  ['129, 130, 143', help('exitCode.signal')],
  ['141', help('exitCode.readerGone')],
]

/** The error of the first failed write to standard output. No write follows it. */
let failure: Error | null = null
let lastWrite: Promise<unknown> = Promise.resolve()
const failureListeners = new Set<() => void>()

/** Prepares standard output and standard error for one command. Without it, a failed write would end the process. */
export function openOutput(): void {
  failure = null
  lastWrite = Promise.resolve()
  failureListeners.clear()
  for (const [stream, listener] of [
    [process.stdout, failed],
    // Without standard error only the exit code remains.
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

/** Calls `listener` once, at the first failed write to standard output. */
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

/** Writes synchronously: on a full disk Node's stream treats a partial write as complete and loses the rest without an error. */
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

/** Whether standard output is the null device. Node also opens it for a closed standard output (`>&-`). */
export function outputIsDiscarded(): boolean {
  const facts = outputFacts()
  if (process.platform === 'win32' || !facts?.isCharacterDevice()) return false
  return facts.rdev === statSync(devNull).rdev
}

/** Whether standard output is stored: a file, or the journal of systemd. What it shows must not be a secret. */
export const isStored = (): boolean => (outputFacts()?.isFile() ?? false) || goesToJournal(1)

/** Whether the program that read standard output has ended. */
export const readerIsGone = (): boolean => failure !== null && readerGoneCodes.has(codeOf(failure) ?? '')

/** Error codes for pipes, for sockets with unread bytes, and for pipes on Windows. */
const readerGoneCodes = new Set(['EPIPE', 'ECONNRESET', 'EOF'])

/**
 * Waits until all output so far is written. Resolves to the error of the first failed write, or null.
 * Kinds: `cancelled` when the reader has gone, `disk_full`, else `not_writable`.
 */
export async function outputFailure(): Promise<StudioError | null> {
  await lastWrite
  if (!failure) return null
  if (readerIsGone()) return ownError('cancelled', t('output.readerGone'))
  const { kind, message } = fileError(failure, t('file.output'))
  return ownError(kind === 'disk_full' ? kind : 'not_writable', message, { cause: failure })
}

/**
 * For servers: fails when the printed address could not be written. A reader that ended is not an error, because it may have read the
 * address.
 * @throws StudioError `disk_full`, `not_writable`
 */
export async function addressShown(): Promise<void> {
  const problem = await outputFailure()
  if (problem && !readerIsGone()) throw problem
}

/** Writes to standard output and waits until the bytes are written. @throws StudioError kinds of `outputFailure` */
export async function writeOutput(bytes: string | Uint8Array): Promise<void> {
  await put(bytes)
  const problem = await outputFailure()
  if (problem) throw problem
}

/** Prints one JSON document on a line. With `--json`, standard output has only such lines. */
export function printJson(document: unknown): void {
  // JSON allows unescaped control characters from DEL on, which could command a terminal.
  const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  void put(`${JSON.stringify(document).replace(/[\u007f-\u009f]/g, escaped)}\n`)
}

/** Prints text for people, without adding a line feed. Removes control characters. */
export function sayPart(text: string): void {
  void put(harmless(text))
}

/** Prints lines for people. Line feeds inside a line become spaces. On a terminal, long lines are broken at spaces. */
export const say = (...lines: string[]): void => sayLines(lines)

/** As `say`, of any number of lines: a call takes about 120,000 arguments at most. */
export function sayLines(lines: readonly string[]): void {
  sayPart(lines.flatMap((line) => folded(oneLine(line)).map((part) => `${part}\n`)).join(''))
}

/** Prints names and values in two aligned columns. */
export function sayTable(rows: readonly (readonly [name: string, value: string])[]): void {
  sayLines(pairLines(rows))
}

/** What standard error shows: errors only, everything but details, or everything. */
export type Verbosity = 'quiet' | 'normal' | 'verbose'
let verbosity: Verbosity = 'normal'

export function setVerbosity(wanted: Verbosity): void {
  verbosity = wanted
}

/** Logs one event on standard error, in English. For messages of the core and of servers; `tell` is for a person. */
export function log(level: LogLevel, line: string): void {
  if (verbosity === 'quiet' && level !== 'error') return
  process.stderr.write(foldedOnTerminal(logLine(level, harmless(inOneLine(line)))))
}

/** Tells a person something on standard error. @param words in the person's language */
export function tell(level: LogLevel, words: string): void {
  if (verbosity === 'quiet' && level !== 'error') return
  const message = harmless(inOneLine(words))
  process.stderr.write(foldedOnTerminal(logLine(level, message, t(`level.${level}`, { message }))))
}

/** A line of standard error with a line feed, which a terminal shows in lines that fit. */
export const foldedOnTerminal = (line: string): string =>
  process.stderr.isTTY ? folded(line, outputWidth(process.stderr)).join('\n') : line

/** Shows a line of the terminal on standard error that the next line replaces. */
export function showLine(line: string): void {
  if (verbosity !== 'quiet') process.stderr.write(`\r${harmless(line)}\r`)
}

/** Removes control characters: replies and messages of the service could contain escape sequences for the terminal. */
export const harmless = (text: string): string => text.replace(/(?!\r?\n|\t)\p{Cc}/gu, '')

/** Words longer than this many characters are shortened in messages, so that a huge value does not hide the reason. */
const longestWord = 240

/** A message in one readable line: line feeds escaped, long words shortened. */
export const inOneLine = (message: string): string =>
  message
    .trim()
    .replace(/\r?\n/g, '\\n')
    .split(' ')
    .map((word) => (word.length > longestWord ? `${word.slice(0, 120)}…${word.slice(-60)}` : word))
    .join(' ')

/**
 * Tells a person about an error and, with `--json`, prints it as the only document. An error in English comes below its meaning in the
 * person's language. Returns the exit code.
 */
export function reportFailure(error: StudioError, json: boolean): number {
  const meaning = meaningOf(error)
  tell('error', meaning ?? error.message)
  if (meaning !== null) process.stderr.write(`  ${harmless(inOneLine(messageOf(error)))}\n`)
  if ((error.kind === 'bug' || verbosity === 'verbose') && error.cause instanceof Error) logStack(error.cause)
  if (json) printJson({ problem: error.toProblem() })
  return exitCodes.failed
}

/** A stack trace is lines for a person, and one event for a system log. */
function logStack({ stack = '' }: Error): void {
  if (goesToJournal(2)) log('error', stack)
  else process.stderr.write(harmless(`${stack}\n`))
}
