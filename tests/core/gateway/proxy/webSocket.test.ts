import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { appKey, ask, jsonWithKey, withKey } from '../../../helpers/appRequest.ts'
import { apiKey, type GatewayOptions } from '../../../helpers/gateway.ts'
import { isOnDisk } from '../../../helpers/onDisk.ts'
import { type Event, refusedUpgrade, SocketClient } from '../../../helpers/responsesSocket.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// The WebSocket of /v1/responses through the real gateway: each turn is one request with the guarantees of HTTP.

const { closers, beforeSandbox, beforeService, beforeEchoingService } = testGateways()

type Act = (response: ServerResponse, chat: { messages: { content: string }[] }) => void
const farService = (act: Act, options: GatewayOptions = {}) =>
  beforeService((_request, response, body) => act(response, JSON.parse(body.toString())), options)

const chunk = (content: string, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`

/** A service that repeats its messages. */
const mirror: Act = (response, { messages }) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${chunk(JSON.stringify(messages.map(({ content }) => content)), 'stop')}data: [DONE]\n\n`)
}
/** A service that begins a reply and never ends it. */
const endless: Act = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk('Words'))
}
const instantly = { 'x-sandbox-tokens-per-second': '0' }
const textOf = (event: Event): string => JSON.stringify(event.response?.output)
const errorOf = ({ type, status, error }: Event) => [type, status, error?.code]

describe('the guard', () => {
  it.each([
    ['without a key', {}, undefined, 401, 'tool_key_missing'],
    ['with an unknown key', { authorization: 'Bearer isk_x_wrong' }, undefined, 401, 'tool_key_unknown'],
    ['of a web page', { ...withKey, origin: 'https://evil.example' }, undefined, 403, 'web_page'],
    ['for another host', { ...withKey, host: 'evil.example' }, undefined, 421, 'wrong_host'],
    ['with the key in the query too', withKey, `/responses?key=${appKey}`, 400, 'key_elsewhere'],
    [
      'with the key as a protocol too',
      { ...withKey, 'sec-websocket-protocol': appKey },
      undefined,
      400,
      'key_elsewhere',
    ],
    ['at another path', withKey, '/chat/completions', 400, 'no_websocket'],
    ['at a stored response', withKey, '/responses/resp_x', 400, 'no_websocket'],
    ['at the path for compaction', withKey, '/responses/compact', 400, 'no_websocket'],
    ['at a path that servers read differently', withKey, '/%72esponses', 400, 'path_refused'],
    ['with a body', { ...withKey, 'content-length': '5' }, undefined, 400, 'no_websocket'],
  ])('refuses an upgrade %s', async (_, headers: Record<string, string>, path, status, code) => {
    const { sandbox, gateway } = await beforeSandbox()
    const refused = await refusedUpgrade(gateway, headers, path)
    expect(refused).toEqual({ status, code })
    expect(gateway.refusals.at(-1)).toMatchObject({ status, code })
    expect(sandbox.observe.requests()).toHaveLength(0)
  })

  it('refuses a paused app, and more connections than allowed', async () => {
    const { gateway } = await beforeSandbox({ bounds: { webSockets: { mostOfApp: 1 } } })
    const client = await SocketClient.open(gateway)
    expect(await refusedUpgrade(gateway, withKey)).toEqual({ status: 503, code: 'too_many_websockets' })
    client.socket.terminate()
    gateway.change({ pausedAt: '2026-01-01T00:00:00Z' })
    expect(await refusedUpgrade(gateway, withKey)).toEqual({ status: 403, code: 'tool_key_paused' })
  })

  it('checks the key again for each turn: a revoked key ends the connection', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const client = await SocketClient.open(gateway)
    gateway.change({ revokedAt: '2026-01-01T00:00:00Z' })
    expect(errorOf(await client.turn({ input: 'Hello' }))).toEqual(['error', 401, 'tool_key_revoked'])
    expect((await client.closed).code).toBe(1008)
    expect(sandbox.observe.requests()).toHaveLength(0)
  })

  it('offers of other upgrades are ignored, as before', async () => {
    const { gateway } = await beforeSandbox()
    const body = JSON.stringify({ model: 'writer-small', input: 'Hello', max_output_tokens: 5 })
    const headers = {
      ...jsonWithKey,
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABk',
    }
    expect((await ask(`${gateway.url}/responses`, { method: 'POST', headers, body })).status).toBe(200)
  })
})

