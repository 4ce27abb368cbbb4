import { request } from 'node:http'
import { createRouterClient } from '@orpc/server'
import OpenAI from 'openai'
import { describe, expect, it, vi } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { AgainEvent } from '../../../../src-preload/contract/requests.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { freshFolder, memorySecrets, testHost } from '../../helpers/core.ts'

const closers = closeAfterEach()

/** A whole core at a sandbox, with the logged and streamed request of an app. */
async function logged({ dataDir = freshFolder(), model = 'writer-small', seen = 1 } = {}) {
  const sandbox = await startSandbox({ paces: { 'writer-small': 3000, mirror: 3000 } })
  closers.push(sandbox.close)
  const { host } = testHost(dataDir, memorySecrets())
  const core = await createCore(host, { connect: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }, proxyPort: 0 })
  closers.push(() => core.stop())
  const { key } = core.apps.add({ name: 'editor', logBodies: true, budgetTotal: '1' })
  const client = createRouterClient(core.router)
  const app = new OpenAI({ baseURL: core.addresses().proxy ?? '', apiKey: key, maxRetries: 0 })
  const stream = await app.chat.completions.create({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  let text = ''
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  const row = await vi.waitFor(async () => {
    const { rows } = await client.requests.page({ filter: { polling: false }, before: 1e15, limit: 10 })
    expect(rows.filter(({ who }) => who.kind === 'app')).toHaveLength(seen)
    expect(rows[0]?.hasBodies).toBe(true)
    return rows[0]
  })
  return { sandbox, core, client, app, key, text, id: row?.id ?? 0 }
}

const all = async (events: AsyncIterable<AgainEvent>): Promise<AgainEvent[]> => {
  const found: AgainEvent[] = []
  for await (const event of events) found.push(event)
  return found
}

/** What the app has used, by its limits. */
async function useOf(client: Awaited<ReturnType<typeof logged>>['client']) {
  for await (const use of await client.apps.watchUsage()) return use
  return null
}

const rowOf = (events: AgainEvent[]): number =>
  events.flatMap((event) => (event.type === 'row' ? event.id : []))[0] ?? 0

describe('a logged request', () => {
  it('is asked again as a request of the studio: its key, its cost, its row, which names the original', async () => {
    const { client, sandbox, core, id } = await logged()
    const original = await client.requests.get({ id })
    const spent = await useOf(client)
    const body = { ...JSON.parse(original.requestBody?.text ?? ''), model: 'mirror', temperature: 0.25 }
    const events = await all(await client.requests.askAgain({ id, body: JSON.stringify(body) }))
    expect(events.map(({ type }) => type)).toEqual(['row', 'end'])
    const again = await client.requests.get({ id: rowOf(events) })
    expect(again.row).toMatchObject({
      who: { kind: 'studio', feature: 'again' },
      model: 'mirror',
      state: 'done',
      status: 200,
      stream: true,
      path: '/v1/chat/completions',
      hasBodies: true,
    })
    expect(again.row.cost).not.toBeNull()
    expect(again.againOf).toBe(id)
    expect(JSON.parse(again.requestBody?.text ?? '')).toEqual(body)
    expect(again.replyBody?.text).toContain('data: ')
    expect(original.againOf).toBeNull()
    // The service saw the key of the studio, and the app has spent nothing more.
    expect(
      sandbox.observe
        .requests()
        .filter(({ path }) => path === '/v1/chat/completions')
        .map(({ key }) => key),
    ).toEqual(['main', 'main'])
    expect(core.apps.list()).toHaveLength(1)
    expect(await useOf(client)).toEqual(spent)
  })

  it('that the service refuses has its refusal in the new row; what can’t be sent is refused at once', async () => {
    const { client, sandbox, id } = await logged()
    const events = await all(
      await client.requests.askAgain({
        id,
        body: '{"model":"no-such-model","messages":[{"role":"user","content":"x"}]}',
      }),
    )
    const { row, replyBody } = await client.requests.get({ id: rowOf(events) })
    expect(row).toMatchObject({
      state: 'done',
      status: 404,
      model: 'no-such-model',
      problem: { message: expect.stringContaining('no-such-model') },
    })
    expect(replyBody?.text).toContain('model_not_found')
    const before = sandbox.observe.requests().length
    for (const body of ['{', '[]', 'null']) {
      await expect(all(await client.requests.askAgain({ id, body }))).rejects.toMatchObject({
        data: { kind: 'bad_input' },
      })
    }
    await expect(all(await client.requests.askAgain({ id: id + 10_000, body: '{}' }))).rejects.toMatchObject({
      data: { kind: 'no_such_item' },
    })
    expect(sandbox.observe.requests()).toHaveLength(before)
  })

  it('whose path was refused is not asked again: it leads out of the API of the service', async () => {
    const { client, core, sandbox } = await logged()
    const { hostname, port } = new URL(core.addresses().proxy ?? '')
    // `fetch` would resolve the path.
    await new Promise((resolve) => {
      const sent = request({ hostname, port, path: '/v1/../admin/../v2/keys', method: 'POST' }, resolve)
      sent.end('{}')
    })
    const refused = await vi.waitFor(async () => {
      const { rows } = await client.requests.page({ filter: { outcome: 'refused' }, before: 1e15, limit: 10 })
      return rows[0] ?? expect.unreachable()
    })
    expect(refused.path).toBe('/v1/../admin/../v2/keys')
    await expect(all(await client.requests.askAgain({ id: refused.id, body: '{}' }))).rejects.toMatchObject({
      data: { kind: 'bad_input' },
    })
    expect(sandbox.observe.requests().filter(({ path }) => !path.startsWith('/v1/'))).toEqual([])
  })

  it('stops when the window stops reading, and the service’s connection is closed', async () => {
    const { client, sandbox, id } = await logged()
    const body = {
      model: 'writer-small',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
      sandbox: { tokens: 5000, tokens_per_second: 10 },
    }
    const leaving = new AbortController()
    const events = await client.requests.askAgain({ id, body: JSON.stringify(body) }, { signal: leaving.signal })
    const first = await events.next()
    expect(first.value).toMatchObject({ type: 'row' })
    await vi.waitFor(() => expect(sandbox.observe.openStreams()).toBe(1), { timeout: 20_000 })
    leaving.abort()
    await events.next().catch(() => undefined)
    await vi.waitFor(() => expect(sandbox.observe.openStreams()).toBe(0), { timeout: 20_000 })
    const row = first.done ? 0 : rowOf([first.value])
    await vi.waitFor(async () =>
      expect((await client.requests.get({ id: row })).row).toMatchObject({ state: 'cancelled', cancelledBy: 'person' }),
    )
  })

  it('is replayed offline: the same program at the address of the replay gets the same reply, and nothing is sent', async () => {
    const { client, sandbox, text, id } = await logged()
    expect(await client.requests.replay()).toBeNull()
    const seen = sandbox.observe.requests().length
    const replay = await client.requests.startReplay({ selection: { ids: [id] }, timing: 'immediate' })
    expect(replay).toMatchObject({ requests: 1, incomplete: 0, unsuitable: 0, timing: 'immediate' })
    expect(await client.requests.replay()).toEqual(replay)
    const program = new OpenAI({ baseURL: replay.baseUrl, apiKey: replay.apiKey, maxRetries: 0 })
    const ask = { model: 'writer-small', messages: [{ role: 'user' as const, content: 'Hello' }] }
    let replayed = ''
    for await (const { choices } of await program.chat.completions.create({ ...ask, stream: true })) {
      replayed += choices[0]?.delta.content ?? ''
    }
    expect(replayed).toBe(text)
    await expect(program.chat.completions.create(ask)).rejects.toMatchObject({ status: 404, code: 'replay_no_match' })
    expect(sandbox.observe.requests()).toHaveLength(seen)
    // Another one replaces it.
    const next = await client.requests
      .startReplay({ selection: { filter: { who: 'studio' } }, timing: 'recorded' })
      .catch(() => null)
    expect(next).toBeNull()
    expect(await client.requests.replay()).toEqual(replay)
    await client.requests.stopReplay()
    expect(await client.requests.replay()).toBeNull()
    await expect(program.models.list()).rejects.toThrow('Connection error')
  })

  it('becomes a fixture file, which is named for its day and downloaded once', async () => {
    const { client, id } = await logged()
    const { file, ...counts } = await client.requests.saveFixture({ ids: [id] })
    expect(counts).toEqual({ requests: 1, incomplete: 0, unsuitable: 0 })
    expect(file).toMatchObject({
      mime: 'application/json',
      name: expect.stringMatching(/^replay-\d{4}-\d\d-\d\d\.json$/),
    })
    expect(file.bytes).toBeGreaterThan(500)
  })

  it('has its timing, as long as its bodies are stored', async () => {
    const { core, client, id } = await logged()
    const replay = await client.requests.startReplay({ selection: { ids: [id] }, timing: 'recorded' })
    const from = performance.now()
    const response = await fetch(`${replay.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${replay.apiKey}`, 'content-type': 'application/json' },
      body: (await client.requests.get({ id })).requestBody?.text ?? '',
    })
    await response.text()
    const { row } = await client.requests.get({ id })
    // Timers may be a millisecond early, and the last part is followed by the end of the connection.
    expect(performance.now() - from).toBeGreaterThan((row.durationMs ?? 0) * 0.5)
    await client.requests.deleteBodies({ id })
    await expect(client.requests.startReplay({ selection: { ids: [id] }, timing: 'recorded' })).rejects.toMatchObject({
      data: { kind: 'bad_input' },
    })
    await core.stop()
    await expect(fetch(replay.baseUrl)).rejects.toThrow()
  })
})

describe('the rules for secrets', () => {
  it('are listed and tried on a text, with the person’s own', async () => {
    const { host } = testHost(freshFolder(), memorySecrets())
    const core = await createCore(host, { proxyPort: null })
    closers.push(() => core.stop())
    const client = createRouterClient(core.router)
    expect((await client.requests.secretRules()).length).toBeGreaterThan(20)
    await client.app.updateSettings({ secretBeginnings: ['acme-live-'] })
    expect(await client.requests.testSecrets({ text: 'a acme-live-4711abcd' })).toEqual({
      text: 'a [secret: own]',
      found: [{ id: 'own', count: 1 }],
    })
    for (const wrong of ['abc', 'with space', 'quote"s']) {
      await expect(client.app.updateSettings({ secretBeginnings: [wrong] })).rejects.toThrow()
    }
  })
})
