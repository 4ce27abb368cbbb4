import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { RPCHandler } from '@orpc/server/message-port'
import { expect, it } from 'vitest'
import { createCore } from '../../src-main/core/core.ts'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import type { Contract } from '../../src-preload/contract/contract.ts'
import { freshFolder, readUntil, testHost } from './helpers/core.ts'

it('the router works over a message port with events, stop, abort and problems, and the key is in no event, file or log line [CHAT-16] [AUTH-03]', async () => {
  const canary = 'sk-canary-4f1d7c20b95e4a6f8d3b'
  const service = await startSandbox({ apiKey: canary })
  const folder = freshFolder()
  const { host, lines } = testHost(folder)
  const core = await createCore(host, { connect: { baseUrl: service.baseUrl, apiKey: canary } })
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(core.router).upgrade(port1)
  const client: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port: port2 }))
  const seen: unknown[] = []
  try {
    const leave = new AbortController()
    const states = await client.app.watch(undefined, { signal: leave.signal })
    seen.push((await states.next()).value)
    leave.abort()

    const sent = await client.chat.send({
      requestId: randomUUID(),
      conversationId: null,
      text: 'Hi',
      models: ['writer-large'],
    })
    const events = await client.chat.watch({ conversationId: sent.conversationId })
    seen.push(await readUntil(events, ({ text }) => text.length > 0))
    expect(await client.chat.stop({ replyId: sent.replyIds[0] ?? '' })).toEqual({ stopped: true })
    const stopped = await readUntil(
      await client.chat.watch({ conversationId: sent.conversationId }),
      ({ status }) => status === 'stopped',
    )
    seen.push(stopped)
    const request = service.observe.requests().find(({ path }) => path.endsWith('/chat/completions'))
    expect(await service.observe.whenClosed(request?.id ?? '')).toMatchObject({ closedByClient: true })

    const lost = client.chat.stop({ replyId: randomUUID() })
    expect(await lost).toEqual({ stopped: false })
    const gone = await client.chat
      .update({ conversationId: randomUUID(), title: 'x' })
      .catch((thrown: unknown) => thrown)
    expect(gone).toMatchObject({ code: 'PROBLEM', defined: true, data: { kind: 'no_such_item' } })
    const foreign = await client.app.openExternal({ url: 'file:///etc/passwd' }).catch((thrown: unknown) => thrown)
    expect(foreign).toMatchObject({ data: { kind: 'bad_input' } })
    seen.push(gone, foreign, core.state())
  } finally {
    port1.close()
    await core.stop()
    await service.close()
  }
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  expect(JSON.stringify([seen, lines]) + files.join('')).not.toContain(canary)
  expect(files.length).toBeGreaterThan(0)
})
