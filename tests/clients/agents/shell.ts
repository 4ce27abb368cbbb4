import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A turn of an agent takes some seconds; generous against slow machines. */
const timeBoxMs = 90_000

/** For arguments of our own; the set-ups' texts bring their own quoting. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export interface Ended {
  code: number | null
  timedOut: boolean
  stdout: string
  stderr: string
}

/** Runs a script in a process group of its own, which is gone when this settles, with all that it left behind. */
export async function runShell(script: string, cwd: string, env: Record<string, string>): Promise<Ended> {
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
  const closed = once(child, 'close')
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  endGroup(child.pid)
  endLeftovers(env.HOME ?? '')
  await closed
  return { code, timedOut, ...texts }
}

function endGroup(pid: number | undefined) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (thrown) {
    // ESRCH: nothing of the group is left, as it should be.
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/** Some agents start a daemon in a group of its own. It has the throw-away HOME, which no other process has. Linux only; elsewhere it stays. */
function endLeftovers(home: string) {
  if (home === '' || !existsSync('/proc/self/environ')) return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)) {
        process.kill(Number(pid), 'SIGKILL')
      }
    } catch {
      // Gone meanwhile, or another person's: neither is ours to end.
    }
  }
}
