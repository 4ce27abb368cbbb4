import { type ChildProcess, spawn } from 'node:child_process'
import { userInfo } from 'node:os'
import { delimiter } from 'node:path'

/** Longest run of the login shell, ms. Its start files may wait for a network or a question. */
const longestMs = 2000
/** Longest output that is read, in UTF-16 units. Start files may print anything. */
const maxOutput = 1_000_000
const mark = '--inference-studio-path--'

/** Where macOS package managers install `node` and `uv`, for a login shell that gives no answer in time. */
const usualFolders = ['/opt/homebrew/bin', '/usr/local/bin']

export interface LoginShellOptions {
  /** Path of the shell. Default: $SHELL, or the shell of the user database. */
  shell?: string
  /** PATH of this process. */
  path?: string
  timeoutMs?: number
}

/**
 * The PATH that programs have in a terminal. An application started from the Finder or the Dock has only the folders of the system,
 * because PATH is set by the start files of the login shell. Runs that shell once, for at most 2 s. Never throws: without an answer it
 * returns this process's PATH and the usual folders of package managers.
 */
export async function loginShellPath(options: LoginShellOptions = {}): Promise<string> {
  const { path = process.env.PATH ?? '', timeoutMs = longestMs } = options
  const shell = options.shell ?? process.env.SHELL ?? userInfo().shell ?? '/bin/zsh'
  const found = await askShell(shell, timeoutMs)
  const folders = [
    ...(found ?? path).split(delimiter),
    ...path.split(delimiter),
    ...(found === null ? usualFolders : []),
  ]
  return [...new Set(folders.filter((folder) => folder !== ''))].join(delimiter)
}

async function askShell(shell: string, timeoutMs: number): Promise<string | null> {
  const asked = `echo; echo '${mark}'; /usr/bin/env; echo '${mark}'`
  let child: ChildProcess
  try {
    // A process group of its own: an interactive shell can't take this terminal, and its children end with it.
    child = spawn(shell, ['-i', '-l', '-c', asked], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null // an invalid path
  }
  let output = ''
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
      if (output.split(mark).length > 2 || output.length > maxOutput) end()
    })
    // `exit` may come before the last output. `close` comes late when the start files left a process that holds the output open.
    child.once('close', end)
    child.once('error', end)
  })
  endGroup(child)
  child.stdout?.destroy()
  return pathIn(output)
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

/** The last PATH of the environment between the marks, or null. The output around them belongs to the start files. */
function pathIn(output: string): string | null {
  const [, environment] = output.split(`${mark}\n`)
  const line = environment?.split('\n').findLast((one) => one.startsWith('PATH='))
  return line === undefined || line === 'PATH=' ? null : line.slice('PATH='.length)
}
