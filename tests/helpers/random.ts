import { expect } from 'vitest'

/** Seed of this run. vitest.config.ts chooses it, and `SEED=…` replays a run. */
export const seed = Number(process.env.SEED ?? 1)

/**
 * Random numbers from 0 to 1 (mulberry32). The same seed and test give the same numbers, whatever other tests run. Outside of a test pass a `name`.
 * Use it in place of `Math.random`, so that a failure can be replayed.
 */
export function randomNumbers(name: string = expect.getState().currentTestName ?? ''): () => number {
  let state = seed
  for (const character of name) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
