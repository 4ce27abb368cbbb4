import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { StudioError } from '../errors.ts'
import { codeOf } from './diskProblem.ts'

export interface StartOptions {
  /** PATH of the new process. */
  path: string | undefined
  /** Folder that the new process starts in. Default: the folder of this process. */
  cwd?: string | undefined
  platform?: NodeJS.Platform
}

/**
 * Why a program did not start, as a sentence. Looks at the folders and the file itself, because the error code of a failed start does not
 * name what is at fault: EACCES may also mean a folder of the PATH that can't be read or a working folder that can't be entered,
 * ENOENT also a missing interpreter of a script (exec(3), execve(2)).
 * @returns StudioError `bad_input`
 */
export function startProblem(thrown: unknown, command: string, options: StartOptions): StudioError {
  const words = wordsOf(thrown, command, options)
  return new StudioError('bad_input', words, {}, { cause: thrown })
}

function wordsOf(thrown: unknown, command: string, options: StartOptions): string {
  const { path = '', cwd = process.cwd(), platform = process.platform } = options
  const code = codeOf(thrown)
  const name = `The command “${command}”`
  if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') {
    return `${name} could not be started: ${thrown instanceof Error ? thrown.message : String(thrown)}.`
  }
  const missing = `${name} was not found on this computer.`
  const forbidden = `${name} is not allowed to run.`
  const folder = problemOfFolder(cwd)
  if (folder !== null) return folder
  if (platform === 'win32') return code === 'EACCES' ? forbidden : missing
  const isPath = command.includes('/')
  const files = isPath ? [resolve(cwd, command)] : path.split(delimiter).map((one) => join(resolve(cwd, one), command))
  const states = files.map(stateOf)
  const runnable = files[states.indexOf('runnable')]
  if (runnable !== undefined && code === 'ENOENT') {
    return `${name} was found at ${runnable}, but the interpreter that it names is missing on this computer.`
  }
  // A name that can only be in folders that this user account can't read is not found, as in a shell.
  return runnable !== undefined || states.includes('forbidden') || (isPath && states.includes('hidden'))
    ? forbidden
    : missing
}

function problemOfFolder(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder.`
  } catch (thrown) {
    if (codeOf(thrown) !== 'EACCES') return `The folder ${folder} does not exist.`
  }
  return mayRun(folder) ? null : `The folder ${folder} can’t be opened: permission is missing.`
}

/** Whether `path` is a program: `hidden` means that a folder before it can't be read. */
function stateOf(path: string): 'runnable' | 'forbidden' | 'hidden' | 'missing' {
  try {
    if (!statSync(path).isFile()) return 'missing'
  } catch (thrown) {
    return codeOf(thrown) === 'EACCES' ? 'hidden' : 'missing'
  }
  return mayRun(path) ? 'runnable' : 'forbidden'
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
