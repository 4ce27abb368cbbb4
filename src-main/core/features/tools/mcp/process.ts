import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { ToolLimits } from '../limits.ts'

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
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']

/** Environment of a server: the inherited variables and the configured ones. */
export function serverEnvironment(own: Readonly<Record<string, string>>): Record<string, string> {
  const from = process.env
  return { ...Object.fromEntries(inherited.flatMap((name) => (from[name] ? [[name, from[name]]] : []))), ...own }
}

/**
 * Starts a server in its own process group, so that its child processes can be ended with it. No shell interprets the
 * arguments.
 */
export function spawnServer(command: string, args: readonly string[], env: Record<string, string>, cwd: string) {
  const detached = process.platform !== 'win32'
  return spawn(command, args, { env, cwd, detached, shell: false, windowsHide: true, stdio: ['pipe', 'pipe', 'pipe'] })
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
