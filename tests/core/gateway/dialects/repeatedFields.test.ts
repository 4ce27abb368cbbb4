// @isolated: measures the turns of the event loop.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonWithKey, secondKey } from '../../../helpers/appRequest.ts'
import { tries } from '../../../helpers/effort.ts'
import { longestTurn, slowness } from '../../../helpers/longestTurn.ts'
import { startServiceAndApps } from '../../../helpers/serviceAndApps.ts'
import { testGateways } from '../../../helpers/testGateways.ts'
import { oneOfEach, type RepeatedRequest, repeatedRequests } from './repeatedFields.ts'

const { beforeUrl, closers } = testGateways()
const isLong = tries(0, 1) === 1

/** How long another app, a window or a cancel may wait, ms of processor time of the main thread. */
const bar = 250

it('a request that repeats any field of any API makes nothing else wait', { timeout: 1_200_000 }, async () => {
  const far = await startServiceAndApps()
  closers.push(far.close)
  const gateway = await beforeUrl(far.baseUrl, { app: { concurrent: null } }, far.key)
  const short = JSON.stringify({ model: 'writer-small', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] })
  const ofSecondApp = { ...jsonWithKey, authorization: `Bearer ${secondKey}`, 'x-sandbox-tokens-per-second': '0' }
  const send = async ({ path, body }: Pick<RepeatedRequest, 'path' | 'body'>) => {
    const stop = longestTurn()
    const [status, beside] = await Promise.all([
      far.post(`${gateway.url}${path}`, jsonWithKey, body),
      far.post(`${gateway.url}/messages`, ofSecondApp, short),
    ])
    return { status, beside, turn: stop() }
  }
  // A stored item for the references, and all that starts with the first requests.
  const input = [{ role: 'user', content: 'x'.repeat(1_500_000), id: 'msg_long' }]
  await send({ path: '/responses', body: JSON.stringify({ model: 'm', input }) })
  await send({ path: '/messages', body: short })
  const check = async (request: RepeatedRequest) => {
    const { status, beside, turn } = await send(request)
    const { path, name, body } = request
    expect(status, `${path}: ${name} (${body.length})`).toBeOneOf([200, 400, 403, 404, 413, 422, 503])
    expect(beside, `${path}: ${name} (${body.length}), the request of another app beside it`).toBe(200)
    // The slowness is measured only when it matters, since it costs as much as a request.
    if (turn >= bar) expect(turn, `${path}: ${name} (${body.length})`).toBeLessThan(bar * slowness())
  }
  const sizes = isLong ? [100_000, 900_000, 4_000_000] : [60_000]
  if (isLong) for (const request of [...oneOfEach(100_000), ...oneOfEach(900_000)]) await check(request)
  await fc.assert(fc.asyncProperty(repeatedRequests(sizes), check), { numRuns: tries(5, 400) })
})
