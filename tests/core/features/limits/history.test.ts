import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { limitedOf, type RateLimitedRow } from '../../../../src-main/core/features/limits/history.ts'
import { openRequestLogReader } from '../../../../src-main/core/requestLog/reader.ts'
import { requestLogFile } from '../../../../src-main/core/store/requestLog/open.ts'
import { notice, openRequestLog, rowOf, sent } from '../../requestLog/helpers.ts'

it('waits for 429s are counted separately from other waits [LIM-03]', async () => {
  let now = Date.UTC(2026, 10, 21, 12)
  const { requestLog, dataDir } = openRequestLog({ now: () => now })
  onTestFinished(() => requestLog.close())
  /** Each wait is for a status, in ms. */
  const request = (waits: [status: number, ms: number][]) => {
    const trace = requestLog.open(notice())
    for (const [status, ms] of waits) {
      trace.connected()
      trace.backsOff(status)
      now += ms
    }
    trace.connected()
    return trace
  }
  const end = (trace: ReturnType<typeof request>): void => {
    trace.replied(200, null)
    trace.ends({ state: 'done' }, null)
  }
  const only503 = request([[503, 700]])
  const mixed = [
    [503, 4000],
    [429, 250],
    [0, 9000],
    [429, 1500],
  ] as [number, number][]
  const listed = () => requestLog.limited(10, null).map(limitedOf)
  const under = request(mixed)
  expect(listed()).toMatchObject([{ row: under.id, times: 2, waitedMs: 1750, ended: 'running' }])
  end(under)
  end(only503)
  expect(listed()).toMatchObject([{ row: under.id, times: 2, waitedMs: 1750, ended: 'done' }])
  const open = requestLog.open(notice())
  open.connected()
  open.backsOff(429)
  now += 300
  expect(listed()[0]).toMatchObject({ row: open.id, waitedMs: 300, ended: 'running' })
  open.ends({ state: 'cancelled', by: 'person' }, null)
  const alone = request([[429, 60]])
  end(alone)

  // Rows of an earlier version: one that only met 429s, and one whose waits have no recorded reasons.
  requestLog.flush()
  const file = new DatabaseSync(requestLogFile(dataDir))
  file.exec(`UPDATE requests SET backoff_429_us = NULL WHERE id IN (${alone.id}, ${under.id})`)
  file.close()
  const reader = openRequestLogReader(dataDir)
  onTestFinished(() => reader.close())
  expect(reader.limited(10, null).map(limitedOf)).toMatchObject([
    { row: alone.id, times: 1, waitedMs: 60 },
    { row: open.id, times: 1, waitedMs: 300, ended: 'cancelled' },
    { row: under.id, times: 2, waitedMs: null },
  ])
})

it.each([
  ['done', 200, 'done'],
  ['done', 429, 'refused'],
  ['done', 500, 'failed'],
  ['failed', 429, 'refused'],
  ['failed', null, 'failed'],
  ['cut', 200, 'failed'],
  ['unknown', null, 'failed'],
  ['cancelled', null, 'cancelled'],
  ['refused', null, 'refused'],
  ['backing_off', null, 'running'],
] as const)('a request that met a 429 and has %s with %s reports %s', async (state, status, outcome) => {
  const { requestLog } = openRequestLog()
  onTestFinished(() => requestLog.close())
  const row = { ...(await rowOf(requestLog, sent(requestLog).id)), retriedAfter: [503, 429], state, status }
  expect(limitedOf({ row, waitedMs: 5 })).toMatchObject({ ended: outcome, times: status === 429 ? 2 : 1, waitedMs: 5 })
})

it('an account’s history has no request of another account, even if that one was refused far more often [LIM-03]', () => {
  const { requestLog, dataDir } = openRequestLog()
  onTestFinished(() => requestLog.close())
  const refused = (count: number): number[] =>
    Array.from({ length: count }, () => {
      const trace = sent(requestLog, {}, 429)
      trace.ends({ state: 'done' }, null)
      return trace.id
    })
  const at = (profile: string, account: string | null, count: number): number[] => {
    requestLog.connectedTo('http://a.example', profile)
    if (account !== null) requestLog.belongsTo(account)
    return refused(count).reverse()
  }
  const first = at('one', 'A', 2)
  at('two', 'B', 1200)
  const again = at('one', 'A', 1)
  // The account of these rows is unknown, so they may belong to either account.
  const open = at('three', null, 1)
  const under = sent(requestLog, {}, 429)
  const ids = (rows: RateLimitedRow[]): number[] => rows.map(({ row }) => row.id)
  expect(ids(requestLog.limited(10, 'A'))).toEqual([...open, ...again, ...first])
  expect(ids(requestLog.limited(2, 'A'))).toEqual([...open, ...again])
  expect(requestLog.limited(2000, 'B')).toHaveLength(1201)
  expect(ids(requestLog.limited(3, null))).toHaveLength(3)
  under.ends({ state: 'cancelled', by: 'person' }, null)
  requestLog.flush()
  const reader = openRequestLogReader(dataDir)
  onTestFinished(() => reader.close())
  expect(ids(reader.limited(10, 'A')).filter((id) => id !== under.id)).toEqual([...open, ...again, ...first])
})
