import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { openRequestLogReader } from '../../../../src-main/core/requestLog/reader.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'
import { ask, jsonWithKey, postJson, replyTo, toolKey, withKey } from '../../../helpers/appRequest.ts'
import { eventually } from '../../../helpers/eventually.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

const { beforeSandbox, beforeService } = testGateways()

const chat = (body: Record<string, unknown> = {}) =>
  JSON.stringify({ model: 'writer-small', messages: [{ role: 'user', content: 'Good morning' }], ...body })

const post = (gateway: Gateway, body: string, headers: Record<string, string> = {}, path = '/chat/completions') =>
  ask(`${gateway.url}${path}`, { method: 'POST', headers: { ...jsonWithKey, ...headers }, body })

/** A running request, with or without a started reply. */
async function open(gateway: Gateway, body: string, headers: Record<string, string> = {}, { begun = true } = {}) {
  const request = postJson(`${gateway.url}/chat/completions`, body, headers)
  if (!begun) return { request, response: null }
  const response = await replyTo(request)
  await once(response, 'data')
  return { request, response }
}

const ended = (row: RequestRow | undefined) => row !== undefined && row.durationMs !== null

async function newest(gateway: Gateway): Promise<RequestRow> {
  const [row] = await gateway.rows()
  if (!row) throw new Error('no row')
  return row
}

/** The newest row, once it has ended. */
async function lastRow(gateway: Gateway): Promise<RequestRow> {
  await eventually(async () => expect(ended((await gateway.rows())[0])).toBe(true))
  return newest(gateway)
}

async function learnPrices(gateway: Gateway): Promise<void> {
  gateway.requestLog.learn((await gateway.upstream.getUsage()).value, gateway.upstream.base.url)
}

