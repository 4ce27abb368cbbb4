import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Timeout of one turn of a coding agent. A turn takes some seconds; the limit allows for slow machines. */
const timeBoxMs = 180_000

/** Quotes an argument of this test. The texts of the set-ups contain their own quoting. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export interface Ended {
  code: number | null
  timedOut: boolean
  stdout: string
  stderr: string
  /** When the group got SIGINT, ms of the monotonic clock. Null if it was not interrupted. */
  interruptedAt: number | null
}

/**
 * Runs a script in its own process group. When the promise settles, the group and all of its remaining processes have ended.
 * @param interrupt when it resolves, the group gets SIGINT, as by Ctrl+C
 */
export async function runShell(
  script: string,
  cwd: string,
  env: Record<string, string>,
  interrupt?: Promise<void>,
): Promise<Ended> {
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    endGroup(child.pid)
  }, timeBoxMs)
  let interruptedAt: number | null = null
  void interrupt?.then(() => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    interruptedAt = performance.now()
    process.kill(-child.pid, 'SIGINT')
  })
  const closed = once(child, 'close')
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  endGroup(child.pid)
  endLeftovers(env.HOME ?? '')
  await closed
  return { code, timedOut, interruptedAt, ...texts }
}

function endGroup(pid: number | undefined) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (thrown) {
    // ESRCH: no process of the group remains, as expected.
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/**
 * Ends daemons that some coding agents start in their own process group. They are found by the temporary HOME. Linux only; on other
 * systems they remain.
 */
function endLeftovers(home: string) {
  if (home === '' || !existsSync('/proc/self/environ')) return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)) {
        process.kill(Number(pid), 'SIGKILL')
      }
    } catch {
      // The process has ended, or it belongs to another user. Neither must be ended here.
    }
  }
}
