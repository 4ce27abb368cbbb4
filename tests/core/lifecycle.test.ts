import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { createCore } from '../../src-main/core/core.ts'
import { ended, freshFolder, readUntil, testHost } from './helpers/core.ts'

it('stopping stores a running reply as incomplete with the reason, and the sandbox profile exists again afterwards', async () => {
  const folder = freshFolder()
  const first = await createCore(testHost(folder).host)
  const client = createRouterClient(first.router)
  expect(first.state().connection.state).toBe('none')
  const profile = await client.connection.useSandbox()
  expect(profile).toMatchObject({ kind: 'sandbox', keyKept: 'sandbox' })
  const input = { requestId: randomUUID(), conversationId: null, text: 'Go on', models: ['writer-large'] }
  const sent = await client.chat.send(input)
  await readUntil(await client.chat.watch(sent), ({ text }) => text !== '')
  await client.chat.saveDraft({ conversationId: sent.conversationId, draft: 'half a tho' })
  await client.app.updateSettings({ theme: 'dark' })
  await first.stop()

  const second = await createCore(testHost(folder).host)
  try {
    const path = await readUntil(second.chat.watch(sent), ended)
    expect(path.at(-1)).toMatchObject({ status: 'incomplete', problem: { kind: 'cancelled', outputStarted: true } })
    expect(path.at(-1)?.problem?.message).not.toMatch(/charged|billed/)
    const again = createRouterClient(second.router)
    const list = await again.chat.watchList()
    expect((await list.next()).value).toMatchObject({ conversations: [{ draft: 'half a tho', running: false }] })
    await again.chat.remove(sent)
    expect((await list.next()).value).toEqual({ type: 'removed', id: sent.conversationId })
    await again.chat.restore({ removedId: sent.conversationId })
    expect((await list.next()).value).toMatchObject({ type: 'upsert' })
    await list.return?.()
    await again.connection.retest()
    expect(second.state()).toMatchObject({
      settings: { theme: 'dark', proxyPort: 8787 },
      connection: { state: 'connected', profile: { id: profile.id } },
    })
    expect((await again.models.list({ refresh: true })).models.length).toBeGreaterThan(3)
    expect(second.addresses().sandbox?.apiKey).toBeTypeOf('string')
  } finally {
    await second.stop()
  }
})