describe('a turn', () => {
  it('has the events of a streamed reply over HTTP', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const seeded = { ...instantly, 'x-sandbox-seed': '7' }
    const body = { model: 'writer-small', input: 'Hello', max_output_tokens: 20 }
    const http = await ask(`${gateway.url}/responses`, {
      method: 'POST',
      headers: { ...jsonWithKey, ...seeded },
      body: JSON.stringify({ ...body, stream: true }),
    })
    const client = await SocketClient.open(gateway, seeded)
    client.create(body)
    const received = await client.rest()
    const data = http.body
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('data: '))
    const same = (events: unknown[]): unknown =>
      JSON.parse(
        JSON.stringify(events)
          .replace(/_[0-9a-f]{48}/g, '')
          .replace(/"(?:created|completed)_at":\d+/g, '"at":0'),
      )
    expect(same(received)).toEqual(same(data.map((line) => JSON.parse(line.slice(6)))))
    expect(received.map((event) => event.sequence_number)).toEqual(received.map((_, at) => at))
    const [first, second] = sandbox.observe.requests()
    expect([second?.method, second?.path]).toEqual([first?.method, first?.path])
    client.socket.close()
  })

  it('is one row of the log with its tokens, as many turns as there are', async () => {
    const { gateway } = await beforeSandbox()
    const client = await SocketClient.open(gateway, instantly)
    for (const input of ['One', 'Two']) {
      expect((await client.turn({ input, max_output_tokens: 5 })).type).toBe('response.incomplete')
    }
    const row = { state: 'done', method: 'POST', path: '/v1/responses', dialect: 'responses', tokensAre: 'measured' }
    await expect.poll(() => gateway.rows()).toMatchObject([row, row])
    await expect.poll(() => gateway.proxy.counts()).toMatchObject({ active: 0, relayed: 2, refused: 0 })
    expect(gateway.memory.held).toBe(0)
    client.socket.close()
  })

  it('waits for the turn before it, also when both were sent at once', async () => {
    const { far, gateway } = await farService(mirror)
    const client = await SocketClient.open(gateway)
    for (const input of ['One', 'Two', 'Three']) client.create({ input })
    const turns = [await client.rest(), await client.rest(), await client.rest()]
    expect(turns.map((events) => events.filter(({ type }) => type === 'response.created').length)).toEqual([1, 1, 1])
    expect(
      turns.map((events) => textOf(events.at(-1) as Event)).map((text) => /One|Two|Three/.exec(text)?.[0]),
    ).toEqual(['One', 'Two', 'Three'])
    expect(far.requests).toHaveLength(3)
    client.socket.close()
  })

  it('sends neither the app key nor headers of the upgrade to the service', async () => {
    const { far, gateway } = await farService(mirror)
    const client = await SocketClient.open(gateway, { 'x-custom': 'kept', cookie: 'a=b' })
    await client.turn({ input: 'One' })
    const headers = JSON.stringify(far.requests[0]?.rawHeaders)
    expect(headers).toContain('kept')
    expect(headers).not.toMatch(/sec-websocket|upgrade|cookie/i)
    expect(headers).not.toContain(appKey)
    client.socket.close()
  })

  it('has the limits and the budget of the app as they are then, and its model map', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const client = await SocketClient.open(gateway, instantly)
    const outcome = async (app: Parameters<typeof gateway.change>[0], more: Record<string, unknown> = {}) => {
      gateway.change({ endpoints: null, models: null, budgetTotal: null, requestsPerMinute: null, ...app })
      return errorOf(await client.turn({ input: 'Hello', max_output_tokens: 5, ...more })).slice(0, 2)
    }
    expect(await outcome({ endpoints: ['speech'] })).toEqual(['error', 403])
    expect(await outcome({ models: ['writer-large'] })).toEqual(['error', 403])
    expect(await outcome({ budgetTotal: '0' })).toEqual(['error', 402])
    expect(sandbox.observe.requests()).toHaveLength(0)
    const map = { modelMap: [{ pattern: 'gpt-*', model: 'writer-small' }], models: ['writer-small'] }
    expect(await outcome(map, { model: 'gpt-6' })).toEqual(['response.incomplete', undefined])
    await expect.poll(async () => (await gateway.rows())[0]).toMatchObject({ askedModel: 'gpt-6' })
    expect(await outcome({ requestsPerMinute: 1 })).toEqual(['response.incomplete', undefined])
    expect(await outcome({ requestsPerMinute: 1 })).toEqual(['error', 429])
    client.socket.close()
  })

  it('that fails at the service ends with one message, and the connection goes on', async () => {
    let reply = 0
    const { gateway } = await farService((response, chat) => {
      reply += 1
      if (reply === 1) response.writeHead(400).end('{"error":{"message":"Too long","code":"context_length_exceeded"}}')
      else if (reply === 2) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(chunk('Words'))
      } else mirror(response, chat)
    })
    const client = await SocketClient.open(gateway)
    expect(errorOf(await client.turn({ input: 'One' }))).toEqual(['error', 400, 'context_length_exceeded'])
    client.create({ input: 'Two' })
    const types = (await client.rest()).map(({ type }) => type)
    expect([types.at(-1), types.includes('error'), types.includes('response.completed')]).toEqual([
      'response.failed',
      false,
      false,
    ])
    expect((await client.turn({ input: 'Three' })).type).toBe('response.completed')
    await expect
      .poll(async () => (await gateway.rows()).map(({ state }) => state))
      .toEqual(['done', 'cut', expect.any(String)])
    client.socket.close()
  })

  it('that the service refuses ends for Codex with response.failed, which it does not repeat', async () => {
    const { far, gateway } = await farService((response) => response.writeHead(503).end('{"error":{"message":"Busy"}}'))
    gateway.change({ retries: false })
    const plain = await SocketClient.open(gateway)
    expect(errorOf(await plain.turn({ input: 'One' }))).toEqual(['error', 503, expect.any(String)])
    const client = await SocketClient.open(gateway, { originator: 'codex_cli_rs' })
    client.create({ input: 'One', store: false })
    const events = await client.rest()
    expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.failed'])
    expect(events.at(-1)?.response).toMatchObject({ error: { code: 'invalid_prompt', message: 'Busy' } })
    expect(far.requests).toHaveLength(2)
    for (const { socket } of [plain, client]) socket.close()
  })

  it('never has the key of the service, whatever the service does with it', { tags: 'long' }, async () => {
    const { gateway } = await beforeEchoingService()
    for (const mode of ['good', 'refuses', 'page', 'error frame', 'no JSON', 'cut']) {
      const client = await SocketClient.open(gateway, { 'x-echo-mode': mode })
      client.create({ input: 'Hello' })
      const heard = JSON.stringify(await client.rest())
      expect([mode, heard.includes(apiKey)]).toEqual([mode, false])
      client.socket.terminate()
    }
  })
})

