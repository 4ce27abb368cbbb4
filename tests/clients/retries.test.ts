import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SchedulerClock } from '../../src-main/core/gateway/scheduler/requestScheduler.ts'
import { appKey, ask, jsonWithKey } from '../helpers/appRequest.ts'
import { type FarEnd, type Gateway, openFarEnd, openGateway } from '../helpers/gateway.ts'

// Two programs retry requests to the service: the gateway and the SDK. Their attempts must never multiply, whatever the service requests
// with
// `x-should-retry`. A real server counts the attempts. The gateway's policy has its usual four attempts, with short pauses.

type Wish = 'true' | 'false' | null
const wishes: Wish[] = [null, 'true', 'false']

let far: FarEnd
let gateway: Gateway
let client: OpenAI
let answer: { status: number; headers: [string, string][] } = { status: 503, headers: [] }

/** After a 429, the scheduler sends nothing for a second. Here this pause is 20 ms. */
const hasty: SchedulerClock = {
  now: () => performance.now() * 50,
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms / 50)
    return () => clearTimeout(timer)
  },
}

beforeAll(async () => {
  far = await openFarEnd((_request, response) => {
    const head = [['Content-Type', 'application/json'], ['Retry-After-Ms', '1'], ...answer.headers]
    response.writeHead(answer.status, head.flat()).end('{"error":{"message":"No.","type":"t","code":"c"}}')
  })
  gateway = await openGateway(far.url, 'sk-canary-7f3d2a91c05e4b68', {
    retry: { baseDelayMs: 1, maxDelayMs: 2 },
    scheduler: { clock: hasty },
  })
  client = new OpenAI({ baseURL: gateway.url, apiKey: appKey })
})
afterAll(async () => {
  await gateway.close()
  await far.close()
})
beforeEach(() => {
  far.requests.length = 0
  gateway.change({ retries: true })
})

const service = (status: number, wish: Wish, name = 'x-should-retry'): void => {
  answer = { status, headers: wish === null ? [] : [[name, wish]] }
}

const messages = [{ role: 'user' as const, content: 'Hello' }]
const chat = { model: 'm', messages }
const failing = (stream: boolean): Promise<unknown> =>
  Promise.resolve(client.chat.completions.create({ ...chat, stream })).catch((thrown: unknown) => thrown)

const matrix = [429, 502, 503, 504].flatMap((status) =>
  wishes.flatMap((wish) => [false, true].map((stream) => ({ status, wish, stream }))),
)
/**
 * Attempts by the value of `x-should-retry`: absent, the four of our policy; true, the three of the SDKs' loop, which we replace; false,
 * one.
 */
const attempts = (wish: Wish): number => (wish === 'false' ? 1 : wish === 'true' ? 3 : 4)

describe('the official openai package and the gateway are one retry loop [ERR-10]', () => {
  it.each(matrix)('for $status with x-should-retry $wish (stream: $stream)', async ({ status, wish, stream }) => {
    service(status, wish)
    const error = await failing(stream)
    if (!(error instanceof OpenAI.APIError)) throw new Error(`No APIError: ${String(error)}`)
    expect(error.status).toBe(status)
    expect(error.headers?.get('x-should-retry')).toBe('false')
    expect(far.requests).toHaveLength(attempts(wish))
  })

  it.each(wishes.flatMap((wish) => [400, 408, 409, 500].map((status) => ({ status, wish }))))(
    'for $status with x-should-retry $wish, which the gateway does not retry: the loop is the SDK’s own, as without the gateway',
    async ({ status, wish }) => {
      service(status, wish)
      const direct = new OpenAI({ baseURL: `${far.url}/v1`, apiKey: 'any' })
      await direct.chat.completions.create(chat).catch(() => undefined)
      const without = far.requests.length
      far.requests.length = 0
      const error = await failing(false)
      expect(error).toMatchObject({ status })
      expect(far.requests).toHaveLength(without)
    },
  )

  it.each(wishes)(
    'for an app whose key is set to no retries: the SDK’s alone, with x-should-retry %s',
    async (wish) => {
      gateway.change({ retries: false })
      service(503, wish)
      await failing(false)
      expect(far.requests).toHaveLength(wish === 'false' ? 1 : 3)
    },
  )

  it.each(wishes)(
    'for an upload that is too large to be kept: the SDK’s alone, with x-should-retry %s',
    async (wish) => {
      service(503, wish)
      const file = new File([new Uint8Array(400_000)], 'speech.wav')
      await client.audio.transcriptions.create({ model: 'whisper-1', file }).catch(() => undefined)
      expect(far.requests).toHaveLength(wish === 'false' ? 1 : 3)
    },
  )
})

describe('x-should-retry in the response to the app', () => {
  const heads: [headers: string[], status: number, read: string | undefined, asked: number][] = [
    [[], 503, 'false', 4],
    [['x-should-retry: true'], 503, 'false', 3],
    [['X-Should-Retry: TRUE'], 503, 'false', 3],
    [['x-should-retry: false'], 503, 'false', 1],
    [['X-SHOULD-RETRY:  False '], 429, 'false', 1],
    [['x-should-retry: false', 'X-Should-Retry: false'], 503, 'false', 1],
    [['x-should-retry: true', 'x-should-retry: false'], 503, 'false', 1],
    [['x-should-retry: false, true'], 503, 'false', 1],
    [['x-should-retry: perhaps'], 503, 'false', 4],
    [['x-should-retry: true', 'x-should-retry: true'], 500, 'true', 1],
    [['x-should-retry: true'], 200, 'true', 1],
    [[], 500, undefined, 1],
  ]
  it.each(heads)('is one value: %j with %i becomes %s', async (headers, status, read, asked) => {
    answer = { status, headers: headers.map((line) => line.split(': ', 2) as [string, string]) }
    const reply = await ask(`${gateway.url}/chat/completions`, {
      method: 'POST',
      headers: jsonWithKey,
      body: JSON.stringify(chat),
    })
    expect(reply.status).toBe(status)
    expect(reply.headers['x-should-retry']).toBe(read)
    expect(far.requests).toHaveLength(asked)
  })
})

describe('the studio itself obeys x-should-retry [ERR-10]', () => {
  it.each(matrix.filter(({ stream }) => stream))('for $status with $wish', async ({ status, wish }) => {
    service(status, wish)
    const run = async (): Promise<void> => {
      for await (const _ of gateway.upstream.streamChatCompletion(chat)) void _
    }
    await expect(run()).rejects.toMatchObject({ facts: { status } })
    expect(far.requests).toHaveLength(attempts(wish))
  })
})
