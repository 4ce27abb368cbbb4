/** How many times longer the larger input is. */
const times = 8
/** ms of one thread's work below which there is nothing to compare. */
const least = 1

/**
 * How much more work `run` has with an input of eight times the length: about 8 where the work grows with the length, 64 where it grows with its square.
 * Counted in this thread's own processor time, which other processes do not add to; the least of some runs, so that a pause of the collector is none.
 */
export function growth<T>(length: number, make: (length: number) => T, run: (input: T) => unknown): number {
  const [small, large] = [make(length), make(length * times)]
  // Once for the compiler.
  run(small)
  return leastOf(large, run) / Math.max(least, leastOf(small, run))
}

/** Between the two, far from both. */
export const linear = 24

function leastOf<T>(input: T, run: (input: T) => unknown): number {
  let found = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 7; turn++) {
    const before = process.threadCpuUsage()
    run(input)
    const { user, system } = process.threadCpuUsage(before)
    found = Math.min(found, (user + system) / 1000)
  }
  return found
}
