import { expect, test } from 'vitest'
import { closed, collect, failure, json, serve, sse } from '../helpers/service.ts'

const million = 1_000_000

test.each([
  ['nested without an end', '['.repeat(64 * 1024)],
  ['with values without an end', `{"data":[${'{},'.repeat(2 * million)}`],
  ['nested inside of what is no UTF-8', `{"a":"\u00ff","b":${'['.repeat(64 * 1024)}`],
])('a JSON reply %s is rejected long before its end', async (_what, start) => {
  const { upstream, requests } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    // This stream never ends.
    response.write(Buffer.from(start, 'latin1'))
  })
  await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'malformed_reply' })
  const [request] = requests
  if (request) await closed(request)
})

test.each([
  ['models', { object: 'list', data: Array.from({ length: 100_000 }, (_, at) => ({ id: `m${at}` })) }],
  ['unknown fields', { data: [], ...Object.fromEntries(Array.from({ length: 499_000 }, (_, at) => [`k${at}`, 1])) }],
])('a reply with more %s than are read at once is rejected, and nothing waits for it', async (_what, body) => {
  const { upstream } = await serve((_request, response) => json(response, 200, body))
  // The first turn of the service, in this process, makes the reply.
  const failed = upstream.listModels().catch((thrown: unknown) => thrown)
  expect(await failed).toMatchObject({ kind: 'malformed_reply', message: /too many values/ })
})

test('a JSON reply of 40 MB is rejected, unless it contains images', { tags: 'long' }, async () => {
  const { upstream } = await serve((request, response) => {
    if (request.url?.includes('images')) json(response, 200, { data: [{ b64_json: 'A'.repeat(40 * million) }] })
    else json(response, 200, { data: [{ id: 'A'.repeat(40 * million) }] })
  })
  await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'malformed_reply' })
  const [image] = (await upstream.createImage({ prompt: 'a cat' })).value
  if (!image?.content || image.content.isText) throw new Error('There is no image.')
  expect(Buffer.concat(image.content.bytes)).toHaveLength(30 * million)
  // Each chunk was decoded when it arrived, not all chunks at the end.
  expect(image.content.bytes.length).toBeGreaterThan(100)
})

test.each([
  ['nested too deep', `{"choices":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['with too many values', `{"choices":[${'{},'.repeat(600_000)}{}]}`],
])('an event %s ends the stream as malformed', async (_what, data) => {
  const { upstream } = await serve((_request, response) => {
    sse(response)
    response.end(`data: ${data}\n\ndata: [DONE]\n\n`)
  })
  const stream = upstream.streamChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  expect(await failure(collect(stream))).toMatchObject({ kind: 'malformed_reply' })
})
