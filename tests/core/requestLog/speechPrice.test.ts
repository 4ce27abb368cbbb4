import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { fromNano } from '../../../src-main/core/shared/money.ts'
import { tries } from '../../helpers/effort.ts'
import { day, openRequestLog, sent, service } from './helpers.ts'

/** The true cost of a request for a number of bytes of text, SC. */
type PriceList = (bytes: number) => number

const perByte =
  (price: number): PriceList =>
  (bytes) =>
    price * bytes
const withMinimum =
  (price: number, least: number): PriceList =>
  (bytes) =>
    Math.max(least, price * bytes)
const roundedUp =
  (price: number, step: number): PriceList =>
  (bytes) =>
    Math.max(1, Math.ceil((price * bytes) / step)) * step
const withFee =
  (price: number, fee: number): PriceList =>
  (bytes) =>
    fee + price * bytes

const usualSettings = { voice: 'nova', response_format: 'mp3' }

const open: SqliteRequestLog[] = []
afterEach(async () => {
  for (const requestLog of open.splice(0)) await requestLog.close()
})

/** A log whose clock the test sets to a day of November 2026, and the service's rows about it. */
function pricedLog() {
  let today = 1
  const { requestLog } = openRequestLog({ now: () => Date.UTC(2026, 10, today, 12) })
  open.push(requestLog)
  requestLog.connectedTo(service)
  const rows: ReturnType<typeof day>[] = []
  return {
    requestLog,
    /** The next requests are sent on the day of the last ones. */
    sameDay(): void {
      today -= 1
    },
    /** One day of requests. `others`: costs of requests that other computers sent to the same account, SC. */
    speaks(
      list: PriceList,
      sizes: readonly number[],
      others: readonly number[] = [],
      settings: object = usualSettings,
    ): void {
      for (const bytes of sizes) {
        const trace = sent(requestLog, { endpoint: 'speech', path: '/v1/audio/speech', model: 'tts-1', stream: false })
        trace.sentBytes(Buffer.byteLength(JSON.stringify({ input: 'x'.repeat(bytes), model: 'tts-1', ...settings })))
        trace.ends({ state: 'done' }, null)
      }
      const cost = [...sizes.map(list), ...others].reduce((sum, one) => sum + one, 0)
      const requests = sizes.length + others.length
      const date = `2026-11-${String(today).padStart(2, '0')}`
      const row = { ...day(date, 'tts-1', 0, 0, 0, '0'), requests: 0 }
      const last = rows.at(-1)?.date === row.date ? (rows.pop() ?? row) : row
      rows.push({ ...last, requests: last.requests + requests, cost_sc: (Number(last.cost_sc) + cost).toFixed(12) })
      today += 1
    },
    /** The estimate for a text that is spoken in parts of these sizes, SC; null when the price is not known well enough. */
    estimate(parts: readonly number[]): number | null {
      requestLog.learn({ usage: rows, balance: null, total_spent: null }, service)
      const cost = requestLog.prices.speech('tts-1', parts)
      return cost === null ? null : Number(fromNano(cost))
    },
  }
}

const total = (list: PriceList, parts: readonly number[]): number => parts.reduce((sum, bytes) => sum + list(bytes), 0)
const long = [4096, 4096, 4096, 4096, 3616]

