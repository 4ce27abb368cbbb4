import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayMs } from '../../../src-main/core/shared/days.ts'
import { forgetRetentionClock, RetentionClock } from '../../../src-main/core/store/retentionClock.ts'
import { tries } from '../../helpers/effort.ts'
import { freshFolder } from '../helpers/core.ts'

const hour = dayMs / 24
const month = 30 * dayMs

/** A computer whose clock the test sets, and the program that starts and ends on it. */
function computer(isDated?: () => boolean) {
  const dataDir = freshFolder()
  let now = Date.UTC(2026, 0, 1)
  let running = 0
  const options = { dataDir, now: () => now, running: () => running, ...(isDated && { isDated }) }
  let clock = new RetentionClock(options)
  const start = (): void => {
    clock.look()
    clock = new RetentionClock(options)
    clock.look()
  }
  return {
    dataDir,
    start,
    get clock() {
      return clock
    },
    get now() {
      return now
    },
    /** The program runs. */
    run(hours: number): void {
      for (let at = 0; at < hours; at += 1) {
        now += hour
        running += hour
        clock.look()
      }
    },
    /** The computer is off, or its clock is set. */
    jump(ms: number): void {
      now += ms
    },
  }
}

describe('what may be deleted because of its age', () => {
  it('is nothing until the program has run for a day, and then what is older than the deadline', () => {
    const on = computer()
    on.run(23)
    expect(on.clock.before(0)).toBeNull()
    on.run(2)
    expect(on.clock.before(month)).toBeNull()
    const since = on.now
    on.run(31 * 24)
    expect(on.clock.before(month)).toBe(on.now - month)
    expect(on.clock.of(0, month)).toBeLessThanOrEqual(since + month)
  })

  it('does not change when one start has the clock a year ahead, and afterwards', () => {
    const on = computer()
    on.run(40 * 24)
    const before = on.clock.before(month) ?? 0
    on.jump(365 * dayMs)
    on.start()
    on.run(20)
    expect(on.clock.before(month)).toBe(before)
    expect(on.clock.isNotBehind()).toBe(false)
    on.jump(-365 * dayMs - 20 * hour)
    on.start()
    on.run(48)
    expect(on.clock.before(month)).toBe(on.now - month)
  })

  it('counts the time in which the computer was off when the program has run for a day since, however often it starts', () => {
    const on = computer()
    on.run(30)
    on.jump(2 * dayMs)
    on.start()
    on.run(40 * 24)
    on.jump(40 * dayMs)
    for (let day = 0; day < 12; day += 1) {
      on.start()
      on.run(2)
      if (day < 11) expect(on.clock.before(month)).toBeLessThan(on.now - 40 * dayMs - month)
      on.jump(22 * hour)
    }
    on.start()
    expect(on.clock.before(month)).toBeGreaterThan(on.now - month - dayMs)
  })

  it('advances for a person who works a few hours on five days of the week', () => {
    const on = computer()
    on.run(30)
    const from = on.now
    for (let week = 0; week < 20; week += 1) {
      for (let day = 0; day < 5; day += 1) {
        on.start()
        on.run(3)
        on.jump(21 * hour)
      }
      on.jump(2 * dayMs)
    }
    expect(on.clock.before(month)).toBeGreaterThan(from + 10 * 7 * dayMs - month)
    // Since the weekend, the new time does not count yet, but the clock is not behind.
    on.start()
    on.run(3)
    expect(on.clock.isNotBehind()).toBe(true)
    on.jump(-100 * dayMs)
    expect(on.clock.isNotBehind()).toBe(false)
  })

  it.each([
    ['a computer that was right before', 40],
    ['a new one', 0],
  ])('advances for %s, whose battery is empty: each start is in a past year for a minute', (_what, days) => {
    let isDated = false
    const on = computer(() => isDated)
    on.run(days * 24)
    const startPast = (): void => {
      const past = on.now - Date.UTC(2010, 0, 1)
      on.jump(-past)
      on.start()
      expect(on.clock.before(month)).toBeNull()
      expect(on.clock.isNotBehind()).toBe(false)
      on.jump(past)
    }
    // A new one knows no better until it has the right time.
    if (days === 0) on.jump(-dayMs * 365)
    if (days === 0) on.run(1)
    if (days === 0) on.jump(dayMs * 365)
    on.run(8)
    for (let day = 0; day < 50; day += 1) {
      on.jump((day % 7 === 0 ? 64 : 16) * hour)
      startPast()
      on.run(8)
    }
    expect(on.clock.before(month)).toBeGreaterThan(on.now - month - 8 * dayMs)
    // Something was deleted while the clock was behind.
    isDated = true
    startPast()
    on.run(1)
    expect(on.clock.before(month)).toBeNull()
    isDated = false
    on.run(20 * 24)
    expect(on.clock.before(month)).toBeNull()
    on.run(11 * 24)
    expect(on.clock.before(month)).toBe(on.now - month)
  })

  it('begins anew after the clock went back to a time before all that was seen, and when the file is lost or damaged', () => {
    const on = computer()
    on.run(40 * 24)
    on.jump(-20 * 365 * dayMs)
    on.start()
    expect(on.clock.before(0)).toBeNull()
    on.run(30)
    on.jump(20 * 365 * dayMs)
    on.start()
    on.run(26)
    // What was deleted while the clock was wrong has a date of 2006.
    expect(on.clock.of(on.now - 20 * 365 * dayMs, month)).toBeGreaterThan(on.now)
    const file = join(on.dataDir, 'studio.clock.json')
    writeFileSync(`${file}.new`, '{')
    forgetRetentionClock(on.dataDir)
    expect(readdirSync(on.dataDir)).toEqual([])
    on.clock.look()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const damage of [() => forgetRetentionClock(on.dataDir), () => writeFileSync(file, '{"ran":')]) {
      damage()
      const fresh = new RetentionClock({ dataDir: on.dataDir, now: () => on.now })
      expect(fresh.before(0)).toBeNull()
      expect(fresh.of(0, month)).toBe(on.now + month)
    }
  })

  it('never is an item that has existed for less than its time by the clock, nor within a day after a jump (any use)', () => {
    const step = fc.record({
      run: fc.integer({ min: 0, max: 60 }),
      jump: fc.constantFrom(0, 0, 0, -400, -2, -0.5, 0.5, 2, 40, 400),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const on = computer()
        for (const { run, jump } of steps) {
          const former = on.now
          on.jump(jump * dayMs)
          if (jump !== 0) on.start()
          on.run(run)
          const limit = jump > 1 && run < 24 ? former + dayMs : on.now
          expect(on.clock.before(month) ?? 0).toBeLessThanOrEqual(limit - month)
        }
      }),
      { numRuns: tries(200, 1000) },
    )
  })
})
