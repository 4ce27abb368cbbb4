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
