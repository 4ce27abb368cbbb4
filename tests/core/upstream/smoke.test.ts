import { expect, test } from 'vitest'
import { collect, json, serve, sse } from './helpers/service.ts'

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }

test('[SSE-01] [SSE-03] a reply streams as content increments and ends with done', async () => {
  const { upstream } = await serve((_, response) => {
    sse(response)
    response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"He"}}]}\n\n')
    response.end('data: {"choices":[{"delta":{"content":"llo"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  })
  const events = await collect(upstream.streamChatCompletion(chat))
  expect(events.slice(1)).toEqual([
    { type: 'meta', id: 'c', model: null, created: null },
    { type: 'content', choice: 0, text: 'He' },
    { type: 'content', choice: 0, text: 'llo' },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'done' },
  ])
})

test('[MOD-01] models', async () => {
  const { upstream, requests } = await serve((_, response) => json(response, 200, { data: [{ id: 'a', x: 1 }, {}] }))
  expect((await upstream.listModels()).value.data).toEqual([{ id: 'a', x: 1 }])
  expect(requests[0]?.headers.authorization).toMatch(/^Bearer sk-canary/)
})
