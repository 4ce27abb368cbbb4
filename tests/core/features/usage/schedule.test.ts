import { describe, expect, it } from 'vitest'
import { keysAreDue, usageIsDue } from '../../../../src-main/core/features/usage/schedule.ts'

const minute = 60_000
const hour = 60 * minute
const midnight = Date.UTC(2026, 10, 21)
const morning = midnight + 9 * hour
const asking = { triedAt: morning, keptAt: morning, lacksAt: null, used: false }

describe('the account’s days are asked for', () => {
  it('when a connection is made, whatever is kept', () => {
    expect(usageIsDue(morning, { ...asking, triedAt: null })).toBe(true)
  })

  it('every quarter of an hour if there was use, and not without [LIM-03]', () => {
    expect(usageIsDue(morning + 15 * minute - 1, { ...asking, used: true })).toBe(false)
    expect(usageIsDue(morning + 15 * minute, { ...asking, used: true })).toBe(true)
    expect(usageIsDue(morning + 10 * hour, asking)).toBe(false)
  })

  it('when the day has turned, so that it is seen whole, and so at least once a day', () => {
    const evening = { ...asking, triedAt: midnight - 5 * minute, keptAt: midnight - 5 * minute }
    expect(usageIsDue(midnight + minute, evening)).toBe(false)
    expect(usageIsDue(midnight + 2 * minute, evening)).toBe(true)
    // Asked just after midnight, when the service may not have closed its day.
    expect(
      usageIsDue(midnight + 3 * minute, { ...asking, triedAt: midnight + minute, keptAt: midnight + minute }),
    ).toBe(true)
    expect(
      usageIsDue(midnight + 4 * minute, { ...asking, triedAt: midnight + 2 * minute, keptAt: midnight + 2 * minute }),
    ).toBe(false)
  })

  it('a quarter of an hour after a failure', () => {
    const failed = { ...asking, keptAt: morning - hour }
    expect(usageIsDue(morning + 14 * minute, failed)).toBe(false)
    expect(usageIsDue(morning + 15 * minute, failed)).toBe(true)
    expect(usageIsDue(morning + 15 * minute, { ...failed, keptAt: null })).toBe(true)
  })

  it('a day later where the service has none; and at once where the clock was put back', () => {
    const lacks = { ...asking, triedAt: null, lacksAt: morning }
    expect(usageIsDue(morning + 24 * hour - 1, lacks)).toBe(false)
    expect(usageIsDue(morning + 24 * hour, lacks)).toBe(true)
    expect(usageIsDue(morning - hour, lacks)).toBe(true)
    expect(usageIsDue(morning - hour, asking)).toBe(true)
    // Asked since, but what is kept says that it is of tomorrow: the next day is not waited for.
    expect(usageIsDue(morning + 15 * minute, { ...asking, keptAt: morning + 24 * hour })).toBe(true)
    expect(keysAreDue(morning - hour, asking)).toBe(true)
    expect(keysAreDue(morning + hour, { ...asking, keptAt: morning + 24 * hour })).toBe(true)
  })
})

describe('the keys are asked for', () => {
  it('once on a connection, and then at most once an hour, if there was use or the day has turned [LIM-03]', () => {
    expect(keysAreDue(morning, { ...asking, triedAt: null })).toBe(true)
    expect(keysAreDue(morning + hour - 1, { ...asking, used: true })).toBe(false)
    expect(keysAreDue(morning + hour, { ...asking, used: true })).toBe(true)
    expect(keysAreDue(morning + 5 * hour, asking)).toBe(false)
    expect(keysAreDue(morning + 16 * hour, asking)).toBe(true)
    expect(keysAreDue(morning + hour, { ...asking, lacksAt: morning })).toBe(false)
  })
})
