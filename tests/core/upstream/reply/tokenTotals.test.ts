import { expect, test } from 'vitest'
import type { Scheduler } from '../../../../src-main/core/ports/requests.ts'
import { totalTokens } from '../../../../src-main/core/upstream/reply/usage.ts'
import { noRequestLog } from '../../../../src-main/core/upstream/sending/defaults.ts'
import { collect, serve, sse } from '../helpers/service.ts'

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
const requester = { kind: 'app', id: 'a', failFast: false } as const
const notice = {
  requester,
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat',
  model: 'm',
  stream: true,
} as const

/** Sends one chat as the studio and one as an app. Returns the token totals that the scheduler received. */
async function totalsFor(events: string): Promise<(number | null)[]> {
  const totals: (number | null)[] = []
  const scheduler: Scheduler = {
    enter: () => ({ leave: (tokens) => void totals.push(tokens) }),
    saw: () => undefined,
  }
  const listener = (_: unknown, response: Parameters<typeof sse>[0]): void => {
    sse(response)
    response.end(events)
  }
  const { upstream } = await serve(listener, { scheduler })
  await collect(upstream.streamChatCompletion(chat))
  const body = new TextEncoder().encode(JSON.stringify({ ...chat, stream: true }))
  const reply = await upstream.forward({
    ...notice,
    trace: noRequestLog.open({ ...notice, logBodies: false }),
    headers: [['content-type', 'application/json']],
    body,
    signal: new AbortController().signal,
    tokensIn: Math.ceil(body.length / 4),
    tokens: Math.ceil(body.length / 4) + 500,
    retries: false,
    stripUsage: false,
    local: () => '',
    mayCopy: false,
    bodyDone: () => undefined,
    reserveMemory: async () => null,
  })
  await collect(reply.body)
  await new Promise((resolve) => setImmediate(resolve))
  return totals
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const text = event({ choices: [{ index: 0, delta: { content: 'Hello there' }, finish_reason: 'stop' }] })

test('a usage without a total counts as prompt plus completion, in a chat of the studio and in a request of an app', async () => {
  const usage = event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } })
  expect(await totalsFor(`${text}${usage}data: [DONE]\n\n`)).toEqual([12, 12])
})

test('a reply without a usage counts as the estimate of the prompt plus its text, without the tokens reserved for the reply', async () => {
  const promptTokens = Math.ceil(JSON.stringify({ ...chat, stream: true }).length / 4)
  expect(await totalsFor(`${text}data: [DONE]\n\n`)).toEqual([promptTokens + 2, promptTokens + 2])
})

test('the total of a service is used as it is, and half a usage has no total', () => {
  const usage = { promptTokens: 5, completionTokens: 7, totalTokens: 13, cachedTokens: null }
  expect(totalTokens(usage)).toBe(13)
  expect(totalTokens({ ...usage, totalTokens: null })).toBe(12)
  expect(totalTokens({ ...usage, totalTokens: null, promptTokens: null })).toBeNull()
  expect(totalTokens({ ...usage, totalTokens: null, completionTokens: null })).toBeNull()
  expect(totalTokens(null)).toBeNull()
})
