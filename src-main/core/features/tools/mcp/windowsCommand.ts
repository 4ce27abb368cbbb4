import { statSync } from 'node:fs'
import { win32 } from 'node:path'
import { StudioError } from '../../../errors.ts'

type Environment = Readonly<Record<string, string>>

export interface WindowsCommand {
  file: string
  args: string[]
  /** The arguments are a finished command line, so that Node must not quote them again. */
  verbatim: boolean
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/**
 * The program that a command means on Windows. Finds `npx` as `npx.cmd` by PATHEXT, which `CreateProcess` does not do, and runs batch
 * files by cmd.exe with every argument quoted. A command that is not found stays as it is: the start then reports that it is missing.
 * @param exists whether a path is a file
 * @throws StudioError `bad_input` for an argument with a line break to a batch file: cmd.exe would end the command there
 */
export function windowsCommand(
  command: string,
  args: readonly string[],
  { env, cwd, exists = isFile }: { env: Environment; cwd: string; exists?: (path: string) => boolean },
): WindowsCommand {
  const file = find(command, env, cwd, exists) ?? command
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args: [...args], verbatim: false }
  const broken = [file, ...args].find((text) => /[\r\n\0]/.test(text))
  if (broken !== undefined) {
    throw new StudioError(
      'bad_input',
      `An argument of “${command}” has a line break, which a batch file can’t be given.`,
    )
  }
  const line = [caret(quoted(win32.normalize(file))), ...args.map((text) => caret(caret(quoted(text))))].join(' ')
  return {
    file: variable(env, 'COMSPEC') ?? 'cmd.exe',
    // /d: no AutoRun commands of the registry. /s: only the outermost quotes are removed.
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  }
}

/** Names of environment variables are case-insensitive on Windows, also where a plain object has them. */
function variable(env: Environment, name: string): string | undefined {
  const key = Object.keys(env).find((one) => one.toUpperCase() === name)
  return key === undefined ? undefined : env[key]
}

/** Never searches the current folder for a bare name, as cmd.exe would: a project could place a program there. */
function find(command: string, env: Environment, cwd: string, exists: (path: string) => boolean): string | null {
  const extensions = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((one) => one !== '')
  const hasExtension = extensions.some((one) => command.toLowerCase().endsWith(one.toLowerCase()))
  const names = [...(hasExtension ? [command] : []), ...extensions.map((one) => command + one)]
  const folders = /[\\/]/.test(command)
    ? [cwd]
    : (variable(env, 'PATH') ?? '').split(';').map((folder) => folder.replaceAll('"', ''))
  for (const folder of folders) {
    if (folder === '') continue
    for (const name of names) {
      const path = win32.resolve(folder, name)
      if (exists(path)) return path
    }
  }
  return null
}

/** Quotes one argument as `CommandLineToArgvW` reads it: backslashes are special before a quote only. */
const quoted = (text: string): string => `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`

/**
 * Protects a text from one reading by cmd.exe. Quotes are protected too, so that cmd.exe never counts them and each further character needs
 * its own caret. Arguments are read twice: on the command line, and where the batch file passes them on by `%*`.
 */
const caret = (text: string): string => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
