import { expect } from 'vitest'
import { seededRandom } from './seededRandom.ts'

/** Seed of this run. vitest.config.ts chooses it, and `SEED=…` replays a run. */
export const seed = Number(process.env.SEED ?? 1)

/**
 * Random numbers from 0 to 1. The same seed and test give the same numbers, whatever other tests run. Outside of a test pass a `name`.
 * Use it in place of `Math.random`, so that a failure can be replayed.
 */
export function randomNumbers(name: string = expect.getState().currentTestName ?? ''): () => number {
  let state = seed
  for (const character of name) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0
  return seededRandom(state)
}
