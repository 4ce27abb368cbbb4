// Loaded into the program by `--import`: reports on a pipe of its own how long the main thread was blocked.
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { isMainThread } from 'node:worker_threads'

/** How late a timer of one millisecond is on an idle machine. ms. */
const resolution = 1

/** CPU time of the main thread between two looks, ms: the longest turn, which other programs do not change. */
let turnMs = 0

if (isMainThread && process.env.BENCH_PROBE) {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  let cpu = process.threadCpuUsage()
  let before = cpu
  const look = () => {
    const now = process.threadCpuUsage()
    turnMs = Math.max(turnMs, (now.user - before.user + now.system - before.system) / 1000)
    before = now
  }
  setInterval(look, resolution).unref()
  // The timer does not prevent the exit.
  const asked = new Socket({ fd: 3, readable: true, writable: false }).unref()
  createInterface({ input: asked }).on('line', () => {
    const used = process.threadCpuUsage(cpu)
    writeSync(
      4,
      `${JSON.stringify({ worstMs: delay.max / 1e6 - resolution, turnMs, cpuMs: (used.user + used.system) / 1000 })}\n`,
    )
    delay.reset()
    turnMs = 0
    cpu = process.threadCpuUsage()
  })
}
