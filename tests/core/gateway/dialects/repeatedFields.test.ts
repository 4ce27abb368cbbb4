// @isolated: measures the turns of the event loop.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import { tries } from '../../../helpers/effort.ts'
import { longestTurn, slowness } from '../../../helpers/longestTurn.ts'
import { testGateways } from '../../../helpers/testGateways.ts'
import { oneOfEach, type RepeatedRequest, repeatedRequests } from './repeatedFields.ts'

const { beforeSandbox } = testGateways()
const isLong = tries(0, 1) === 1

/** How long another app, a window or a cancel may wait, ms of processor time of the main thread. */
const bar = 250

it('a request that repeats any field of any API makes nothing else wait', { timeout: 1_200_000 }, async () => {
  const { gateway } = await beforeSandbox({ app: { concurrent: null } })
  const send = async ({ path, body }: Pick<RepeatedRequest, 'path' | 'body'>) => {
    const bytes = Buffer.from(body)
    const stop = longestTurn()
    const { status } = await ask(`${gateway.url}${path}`, { method: 'POST', headers: jsonWithKey, body: bytes })
    return { status, turn: stop() }
  }
  // A stored item for the references, and all that starts with the first requests.
  const input = [{ role: 'user', content: 'x'.repeat(1_500_000), id: 'msg_long' }]
  await send({ path: '/responses', body: JSON.stringify({ model: 'm', input }) })
  await send({
    path: '/messages',
    body: JSON.stringify({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }),
  })
  const check = async (request: RepeatedRequest) => {
    const { status, turn } = await send(request)
    const { path, name, body } = request
    expect(status, `${path}: ${name} (${body.length})`).toBeOneOf([200, 400, 403, 404, 413, 422, 503])
    // The slowness is measured only when it matters, since it costs as much as a request.
    if (turn >= bar) expect(turn, `${path}: ${name} (${body.length})`).toBeLessThan(bar * slowness())
  }
  const sizes = isLong ? [100_000, 900_000, 4_000_000] : [60_000]
  if (isLong) for (const request of [...oneOfEach(100_000), ...oneOfEach(900_000)]) await check(request)
  await fc.assert(fc.asyncProperty(repeatedRequests(sizes), check), { numRuns: tries(5, 400) })
})
