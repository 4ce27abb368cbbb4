import { vi } from 'vitest'

/** Looks until it holds. Vitest's own second is no judgement of anything on a busy machine: as patient as `expect.poll` is in these tests. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 15_000, interval: 20 })
}
