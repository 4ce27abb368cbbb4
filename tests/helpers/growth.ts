/** Length of the larger input, as a multiple of the smaller one. */
const times = 16
/** Processor time below which a comparison says nothing, ms. */
const least = 1

/**
 * Factor by which the work of `run` grows for an input of sixteen times the length: about 16 for linear work, 256 for quadratic work.
 * Measures this thread's processor time, which other processes do not change, and takes the least of several runs, which excludes pauses
 * of the garbage collector.
 */
export function growth<T>(length: number, make: (length: number) => T, run: (input: T) => unknown): number {
  const [small, large] = [make(length), make(length * times)]
  // One run for the compiler.
  run(small)
  run(large)
  // Alternates, so that a phase of slow memory affects both lengths.
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
