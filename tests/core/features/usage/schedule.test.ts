import { describe, expect, it } from 'vitest'
import { keysAreDue, usageIsDue } from '../../../../src-main/core/features/usage/schedule.ts'

const minute = 60_000
const hour = 60 * minute
const midnight = Date.UTC(2026, 10, 21)
const morning = midnight + 9 * hour
const asking = { attemptedAt: morning, fetchedAt: morning, missingAt: null, used: false }

describe('the account’s days are fetched', () => {
  it('when a connection is made, whatever is stored', () => {
    expect(usageIsDue(morning, { ...asking, attemptedAt: null })).toBe(true)
  })

  it('every 15 minutes if there was use, and not without [LIM-03]', () => {
    expect(usageIsDue(morning + 15 * minute - 1, { ...asking, used: true })).toBe(false)
    expect(usageIsDue(morning + 15 * minute, { ...asking, used: true })).toBe(true)
    expect(usageIsDue(morning + 10 * hour, asking)).toBe(false)
  })

  it('when the day has changed, so that it is fetched in full, and therefore at least once a day', () => {
    const evening = { ...asking, attemptedAt: midnight - 5 * minute, fetchedAt: midnight - 5 * minute }
    expect(usageIsDue(midnight + minute, evening)).toBe(false)
    expect(usageIsDue(midnight + 2 * minute, evening)).toBe(true)
    // Fetched just after midnight, before the service may have closed its day.
    expect(
      usageIsDue(midnight + 3 * minute, { ...asking, attemptedAt: midnight + minute, fetchedAt: midnight + minute }),
    ).toBe(true)
    expect(
      usageIsDue(midnight + 4 * minute, {
        ...asking,
        attemptedAt: midnight + 2 * minute,
        fetchedAt: midnight + 2 * minute,
      }),
    ).toBe(false)
  })

  it('15 minutes after a failure', () => {
    const failed = { ...asking, fetchedAt: morning - hour }
    expect(usageIsDue(morning + 14 * minute, failed)).toBe(false)
    expect(usageIsDue(morning + 15 * minute, failed)).toBe(true)
    expect(usageIsDue(morning + 15 * minute, { ...failed, fetchedAt: null })).toBe(true)
  })

  it('a day later if the service lacks the endpoint, and at once if the clock was set back', () => {
    const lacks = { ...asking, attemptedAt: null, missingAt: morning }
    expect(usageIsDue(morning + 24 * hour - 1, lacks)).toBe(false)
    expect(usageIsDue(morning + 24 * hour, lacks)).toBe(true)
    expect(usageIsDue(morning - hour, lacks)).toBe(true)
    expect(usageIsDue(morning - hour, asking)).toBe(true)
    // Fetched since, but the stored time is tomorrow's: the next fetch does not wait for tomorrow.
    expect(usageIsDue(morning + 15 * minute, { ...asking, fetchedAt: morning + 24 * hour })).toBe(true)
    expect(keysAreDue(morning - hour, asking)).toBe(true)
    expect(keysAreDue(morning + hour, { ...asking, fetchedAt: morning + 24 * hour })).toBe(true)
  })
})

describe('the keys are fetched', () => {
  it('once per connection, then at most once an hour, if there was use or the day has changed [LIM-03]', () => {
    expect(keysAreDue(morning, { ...asking, attemptedAt: null })).toBe(true)
    expect(keysAreDue(morning + hour - 1, { ...asking, used: true })).toBe(false)
    expect(keysAreDue(morning + hour, { ...asking, used: true })).toBe(true)
    expect(keysAreDue(morning + 5 * hour, asking)).toBe(false)
    expect(keysAreDue(morning + 16 * hour, asking)).toBe(true)
    expect(keysAreDue(morning + hour, { ...asking, missingAt: morning })).toBe(false)
  })
})
