import { vi } from 'vitest'

/** Repeats an assertion until it passes. Waits as long as `expect.poll` does in these tests: Vitest's default of 1 s fails on a busy machine. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 15_000, interval: 20 })
}

/** Resolves when a count that has begun to grow stops growing: `checks` equal values in a row, 100 ms apart. Every buffer is full then. */
export async function noLongerGrows(count: () => number, checks = 3): Promise<void> {
  for (let [same, last] = [0, -1]; same < checks; ) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const now = count()
    same = now > 0 && now === last ? same + 1 : 0
    last = now
  }
}