describe('the price of speech', () => {
  it('of a tiny request is not scaled up to a long text', () => {
    for (const list of [perByte(15e-6), withMinimum(15e-6, 0.015), roundedUp(15e-6, 0.01)]) {
      const { speaks, estimate } = pricedLog()
      speaks(list, [53])
      expect(estimate(long)).toBeNull()
    }
  })

  it('is the average of a request for none but texts of that size', () => {
    const { speaks, estimate, requestLog } = pricedLog()
    // The sizes of the requests of other computers are not known.
    speaks(perByte(15e-6), [], [0.015, 0.02, 0.01])
    expect(estimate(long)).toBeNull()
    expect(
      requestLog.prices.price('speech', 'tts-1', { tokensIn: 0, tokensCached: 0, tokensOut: 0, bytesUp: 90, count: 1 }),
    ).toBe(15_000_000n)
  })

  it('is learned from days on which only this computer spoke', () => {
    const { speaks, estimate, requestLog } = pricedLog()
    speaks(perByte(15e-6), [], [0.3, 0.4])
    speaks(perByte(15e-6), [53])
    speaks(perByte(15e-6), [4000, 4096])
    expect(estimate(long)).toBeCloseTo(0.3, 1)
    // A request is logged at the same price.
    const bytesUp = 1000 + 60
    const logged = requestLog.prices.price('speech', 'tts-1', {
      tokensIn: 0,
      tokensCached: 0,
      tokensOut: 0,
      bytesUp,
      count: 1,
    })
    expect(Number(fromNano(logged ?? 0n))).toBeCloseTo(0.015, 2)
  })

  it('is learned from one day that was read before and after a long text', () => {
    const { speaks, estimate, sameDay } = pricedLog()
    const list = withFee(15e-6, 0.001)
    speaks(list, [53])
    expect(estimate(long)).toBeNull()
    sameDay()
    speaks(list, [4096, 4096, 2000])
    expect(estimate(long)).toBeCloseTo(total(list, long), 2)
  })

  it('with a minimum charge is the minimum for short texts, and by size for long ones', () => {
    const { speaks, estimate } = pricedLog()
    const list = withMinimum(15e-6, 0.01)
    for (const sizes of [[20], [50, 60], [4000], [4096, 2000]]) speaks(list, sizes)
    expect(estimate([40])).toBeCloseTo(0.01, 4)
    expect(estimate(long)).toBeCloseTo(total(list, long), 2)
  })

  it('follows the newest days after a change', () => {
    const { speaks, estimate } = pricedLog()
    for (let times = 0; times < 12; times += 1) speaks(perByte(30e-6), times % 2 ? [100] : [3000])
    for (let times = 0; times < 12; times += 1) speaks(perByte(15e-6), times % 2 ? [100] : [3000])
    expect(estimate(long)).toBeCloseTo(0.3, 1)
  })

  const price = fc.double({ min: 1e-7, max: 1e-3, noNaN: true })
  const lists = fc.oneof(
    price.map(perByte),
    fc.tuple(price, fc.double({ min: 1, max: 3000, noNaN: true })).map(([p, at]) => withMinimum(p, p * at)),
    fc.tuple(price, fc.double({ min: 1, max: 3000, noNaN: true })).map(([p, at]) => withFee(p, p * at)),
    fc.tuple(price, fc.double({ min: 1, max: 1500, noNaN: true })).map(([p, at]) => roundedUp(p, p * at)),
  )
  const size = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 4096 }))
  const anySettings = fc.record({
    voice: fc.constantFrom('alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'),
    response_format: fc.constantFrom('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
    speed: fc.constantFrom(undefined, 0.25, 1.5, 4),
  })
  const days = fc.array(fc.array(size, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 })

  it('is within a factor of 2.5, or unknown, for any price list and any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        days,
        fc.array(size, { minLength: 1, maxLength: 8 }),
        anySettings,
        async (list, history, parts, settings) => {
          const { speaks, estimate } = pricedLog()
          for (const sizes of history) speaks(list, sizes, [], settings)
          const estimated = estimate(parts)
          await open.pop()?.close()
          const factor = (estimated ?? total(list, parts)) / total(list, parts)
          expect(factor).toBeGreaterThan(1 / 2.5)
          expect(factor).toBeLessThan(2.5)
        },
      ),
      { numRuns: tries(30, 2000) },
    )
  }, 600_000)

  it('is known, and within a fifth for 100 bytes or more, once short and long texts were spoken, each with others of its size', async () => {
    await fc.assert(
      fc.asyncProperty(price.map(perByte), fc.array(size, { minLength: 1, maxLength: 8 }), async (list, parts) => {
        const { speaks, estimate } = pricedLog()
        for (const sizes of [[30, 60], [300], [1200, 1500], [4096, 4000]]) speaks(list, sizes)
        const long = parts.map((bytes) => Math.max(100, bytes))
        const estimated = estimate(long)
        await open.pop()?.close()
        expect((estimated ?? 0) / total(list, long)).toBeGreaterThan(0.8)
        expect((estimated ?? 0) / total(list, long)).toBeLessThan(1.25)
      }),
      { numRuns: tries(15, 500) },
    )
  }, 600_000)
})
