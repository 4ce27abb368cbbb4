import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  open,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { and, t } from '../../../src-renderer/i18n/cli.ts'
import type { StudioError } from '../../core/errors.ts'
import { isSystemError } from '../../core/shared/diskProblem.ts'
import { fileError, ownError } from './ownWords.ts'
import { cancelledByCtrlC } from './signals.ts'

/** Options that name the source of an API key. At most one of them is given. */
export interface KeySource {
  apiKeyFile?: string
  apiKeyFd?: number
  apiKeyEnv?: string
}

/** Environment variable with the API key when `--base-url` is given without another source. */
export const usualKeyVariable = 'INFERENCE_STUDIO_API_KEY'

/** Longest API key, in characters. */
const longest = 8192

const openFile = promisify(open)
const bad = (words: string): StudioError => ownError('bad_input', words)

/** The first invalid combination of these options as a sentence, or null. A usage error (exit code 2). */
export function keySourceFault(source: KeySource, hasBaseUrl: boolean): string | null {
  const given = [
    ...(source.apiKeyFile === undefined ? [] : ['--api-key-file']),
    ...(source.apiKeyFd === undefined ? [] : ['--api-key-fd']),
    ...(source.apiKeyEnv === undefined ? [] : ['--api-key-env']),
  ]
  if (given.length > 1) return t('usage.together', { options: and(given) })
  return given[0] !== undefined && !hasBaseUrl ? t('usage.needs', { option: given[0], other: '--base-url' }) : null
}

/** Whether the key comes from standard input, so that nothing else can. */
export function readsStandardInput({ apiKeyFile, apiKeyFd }: KeySource): boolean {
  if (apiKeyFile === undefined) return apiKeyFd === 0
  try {
    const [named, input] = [statSync(apiKeyFile, { bigint: true }), fstatSync(0, { bigint: true })]
    return named.dev === input.dev && named.ino === input.ino
  } catch {
    // The file is missing, which its reader reports, or standard input is closed.
    return false
  }
}

/**
 * Reads an API key from the source that the options name, else from standard input.
 * @throws StudioError `bad_input` for a file that other users can use, and for a missing, empty or too long key; `cancelled` by Ctrl-C
 */
export async function readApiKey({ apiKeyFile, apiKeyFd, apiKeyEnv }: KeySource): Promise<string> {
  if (apiKeyFile !== undefined) return keyFromFile(apiKeyFile)
  if (apiKeyFd !== undefined) return keyFromDescriptor(apiKeyFd)
  return apiKeyEnv === undefined ? keyFromStandardInput() : keyFromEnvironment(apiKeyEnv)
}

/** Where a secret other than an API key is. `isProtected`: the system lets only this program reach the file, whatever its mode says. */
export type SecretSource = { file: string; isProtected?: boolean } | { descriptor: number } | { prompt: string }

/**
 * Reads another secret, such as a passphrase. Its file must be one that only this user or root can use.
 * @param what names what chose the source, for errors
 * @throws StudioError `bad_input` as `readApiKey`; without a terminal for a prompt
 */
export async function readSecret(source: SecretSource, what: string): Promise<string> {
  if ('file' in source) return keyFromFile(source.file, what, source.isProtected)
  if ('descriptor' in source) return keyFromDescriptor(source.descriptor, what)
  if (!process.stdin.isTTY) throw bad(t('key.noTerminal', { what }))
  const text = await typedUnseen(source.prompt)
  if (text === '') throw bad(t('key.nothingTyped'))
  return text
}

async function keyFromFile(path: string, option = '--api-key-file', isProtected = false): Promise<string> {
  const what = `${path} (${option})`
  try {
    const descriptor = await openFile(path, 'r')
    const facts = fstatSync(descriptor)
    try {
      if (!isProtected) checkKeyFile(path, facts, option)
    } catch (thrown) {
      closeSync(descriptor)
      throw thrown
    }
    return await wholeKey(streamOf(descriptor, facts, true), what)
  } catch (thrown) {
    throw isSystemError(thrown) ? fileError(thrown, t('file.cantRead', { path: what })) : thrown
  }
}

/** Refuses a file with a secret that other users of this computer can use. @param option names what chose the file */
export function checkKeyFile(path: string, facts: Stats, option: string): void {
  const file = `${path} (${option})`
  if (facts.isDirectory()) throw bad(t('key.isFolder', { file }))
  const user = process.geteuid?.()
  const hasDescriptor = option === '--api-key-file'
  // Not a pipe, such as that of `<(command)`. Windows has access lists in place of these bits.
  if (!facts.isFile() || user === undefined) return
  if (user !== 0 && facts.uid !== user && facts.uid !== 0) {
    throw bad(t(hasDescriptor ? 'key.ofOtherOrFd' : 'key.ofOther', { file }))
  }
  if ((facts.mode & 0o077) !== 0) {
    throw bad(t(hasDescriptor ? 'key.readableOrFd' : 'key.readable', { file }))
  }
}

