import type { MeterReading, Requester, RequestNotice } from '../../../src-main/core/ports/requests.ts'
import type { AccountUsage } from '../../../src-main/core/upstream/reply/schemas.ts'

export const service = 'https://service.example'

export const appRequester = (id = 'editor'): Requester => ({ kind: 'app', id, failFast: false })

export const notice = (changes: Partial<RequestNotice> = {}): RequestNotice => ({
  requester: appRequester(),
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat',
  model: 'writer-small',
  stream: true,
  logBodies: false,
  ...changes,
})

export const reading = (tokensIn: number, tokensOut: number, cached = 0): MeterReading => ({
  usage: {
    promptTokens: tokensIn,
    completionTokens: tokensOut,
    totalTokens: tokensIn + tokensOut,
    cachedTokens: cached,
  },
  measured: true,
  output: tokensOut > 0,
})

/** writer-small at 0.5 (prompt), 0.05 (cached) and 1.5 SC (reply) for a million tokens; an image costs 0.04 SC. */
export const usage: AccountUsage = {
  usage: [
    day('2026-11-01', 'writer-small', 1000, 200, 300, '0.00086'),
    day('2026-11-02', 'writer-small', 5000, 0, 100, '0.00265'),
    day('2026-11-03', 'writer-small', 9000, 3000, 7000, '0.01365'),
    day('2026-11-04', 'writer-small', 700, 600, 50, '0.000155'),
    { ...day('2026-11-04', 'painter', 0, 0, 0, '0.4'), requests: 10 },
  ],
  balance: null,
  total_spent: null,
}

export function day(date: string, model: string, tokensIn: number, cached: number, tokensOut: number, cost: string) {
  const counts = { requests: 3, tokens_in: tokensIn, tokens_out: tokensOut, tokens_cached: cached }
  return { user_id: null, date: `${date}T00:00:00Z`, model, ...counts, cost_sc: cost }
}
