import { describe, expect, it } from 'vitest'
import { openRequestLogReader } from '../../../../src-main/core/requestLog/reader.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'
import { type Api, apis, askIn, openIn, pace } from '../../../helpers/apis.ts'
import { appKey, ask, jsonWithKey, withKey } from '../../../helpers/appRequest.ts'
import { eventually } from '../../../helpers/eventually.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

const { beforeSandbox, beforeService } = testGateways()

const chat = (body: Record<string, unknown> = {}) =>
  JSON.stringify({ model: 'writer-small', messages: [{ role: 'user', content: 'Good morning' }], ...body })

const post = (gateway: Gateway, body: string, headers: Record<string, string> = {}, path = '/chat/completions') =>
  ask(`${gateway.url}${path}`, { method: 'POST', headers: { ...jsonWithKey, ...headers }, body })

/** A request of up to 2,000 tokens. */
const long = (api: Api, more: Record<string, unknown> = {}) => api.body({ ...api.atMost(2000), ...more })
/** A stream of 500 tokens at this speed. */
const streaming = (api: Api, tokens = 500) => long(api, { stream: true, ...api.atMost(tokens) })
const slowly = pace({ tokens: 2000, perSecond: 100 })

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

describe.each(apis)('the log row of a request in the API $name', (api) => {
  it('has model, status, times, bytes and the service’s own tokens', async () => {
    const { gateway } = await beforeSandbox()
    const reply = await askIn(gateway, api, long(api), pace({ tokens: 30 }))
    const row = await lastRow(gateway)
    expect(row).toMatchObject({
      who: { kind: 'app', id: 'testtool', name: 'test' },
      method: 'POST',
      path: api.pathOf(),
      dialect: api.name === 'chat' ? null : api.name,
      endpoint: 'chat',
      model: 'writer-small',
      state: 'done',
      status: 200,
      stream: false,
      attempts: 1,
      retriedAfter: [],
      ...api.usage(reply.body.toString()),
      tokensAre: 'measured',
      requestId: reply.headers['x-request-id'],
    })
    if (api.name === 'chat') expect(row.bytesDown).toBe(reply.body.length)
    expect(row.bytesDown).toBeGreaterThan(100)
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
    await askIn(gateway, api, api.body())
    expect(states).toEqual(['sent'])
  })

  it('marks a stream without its end as cut [SSE-04]', { tags: 'long' }, async () => {
    const { gateway } = await beforeSandbox()
    const body = long(api, { stream: true })
    const endless = await askIn(gateway, api, body, { 'x-sandbox-fault': 'no-done-no-finish' })
    expect(api.isComplete(endless.body.toString())).toBe(false)
    expect(await lastRow(gateway)).toMatchObject({ state: 'cut', problem: { kind: 'incomplete_stream' } })
    const cut = await askIn(gateway, api, body, { 'x-sandbox-fault': 'cut; bytes=900' })
    expect([cut.whole, api.isComplete(cut.body.toString())]).toEqual([api.reportsCuts, false])
    expect(await lastRow(gateway)).toMatchObject({ state: 'cut', tokensAre: 'estimated' })
  })

  it('has the number and the reasons of retries [ERR-06]', async () => {
    const { gateway } = await beforeSandbox()
    await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'fail; status=503; times=2; id=row' })
    expect(await lastRow(gateway)).toMatchObject({ status: 200, attempts: 3, retriedAfter: [503, 503] })
    expect((await lastRow(gateway)).backoffMs).toBeGreaterThan(0)
  })

  it('marks a connection failure as failed, with the message that the app got', async () => {
    const { gateway } = await beforeService((request) => request.socket.destroy(), { retry: { maxAttempts: 1 } })
    const reply = await askIn(gateway, api, api.body())
    const { message } = api.problem(reply)
    expect([reply.status, reply.headers['x-should-retry']]).toEqual([502, 'false'])
    expect(await lastRow(gateway)).toMatchObject({
      state: 'failed',
      status: reply.status,
      problem: { kind: 'connection_lost', message },
    })
  })

  it('has the status of a service error, at no cost', async () => {
    const { gateway } = await beforeSandbox()
    expect((await askIn(gateway, api, api.body({ model: 'no-such-model' }))).status).toBe(404)
    expect(await lastRow(gateway)).toMatchObject({ state: 'done', status: 404, cost: '0', costIs: 'measured' })
  })
})

