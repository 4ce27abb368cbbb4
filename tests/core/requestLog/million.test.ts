// @isolated It measures how long a log of a million rows blocks its process.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import type { RequestFilter } from '../../../src-preload/contract/requests.ts'
import { cpuTime } from '../../helpers/cpuTime.ts'
import { countTurns } from '../../helpers/eventLoop.ts'
import { freshFolder } from '../helpers/core.ts'
import { rightClock } from '../helpers/deadlines.ts'
import { fill } from './harness/million.ts'

// The limits are generous: they distinguish a used index from an unused one. `harness/views.ts` prints the figures.
describe('a log of a million requests', () => {
  let requestLog: SqliteRequestLog
  beforeAll(async () => {
    const dataDir = freshFolder()
    await fill(dataDir, 1_000_000)
    const cpuMs = cpuTime()
    requestLog = new SqliteRequestLog({
      dataDir,
      apps: () => [],
      bodyDays: () => 7,
      deadlines: rightClock(),
      log: () => undefined,
    })
    expect(cpuMs()).toBeLessThan(1000)
  })
  afterAll(() => requestLog.close())

  it.each<[string, RequestFilter, number]>([
    ['everything', {}, 200],
    ['one app', { who: 't3' }, 200],
    ['a rare app', { who: 'rare' }, 5],
    ['an app and a model', { who: 't3', model: 'model-2' }, 200],
    ['failures', { outcome: 'failed' }, 200],
    ['a time long ago', { until: new Date(Date.now() - 1_900_000_000).toISOString() }, 200],
    ['text that is common', { text: 'not available' }, 200],
  ])('returns a page of %s quickly', async (_, filter, rows) => {
    const cpuMs = cpuTime()
    expect(await requestLog.page(filter, Number.MAX_SAFE_INTEGER, 200)).toHaveLength(rows)
    expect(cpuMs()).toBeLessThan(500)
  })

  it('does not block other work while it searches for a missing text', async () => {
    const turns = countTurns()
    expect(await requestLog.page({ text: 'zzzzzz' }, Number.MAX_SAFE_INTEGER, 200)).toEqual([])
    expect(turns()).toBeGreaterThanOrEqual(100)
  })

  it('counts all rows, and the next time only new ones', async () => {
    expect((await requestLog.counts({})).stored).toBe(1_000_000)
    expect((await requestLog.counts({ text: 'unavailable' })).stored).toBe(25_000)
    const cpuMs = cpuTime()
    expect((await requestLog.counts({ text: 'unavailable' })).stored).toBe(25_000)
    expect(cpuMs()).toBeLessThan(50)
  })
})