describe('a response with store: false', () => {
  it('is continued on its connection, and is neither on the disk nor known elsewhere', async () => {
    const { far, gateway } = await farService(mirror)
    const client = await SocketClient.open(gateway)
    const first = await client.turn({ input: 'SECRETWORD', store: false })
    const id = first.response?.id
    const second = await client.turn({ input: 'Two', store: false, previous_response_id: id })
    expect(textOf(second)).toMatch(/SECRETWORD.*Two/)
    const third = await client.turn({ input: 'Three', store: false, previous_response_id: second.response?.id })
    expect(textOf(third)).toMatch(/SECRETWORD.*Two.*Three/)
    // Only the last one is remembered.
    const older = await client.turn({ input: 'Four', store: false, previous_response_id: id })
    expect([older.error?.code, older.error?.param]).toEqual(['previous_response_not_found', 'previous_response_id'])
    const other = await SocketClient.open(gateway)
    const elsewhere = await other.turn({ input: 'Five', previous_response_id: third.response?.id })
    expect(errorOf(elsewhere)).toEqual(['error', 400, 'previous_response_not_found'])
    expect((await ask(`${gateway.url}/responses/${id}`, { headers: jsonWithKey })).status).toBe(404)
    expect(far.requests).toHaveLength(3)
    gateway.requestLog.flush()
    expect(isOnDisk(gateway.dataDir, 'SECRETWORD')).toBe(false)
    client.socket.close()
    other.socket.close()
  })

  it('leads to no stored one: a turn after it with store: true says store: false, is remembered, and the log says why', {
    tags: 'long',
  }, async () => {
    const { gateway } = await farService(mirror)
    const client = await SocketClient.open(gateway)
    for (const size of [1, 100_000]) {
      const first = await client.turn({ input: `SECRETWORD ${'x'.repeat(size)}`, store: false })
      client.create({ input: 'y'.repeat(size), previous_response_id: first.response?.id })
      const events = await client.rest()
      // From the first event on.
      for (const { response } of events) if (response) expect(response).toMatchObject({ store: false })
      const second = events.at(-1)?.response
      expect((await ask(`${gateway.url}/responses/${second?.id}`, { headers: jsonWithKey })).status).toBe(404)
      const third = await client.turn({ input: 'Three', store: true, previous_response_id: second?.id })
      expect(third.response).toMatchObject({ store: false })
      expect(textOf(third)).toMatch(/SECRETWORD.*Three/)
    }
    const ignored = (await gateway.rows()).filter((row) => row.method === 'POST' && row.ignored.includes('store'))
    expect(ignored).toHaveLength(4)
    gateway.requestLog.flush()
    expect(isOnDisk(gateway.dataDir, 'SECRETWORD')).toBe(false)
    client.socket.close()
  })

  it('is forgotten after a failed turn', async () => {
    const { gateway } = await farService(mirror)
    const client = await SocketClient.open(gateway)
    const { response } = await client.turn({ input: 'One', store: false })
    const next = { store: false, previous_response_id: response?.id }
    const output = { type: 'function_call_output', call_id: 'missing', output: 'x' }
    expect(errorOf(await client.turn({ ...next, input: [output] }))).toEqual(['error', 400, 'not_translatable'])
    expect((await client.turn({ ...next, input: 'Two' })).error?.code).toBe('previous_response_not_found')
    client.socket.close()
  })

  it('is not remembered beyond the bounds', async () => {
    const bounds = { webSockets: { memory: { each: 2000, total: 3000 } } }
    const { gateway } = await farService(mirror, { bounds })
    const clients = [await SocketClient.open(gateway), await SocketClient.open(gateway)] as const
    const codeAfter = async (client: SocketClient, previous: string | undefined) =>
      (await client.turn({ input: 'x', store: false, previous_response_id: previous })).error?.code
    const large = await clients[0].turn({ input: 'x'.repeat(2000), store: false })
    expect(await codeAfter(clients[0], large.response?.id)).toBe('previous_response_not_found')
    const [first, second] = [
      await clients[0].turn({ input: 'x'.repeat(500), store: false }),
      await clients[1].turn({ input: 'x'.repeat(700), store: false }),
    ]
    expect(await codeAfter(clients[0], first.response?.id)).toBe('previous_response_not_found')
    expect(await codeAfter(clients[1], second.response?.id)).toBeUndefined()
    for (const client of clients) client.socket.close()
  })

  it('stored responses are continued too, over both transports', async () => {
    const { gateway } = await farService(mirror)
    const client = await SocketClient.open(gateway)
    const first = await client.turn({ input: 'One' })
    const answer = await ask(`${gateway.url}/responses`, {
      method: 'POST',
      headers: jsonWithKey,
      body: JSON.stringify({ model: 'm', input: 'Two', previous_response_id: first.response?.id, stream: true }),
    })
    const second = /"id":"(resp_[0-9a-f]+)"/.exec(answer.body.toString())?.[1]
    const third = await client.turn({ input: 'Three', previous_response_id: second })
    expect(textOf(third)).toMatch(/One.*Two.*Three/)
    client.socket.close()
  })
})