describe('the log row of a request', () => {
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

  it('exists for the studio’s own requests too, with their feature', { tags: 'long' }, async () => {
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

describe.each(apis)('a cancelled request in the API $name', (api) => {
  it('by the app after output has an estimated cost [CHAT-18] [ERR-08]', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const { request, begun } = openIn(gateway, api, streaming(api), slowly)
    await begun
    request.destroy()
    const row = await lastRow(gateway)
    expect(row).toMatchObject({ state: 'cancelled', cancelledBy: 'app', tokensAre: 'estimated' })
    expect(row.tokensOut).toBeGreaterThan(0)
    await eventually(() => expect(sandbox.observe.openStreams()).toBe(0))
  })

  it('before any output costs nothing, as an estimate', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const { request } = openIn(gateway, api, streaming(api), pace({ firstMs: 60_000 }))
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
    const silent = askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'slow-headers; ms=60000' })
    await eventually(async () => expect((await newest(gateway)).state).toBe('sent'))
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(true)
    const reply = await silent
    expect(reply.status).toBe(503)
    expect(reply.headers['x-should-retry']).toBe('false')
    expect(api.problem(reply).message).toContain('stopped in Inference Studio')
    expect(await lastRow(gateway)).toMatchObject({ state: 'cancelled', cancelledBy: 'person' })

    const response = await openIn(gateway, api, streaming(api), slowly).begun
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(true)
    await new Promise((resolve) => response.resume().once('close', resolve))
    expect(response.complete).toBe(api.reportsCuts)
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(false)
    await eventually(() => expect(sandbox.observe.openStreams()).toBe(0))
  })
})

describe('an app’s limits', () => {
  it('apply to the model of an upload that names it last', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { models: ['writer-small', 'whisper-1'] } })
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(300_000)]), 'speech.wav')
    form.set('model', 'whisper-large-v3')
    const upload = await fetch(`${gateway.url}/audio/transcriptions`, { method: 'POST', headers: withKey, body: form })
    expect(upload.status).toBe(403)
    expect((await upload.json()).error.code).toBe('model_not_allowed')
    expect(sandbox.observe.requests().filter(({ status }) => status === 200)).toEqual([])
  })
})