/** Node makes all descriptors of its start uninheritable, so started programs do not get this one. */
async function keyFromDescriptor(descriptor: number, option = '--api-key-fd'): Promise<string> {
  const what = t('key.descriptor', { number: String(descriptor), option })
  try {
    if (descriptor === 0) return await keyFromStandardInput()
    const facts = fstatSync(descriptor)
    if (isOfNode(descriptor, facts)) {
      throw bad(t('key.notOpen', { what, number: String(descriptor) }))
    }
    return await wholeKey(streamOf(descriptor, facts, false), what)
  } catch (thrown) {
    throw isSystemError(thrown) ? fileError(thrown, t('file.cantRead', { path: what })) : thrown
  }
}

/**
 * A pipe is read as a socket, which waits for a slow writer: a pipe may not be allowed to block, and a blocked read of a file can't be
 * cancelled. A socket always closes its descriptor, a file only with `autoClose`.
 */
function streamOf(descriptor: number, facts: Stats, autoClose: boolean): Readable {
  if (facts.isFIFO() || facts.isSocket()) return new Socket({ fd: descriptor, writable: false })
  return createReadStream('', { fd: descriptor, autoClose })
}

/**
 * Deletes the variable, so that started programs such as the browser do not inherit it. The operating system still shows the first
 * environment of this process to other programs of this user.
 */
function keyFromEnvironment(name: string): string {
  // Own properties only: `__proto__` and `constructor` are not variables.
  const key = Object.hasOwn(process.env, name) ? process.env[name]?.trim() : undefined
  if (!key) throw bad(t('key.noVariable', { name }))
  delete process.env[name]
  return key
}

/**
 * Whether Node opened the descriptor for itself, because the caller did not open this number. Reading one can wait forever, and closing one
 * ends the process. They are event queues, which have no type, and pipes with both ends in this process. The reading end of a pipe may be
 * open twice: bash keeps its own descriptor of `3< <(command)`.
 */
function isOfNode(descriptor: number, facts: Stats): boolean {
  const hasType = facts.isFile() || facts.isFIFO() || facts.isSocket() || facts.isCharacterDevice()
  if (!hasType || !facts.isFIFO() || process.platform !== 'linux') return !hasType
  const others = readdirSync('/proc/self/fd').map(Number)
  return others.some((other) => (other > 2 || other === descriptor) && inodeWrittenBy(other) === facts.ino)
}

/** Bits of the flags of a descriptor for reading, writing or both (O_ACCMODE). */
const accessMode = 3

/** The inode of the file or pipe that this descriptor can only write, or null. */
function inodeWrittenBy(descriptor: number): number | null {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? ''
    return (Number.parseInt(flags, 8) & accessMode) === constants.O_WRONLY ? fstatSync(descriptor).ino : null
  } catch {
    return null // closed meanwhile, such as the descriptor of the list itself
  }
}

async function wholeKey(from: Readable, what: string): Promise<string> {
  const key = (await textOf(from, what)).trim()
  if (key === '') throw bad(t('key.empty', { what }))
  return key
}

async function textOf(from: Readable, what: string): Promise<string> {
  let text = ''
  for await (const chunk of from.setEncoding('utf8')) {
    text += chunk
    if (text.length > longest) throw bad(t('key.tooLong', { what, most: longest }))
  }
  return text
}

/**
 * Reads an API key from a pipe, or from the terminal without showing it.
 * @throws StudioError `bad_input` for an empty or too long key, `cancelled` by Ctrl-C
 */
async function keyFromStandardInput(): Promise<string> {
  const key = (
    process.stdin.isTTY ? await typedUnseen(t('key.prompt')) : await textOf(process.stdin, t('key.standardInput'))
  ).trim()
  if (key === '') throw bad(t('key.missing'))
  return key
}

/** Reads one line from the terminal. Readline edits it and its echo is discarded. */
async function typedUnseen(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  // Printed after readline has taken over: until then the terminal itself echoes what is typed.
  process.stderr.write(prompt)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(cancelledByCtrlC()))
      // Ctrl-D: empty input.
      lines.once('close', () => resolve(''))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
