import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MinuteWindow } from '../../../../src-main/core/gateway/scheduler/minuteWindow.ts'

const steps = fc.array(fc.record({ after: fc.oneof(fc.nat(300), fc.nat(70_000)), amount: fc.nat(50) }), {
  minLength: 1,
  maxLength: 60,
})

describe('the minute window', () => {
  it('counts everything within the last minute, and nothing older than 100 ms more', () => {
    fc.assert(
      fc.property(steps, fc.nat(100_000), (list, start) => {
        const window = new MinuteWindow()
        const added: { at: number; amount: number }[] = []
        let at = start
        for (const { after, amount } of list) {
          at += after
          window.add(at, amount)
          added.push({ at, amount })
          const within = (ms: number) =>
            added.filter((one) => one.at >= at - ms).reduce((sum, one) => sum + one.amount, 0)
          expect(window.used(at)).toBeGreaterThanOrEqual(within(60_000))
          expect(window.used(at)).toBeLessThanOrEqual(within(60_100))
          expect(window.usedWithin(at, 2_000)).toBeGreaterThanOrEqual(within(2_000))
          expect(window.usedWithin(at, 2_000)).toBeLessThanOrEqual(within(2_200))
        }
      }),
    )
  })

  it('finds the first time at which the sum falls to a given amount', () => {
    fc.assert(
      fc.property(steps, fc.nat(1_000), (list, allowed) => {
        const window = new MinuteWindow()
        let at = 0
        for (const { after, amount } of list) {
          at += after
          window.add(at, amount)
        }
        const falls = window.fallsTo(at, allowed)
        if (falls > at) expect(window.used(falls - 1)).toBeGreaterThan(allowed)
        expect(window.used(falls)).toBeLessThanOrEqual(allowed)
      }),
    )
  })
})
