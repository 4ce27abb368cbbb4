import { expect, onTestFinished } from 'vitest'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { Answer } from '../../helpers/appRequest.ts'
import { type Gateway, type GatewayOptions, openGateway } from '../../helpers/gateway.ts'
import { asks, errorOf } from './app.ts'
import { jsonReply } from './bytes.ts'
import { openRawFarEnd, type RawFarEnd, type Turn } from './rawFarEnd.ts'

export const apiKey = 'sk-canary-5b1e88a0c4f7d269'
/** Number of attempts in this suite. */
export const attempts = 3
/** Timeout, ms: long for loopback, short for a test. */
export const timeouts = { headersTimeoutMs: 300, idleTimeoutMs: 300 }
/** Time in which something immediate has happened on a busy machine, ms. */
export const soon = 2000

/** A request with this header gets a valid reply. The test's `act` answers all other requests. */
const wellMark = 'x-well'

export interface Setting {
  far: RawFarEnd
  gateway: Gateway
}

/**
 * The real gateway in front of a far end that calls `act` for each request. Both are closed when the test ends. The service's key has one
 * slot, so that a leaked slot blocks the next request.
 */
export async function openSetting(
  act: (turn: Turn) => void | Promise<void>,
  { early = false, ...options }: GatewayOptions & { early?: boolean } = {},
): Promise<Setting> {
  const far = await openRawFarEnd(
    async (turn) => {
      if (turn.seen.headers.has(wellMark)) await turn.write(jsonReply)
      else await act(turn)
    },
    { early },
  )
  const gateway = await openGateway(far.url, apiKey, {
    retry: { maxAttempts: attempts, baseDelayMs: 2, maxDelayMs: 5 },
    network: timeouts,
    ...options,
  })
  gateway.scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
  onTestFinished(async () => {
    await gateway.close()
    await far.close()
  })
  return { far, gateway }
}

/** Requests that reached the far end, without those of `expectFree`. */
export const asked = ({ far }: Setting): number => far.seen.filter(({ headers }) => !headers.has(wellMark)).length

/** Checks that nothing runs or waits, and that the key's only slot is free for the next request. */
export async function expectFree({ gateway }: Setting): Promise<void> {
  await expect.poll(() => gateway.proxy.counts().active, { timeout: soon, interval: 5 }).toBe(0)
  const next = await asks(gateway.url, { headers: { [wellMark]: '1' } }).outcome
  expect(next).toMatchObject({ status: 200, whole: true })
  expect(gateway.scheduler.counts()).toMatchObject({ waiting: 0 })
}

/** Waits until a row of the log matches. `at` is its position from the newest, which is 0. */
export async function expectRow({ gateway }: Setting, row: object, at = 0): Promise<void> {
  const read = async (): Promise<RequestRow | undefined> => (await gateway.rows())[at]
  await expect.poll(read, { timeout: soon, interval: 10 }).toMatchObject(row)
}

/** Our own answer: the service's error object, marked as ours, with retries forbidden. */
export function expectOurAnswer(outcome: Answer, status: number, code: string): void {
  expect(outcome).toMatchObject({ status, whole: true })
  expect(errorOf(outcome)).toMatchObject({
    code,
    type: expect.stringMatching(/^studio_/),
    message: expect.stringMatching(/\w/),
  })
  expect(outcome.headers).toMatchObject({ 'x-should-retry': 'false', 'x-studio-answer': errorOf(outcome).type })
}
