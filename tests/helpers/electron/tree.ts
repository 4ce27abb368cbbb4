import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** How long the processes of an ended program may take to end, ms. */
const patienceMs = 10_000

/** Reads a file of /proc, or '' when its process has ended. */
function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** Processes of a session, without ended ones that nobody has waited for. Empty on systems without /proc. */
function processesOf(session: number): { pid: number; command: string }[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      // The name, in parentheses, may contain anything.
      const [state, , , sessionOf] = fileOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
      return sessionOf === String(session) && state !== 'Z'
    })
    .map((pid) => ({ pid: Number(pid), command: fileOf(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 300) }))
}

/**
 * Command lines of the processes that a program has left behind, which are ended then. The program was the leader of its own session
 * (`detached`) and has ended.
 */
export async function processesLeft(session: number): Promise<string[]> {
  const end = performance.now() + patienceMs
  while (processesOf(session).length > 0 && performance.now() < end) await pause(50)
  const left = processesOf(session)
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
  return left.map(({ pid, command }) => `${pid} ${command}`)
}