describe.each(apis)('an app’s limits in the API $name', (api) => {
  /** Checks a refusal by a limit: its shape, its mark, and its row. */
  async function expectRefused(gateway: Gateway, reply: Awaited<ReturnType<typeof ask>>, status: number, code: string) {
    expect([reply.status, reply.headers['x-studio-answer']]).toEqual([status, 'studio_limit'])
    const problem = api.problem(reply)
    if (problem.code !== null) expect(problem).toMatchObject({ type: 'studio_limit', code })
    expect(await newest(gateway)).toMatchObject({
      state: 'refused',
      status,
      who: { kind: 'app', id: 'testtool' },
      dialect: api.name === 'chat' ? null : api.name,
      problem: { kind: code, message: problem.message },
    })
  }

  it('apply to its models, before anything is sent', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { models: ['writer-small'] } })
    const refused = await askIn(gateway, api, api.body({ model: 'writer-large' }))
    await expectRefused(gateway, refused, 403, 'model_not_allowed')
    expect(refused.headers['x-should-retry']).toBe('false')
    expect(await newest(gateway)).toMatchObject({ model: 'writer-large' })
    expect(sandbox.observe.requests()).toHaveLength(0)
    expect((await askIn(gateway, api, api.body())).status).toBe(200)
  })

  it('apply to its endpoints', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { endpoints: ['models'] } })
    await expectRefused(gateway, await askIn(gateway, api, api.body()), 403, 'endpoint_not_allowed')
    expect(sandbox.observe.requests()).toHaveLength(0)
  })

  it('apply to its requests and tokens a minute, with a time', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { requestsPerMinute: 1 } })
    expect((await askIn(gateway, api, api.body())).status).toBe(200)
    const over = await askIn(gateway, api, api.body())
    await expectRefused(gateway, over, 429, 'rate_limit_requests')
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(50)
    gateway.change({ requestsPerMinute: null, tokensPerMinute: 300 })
    const body = api.body(api.atMost(200))
    expect((await askIn(gateway, api, body, pace({ tokens: 200 }))).status).toBe(200)
    const tooMany = await askIn(gateway, api, body)
    await expectRefused(gateway, tooMany, 429, 'rate_limit_tokens')
    expect(Number(tooMany.headers['retry-after'])).toBeGreaterThan(50)
    const tooLarge = await askIn(gateway, api, api.body(api.atMost(400)))
    expect([tooLarge.status, api.problem(tooLarge).message]).toEqual([429, expect.stringMatching(/^Request too large/)])
    expect([tooLarge.headers['retry-after'], tooLarge.headers['x-should-retry']]).toEqual([undefined, 'false'])
    expect(sandbox.observe.requests()).toHaveLength(2)
  })

  it('apply to its concurrent requests', async () => {
    const { gateway } = await beforeSandbox({ app: { concurrent: 1 } })
    const { request, begun } = openIn(gateway, api, streaming(api), slowly)
    await begun
    const refused = await askIn(gateway, api, api.body())
    await expectRefused(gateway, refused, 429, 'rate_limit_concurrent')
    expect(refused.headers['retry-after']).toBe('1')
    request.destroy()
    await eventually(async () => expect((await askIn(gateway, api, api.body())).status).toBe(200))
  })

  it('apply to its budget when that is used up, before the body is read', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { budgetTotal: '0' } })
    const refused = await askIn(gateway, api, 'this is no JSON')
    await expectRefused(gateway, refused, 402, 'budget_total')
    expect(refused.headers['x-should-retry']).toBe('false')
    expect(sandbox.observe.requests()).toHaveLength(0)
  })

  it('prevent two simultaneous requests from both spending the last SC', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    await learnPrices(gateway)
    // writer-large: 12 SC a million tokens out; 1,000 of them are some 0.012 SC.
    gateway.change({ budgetDay: '0.02' })
    const body = api.body({ model: 'writer-large', stream: true, ...api.atMost(1000) })
    const quickly = pace({ tokens: 900, perSecond: 0 })
    const replies = await Promise.all([1, 2, 3].map(() => askIn(gateway, api, body, quickly)))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402, 402])
    const refused = replies.find(({ status }) => status === 402)
    expect(refused && api.problem(refused).message).toMatch(/left of its 0.02 SC a day/)
    expect(refused?.headers['x-should-retry']).toBe('false')
    expect(sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(1)
    await eventually(() => expect(gateway.allowance.use('testtool')).toEqual({ active: 0, reserved: 0n }))
  })

  it('settle spending from the usage, also of streams, in agreement with the service', async () => {
    const { gateway } = await beforeSandbox()
    const models = ['writer-small', 'writer-large', 'mirror']
    for (const [at, model] of models.entries()) {
      await askIn(gateway, api, long(api, { model, stream: at % 2 === 0 }), pace({ tokens: 120 + at, perSecond: 0 }))
    }
    await learnPrices(gateway)
    const rows = (await gateway.rows()).filter(({ endpoint }) => endpoint === 'chat')
    expect(rows.every(({ tokensAre }) => tokensAre === 'measured')).toBe(true)
    await askIn(gateway, api, long(api, { stream: true }), pace({ tokens: 100, perSecond: 0 }))
    const row = await lastRow(gateway)
    expect(row.costIs).toBe('estimated')
    // writer-small: 0.5 SC a million in, 1.5 out; the seeded past allows a blend of them only.
    expect(Number(row.cost)).toBeGreaterThan(0.00005)
    expect(Number(row.cost)).toBeLessThan(0.0005)
  })

  it('allow no retries for an app with retries off', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { retries: false } })
    const reply = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'refuse; status=503' })
    expect(reply.status).toBe(503)
    expect(reply.headers['x-should-retry']).toBeUndefined()
    expect(sandbox.observe.requests()).toHaveLength(1)
  })
})

