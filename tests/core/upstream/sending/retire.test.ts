import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { collect } from '../helpers/service.ts'

it('a replaced client finishes its requests, fetches their files, and sends nothing else', {
  tags: 'long',
}, async () => {
  const service = await startSandbox()
  onTestFinished(() => service.close())
  const upstream = openClient(service.baseUrl, service.apiKey)
  onTestFinished(() => upstream.close())
  const drawn = await upstream.createImage({ prompt: 'A boat', n: 1 })
  const picture = drawn.value[0]
  const messages = [{ role: 'user' as const, content: 'word '.repeat(200) }]
  const reply = upstream.streamChatCompletion({ model: 'mirror', messages })[Symbol.asyncIterator]()
  let next = await reply.next()

  let over = false
  const retired = upstream.retire().then(() => {
    over = true
  })
  const before = service.observe.requests().length
  await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'connection_changed' })
  await expect(collect(upstream.streamChatCompletion({ model: 'mirror', messages }))).rejects.toMatchObject({
    kind: 'connection_changed',
  })
  expect(service.observe.requests()).toHaveLength(before)

  let text = ''
  for (; !next.done; next = await reply.next()) if (next.value.type === 'content') text += next.value.text
  expect(text.length).toBeGreaterThan(900)
  expect(over).toBe(false)
  const file = await upstream.fetchFile(picture?.url ?? expect.unreachable())
  let bytes = 0
  for await (const chunk of file.bytes) bytes += chunk.length
  expect(bytes).toBeGreaterThan(100)
  await retired
  await expect(upstream.fetchFile(picture?.url ?? '')).rejects.toThrow()
})
