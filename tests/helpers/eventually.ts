import { vi } from 'vitest'

/** Repeats an assertion until it passes. Waits as long as `expect.poll` does in these tests: Vitest's default of 1 s fails on a busy machine. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 15_000, interval: 20 })
}
