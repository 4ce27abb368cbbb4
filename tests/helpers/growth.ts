/** How many times longer the larger input is. */
const times = 16
/** ms of one thread's work below which there is nothing to compare. */
const least = 1

/**
 * How much more work `run` has with an input of sixteen times the length: about 16 where the work grows with the length, 256 where it grows with its square.
 * Counted in this thread's own processor time, which other processes do not add to; the least of some runs, so that a pause of the collector is none.
 */
export function growth<T>(length: number, make: (length: number) => T, run: (input: T) => unknown): number {
  const [small, large] = [make(length), make(length * times)]
  // Once for the compiler.
  run(small)
  run(large)
  // In turn, so that both meet the same machine: whatever else runs slows memory down for a while.
  const found = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let turn = 0; turn < 7; turn++) {
    found.small = Math.min(found.small, cpuOf(small, run))
    found.large = Math.min(found.large, cpuOf(large, run))
  }
  return found.large / Math.max(least, found.small)
}

/** Between the two, far from both. */
export const linear = 64

/** ms of this thread's processor time. */
function cpuOf<T>(input: T, run: (input: T) => unknown): number {
  const before = process.threadCpuUsage()
  run(input)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
