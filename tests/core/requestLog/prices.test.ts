import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { fitPrices } from '../../../src-main/core/requestLog/priceFit.ts'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { fromNano } from '../../../src-main/core/shared/money.ts'
import { requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { type AccountUsage, accountUsage } from '../../../src-main/core/upstream/reply/schemas.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { MODELS } from '../../../src-main/sandbox/world/models.ts'
import { day, openRequestLog, reading, rowOf, sent, service, usage } from './helpers.ts'

const open: SqliteRequestLog[] = []
afterEach(async () => {
  for (const requestLog of open.splice(0)) await requestLog.close()
})
function fresh(options: Parameters<typeof openRequestLog>[0] = {}): SqliteRequestLog {
  const { requestLog } = openRequestLog({ now: () => Date.UTC(2026, 10, 21, 12), ...options })
  open.push(requestLog)
  return requestLog
}
const use = (tokensIn: number, tokensOut: number, tokensCached = 0, count = 1) => ({
  tokensIn,
  tokensOut,
  tokensCached,
  bytesUp: 0,
  count,
})
const rows = (...list: NonNullable<AccountUsage['usage']>): AccountUsage => ({
  usage: list,
  balance: null,
  total_spent: null,
})

describe('prices', () => {
  it('are unknown before the service reported its daily rows', () => {
    const requestLog = fresh()
    expect(requestLog.prices.price('chat', 'writer-small', use(1, 1))).toBeNull()
    expect(requestLog.prices.dearest('chat', use(1, 1))).toBeNull()
    expect(requestLog.prices.price('models', null, use(0, 0))).toBe(0n)
  })

  it('are exact for each class of tokens when the rows agree', () => {
    const requestLog = fresh()
    requestLog.learn(usage, service)
    expect(requestLog.prices.get('writer-small')).toMatchObject({ how: 'separate', days: 4 })
    expect(requestLog.prices.price('chat', 'writer-small', use(1_000_000, 0))).toBe(500_000_000n)
    expect(requestLog.prices.price('chat', 'writer-small', use(1_000_000, 0, 1_000_000))).toBe(50_000_000n)
    expect(requestLog.prices.price('chat', 'writer-small', use(0, 1_000_000))).toBe(1_500_000_000n)
    expect(requestLog.prices.price('chat', 'writer-small', use(1, 0, 1))).toBe(50n)
  })

  it('reproduce every row’s cost to a billionth, for any true prices and usage', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 14n })
    const tokens = fc.bigInt({ min: 0n, max: 10n ** 9n })
    fc.assert(
      fc.property(
        fc.tuple(price, price, price),
        fc.array(fc.tuple(tokens, tokens, tokens), { minLength: 4, maxLength: 30, size: 'max' }),
        ([pf, pc, po], uses) => {
          const days = uses.map(([fresh, cached, out]) => ({
            fresh,
            cached,
            out,
            growing: false,
            cost: pf * fresh + pc * cached + po * out,
          }))
          const fit = fitPrices(days)
          const used = days.some((one) => one.fresh + one.cached + one.out > 0n)
          if (!used) return fit === null
          // Too few independent rows leave a price open. The average is used then, and `how` says so.
          if (!fit || fit.how === 'blend') return fit !== null
          return days.every((one) => {
            const cost = fit.fresh * one.fresh + fit.cached * one.cached + fit.out * one.out
            const miss = cost > one.cost ? cost - one.cost : one.cost - cost
            return miss <= 3n * 10n ** 9n
          })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('are the average of a token when every row has the same mixture, and better when one differs', () => {
    const requestLog = fresh()
    const same = [1, 2, 3, 4, 5].map((times) =>
      day(`2026-11-0${times}`, 'm', 300 * times, 100 * times, 180 * times, `${(0.000375 * times).toFixed(9)}`),
    )
    requestLog.learn(rows(...same), service)
    expect(requestLog.prices.get('m')?.how).toBe('blend')
    // 200 fresh, 100 cached, 180 out: 0.000375 SC for 480 tokens.
    expect(requestLog.prices.price('chat', 'm', use(300, 180, 100))).toBe(375_000n)
    const other = [day('2026-11-06', 'm', 1000, 0, 10, '0.000515'), day('2026-11-07', 'm', 50, 40, 900, '0.001357')]
    requestLog.learn(rows(...same, ...other), service)
    expect(requestLog.prices.get('m')?.how).toBe('separate')
    expect(requestLog.prices.price('chat', 'm', use(1000, 0))).toBe(500_000n)
    expect(requestLog.prices.price('chat', 'm', use(0, 1000))).toBe(1_500_000n)
  })

  it('are not exact when there are only just enough rows to compute them', () => {
    const requestLog = fresh()
    const few = [day('2026-11-01', 'm', 1000, 0, 300, '0.00095'), day('2026-11-02', 'm', 2000, 0, 100, '0.00115')]
    requestLog.learn(rows(...few), service)
    expect(requestLog.prices.get('m')?.how).toBe('blend')
  })

  it('are close when the service rounds its costs', () => {
    const requestLog = fresh()
    const rounded = Array.from({ length: 20 }, (_, index) => {
      const [tokensIn, cached, out] = [
        10_000 + ((index * 7919) % 50_000),
        (index * 997) % 9000,
        (index * 3571) % 20_000,
      ]
      const cost = (0.5 * (tokensIn - cached) + 0.05 * cached + 1.5 * out) / 1e6
      return day(`2026-11-${String(index + 1).padStart(2, '0')}`, 'm', tokensIn, cached, out, cost.toFixed(6))
    })
    requestLog.learn(rows(...rounded), service)
    expect(Number(requestLog.prices.price('chat', 'm', use(1_000_000, 0)))).toBeCloseTo(500_000_000, -7)
    expect(Number(requestLog.prices.price('chat', 'm', use(0, 1_000_000)))).toBeCloseTo(1_500_000_000, -7)
  })

  it('follow a price change after enough days', () => {
    const requestLog = fresh()
    const at = (date: number, each: number, out: number) =>
      day(
        `2026-11-${String(date).padStart(2, '0')}`,
        'm',
        1000 * date,
        0,
        out,
        ((each * (1000 * date + out)) / 1e6).toFixed(9),
      )
    const old = [1, 2, 3, 4, 5, 6, 7, 8].map((date) => at(date, 4, date * date))
    const now = [9, 10, 11, 12, 13, 14, 15].map((date) => at(date, 2, date * date))
    requestLog.learn(rows(...old, ...now), service)
    expect(requestLog.prices.price('chat', 'm', use(1_000_000, 0))).toBe(2_000_000_000n)
  })

  it('ignore today’s row, which still grows', () => {
    const requestLog = fresh()
    const torn = day('2026-11-21', 'writer-small', 100_000, 0, 0, '0.001')
    requestLog.learn({ ...usage, usage: [...(usage.usage ?? []), torn] }, service)
    expect(requestLog.prices.price('chat', 'writer-small', use(1_000_000, 0))).toBe(500_000_000n)
  })

  it('are nothing for a free model', () => {
    const requestLog = fresh()
    requestLog.learn(rows(day('2026-11-01', 'free', 1000, 10, 200, '0')), service)
    expect(requestLog.prices.price('chat', 'free', use(1000, 1000))).toBe(0n)
    expect(requestLog.prices.get('free')?.how).toBe('free')
  })

  it('are per request when no tokens are counted, and an alias has the price of its model', () => {
    const requestLog = fresh()
    const spoken = { ...day('2026-11-01', 'tts-1', 0, 0, 0, '0.06'), requests: 4 }
    const heard = { ...day('2026-11-01', 'whisper-large-v3-turbo', 0, 0, 0, '0.012'), requests: 3 }
    const painted = { ...day('2026-11-01', 'painter', 0, 0, 0, '0.4'), requests: 10 }
    requestLog.learn(rows(spoken, heard, painted), service)
    expect(requestLog.prices.price('speech', null, use(0, 0))).toBe(15_000_000n)
    expect(requestLog.prices.price('transcription', 'whisper-1', use(0, 0))).toBe(4_000_000n)
    expect(requestLog.prices.price('transcription', 'whisper-large-v3', use(0, 0))).toBeNull()
    expect(requestLog.prices.price('images', 'anything', use(0, 0, 0, 4))).toBe(160_000_000n)
    expect(requestLog.prices.dearest('speech', use(0, 0))).toBe(40_000_000n)
    expect(requestLog.prices.dearest('chat', use(1, 1))).toBeNull()
  })

  it('of the most expensive model are used for a reservation', () => {
    const requestLog = fresh()
    requestLog.learn(usage, service)
    requestLog.learn(
      rows(day('2026-11-01', 'dear', 1000, 0, 0, '0.1'), day('2026-11-02', 'dear', 2000, 0, 0, '0.2')),
      service,
    )
    expect(requestLog.prices.dearest('chat', use(1000, 0))).toBe(100_000_000n)
  })

  it('are stored for each service separately', async () => {
    const { requestLog, dataDir } = openRequestLog()
    requestLog.learn(usage, service)
    requestLog.learn(rows(day('2026-11-01', 'other', 1000, 0, 0, '0.1')), 'https://other.example')
    expect(requestLog.prices.price('chat', 'writer-small', use(1, 1))).toBeNull()
    await requestLog.close()
    const again = fresh({ dataDir })
    expect(again.prices.price('chat', 'other', use(1000, 0))).toBe(100_000_000n)
    again.connectedTo(service)
    expect(again.prices.price('chat', 'writer-small', use(1_000_000, 0))).toBe(500_000_000n)
    expect(again.prices.price('chat', 'other', use(1, 1))).toBeNull()
  })

  it('apply even if they can’t be stored, and are ignored after the log was closed', async () => {
    const { requestLog, dataDir, lines } = openRequestLog()
    const other = new DatabaseSync(requestLogFile(dataDir))
    other.exec("CREATE TRIGGER full BEFORE INSERT ON prices BEGIN SELECT RAISE(ABORT, 'full'); END")
    other.close()
    requestLog.learn(usage, service)
    expect(lines).toEqual([expect.stringMatching('^error Prices could not be stored')])
    expect(requestLog.prices.price('chat', 'writer-small', use(1_000_000, 0))).toBe(500_000_000n)
    expect(requestLog.prices.price('images', null, use(0, 0))).toBe(40_000_000n)
    await requestLog.close()
    requestLog.learn(usage, service)
    expect(lines).toHaveLength(1)
  })

  it('ignore invalid rows', () => {
    const requestLog = fresh()
    const bad = [
      day('2026-11-01', 'm', -5, 0, 0, '1'),
      day('2026-11-01', 'm', 1.5, 0, 0, '1'),
      day('2026-11-01', 'm', 5, 0, 0, 'lots'),
      day('2026-11-01', 'm', 5, 0, 0, '-1'),
      day('2026-11-01', 'm', 5, 0, 0, '1e999'),
      { ...day('2026-11-01', '', 5, 0, 0, '1'), model: null },
      { ...day('2026-11-01', 'm', 5, 0, 0, '1'), cost_sc: null },
    ]
    requestLog.learn(rows(...bad), service)
    requestLog.learn({ usage: null, balance: null, total_spent: null }, service)
    expect(requestLog.prices.get('m')).toBeNull()
    requestLog.learn(rows(day('nonsense', 'm', 1000, 5000, 0, '1e-3')), service)
    expect(fromNano(requestLog.prices.price('chat', 'm', use(1000, 0)) ?? -1n)).toBe('0.001')
  })

  it('of the sandbox are learned from its seeded history, and predict what it charges', async () => {
    const now = (): number => Date.UTC(2026, 10, 21, 12)
    const sandbox = await startSandbox({ seed: 'prices', now })
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    const accountUsageNow = async (): Promise<AccountUsage> => {
      const reply = await fetch(`${sandbox.baseUrl}/v1/usage`, { headers })
      // Costs as text, as the client of the service reads them.
      const text = (await reply.text()).replace(/"(cost_sc|balance|total_spent)":([-\d.e+]+)/g, '"$1":"$2"')
      return accountUsage.parse(JSON.parse(text))
    }
    try {
      const requestLog = fresh({ now })
      requestLog.learn(await accountUsageNow(), sandbox.baseUrl)
      for (const { id, kind, price } of MODELS.filter(({ history }) => history > 0)) {
        const million = 1_000_000
        const classes = [use(million, 0), use(million, 0, million), use(0, million)]
        const found =
          kind === 'chat'
            ? classes.map((one) => requestLog.prices.price('chat', id, one))
            : [requestLog.prices.price(endpoints[kind], id, use(0, 0))]
        const truly = kind === 'chat' ? [price.input, price.cached, price.output] : [price.each]
        expect({ id, found: found.map((cost) => fromNano(cost ?? -1n)) }).toEqual({ id, found: truly })
      }
      const body = JSON.stringify({ model: 'writer-large', messages: [{ role: 'user', content: 'Tell me a story.' }] })
      const reply = await fetch(`${sandbox.baseUrl}/v1/chat/completions`, { method: 'POST', headers, body })
      const { usage: used } = JSON.parse(await reply.text())
      const trace = sent(requestLog, { model: 'writer-large', stream: false })
      const [tokensIn, tokensOut] = [used?.prompt_tokens ?? 0, used?.completion_tokens ?? 0]
      trace.ends({ state: 'done' }, reading(tokensIn, tokensOut, used?.prompt_tokens_details?.cached_tokens ?? 0))
      const today = (await accountUsageNow()).usage?.find(
        ({ date, model }) => date?.startsWith('2026-11-21') && model === 'writer-large',
      )
      expect(tokensOut).toBeGreaterThan(0)
      expect(await rowOf(requestLog, trace.id)).toMatchObject({ cost: today?.cost_sc, costIs: 'estimated' })
    } finally {
      await sandbox.close()
    }
  })
})

const endpoints = { speech: 'speech', transcription: 'transcription', image: 'images' } as const
