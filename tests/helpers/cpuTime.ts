/**
 * Starts to measure the CPU time of this process with all its threads. The returned function gives it in ms. Unlike a clock, it does not
 * count the time of other programs, so limits hold on a busy computer too.
 */
export function cpuTime(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}
