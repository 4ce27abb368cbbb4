/**
 * Measures the longest turn of this thread's event loop, in ms of processor time, which other programs do not change. The returned function
 * stops and gives it. While a turn runs, everything else of the thread waits: other requests, windows, cancels.
 */
export function longestTurn(): () => number {
  let longest = 0
  let before = process.threadCpuUsage()
  const look = (): void => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user - before.user + now.system - before.system) / 1000)
    before = now
  }
  const timer = setInterval(look, 1)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}

/** How much longer this computer takes now than one on which the usual bounds hold, at least 1. Processor time grows when cores are shared. */
export function slowness(): number {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, at) => ({ at, of: 'x' })))
  const before = process.threadCpuUsage()
  JSON.stringify(JSON.parse(text))
  const { user, system } = process.threadCpuUsage(before)
  return Math.max(1, (user + system) / 1000 / usualMs)
}
/** What this work takes on a free core, ms. */
const usualMs = 40