describe('the log row of a request', () => {
  it('has model, status, times, bytes and the service’s own tokens', async () => {
    const { gateway } = await beforeSandbox()
    const reply = await post(gateway, chat({ sandbox: { tokens: 30 } }))
    const usage = JSON.parse(reply.body.toString()).usage
    const row = await lastRow(gateway)
    expect(row).toMatchObject({
      who: { kind: 'app', id: 'testtool', name: 'test' },
      method: 'POST',
      path: '/v1/chat/completions',
      endpoint: 'chat',
      model: 'writer-small',
      state: 'done',
      status: 200,
      stream: false,
      attempts: 1,
      retriedAfter: [],
      tokensIn: usage.prompt_tokens,
      tokensOut: usage.completion_tokens,
      tokensAre: 'measured',
      bytesDown: reply.body.length,
      requestId: reply.headers['x-request-id'],
    })
    expect(row.firstByteMs).toBeGreaterThan(0)
    expect(row.durationMs).toBeGreaterThanOrEqual(row.firstByteMs ?? 0)
  })

  it('is stored before the service receives the request', async () => {
    const states: (string | undefined)[] = []
    let dataDir = ''
    const { gateway } = await beforeService((_request, response) => {
      // The row as another process sees it, and as the next start would find it after a kill.
      const reader = openRequestLogReader(dataDir)
      states.push(reader.page({}, Number.MAX_SAFE_INTEGER, 1)[0]?.state)
      reader.close()
      response.end('{}')
    })
    dataDir = gateway.dataDir
    await post(gateway, chat())
    expect(states).toEqual(['sent'])
  })

  it('has the usage of a stream whose app did not ask for it, and the app gets no usage event [SSE-02]', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const reply = await post(gateway, chat({ stream: true, sandbox: { tokens: 40, tokens_per_second: 0 } }))
    const text = reply.body.toString()
    expect(text).not.toContain('"choices":[]')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    const row = await lastRow(gateway)
    expect(row).toMatchObject({ state: 'done', stream: true, tokensAre: 'measured', tokensOut: 40 })
    const direct = await ask(`${sandbox.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
      body: chat({ stream: true, sandbox: { tokens: 40, tokens_per_second: 0 } }),
    })
    const bare = (body: string) => body.replace(/"(?:id|created)":[^,]+,/g, '')
    expect(bare(text)).toBe(bare(direct.body.toString()))
  })

  it('has the usage of a stream whose app asked for it, and the app gets the event [SSE-02]', async () => {
    const { gateway } = await beforeSandbox()
    const body = chat({ stream: true, stream_options: { include_usage: true }, sandbox: { tokens: 12 } })
    expect((await post(gateway, body)).body.toString()).toContain('"choices":[]')
    expect(await lastRow(gateway)).toMatchObject({ tokensOut: 12, tokensAre: 'measured' })
  })

  it('marks a stream without its end as cut [SSE-04]', async () => {
    const { gateway } = await beforeSandbox()
    const body = chat({ stream: true })
    await post(gateway, body, { 'x-sandbox-fault': 'no-done-no-finish' })
    expect(await lastRow(gateway)).toMatchObject({ state: 'cut', problem: { kind: 'incomplete_stream' } })
    const cut = await post(gateway, body, { 'x-sandbox-fault': 'cut; bytes=900' })
    expect(cut.whole).toBe(false)
    expect(await lastRow(gateway)).toMatchObject({ state: 'cut', tokensAre: 'estimated' })
  })

  it('has the number and the reasons of retries [ERR-06]', async () => {
    const { gateway } = await beforeSandbox()
    await post(gateway, chat(), { 'x-sandbox-fault': 'fail; status=503; times=2; id=row' })
    expect(await lastRow(gateway)).toMatchObject({ status: 200, attempts: 3, retriedAfter: [503, 503] })
    expect((await lastRow(gateway)).backoffMs).toBeGreaterThan(0)
  })

  it('marks a connection failure as failed, with the message that the app got', async () => {
    const { gateway } = await beforeService((request) => request.socket.destroy(), { retry: { maxAttempts: 1 } })
    const reply = await post(gateway, chat())
    const { error } = JSON.parse(reply.body.toString())
    expect(await lastRow(gateway)).toMatchObject({
      state: 'failed',
      status: reply.status,
      problem: { kind: 'connection_lost', message: error.message },
    })
  })

  it('has the status of a service error, at no cost', async () => {
    const { gateway } = await beforeSandbox()
    await post(gateway, chat({ model: 'no-such-model' }))
    expect(await lastRow(gateway)).toMatchObject({ state: 'done', status: 404, cost: '0', costIs: 'measured' })
  })

  it('exists for the studio’s own requests too, with their feature', async () => {
    const { gateway } = await beforeSandbox()
    await gateway.upstream.listModels()
    const stream = gateway.upstream.streamChatCompletion(
      { model: 'writer-small', messages: [{ role: 'user', content: 'Hi' }], stream_options: { include_usage: true } },
      { feature: 'chat' },
    )
    for await (const _ of stream) void _
    const [own, list] = await gateway.rows()
    expect(own).toMatchObject({
      who: { kind: 'studio', feature: 'chat' },
      model: 'writer-small',
      state: 'done',
      tokensAre: 'measured',
    })
    expect(list).toMatchObject({
      who: { kind: 'studio', feature: 'account' },
      endpoint: 'models',
      state: 'done',
      cost: '0',
    })
  })
})

describe('a cancelled request', () => {
  it('by the app after output has an estimated cost [CHAT-18] [ERR-08]', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const { request } = await open(gateway, chat({ stream: true, sandbox: { tokens: 500, tokens_per_second: 100 } }))
    request.destroy()
    const row = await lastRow(gateway)
    expect(row).toMatchObject({ state: 'cancelled', cancelledBy: 'app', tokensAre: 'estimated' })
    expect(row.tokensOut).toBeGreaterThan(0)
    await eventually(() => expect(sandbox.observe.openStreams()).toBe(0))
  })

  it('before any output costs nothing, as an estimate', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const body = chat({ stream: true, sandbox: { first_token_ms: 60_000 } })
    const { request } = await open(gateway, body, {}, { begun: false })
    await eventually(() => expect(sandbox.observe.openStreams()).toBe(1))
    request.destroy()
    expect(await lastRow(gateway)).toMatchObject({
      state: 'cancelled',
      cancelledBy: 'app',
      cost: '0',
      costIs: 'estimated',
    })
  })

  it('by a person gets an error before output, and is cut after it', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const silent = post(gateway, chat(), { 'x-sandbox-fault': 'slow-headers; ms=60000' })
    await eventually(async () => expect((await newest(gateway)).state).toBe('sent'))
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(true)
    const reported = await silent
    expect(reported.status).toBe(503)
    expect(JSON.parse(reported.body.toString()).error.code).toBe('stopped')
    expect(await lastRow(gateway)).toMatchObject({ state: 'cancelled', cancelledBy: 'person' })

    const { response } = await open(gateway, chat({ stream: true, sandbox: { tokens: 500, tokens_per_second: 50 } }))
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(true)
    if (response) await new Promise((resolve) => response.once('close', resolve))
    expect(response?.complete).toBe(false)
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(false)
    await eventually(() => expect(sandbox.observe.openStreams()).toBe(0))
  })
})

describe('an app’s limits', () => {
  it('apply to its models, also when an upload names its model last', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { models: ['writer-small', 'whisper-1'] } })
    const before = sandbox.observe.requests().length
    const refused = await post(gateway, chat({ model: 'writer-large' }))
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.body.toString()).error).toMatchObject({ type: 'studio_limit', code: 'model_not_allowed' })
    expect(sandbox.observe.requests().length).toBe(before)
    expect(await newest(gateway)).toMatchObject({ state: 'refused', model: 'writer-large' })

    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(300_000)]), 'speech.wav')
    form.set('model', 'whisper-large-v3')
    const upload = await fetch(`${gateway.url}/audio/transcriptions`, { method: 'POST', headers: withKey, body: form })
    expect(upload.status).toBe(403)
    expect((await upload.json()).error.code).toBe('model_not_allowed')
    expect(sandbox.observe.requests().filter(({ status }) => status === 200)).toEqual([])
  })

  it('apply to its endpoints and its requests a minute, with a message and a time', async () => {
    const { gateway } = await beforeSandbox({ app: { endpoints: ['models'], requestsPerMinute: 2 } })
    expect((await post(gateway, chat())).status).toBe(403)
    const list = () => ask(`${gateway.url}/models`, { headers: withKey })
    expect((await list()).status).toBe(200)
    expect((await list()).status).toBe(200)
    const over = await list()
    expect(over.status).toBe(429)
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(50)
    expect(await newest(gateway)).toMatchObject({
      state: 'refused',
      status: 429,
      who: { kind: 'app', id: 'testtool' },
    })
  })

  it('prevent two simultaneous requests from both spending the last SC', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    await learnPrices(gateway)
    // writer-large: 12 SC a million tokens out; 1,000 of them are some 0.012 SC.
    gateway.change({ budgetDay: '0.02' })
    const body = chat({
      model: 'writer-large',
      max_tokens: 1000,
      stream: true,
      sandbox: { tokens: 900, tokens_per_second: 0 },
    })
    const replies = await Promise.all([post(gateway, body), post(gateway, body), post(gateway, body)])
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402, 402])
    const refused = replies.find(({ status }) => status === 402)
    expect(JSON.parse(refused?.body.toString() ?? '').error).toMatchObject({ type: 'studio_limit', code: 'budget_day' })
    expect(refused?.headers['x-should-retry']).toBe('false')
    expect(sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(1)
    await eventually(() => expect(gateway.allowance.use('testtool')).toEqual({ active: 0, reserved: 0n }))
  })

  it('settle spending from the usage, also of streams, in agreement with the service', async () => {
    const { gateway } = await beforeSandbox()
    const models = ['writer-small', 'writer-large', 'mirror']
    for (const [at, model] of models.entries()) {
      await post(gateway, chat({ model, stream: at % 2 === 0, sandbox: { tokens: 120 + at, tokens_per_second: 0 } }))
    }
    await learnPrices(gateway)
    const rows = (await gateway.rows()).filter(({ endpoint }) => endpoint === 'chat')
    expect(rows.every(({ tokensAre }) => tokensAre === 'measured')).toBe(true)
    await post(gateway, chat({ stream: true, sandbox: { tokens: 100, tokens_per_second: 0 } }))
    const row = await lastRow(gateway)
    expect(row.costIs).toBe('estimated')
    // writer-small: 0.5 SC a million in, 1.5 out; the seeded past allows a blend of them only.
    expect(Number(row.cost)).toBeGreaterThan(0.00005)
    expect(Number(row.cost)).toBeLessThan(0.0005)
  })

  it('allow no retries for an app with retries off', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { retries: false } })
    const reply = await post(gateway, chat(), { 'x-sandbox-fault': 'refuse; status=503' })
    expect(reply.status).toBe(503)
    expect(reply.headers['x-should-retry']).toBeUndefined()
    expect(sandbox.observe.requests()).toHaveLength(1)
  })
})

describe('pacing', () => {
  it('a request waits for a slot instead of getting 429, and can be cancelled while it waits [LIM-05] [SSE-05]', async () => {
    const { gateway, sandbox } = await beforeSandbox({ key: 'oneAtATime' })
    gateway.scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
    const stream = chat({ stream: true, sandbox: { tokens: 2000, tokens_per_second: 100 } })
    const first = await open(gateway, stream)
    const second = await open(gateway, stream, {}, { begun: false })
    const third = post(gateway, chat())
    await eventually(() => expect(gateway.scheduler.counts().waiting).toBe(2))
    expect((await gateway.rows()).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'streaming'])
    second.request.destroy()
    await eventually(() => expect(gateway.scheduler.counts().waiting).toBe(1))
    expect(sandbox.observe.requests()).toHaveLength(1)
    first.request.destroy()
    expect((await third).status).toBe(200)
    expect((await lastRow(gateway)).queuedMs).toBeGreaterThan(0)
    expect(sandbox.observe.requests().map(({ status }) => status)).toEqual([200, 200])
  })

  it('a person cancels a waiting request: the app gets an error, and nothing was sent', async () => {
    const { gateway, sandbox } = await beforeSandbox({ key: 'oneAtATime' })
    gateway.scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
    const first = await open(gateway, chat({ stream: true, sandbox: { tokens: 2000, tokens_per_second: 100 } }))
    const second = post(gateway, chat())
    await eventually(async () => expect((await newest(gateway)).state).toBe('waiting'))
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(true)
    expect(JSON.parse((await second).body.toString()).error.code).toBe('stopped')
    expect(await newest(gateway)).toMatchObject({ state: 'cancelled', cancelledBy: 'person', cost: '0' })
    expect(gateway.scheduler.counts().waiting).toBe(0)
    expect(sandbox.observe.requests()).toHaveLength(1)
    first.request.destroy()
  })

  it('an app that fails fast is refused instead of queued', async () => {
    const { gateway } = await beforeSandbox({ key: 'oneAtATime', app: { failFast: true } })
    gateway.scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
    const first = await open(gateway, chat({ stream: true, sandbox: { tokens: 2000, tokens_per_second: 100 } }))
    const refused = await post(gateway, chat())
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.body.toString()).error.code).toBe('would_wait')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    first.request.destroy()
  })

  it('Retry-After of one 429 makes all requests wait once, those of the studio too [ERR-05]', async () => {
    const times: number[] = []
    const { gateway } = await beforeService((request, response) => {
      times.push(performance.now())
      if (request.headers['x-first'] && times.length === 1) response.writeHead(429, { 'retry-after': '1' }).end('{}')
      else response.end('{}')
    })
    const first = post(gateway, chat(), { 'x-first': 'yes' })
    await eventually(() => expect(times).toHaveLength(1))
    const others = [post(gateway, chat()), gateway.upstream.getCurrentKey()]
    await Promise.all([first, ...others])
    expect(times).toHaveLength(4)
    for (const time of times.slice(1)) expect(time - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
  })
})

describe('pictures', () => {
  const paint = (gateway: Gateway, headers: Record<string, string> = {}) =>
    post(gateway, JSON.stringify({ prompt: 'a harbour', n: 2, response_format: 'url' }), headers, '/images/generations')

  it('have URLs of this server, which serves them with the app key [GEN-01] [AUTH-01]', async () => {
    const { gateway } = await beforeSandbox()
    const reply = await paint(gateway)
    const { data } = JSON.parse(reply.body.toString())
    expect(data).toHaveLength(2)
    const origin = new URL(gateway.url).origin
    for (const { url } of data) {
      expect(new URL(url).origin).toBe(origin)
      expect((await ask(url)).status).toBe(401)
      const picture = await ask(url, { headers: withKey })
      expect(picture.status).toBe(200)
      expect(picture.headers['content-type']).toMatch(/^image\//)
    }
    expect(await newest(gateway)).toMatchObject({ endpoint: 'files', state: 'done', cost: '0' })
  })

  it('keep URLs outside the base address [GEN-01]', async () => {
    const { gateway } = await beforeSandbox()
    const reply = await paint(gateway, { 'x-sandbox-fault': 'foreign-url; to=http://images.example' })
    expect(reply.body.toString()).toContain('http://images.example')
    expect(reply.body.toString()).not.toContain(new URL(gateway.url).origin)
  })
})

describe('bodies', () => {
  it('are not stored by default', async () => {
    const { gateway } = await beforeSandbox()
    await post(gateway, chat())
    const row = await lastRow(gateway)
    expect(row.hasBodies).toBe(false)
    const detail = gateway.requestLog.get(row.id)
    expect(detail.requestBody).toBeNull()
    expect(JSON.stringify(detail)).not.toContain(toolKey)
  })

  it('are stored without secrets if enabled, and deleted on request', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { logBodies: true } })
    const body = chat({ model: 'mirror', stream: true, user: `my key is ${sandbox.keys.main}` })
    await post(gateway, body, { 'x-note': sandbox.keys.main })
    const row = await lastRow(gateway)
    expect(row.hasBodies).toBe(true)
    const detail = gateway.requestLog.get(row.id)
    expect(detail.requestBody?.text).toContain('Good morning')
    expect(detail.replyBody?.text).toContain('[DONE]')
    const all = JSON.stringify(detail)
    expect(all).not.toContain(sandbox.keys.main)
    expect(all).not.toContain(toolKey)
    expect(await gateway.requestLog.deleteBodies({ id: row.id })).toBe(1)
    expect(gateway.requestLog.get(row.id).requestBody).toBeNull()
  })
})
