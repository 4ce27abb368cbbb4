import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { afterEach, expect, test } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { isSettled } from '../../../../src-main/core/ports/toolCalls.ts'
import { emptySetup, type Message } from '../../../../src-preload/contract/chat.ts'
import { freshFolder, memorySecrets, reduce, testHost } from '../../helpers/core.ts'
import { addTool, stdioScript } from './helpers.ts'

let core: Core
afterEach(() => core.stop())

async function open(folder = freshFolder(), secrets = memorySecrets()) {
  core = await createCore(testHost(folder, secrets).host, { connect: { sandbox: true }, proxyPort: null })
  return { folder, secrets, client: createRouterClient(core.router) }
}
type Client = Awaited<ReturnType<typeof open>>['client']

/** Resolves with the active path when it fulfils the condition. */
async function path(
  client: Client,
  conversationId: string,
  good: (messages: Message[]) => boolean,
): Promise<Message[]> {
  const stop = new AbortController()
  let messages: Message[] = []
  for await (const event of await client.chat.watch({ conversationId }, { signal: stop.signal })) {
    messages =
      event.type === 'path' ? [...messages.slice(0, event.unchanged), ...event.messages] : reduce(messages, event)
    if (!good(messages)) continue
    stop.abort()
    return messages
  }
  throw new Error('The path was never so.')
}

async function withTools(client: Client) {
  const { id: own } = await client.tools.saveFunction(addTool)
  const transport = {
    kind: 'stdio' as const,
    command: process.execPath,
    args: [stdioScript],
    env: ['API_TOKEN'],
    cwd: null,
  }
  const secrets = { API_TOKEN: 'very-secret-token' }
  const { id } = await client.tools.saveServer({ name: 'Test', transport, timeoutSeconds: 20, secrets })
  await client.tools.switchServer({ id, on: true })
  await ready(client)
  const enabled = [`function:${own}`, `mcp:${id}:echo`, `mcp:${id}:slow`]
  return { ...emptySetup, tools: { ...emptySetup.tools, enabled } }
}

async function ready(client: Client): Promise<void> {
  for await (const { servers } of await client.tools.watch())
    if (servers.every(({ state }) => state === 'ready')) return
}

const ask = (client: Client, text: string, setup: typeof emptySetup) =>
  client.chat.send({ requestId: randomUUID(), conversationId: null, text, models: ['tool-caller'], setup })

const rowsOf = (messages: Message[]): Message[] => messages.filter(({ role }) => role === 'tool')
const last = (messages: Message[]): Message | undefined => messages.at(-1)
const answered = (messages: Message[]): boolean =>
  last(messages)?.role === 'assistant' && last(messages)?.finishedAt !== null && rowsOf(messages).length > 0

test('a round: the model calls two tools, a person answers one and a server the other, and the model continues with both', {
  tags: 'long',
}, async () => {
  const { client } = await open()
  const setup = await withTools(client)
  const { conversationId } = await ask(client, 'Use add and Test_echo', setup)
  const called = rowsOf(await path(client, conversationId, (all) => rowsOf(all).length === 2))
  expect(called.map(({ run }) => [run?.name, run?.state])).toEqual([
    ['add', 'awaiting'],
    ['Test_echo', 'awaiting'],
  ])
  const [add, echo] = called
  if (!add || !echo?.run) throw new Error('no rows')
  const { text: words } = JSON.parse(echo.run.arguments)
  await client.tools.decideCall({ messageId: echo.id, allow: 'conversation' })
  await client.tools.enterResult({ messageId: add.id, text: 'forty-two' })
  const whole = await path(client, conversationId, answered)
  expect(whole.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  expect(last(whole)?.text).toContain('forty-two')
  expect(last(whole)?.text).toContain(`answered:\n\n  > ${words}`)
  await expect(client.tools.decideCall({ messageId: add.id, allow: 'no' })).rejects.toMatchObject({
    data: { kind: 'bad_input' },
  })

  // The next call of this tool in this conversation runs without a decision.
  const next = { requestId: randomUUID(), conversationId, text: 'Test_echo once more', models: ['tool-caller'] }
  await client.chat.send(next)
  const on = await path(
    client,
    conversationId,
    (all) => all.length === 9 && rowsOf(all).every(({ run }) => run && isSettled(run)) && answered(all),
  )
  expect(on[7]?.run).toMatchObject({ state: 'done', allowed: 'conversation' })
})

test('calls that waited when the program ended still wait after a restart, and can be decided', {
  tags: 'long',
}, async () => {
  const first = await open()
  const setup = await withTools(first.client)
  const { conversationId } = await ask(first.client, 'add and Test_echo and Test_slow', setup)
  const rows = rowsOf(await path(first.client, conversationId, (all) => rowsOf(all).length === 3))
  const [add, echo, slow] = rows
  if (!add || !echo || !slow) throw new Error('no rows')
  await first.client.tools.decideCall({ messageId: slow.id, allow: 'once' })
  const before = performance.now()
  await core.stop()
  expect(performance.now() - before).toBeLessThan(8000)

  const { client } = await open(first.folder, first.secrets)
  await ready(client)
  const again = rowsOf(await path(client, conversationId, (all) => rowsOf(all).length === 3))
  const states = again.map(({ run }) => run?.state)
  expect(states.slice(0, 2)).toEqual(['awaiting', 'awaiting'])
  // It may have answered before the program ended: the random arguments of the model say how long it takes.
  expect(['failed', 'done']).toContain(states[2])
  await client.tools.decideCall({ messageId: echo.id, allow: 'once' })
  await client.tools.decideCall({ messageId: add.id, allow: 'no', why: 'Not today' })
  expect(last(await path(client, conversationId, answered))?.text).toContain('Not today')
})

test('deleting a chat stops its tools without asking the model, and after an undo the person can resume', {
  tags: 'long',
}, async () => {
  const { client } = await open()
  const { conversationId } = await ask(client, 'add', await withTools(client))
  const [row] = rowsOf(await path(client, conversationId, (all) => rowsOf(all).length === 1))
  await client.chat.remove({ conversationId })
  await client.chat.restore({ removedId: conversationId })
  const stopped = await path(client, conversationId, (all) => rowsOf(all)[0]?.run?.state === 'stopped')
  expect(last(stopped)?.role).toBe('tool')
  await client.tools.continueRounds({ messageId: row?.id ?? '' })
  expect(last(await path(client, conversationId, answered))?.text).toContain('The person stopped this call')
})