describe('the end of a connection', () => {
  it.each(['close', 'terminate'] as const)(
    'by %s of the app closes the request to the service at once',
    async (end) => {
      const ended: Promise<number>[] = []
      const { gateway } = await farService((response, chat) => {
        ended.push(once(response, 'close').then(() => performance.now()))
        endless(response, chat)
      })
      const delays: number[] = []
      for (let n = 0; n < 5; n += 1) {
        const client = await SocketClient.open(gateway)
        client.create({ input: 'Hello' })
        while ((await client.next()).type !== 'response.output_text.delta');
        const from = performance.now()
        client.socket[end]()
        delays.push(((await ended.at(-1)) ?? 0) - from)
        await client.closed
      }
      // The best of five: another program may use the processor during one of them.
      expect(Math.min(...delays)).toBeLessThan(20)
      await expect
        .poll(async () => (await gateway.rows()).map(({ state, cancelledBy }) => [state, cancelledBy]))
        .toEqual(Array(5).fill(['cancelled', 'app']))
      await expect.poll(() => gateway.proxy.counts().active).toBe(0)
      expect(gateway.memory.held).toBe(0)
    },
  )

  it('comes with a revoked key, in the middle of a turn', async () => {
    const { gateway } = await farService(endless)
    const client = await SocketClient.open(gateway)
    const idle = await SocketClient.open(gateway)
    client.create({ input: 'Hello' })
    while ((await client.next()).type !== 'response.output_text.delta');
    gateway.proxy.cutInvalid(() => false)
    expect(errorOf((await client.rest()).at(-1) as Event)).toEqual(['error', 403, 'tool_key_ended'])
    expect([(await client.closed).code, (await idle.closed).code]).toEqual([1008, 1008])
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ state: 'cancelled', cancelledBy: 'studio' })
  })

  it('does not come when a person stops the turn, which fails', async () => {
    const { gateway } = await farService(endless)
    const client = await SocketClient.open(gateway)
    client.create({ input: 'Hello' })
    while ((await client.next()).type !== 'response.output_text.delta');
    expect(gateway.requestLog.stop((await gateway.rows())[0]?.id ?? 0)).toBe(true)
    expect((await client.rest()).map(({ type }) => type)).toEqual(['response.failed'])
    expect(client.socket.readyState).toBe(client.socket.OPEN)
    client.socket.close()
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ state: 'cancelled', cancelledBy: 'person' })
  })

  it('comes with the end of the server, which does not wait for an app that is silent', async () => {
    let ended: Promise<unknown> = Promise.resolve()
    const { gateway } = await farService((response, chat) => {
      ended = once(response, 'close')
      endless(response, chat)
    })
    const clients = [await SocketClient.open(gateway), await SocketClient.open(gateway)] as const
    clients[0].create({ input: 'Hello' })
    while ((await clients[0].next()).type !== 'response.output_text.delta');
    clients[1].socket.pause()
    closers.pop()
    await gateway.close()
    await ended
    expect((await clients[0].closed).code).toBe(1001)
    clients[1].socket.resume()
    await clients[1].closed
  })

  it('comes after its longest duration, with the code for it, and when it was idle', async () => {
    const { far, gateway } = await farService(mirror, { bounds: { webSockets: { maxAgeMs: 0 } } })
    const old = await SocketClient.open(gateway)
    expect(errorOf(await old.turn({ input: 'Hello' }))).toEqual(['error', 400, 'websocket_connection_limit_reached'])
    expect([(await old.closed).code, far.requests.length]).toEqual([1000, 0])
    const second = await farService(mirror, { bounds: { webSockets: { idleMs: 0, pingMs: 20 } } })
    const idle = await SocketClient.open(second.gateway)
    expect(await idle.closed).toEqual({ code: 1000, reason: 'idle' })
  })

  it('comes when the app does not answer a ping', async () => {
    const { gateway } = await farService(mirror, { bounds: { webSockets: { pingMs: 200 } } })
    const client = await SocketClient.open(gateway)
    await once(client.socket, 'ping')
    const silent = new SocketClient(gateway)
    await once(silent.socket, 'open')
    silent.socket.pong = () => undefined
    expect((await silent.closed).code).toBe(1006)
    expect(client.socket.readyState).toBe(client.socket.OPEN)
    client.socket.close()
  })
})