describe.each(apis)('pacing in the API $name', (api) => {
  it('a request waits for a slot instead of getting 429, and can be cancelled while it waits [LIM-05] [SSE-05]', async () => {
    const { gateway, sandbox } = await beforeSandbox({ key: 'oneAtATime' })
    gateway.scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
    const first = openIn(gateway, api, streaming(api, 2000), slowly)
    await first.begun
    const second = openIn(gateway, api, streaming(api, 2000), slowly)
    await eventually(() => expect(gateway.scheduler.counts().waiting).toBe(1))
    const third = askIn(gateway, api, api.body())
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
    const first = openIn(gateway, api, streaming(api, 2000), slowly)
    await first.begun
    const second = askIn(gateway, api, api.body())
    await eventually(async () => expect((await newest(gateway)).state).toBe('waiting'))
    expect(gateway.requestLog.stop((await newest(gateway)).id)).toBe(true)
    expect(api.problem(await second).message).toContain('stopped in Inference Studio')
    expect(await newest(gateway)).toMatchObject({ state: 'cancelled', cancelledBy: 'person', cost: '0' })
    expect(gateway.scheduler.counts().waiting).toBe(0)
    expect(sandbox.observe.requests()).toHaveLength(1)
    first.request.destroy()
  })

  it('an app that fails fast is refused instead of queued', async () => {
    const { gateway } = await beforeSandbox({ key: 'oneAtATime', app: { failFast: true } })
    gateway.scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
    const first = openIn(gateway, api, streaming(api, 2000), slowly)
    await first.begun
    const refused = await askIn(gateway, api, api.body())
    expect(refused.status).toBe(429)
    const { message } = api.problem(refused)
    expect(await newest(gateway)).toMatchObject({ state: 'refused', problem: { kind: 'would_wait', message } })
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
    const first = askIn(gateway, api, api.body(), { 'x-first': 'yes' })
    await eventually(() => expect(times).toHaveLength(1))
    const others = [askIn(gateway, api, api.body()), gateway.upstream.getCurrentKey()]
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

describe.each(apis)('bodies in the API $name', (api) => {
  it('are not stored by default', async () => {
    const { gateway } = await beforeSandbox()
    await askIn(gateway, api, api.body())
    const row = await lastRow(gateway)
    expect(row.hasBodies).toBe(false)
    const detail = gateway.requestLog.get(row.id)
    expect(detail.requestBody).toBeNull()
    expect(JSON.stringify(detail)).not.toContain(appKey)
  })

  it('are stored without secrets if enabled, and deleted on request', async () => {
    const { gateway, sandbox } = await beforeSandbox({ app: { logBodies: true } })
    const words = `Good morning, my key is ${sandbox.keys.main}`
    const body = long(api, { model: 'mirror', stream: true, ...api.prompt(words) })
    await askIn(gateway, api, body, { 'x-note': sandbox.keys.main })
    const row = await lastRow(gateway)
    expect(row.hasBodies).toBe(true)
    const detail = gateway.requestLog.get(row.id)
    expect(detail.requestBody?.text).toContain('Good morning')
    expect(detail.replyBody?.text).toContain('[DONE]')
    const all = JSON.stringify(detail)
    expect(all).not.toContain(sandbox.keys.main)
    expect(all).not.toContain(appKey)
    // The stored response belongs to the request too.
    expect(await gateway.requestLog.deleteBodies({ id: row.id })).toBe(api.name === 'responses' ? 2 : 1)
    expect(gateway.requestLog.get(row.id).requestBody).toBeNull()
  })
})
