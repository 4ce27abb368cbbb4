// Child processes of the measurements: start, read one line of JSON, measure by /proc, end by id.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildIfNeeded, node24, root } from '../../resources/scripts/ready.mjs'

const running = new Set()
/** The measured program. BENCH_CLI can name another build, to compare the two. */
export const cli = process.env.BENCH_CLI ?? join(root, 'out', 'main', 'node.js')
export function prepareBuild() {
  if (process.env.BENCH_CLI === undefined) buildIfNeeded()
}

const probe = fileURLToPath(new URL('loop-probe.mjs', import.meta.url))
/** Environment for `startJson`. `held` then measures how long the main thread of the process is blocked. */
export const probed = { BENCH_PROBE: '1' }

/**
 * Starts a Node script. Returns its first line of JSON, its pid, and the ms from spawn to that line. With `probed` in `env`, `held` returns
 * how long the main thread was blocked at most since the last call (`worstMs`), and its CPU time (`cpuMs`).
 */
export async function startJson(script, args = [], env = {}, nodeArgs = []) {
  const from = performance.now()
  const watches = env.BENCH_PROBE !== undefined
  const child = spawn(node24(), [...(watches ? ['--import', probe] : []), ...nodeArgs, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore', ...(watches ? ['pipe', 'pipe'] : [])],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const lines = createInterface({ input: child.stdout })
  const line = await Promise.race([
    firstJson(lines),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${code}`))),
  ])
  // Further output must not fill the pipe.
  child.stdout.resume()
  const answers = watches ? createInterface({ input: child.stdio[4] }) : null
  const held = async () => {
    const answer = once(answers, 'line')
    child.stdio[3].write('?\n')
    return JSON.parse((await answer)[0])
  }
  return { ready: JSON.parse(line), pid: child.pid, tookMs: performance.now() - from, stop: () => stop(child), held }
}

/** Some scripts print a banner first. */
async function firstJson(lines) {
  for await (const line of lines) if (line.startsWith('{')) return line
  throw new Error('The process ended without a line of JSON.')
}

/** Starts another program, such as a server, and ignores its output. */
export function startProgram(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return { pid: child.pid, stop: () => stop(child) }
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  // A process with an attached inspector does not end by itself.
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await once(child, 'exit')
  clearTimeout(late)
}

export const stopAll = () => Promise.all([...running].map(stop))

/** Runs a command of this program to its end and returns its JSON. */
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

/** Ids of a process and its descendants. */
export function tree(pid) {
  const children = new Map()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const parent = Number(readOf(`/proc/${entry}/stat`).split(') ')[1]?.split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const all = [pid]
  for (const one of all) all.push(...(children.get(one) ?? []))
  return all
}

/** A process may end between the listing and the reading. */
function readOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * CPU time so far of these processes, all threads included, in microseconds. From the scheduler's own nanoseconds if the kernel has them,
 * else from `stat`, whose clock tick of 10 ms needs measurements over seconds.
 */
export function cpuMicros(pids) {
  let micros = 0
  for (const pid of pids) {
    const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
    const nanos = threads.map((thread) => Number(readOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0))
    const sum = nanos.reduce((all, one) => all + one, 0)
    micros += sum > 0 ? sum / 1000 : ticksOf(pid) * 10_000
  }
  return micros
}

function ticksOf(pid) {
  const fields = readOf(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

/** Resident memory of these processes in bytes. */
export function residentBytes(pids) {
  let kilobytes = 0
  for (const pid of pids) kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readOf(`/proc/${pid}/status`))?.[1] ?? 0)
  return kilobytes * 1024
}

/** Open file descriptors of a process, its sockets included. */
export const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length

const folders = []
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'studio-bench-'))
  folders.push(folder)
  return folder
}
export function removeFolders() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
