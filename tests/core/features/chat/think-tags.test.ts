import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { openFarEnd } from '../../../helpers/gateway.ts'
import { ended, freshFolder, readUntil, testHost } from '../../helpers/core.ts'

it('thinking in tags is stored as reasoning and not sent back, unless that is switched off', async () => {
  const tagged = { index: 0, delta: { content: '<think>Hm.</think>\n\nHello' }, finish_reason: 'stop' }
  const service = await openFarEnd((request, response) => {
    const isChat = request.url === '/v1/chat/completions'
    response.writeHead(200, { 'content-type': isChat ? 'text/event-stream' : 'application/json' })
    response.end(isChat ? `data: ${JSON.stringify({ choices: [tagged] })}\n\n` : '{"data":[{"id":"writer"}]}')
  })
  const { host } = testHost(freshFolder())
  const core = await createCore(host, {
    connect: { baseUrl: service.url, apiKey: 'sk-test-of-the-tags' },
    proxyPort: null,
  })
  const client = createRouterClient(core.router)
  const ask = async (conversationId: string | null = null) => {
    const sent = await client.chat.send({ requestId: randomUUID(), conversationId, text: 'Hi', models: ['writer'] })
    const path = await readUntil(await client.chat.watch(sent), ended)
    return { reply: path.at(-1), conversationId: sent.conversationId }
  }
  try {
    const { reply, conversationId } = await ask()
    expect(reply).toMatchObject({ status: 'complete', text: 'Hello', reasoning: 'Hm.' })
    const next = await ask(conversationId)
    const { requestBody } = await client.requests.get({ id: next.reply?.requestRow ?? -1 })
    const { messages } = JSON.parse(requestBody?.text ?? '') as { messages: { role: string; content: string }[] }
    expect(messages.find(({ role }) => role === 'assistant')).toEqual({ role: 'assistant', content: 'Hello' })

    await client.app.updateSettings({ thinkTags: false })
    const raw = await ask()
    expect(raw.reply).toMatchObject({ text: '<think>Hm.</think>\n\nHello', reasoning: '' })
  } finally {
    await core.stop()
    await service.close()
  }
})
