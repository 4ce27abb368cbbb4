import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MeterReading, RequestNotice } from '../../../src-main/core/ports/requests.ts'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { notice, openRequestLog, reading, rowOf, sent, service, usage } from './helpers.ts'

let requestLog: SqliteRequestLog
beforeEach(() => {
  requestLog = openRequestLog().requestLog
  requestLog.learn(usage, service)
})
afterEach(() => requestLog.close())

const free = { cost: '0', costIs: 'measured' }
const unknown = { cost: null, costIs: 'unknown' }

async function ended(
  changes: Partial<RequestNotice>,
  status: number,
  end: Parameters<ReturnType<SqliteRequestLog['open']>['ends']>[0],
  read: MeterReading | null,
) {
  const trace = sent(requestLog, changes, status)
  trace.ends(end, read)
  return rowOf(requestLog, trace.id)
}

describe('the cost of a request', () => {
  it('is estimated from its tokens, with cached ones counted once at their lower price', async () => {
    const row = await ended({}, 200, { state: 'done' }, reading(1000, 300, 200))
    expect(row).toMatchObject({ cost: '0.00086', costIs: 'estimated', tokensAre: 'measured' })
  })

  it('is certainly nothing when nothing was sent', async () => {
    const refused = requestLog.open(notice())
    refused.replied(402, null)
    refused.ends({ state: 'refused', problem: { kind: 'budget', message: 'Over budget.' } }, null)
    expect(await rowOf(requestLog, refused.id)).toMatchObject({ ...free, state: 'refused', attempts: 0 })
    const waited = requestLog.open(notice())
    waited.queued()
    waited.ends({ state: 'cancelled', by: 'app' }, null)
    expect(await rowOf(requestLog, waited.id)).toMatchObject({ ...free, attempts: 0 })
    const unreachable = requestLog.open(notice())
    unreachable.backsOff(0)
    unreachable.ends({ state: 'failed', problem: { kind: 'connect_failed', message: 'Nobody there.' } }, null)
    expect(await rowOf(requestLog, unreachable.id)).toMatchObject(free)
  })

  it.each([400, 401, 402, 403, 404, 429])('is nothing after a %i: the service did no work', async (status) => {
    expect(await ended({}, status, { state: 'done' }, null)).toMatchObject(free)
  })

  it.each([408, 500, 502, 503, 504])('is unknown after a %i: it proves nothing', async (status) => {
    expect(await ended({}, status, { state: 'done' }, reading(10, 0))).toMatchObject(unknown)
  })

  it('is an estimate of nothing for a stream that was cancelled before any output [CHAT-17]', async () => {
    const byItsWord = { cost: '0', costIs: 'estimated' }
    expect(await ended({}, 200, { state: 'cancelled', by: 'person' }, reading(10, 0))).toMatchObject(byItsWord)
    expect(await ended({}, 200, { state: 'cancelled', by: 'app' }, null)).toMatchObject(byItsWord)
    expect(await ended({}, 429, { state: 'cancelled', by: 'person' }, null)).toMatchObject(free)
    expect(await ended({ stream: false }, 200, { state: 'cancelled', by: 'app' }, null)).toMatchObject(unknown)
  })

  it('is an estimate for a stream that was cancelled after output [CHAT-18]', async () => {
    const counted = { ...reading(1000, 300, 200), measured: false }
    const row = await ended({}, 200, { state: 'cancelled', by: 'person' }, counted)
    expect(row).toMatchObject({ cost: '0.00086', costIs: 'estimated', tokensAre: 'estimated', tokensOut: 300 })
  })

  it('is unknown when an earlier attempt may have made the service work', async () => {
    for (const [status, is] of [
      [503, unknown],
      [0, unknown],
      [429, free],
    ] as const) {
      const trace = requestLog.open(notice())
      trace.connected()
      trace.backsOff(status)
      trace.connected()
      trace.replied(429, null)
      trace.ends({ state: 'done' }, null)
      expect(await rowOf(requestLog, trace.id)).toMatchObject({ ...is, attempts: 2, retriedAfter: [status] })
    }
  })

  it('is unknown for a request that was refused its second attempt after the first may have caused work', async () => {
    const trace = requestLog.open(notice())
    trace.connected()
    trace.backsOff(503)
    trace.replied(429, null)
    trace.ends({ state: 'refused', problem: { kind: 'would_wait', message: 'It is not its turn.' } }, null)
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ ...unknown, attempts: 1 })
  })

  it('is unknown when the price or the tokens are unknown, or the reply was cut before any output', async () => {
    expect(await ended({ model: 'new' }, 200, { state: 'done' }, reading(1, 2))).toMatchObject(unknown)
    expect(await ended({}, 200, { state: 'done' }, null)).toMatchObject(unknown)
    expect(await ended({}, 200, { state: 'cut' }, { ...reading(5, 0), output: false })).toMatchObject(unknown)
    const other = { endpoint: 'other', path: '/v1/embeddings' } as const
    expect(await ended(other, 200, { state: 'done' }, reading(1, 2))).toMatchObject(unknown)
  })

  it.each(['models', 'account', 'files'] as const)('is nothing for a read-out (%s)', async (endpoint) => {
    expect(await ended({ endpoint, path: '/v1/x' }, 200, { state: 'done' }, null)).toMatchObject(free)
    expect(await ended({ endpoint, path: '/v1/x' }, 503, { state: 'done' }, null)).toMatchObject(free)
  })

  it('is nothing for the legacy route, which is not implemented', async () => {
    expect(
      await ended({ endpoint: 'completions', path: '/v1/completions' }, 501, { state: 'done' }, null),
    ).toMatchObject(free)
  })

  it('ignores invalid token counts', async () => {
    for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      const row = await ended({}, 200, { state: 'done' }, reading(count, 3))
      expect(row).toMatchObject({ ...unknown, tokensIn: null, tokensOut: 3 })
    }
    expect(await ended({}, 200, { state: 'done' }, reading(10, 0, 50))).toMatchObject({
      tokensIn: 10,
      tokensCached: 10,
    })
  })

  it('of an image is a price per image, whatever the model', async () => {
    const picture = { endpoint: 'images', path: '/v1/images/generations', model: 'dall-e-3' } as const
    expect(await ended(picture, 200, { state: 'done' }, null)).toMatchObject({ cost: '0.04', costIs: 'estimated' })
    expect(await ended({ ...picture, pictures: 3 }, 200, { state: 'done' }, null)).toMatchObject({ cost: '0.12' })
  })
})

describe('the expected tokens of a request', () => {
  it('are the average output of its model, else of all models, else a default', () => {
    expect(requestLog.typicalOut('writer-small')).toBe(500)
    for (const out of [100, 200, 300]) sent(requestLog).ends({ state: 'done' }, reading(1, out))
    expect(requestLog.typicalOut('writer-small')).toBe(200)
    expect(requestLog.typicalOut('another')).toBe(200)
    sent(requestLog, { model: 'another' }).ends({ state: 'done' }, reading(1, 1000))
    expect(requestLog.typicalOut('another')).toBe(1000)
    expect(requestLog.typicalOut('writer-small')).toBe(200)
  })

  it('are known after a restart', async () => {
    const first = openRequestLog()
    sent(first.requestLog).ends({ state: 'done' }, reading(1, 321))
    await first.requestLog.close()
    const again = openRequestLog({ dataDir: first.dataDir })
    expect(again.requestLog.typicalOut('writer-small')).toBe(321)
    await again.requestLog.close()
  })
})
