import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestTrace } from '../../../src-main/core/ports/requests.ts'
import { outcomeOfRow } from '../../../src-main/core/requestLog/filters.ts'
import { toNano } from '../../../src-main/core/shared/money.ts'
import { requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import {
  appRequester,
  day,
  endTwentyAtOnce,
  notice,
  openRequestLog,
  RestartingLog,
  reading,
  service,
  usage,
} from './helpers.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 21, 12)

/** Prices with digits in the ninth decimal place. */
const odd = {
  ...usage,
  usage: [1, 2, 3, 4, 5, 6].map((n) =>
    day(`2026-11-0${n}`, 'writer-small', 1000 * n, 0, n * n, ((1000 * n * 333 + n * n * 777) / 1e9).toFixed(12)),
  ),
}

/** One step of one of several requests. */
const step = fc.record({
  lane: fc.nat(5),
  who: fc.constantFrom('a', 'b'),
  tokens: fc.tuple(fc.nat(5000), fc.nat(5000)),
  end: fc.constantFrom('done', 'done', 'cancelled', 'refused', 'failed', 'unpriced' as const),
  forward: fc.constantFrom(0, 0, 1000, 3_600_000, dayMs),
  restart: fc.nat(14).map((n) => n === 0),
  reset: fc.constantFrom(false, false, false, true),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Requests of several apps, interleaved, across days and restarts. */
class Life extends RestartingLog {
  readonly before: Record<string, bigint> = { a: 0n, b: 0n }

  async take(one: Step): Promise<void> {
    this.now += one.forward
    const trace = this.lanes.get(one.lane)
    if (trace) this.#end(trace, one)
    else this.#open(one)
    if (one.reset) {
      this.before[one.who] = (this.before[one.who] ?? 0n) + this.requestLog.spent(one.who).total
      this.requestLog.resetSpend(one.who)
    }
    if (one.restart) await this.restart()
  }

  #open({ lane, who, end }: Step): void {
    const trace = this.requestLog.open(
      notice({ requester: appRequester(who), model: end === 'unpriced' ? 'x' : 'writer-small' }),
    )
    if (end !== 'refused') trace.connected()
    this.lanes.set(lane, trace)
  }

  #end(trace: RequestTrace, { lane, end, tokens }: Step): void {
    trace.replied(200, null)
    trace.ends({ state: end === 'unpriced' ? 'done' : end }, reading(...tokens))
    this.lanes.delete(lane)
  }

  /** The spend by an app's rows. */
  async summed(who: string) {
    const rows = await this.requestLog.page({ who }, Number.MAX_SAFE_INTEGER, 1000)
    const ended = rows.filter(
      ({ attempts, ...row }) =>
        row.state !== 'refused' && outcomeOfRow(row) !== null && (attempts > 0 || row.state === 'done'),
    )
    const sum = (from: string): bigint =>
      ended.filter(({ at }) => at >= from).reduce((total, { cost }) => total + toNano(cost ?? '0'), 0n)
    const today = new Date(this.now).toISOString().slice(0, 10)
    const todays = ended.filter(({ at }) => at >= today)
    return {
      day: sum(today),
      month: sum(today.slice(0, 7)),
      total: sum('') - (this.before[who] ?? 0n),
      requestsToday: todays.length,
      unpricedToday: todays.filter(({ costIs }) => costIs === 'unknown').length,
      tokensToday: todays.reduce((total, { tokensIn, tokensOut }) => total + (tokensIn ?? 0) + (tokensOut ?? 0), 0),
    }
  }
}

describe('spend', () => {
  it('is the sum of the rows, to the last digit, in any order and across days and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), async (steps) => {
        const life = new Life(odd)
        for (const one of steps) await life.take(one)
        for (const who of ['a', 'b']) expect(life.requestLog.spent(who)).toMatchObject(await life.summed(who))
        await life.requestLog.close()
      }),
      { numRuns: 25 },
    )
  })

  it('includes a request at once when it ends, before it is written', () => {
    const { requestLog } = openRequestLog()
    requestLog.learn(usage, service)
    const trace = requestLog.open(notice())
    trace.connected()
    trace.ends({ state: 'done' }, reading(1_000_000, 0))
    expect(requestLog.spent('editor')).toMatchObject({ day: 500_000_000n, total: 500_000_000n, estimated: true })
    expect(trace.written).not.toBeNull()
    return requestLog.close()
  })

  it('is exact beyond the precision of floating-point numbers', async () => {
    const { requestLog, dataDir } = openRequestLog({ now: () => noon })
    requestLog.learn(
      { ...usage, usage: [day('2026-11-01', 'dear', 1000, 0, 0, '90000'), day('2026-11-02', 'dear', 1, 0, 0, '90')] },
      service,
    )
    // Rows and sums beyond 2^53 billionths.
    for (const tokens of [110_000, 110_000, 1]) {
      const trace = requestLog.open(notice({ model: 'dear' }))
      trace.connected()
      trace.ends({ state: 'done' }, reading(tokens, 0))
    }
    const total = 19_800_090_000_000_000n
    expect(requestLog.spent('editor').total).toBe(total)
    await requestLog.close()
    const again = openRequestLog({ dataDir, now: () => noon })
    expect(again.requestLog.spent('editor').total).toBe(total)
    expect((await again.requestLog.page({}, 10, 3)).map(({ cost }) => cost)).toEqual(['90', '9900000', '9900000'])
    await again.requestLog.close()
  })

  it('is in the same transaction as the row that changed it', async () => {
    const { requestLog, dataDir } = openRequestLog()
    requestLog.learn(usage, service)
    const reader = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
    const rows = reader.prepare('SELECT sum(cost) AS n FROM requests')
    const sums = reader.prepare('SELECT sum(cost) AS n FROM spend')
    await endTwentyAtOnce(requestLog)
    reader.exec('BEGIN')
    expect(rows.get()).toEqual(sums.get())
    expect(rows.get()?.n).toBe(20 * 515_000)
    reader.exec('COMMIT')
    reader.close()
    await requestLog.close()
  })

  it('shows requests by minute, also after a restart, without refused ones', async () => {
    let now = noon
    const { requestLog, dataDir } = openRequestLog({ now: () => now })
    const one = (): RequestTrace => requestLog.open(notice())
    one().ends({ state: 'done' }, null)
    now += 58 * 60_000
    one().ends({ state: 'done' }, null)
    one().ends({ state: 'refused' }, null)
    now += 60_000
    one().ends({ state: 'done' }, null)
    one().ends({ state: 'done' }, null)
    const minutes = Array<number>(60).fill(0)
    const shown = minutes.with(0, 1).with(58, 1).with(59, 2)
    expect(requestLog.spent('editor').perMinute).toEqual(shown)
    await requestLog.close()
    const again = openRequestLog({ dataDir, now: () => now })
    expect(again.requestLog.spent('editor').perMinute.slice(1)).toEqual(shown.slice(1))
    now += 60_000
    expect(again.requestLog.spent('editor').perMinute.slice(0, 59)).toEqual(shown.slice(1))
    now += 3 * dayMs
    expect(again.requestLog.spent('editor').perMinute).toEqual(minutes)
    await again.requestLog.close()
  })
})

it('a request that ended in the queue and was never sent is no request of any sum, for apps and for this program', () => {
  const { requestLog } = openRequestLog()
  for (const requester of [appRequester('a'), { kind: 'studio', feature: 'images' } as const]) {
    for (const state of ['failed', 'cancelled'] as const) {
      const trace = requestLog.open(notice({ requester, endpoint: 'images', path: '/v1/images/generations' }))
      trace.queued()
      trace.ends({ state, problem: { kind: 'queue_timeout', message: 'It waited too long.' } }, null)
    }
  }
  const sent = requestLog.open(notice({ requester: appRequester('a') }))
  sent.connected()
  sent.ends({ state: 'failed', problem: { kind: 'connection_lost', message: 'It broke off.' } }, null)
  expect(requestLog.spent('a')).toMatchObject({ requestsToday: 1, unpricedToday: 1 })
  expect(requestLog.spent('a').perMinute.reduce((sum, count) => sum + count, 0)).toBe(1)
})
