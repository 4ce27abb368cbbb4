import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { ended, freshFolder, readUntil, testHost } from '../../helpers/core.ts'

const canary = `sk-canary-${randomUUID()}`

it('the request log has the request and the raw reply of a chat, without the API key, unless that is switched off [AUTH-03]', async () => {
  const service = await startSandbox({ apiKey: canary })
  const { host } = testHost(freshFolder())
  const core = await createCore(host, { connect: { baseUrl: service.baseUrl, apiKey: canary }, proxyPort: null })
  const client = createRouterClient(core.router)
  const ask = async () => {
    const text = `My key is ${canary}`
    const sent = await client.chat.send({ requestId: randomUUID(), conversationId: null, text, models: ['mirror'] })
    const path = await readUntil(await client.chat.watch(sent), ended)
    const reply = path.at(-1)
    expect(reply).toMatchObject({ status: 'complete', requestRow: expect.any(Number) })
    return { reply, detail: await client.requests.get({ id: reply?.requestRow ?? -1 }) }
  }
  try {
    const { reply, detail } = await ask()
    const { requestBody, replyBody, row } = detail
    expect(row).toMatchObject({ id: reply?.requestRow, model: 'mirror' })
    const sent = JSON.parse(requestBody?.text ?? '')
    expect(sent).toMatchObject({ model: 'mirror', stream: true, messages: [{ role: 'user' }] })
    expect(sent.messages[0].content).toMatch(/^My key is (?!sk-canary)/)
    expect(replyBody?.text).toMatch(/^data: \{[\s\S]*data: \[DONE\]\s*$/)
    expect(JSON.stringify(detail)).not.toContain(canary)

    await client.app.updateSettings({ chatBodies: false })
    const silent = await ask()
    expect(silent.detail).toMatchObject({ requestBody: null, replyBody: null })
  } finally {
    await core.stop()
    await service.close()
  }
})
