import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { ToolLimits } from '../limits.ts'
import { loginShellPath } from './loginShell.ts'
import { windowsCommand } from './windowsCommand.ts'

/**
 * Environment variables that a server inherits: enough to find programs and the files of the person, but no secrets of
 * this program.
 */
const inherited =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'PROGRAMFILES(X86)',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : [
        'HOME',
        'LANG',
        'LANGUAGE',
        'LC_ALL',
        'LC_CTYPE',
        'LOGNAME',
        'PATH',
        'SHELL',
        'TERM',
        'TMPDIR',
        'TZ',
        'USER',
      ].concat(
        // Without these, a server that controls a browser has no screen to show it on.
        ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR'],
      )

/** Certificates of a company's network, without which `npx` and `uvx` cannot download a package. Paths, not secrets. */
const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_DIR', 'SSL_CERT_FILE']
/** Read in both spellings. A value with a password is not inherited. */
const proxies = ['ALL_PROXY', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/** Environment of a server: the inherited variables and the configured ones. @param path replaces the PATH of this process */
export function serverEnvironment(
  own: Readonly<Record<string, string>>,
  path?: string,
  platform = process.platform,
): Record<string, string> {
  const from: NodeJS.ProcessEnv = { ...process.env, ...(path !== undefined && { PATH: path }) }
  const names = Object.keys(own).map((name) => name.toUpperCase())
  // With both `PATH` and `Path`, Windows would use either one.
  const isReplaced = (name: string): boolean => platform === 'win32' && names.includes(name)
  const withoutPassword = proxies.filter((name) => !from[name]?.includes('@'))
  const kept = [...inherited, ...certificates, ...withoutPassword].filter((name) => from[name] && !isReplaced(name))
  return { ...Object.fromEntries(kept.map((name) => [name, from[name] ?? ''])), ...own }
}

let terminalPath: Promise<string> | null = null

/** The PATH for servers. On macOS, this process may have been started without the PATH of a terminal, so the login shell is asked once. */
export function pathForServers(platform = process.platform): Promise<string> | undefined {
  if (platform !== 'darwin') return undefined
  terminalPath ??= loginShellPath()
  return terminalPath
}

/**
 * Starts a server in its own process group, so that its child processes can be ended with it. No shell interprets the
 * arguments.
 * @throws StudioError `bad_input` for arguments that a batch file of Windows can't be given
 */
export function spawnServer(command: string, args: readonly string[], env: Record<string, string>, cwd: string) {
  const isWindows = process.platform === 'win32'
  const run = isWindows ? windowsCommand(command, args, { env, cwd }) : { file: command, args, verbatim: false }
  return spawn(run.file, run.args, {
    env,
    cwd,
    detached: !isWindows,
    shell: false,
    windowsHide: true,
    windowsVerbatimArguments: run.verbatim,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/**
 * Ends a process group: end of input, then SIGTERM, then SIGKILL. Resolves when all processes have ended, or after a
 * bounded time.
 */
export async function endGroup(
  child: ChildProcess,
  wait: Pick<ToolLimits, 'hangUpMs' | 'terminateMs' | 'killMs'>,
): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  child.stdin?.end()
  if (await gone(child, wait.hangUpMs)) return
  signal(pid, 'SIGTERM')
  if (await gone(child, wait.terminateMs)) return
  signal(pid, 'SIGKILL')
  await gone(child, wait.killMs)
}

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

async function gone(child: ChildProcess, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  for (;;) {
    if (ended(child) && !groupLives(child.pid ?? 0)) return true
    if (performance.now() >= until) return false
    await pause(20)
  }
}

function groupLives(pid: number): boolean {
  if (process.platform === 'win32') return false
  try {
    process.kill(-pid, 0)
    return true
  } catch (thrown) {
    // EPERM means that the group exists but belongs to another user.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true, stdio: 'ignore' }).on(
      'error',
      () => undefined,
    )
    return
  }
  try {
    process.kill(-pid, name)
  } catch {
    // The process has ended in the meantime.
  }
}
