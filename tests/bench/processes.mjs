// Child processes for the measurements: started, read one line of JSON from, measured by /proc, ended by id.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { node24, root } from '../../resources/scripts/ready.mjs'

const running = new Set()
export const cli = join(root, 'out', 'main', 'node.js')

/** Starts a Node script and gives its first line of JSON, its pid, and the ms it took from spawn to that line. */
export async function startJson(script, args = [], env = {}) {
  const from = performance.now()
  const child = spawn(node24(), [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${code}`))),
  ])
  return { ready: JSON.parse(line), pid: child.pid, tookMs: performance.now() - from, stop: () => stop(child) }
}

async function stop(child) {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

export const stopAll = () => Promise.all([...running].map(stop))

/** Runs a command of ours to its end and gives its JSON. */
export async function run(args) {
  const child = spawn(node24(), [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return JSON.parse(out)
}

/** CPU time of a process so far, in microseconds; the clock tick is 10 ms, so measure over seconds. */
export function cpuMicros(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

const folders = []
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'studio-bench-'))
  folders.push(folder)
  return folder
}
export function removeFolders() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

export function quantile(values, at) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
}
