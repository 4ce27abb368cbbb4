import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomNumbers, seed } from './random.ts'

it('the seed of a run is the one of its properties and of its random numbers', () => {
  expect(String(seed)).toBe(process.env.SEED)
  expect(fc.readConfigureGlobal()).toMatchObject({ seed })
})

it('random numbers are the same for the same test, others for another, and spread from 0 to 1', () => {
  const take = (random: () => number): number[] => Array.from({ length: 1000 }, random)
  expect(take(randomNumbers())).toEqual(take(randomNumbers()))
  expect(take(randomNumbers('a'))).not.toEqual(take(randomNumbers('b')))
  const all = take(randomNumbers('spread'))
  expect(Math.min(...all)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...all)).toBeLessThan(1)
  expect(all.filter((one) => one < 0.5).length).toBeGreaterThan(400)
  expect(all.filter((one) => one >= 0.5).length).toBeGreaterThan(400)
})
