import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { type Api, apis, askIn, translatedApis, urlIn } from '../../../helpers/apis.ts'
import { appKey, ask, jsonWithKey, postJson, replyTo } from '../../../helpers/appRequest.ts'
import { firstCases } from '../../../helpers/effort.ts'
import { noLongerGrows } from '../../../helpers/eventually.ts'
import { apiKey, type Gateway, writeRepeatedly } from '../../../helpers/gateway.ts'
import { quick, testGateways } from '../../../helpers/testGateways.ts'

// What the local API guarantees holds for chat completions and all translated APIs alike.

const { beforeSandbox, beforeService, beforeEchoingService } = testGateways()

const postIn = (gateway: Gateway, api: Api, body: string) => postJson(urlIn(gateway, api, body), body)
const instantly = { 'x-sandbox-tokens-per-second': '0' }

describe.each(apis)('in the API $name', (api) => {
  it('a streamed reply has the text of the whole one, and both are one chat completion at the service', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const seeded = { ...instantly, 'x-sandbox-seed': '7' }
    const whole = await askIn(gateway, api, api.body(), seeded)
    const stream = await askIn(gateway, api, api.body({ stream: true }), seeded)
    expect([whole.status, stream.status, stream.whole]).toEqual([200, 200, true])
    expect(api.text(whole.body.toString())).not.toBe('')
    expect(api.text(stream.body.toString())).toBe(api.text(whole.body.toString()))
    expect(api.isComplete(stream.body.toString())).toBe(true)
    expect(sandbox.observe.requests().map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/v1/chat/completions'],
      ['POST', '/v1/chat/completions'],
    ])
  })

  it('a stream always reports its usage, so that its cost is known', async () => {
    const { gateway } = await beforeSandbox()
    await askIn(gateway, api, api.body({ stream: true }), instantly)
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ state: 'done', endpoint: 'chat', stream: true, tokensAre: 'measured', finishReason: 'length' })
  })

  it('a reply that the service breaks off is never complete, and is not asked for again [SSE-04] [CHAT-19] [ERR-08]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body({ stream: true, ...api.atMost(500) }), {
      ...instantly,
      'x-sandbox-fault': 'cut; bytes=2000',
    })
    expect(answer.status).toBe(200)
    // Each stream says so in an event. A translated one then ends regularly (decision 0011).
    expect(answer.whole).toBe(api.name !== 'chat')
    expect(api.isFailed(answer.body.toString())).toBe(true)
    expect(api.text(answer.body.toString())).not.toBe('')
    expect(api.isComplete(answer.body.toString())).toBe(false)
    expect(sandbox.observe.requests()).toHaveLength(1)
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('cut')
  })

  it('the service sees the close within 20 ms when the app disconnects in mid-stream [CHAT-16] [SSE-05]', async () => {
    let closedAt: (at: number) => void = () => undefined
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"word"}}]}\n\n')
      response.once('close', () => closedAt(performance.now()))
    })
    const times: number[] = []
    // The machine may be busy for a moment, so the best of five counts.
    for (let attempt = 0; attempt < 5; attempt++) {
      const closed = new Promise<number>((resolve) => {
        closedAt = resolve
      })
      const request = postIn(gateway, api, api.body({ stream: true }))
      await once(await replyTo(request), 'data')
      const from = performance.now()
      request.destroy()
      times.push((await closed) - from)
    }
    expect(Math.min(...times)).toBeLessThan(20)
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('cancelled')
  })

  it('an app that reads slowly slows the service down', { tags: 'long' }, async () => {
    let sent = 0
    const event = `data: {"choices":[{"index":0,"delta":{"content":"${'word '.repeat(2000)}"}}]}\n\n`
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      writeRepeatedly(response, event, (bytes) => {
        sent += bytes
      })
    })
    const request = postIn(gateway, api, api.body({ stream: true }))
    const response = await replyTo(request)
    response.pause()
    await noLongerGrows(() => sent)
    expect(sent).toBeLessThan(60_000_000)
    request.destroy()
  })

  it('a temporary failure before output is retried here, and the app sees one reply [ERR-06]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'fail; status=503; times=2; id=a' })
    expect(answer.status).toBe(200)
    expect(sandbox.observe.requests().map(({ status }) => status)).toEqual([503, 503, 200])
  })

  it('after the last retry the failure says that no other loop may start [ERR-10]', async () => {
    const { sandbox, gateway } = await beforeSandbox({ retry: { ...quick, maxAttempts: 2 } })
    const answer = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'refuse; status=503' })
    expect([answer.status, answer.headers['x-should-retry']]).toEqual([503, 'false'])
    expect(api.error(answer.body.toString()).message).not.toBe('')
    expect(sandbox.observe.requests()).toHaveLength(2)
  })

  it.each([400, 401, 402, 403, 404, 429, 500])('a %i keeps its status, its words and Retry-After', async (status) => {
    const { gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' })
        response.end('{"error":{"message":"The words of the service.","type":"odd","code":"its_code"}}')
      },
      { app: { retries: false } },
    )
    const answer = await askIn(gateway, api, api.body())
    expect([answer.status, answer.headers['retry-after']]).toEqual([status, '7'])
    expect(api.error(answer.body.toString()).message).toBe('The words of the service.')
    if (api.name === 'messages') {
      const { type, request_id } = JSON.parse(answer.body.toString()) as Record<string, unknown>
      expect([type, request_id]).toEqual(['error', answer.headers['request-id']])
      expect(request_id).toMatch(/^req_/)
    }
  })

  it('no form of the service’s key reaches the app, and the app’s key never reaches the service', {
    tags: 'long',
  }, async () => {
    const { service, gateway } = await beforeEchoingService()
    for (const mode of ['good', 'refuses', 'page', 'error frame', 'no JSON', 'cut'] as const) {
      for (const stream of [false, true]) {
        const answer = await askIn(gateway, api, api.body({ stream }), { 'x-echo-mode': mode })
        const heard = `${JSON.stringify(answer.headers)}${answer.body.toString()}`
        expect([mode, stream, heard.includes(apiKey)]).toEqual([mode, stream, false])
      }
    }
    expect(new Set(service.paths)).toEqual(new Set(['/v1/chat/completions']))
    const { far, gateway: second } = await beforeService((_request, response) => response.end('{"choices":[]}'))
    await askIn(second, api, api.body(), { 'x-api-key': appKey, 'anthropic-version': '2023-06-01' })
    expect(far.requests).toHaveLength(1)
    expect(JSON.stringify(far.requests)).not.toContain(appKey)
  })

  it('limits of the app apply before anything is sent', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const refusal = async (app: Parameters<typeof gateway.change>[0], body = api.body()) => {
      gateway.change({ endpoints: null, models: null, tokensPerMinute: null, budgetTotal: null, ...app })
      const answer = await askIn(gateway, api, body)
      return [answer.status, answer.headers['x-studio-answer']]
    }
    expect(await refusal({ endpoints: ['speech', 'models'] })).toEqual([403, 'studio_limit'])
    expect(await refusal({ models: ['writer-large'] })).toEqual([403, 'studio_limit'])
    expect(await refusal({ tokensPerMinute: 100 }, api.body(api.prompt('word '.repeat(500))))).toEqual([
      429,
      'studio_limit',
    ])
    expect(await refusal({ budgetTotal: '0' })).toEqual([402, 'studio_limit'])
    expect(sandbox.observe.requests()).toHaveLength(0)
    expect(await refusal({ endpoints: ['chat'], models: ['writer-small'] })).toEqual([200, undefined])
  })

  it('an allowed origin may read replies, streams and refusals, and no other origin may', async () => {
    const origin = 'http://localhost:3000'
    const { gateway } = await beforeSandbox({ allowedOrigins: [origin], app: { models: ['writer-small'] } })
    const page = { origin, 'sec-fetch-site': 'cross-site' }
    const answers = [
      await askIn(gateway, api, api.body(), { ...page, ...instantly }),
      await askIn(gateway, api, api.body({ stream: true }), { ...page, ...instantly }),
      await askIn(gateway, api, api.body({ model: 'writer-large' }), page),
      await askIn(gateway, api, '{', page),
      await askIn(gateway, api, api.body(), { ...page, 'x-sandbox-fault': 'refuse; status=400' }),
      await askIn(gateway, api, api.body(), { ...page, authorization: 'Bearer isk_x_wrong' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 400, 400, 401])
    for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBe(origin)
    const preflight = await ask(urlIn(gateway, api), {
      method: 'OPTIONS',
      headers: { ...page, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
    })
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'POST'])
    const foreign = await askIn(gateway, api, api.body(), { ...page, origin: 'https://evil.example' })
    expect([foreign.status, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })

  it('no body reaches a model that the app may not use, however it names its model', async () => {
    const { far, gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":{"content":"x"}}]}')
      },
      { app: { models: ['small'] } },
    )
    const members = api.body({ model: undefined }).slice(1)
    const names = [
      '"model":"large"',
      '"MODEL":"small"',
      '"model":["small"]',
      '"model":{"toString":"small"}',
      '"model":null',
    ]
    names.push(
      '"model":"small","model":"large"',
      '"model":"small","mod\\u0065l":"large"',
      '"model":"small "',
      '"__proto__":{"model":"small"}',
    )
    for (const name of names) {
      const answer = await askIn(gateway, api, `{${name},${members}`)
      expect([name, Math.floor(answer.status / 100)]).toEqual([name, 4])
      expect(api.problem(answer).message).not.toBe('')
    }
    expect(far.requests).toEqual([])
    for (const name of ['"model":"small"', '"model":"large","model":"small"', '"MODEL":"large","model":"small"']) {
      await askIn(gateway, api, `{${name},${members}`)
    }
    const sent = far.requests.map(({ body }) => JSON.parse(body.toString()) as { model: string })
    expect(sent.length).toBeGreaterThan(0)
    expect(new Set(sent.map(({ model }) => model))).toEqual(new Set(['small']))
    expect(far.requests.every(({ body }) => !body.includes('large'))).toBe(true)
  })

  it('two requests at the same time can’t both spend the last of a budget', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    gateway.requestLog.connectedTo(sandbox.baseUrl)
    const tokens = { tokens_in: 1_000_000, tokens_out: 1_000_000, tokens_cached: 0 }
    gateway.requestLog.learn(
      {
        usage: [1, 2, 3].map((n) => ({
          date: `2026-10-0${n}T00:00:00Z`,
          model: 'writer-small',
          requests: 10,
          ...tokens,
          tokens_in: n * 1_000_000,
          cost_sc: 1 + n,
        })),
        balance: 1,
        total_spent: 1,
      } as never,
      sandbox.baseUrl,
    )
    // About 0.5 SC for 500,000 output tokens.
    gateway.change({ budgetTotal: '0.6' })
    const body = api.body({ ...api.atMost(500_000), stream: true })
    const answers = await Promise.all(
      [1, 2].map(() => askIn(gateway, api, body, { ...instantly, 'x-sandbox-tokens': '20' })),
    )
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402])
  })

  it('the app’s model map applies, limits are checked against its result, and the log has both names', async () => {
    const { sandbox, gateway } = await beforeSandbox({
      app: { modelMap: [{ pattern: 'gpt-*', model: 'writer-small' }], models: ['writer-small'] },
    })
    for (const stream of [false, true]) {
      const answer = await askIn(gateway, api, api.body({ model: 'gpt-5.1', stream }), instantly)
      expect(answer.status).toBe(200)
      await expect
        .poll(async () => (await gateway.rows())[0])
        .toMatchObject({ state: 'done', model: 'writer-small', askedModel: 'gpt-5.1', answeredModel: null })
    }
    expect((await askIn(gateway, api, api.body({ model: 'claude-5' }))).status).toBe(403)
    expect(sandbox.observe.requests()).toHaveLength(2)
    expect((await gateway.rows()).map(({ dialect }) => dialect)).toEqual(
      Array(3).fill(api.name === 'chat' ? null : api.name),
    )
  })

  it('a person can stop it in mid-stream: the service sees the close, and the reply is not complete', async () => {
    const { gateway, sandbox } = await beforeSandbox()
    const body = api.body({ stream: true, ...api.atMost(400) })
    const response = await replyTo(postIn(gateway, api, body))
    await expect.poll(() => gateway.requestLog.live()).toBe(1)
    const id = (await gateway.rows())[0]?.id ?? 0
    expect(gateway.requestLog.stop(id)).toBe(true)
    let heard = ''
    await new Promise((resolve) => {
      response.on('data', (bytes: Buffer) => {
        heard += bytes.toString()
      })
      response.once('close', resolve)
    })
    expect([response.complete, api.isComplete(heard)]).toEqual([api.name !== 'chat', false])
    expect(heard).toMatch(/stopped in Inference Studio/)
    expect((await sandbox.observe.whenClosed(sandbox.observe.requests()[0]?.id ?? '')).closedByClient).toBe(true)
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ state: 'cancelled', cancelledBy: 'person' })
  })
})

describe.each(translatedApis)('only in $name', (api) => {
  it.each([
    (path: string) => path.toUpperCase().replace('V1', 'v1').replace('WRITER-SMALL', 'writer-small'),
    (path: string) => `${path}/`,
    (path: string) => `${path}?beta=true&model=other`,
    (path: string) => path.replace('e', '%EF%BD%85'),
  ])('no spelling of its path reaches the service under that name (%#)', async (spell) => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await ask(`${gateway.url.replace(/\/v1$/, '')}${spell(api.pathOf())}`, {
      method: 'POST',
      headers: jsonWithKey,
      body: api.body(),
    })
    expect(answer.status).toBe(200)
    expect(sandbox.observe.requests().map(({ path }) => path)).toEqual(['/v1/chat/completions'])
  })

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s of its path is refused here, with a message',
    async (method) => {
      const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
      const answer = await ask(urlIn(gateway, api), { method, headers: jsonWithKey })
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
      expect(api.problem(answer).message).toMatch(/POST/)
      expect(far.requests).toHaveLength(0)
    },
  )

  it('refusals of the guard have its shape', async () => {
    const { gateway } = await beforeSandbox()
    for (const headers of [{}, { authorization: 'Bearer isk_x_wrong' }, { origin: 'https://evil.example' }]) {
      const answer = await ask(urlIn(gateway, api), { method: 'POST', headers, body: api.body() })
      expect(api.problem(answer).message).not.toBe('')
      expect(answer.headers['x-should-retry']).toBe('false')
    }
  })

  it.each([
    ['no JSON', '{"model":', {}],
    ['no object', '[]', {}],
    ['UTF-16', '{"model":"m"}', { 'content-type': 'application/json; charset=utf-16' }],
    ['compressed', '{"model":"m"}', { 'content-encoding': 'gzip' }],
    ['a form', 'model=m', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), {}],
    ['200 levels', `{"model":"m","input":${'['.repeat(200)}${']'.repeat(200)}}`, {}],
    ['a million values', `{"model":"m","input":[${'1,'.repeat(600_000)}1]}`, {}],
    ['nothing', '', {}],
  ])('a body with %s gets a 400 with a message', async (_name, body, headers: Record<string, string>) => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
    const answer = await ask(urlIn(gateway, api), {
      method: 'POST',
      headers: { ...jsonWithKey, ...headers },
      body,
    })
    expect(answer.status).toBe(400)
    expect(api.error(answer.body.toString()).message.length).toBeGreaterThan(10)
    // Without a field to blame, `param` is null.
    expect(JSON.parse(answer.body.toString())).not.toMatchObject({ error: { param: '' } })
    expect(far.requests).toHaveLength(0)
    expect(gateway.memory.held).toBe(0)
  })

  it('a large request, which another thread translates, becomes what a small one becomes', {
    tags: 'long',
  }, async () => {
    const { far, gateway } = await beforeService((_request, response, body) => {
      const { stream } = JSON.parse(body.toString()) as { stream?: boolean }
      const choice = { index: 0, finish_reason: 'stop' }
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
      response.end(
        stream
          ? `data: ${JSON.stringify({ choices: [{ ...choice, delta: { content: 'Words' } }] })}\n\ndata: [DONE]\n\n`
          : JSON.stringify({ choices: [{ ...choice, message: { content: 'Words' } }] }),
      )
    })
    gateway.change({ modelMap: [{ pattern: 'gpt-*', model: 'mapped' }] })
    const image = 'A'.repeat(3_000_000)
    const shapes: unknown[] = []
    for (const filler of ['', image]) {
      for (const stream of [false, true]) {
        const body = api.body({
          model: 'gpt-5',
          stream,
          tools: [api.tools.own, api.tools.hosted],
          ...api.prompt(`Hello ${filler}`),
        })
        const answer = await askIn(gateway, api, body)
        const sent = far.requests.at(-1)?.body.toString() ?? ''
        const heard = answer.body.toString()
        const row = await vi.waitFor(async () => {
          const [newest] = await gateway.rows()
          if (newest?.state !== 'done') throw new Error('The row is open.')
          return newest
        })
        shapes.push({
          status: answer.status,
          sent: sent.replace(image, ''),
          ignored: answer.headers['x-studio-ignored'],
          events: heard.split('\n').length,
          text: api.text(heard),
          keys: stream ? null : Object.keys(JSON.parse(heard) as object),
          row: [row.model, row.askedModel, row.dialect, row.ignored, row.stream],
        })
      }
    }
    expect(shapes[0]).toMatchObject({
      status: 200,
      text: 'Words',
      row: ['mapped', 'gpt-5', api.name, expect.anything(), false],
    })
    expect(shapes.slice(2)).toEqual(shapes.slice(0, 2))
    expect(gateway.memory.held).toBe(0)
  })

  it('a large request that can’t be translated gets the same 400', { tags: 'long' }, async () => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
    const answers = []
    for (const filler of ['', 'x'.repeat(2_000_000)]) {
      const answer = await askIn(gateway, api, api.body({ ...api.wrong, metadata: { user_id: filler } }))
      answers.push([answer.status, api.error(answer.body.toString())])
    }
    expect(answers[0]?.[0]).toBe(400)
    expect(answers[1]).toEqual(answers[0])
    expect(far.requests).toHaveLength(0)
  })

  it.each(firstCases(1, [true, false]))(
    'a body over 32 MB gets a 413, before it has arrived (length known: %s)',
    async (isKnown) => {
      const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
      const length = { 'content-length': 40 * 1024 * 1024 }
      const request = postJson(urlIn(gateway, api), null, isKnown ? length : {})
      request.write('{"model":"')
      if (!isKnown) writeRepeatedly(request, Buffer.alloc(64 * 1024, 'x'), () => undefined)
      const response = await replyTo(request)
      const body = await response.toArray()
      const { statusCode = 0, headers } = response
      expect(statusCode).toBe(413)
      expect(api.problem({ status: statusCode, headers, body: Buffer.concat(body) }).message).toMatch(/32 MB/)
      request.destroy()
      expect(far.requests).toHaveLength(0)
      await expect.poll(() => gateway.memory.held).toBe(0)
    },
  )

  it('headers of the other vendor and of the app’s body stay here', async () => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{"choices":[]}'))
    const headers = {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'unknown-2030',
      'x-goog-api-client': 'unknown/2030',
      'x-custom': 'kept',
      accept: 'text/weird',
    }
    await askIn(gateway, api, api.body(), headers)
    const [seen] = far.requests
    expect(seen?.headers).toMatchObject({
      'x-custom': 'kept',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': String(seen?.body.length),
    })
    expect(Object.keys(seen?.headers ?? {}).filter((name) => /^(?:anthropic|x-goog)-/.test(name))).toEqual([])
  })

  it('what has no effect is named in a header and in the log', async () => {
    const { gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body({ tools: [api.tools.hosted] }))
    expect(answer.status).toBe(200)
    const ignored = String(answer.headers['x-studio-ignored'])
    expect(ignored).toMatch(/search/i)
    await expect.poll(async () => (await gateway.rows())[0]?.ignored.join(', ')).toBe(ignored)
  })

  it.each([
    ['JSON although a stream was asked for', true, 'application/json'],
    ['a stream although none was asked for', false, 'text/event-stream'],
  ])('a service that sends %s is translated all the same', async (_name, stream, type) => {
    const choice = { index: 0, finish_reason: 'stop' }
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const whole = JSON.stringify({ choices: [{ ...choice, message: { content: 'Words' } }], usage })
    const events = `data: ${JSON.stringify({ choices: [{ ...choice, delta: { content: 'Words' } }], usage })}\n\ndata: [DONE]\n\n`
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': type })
      response.end(stream ? whole : events)
    })
    const answer = await askIn(gateway, api, api.body({ stream }))
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(stream ? /event-stream|x-ndjson/ : /^application\/json/)
    expect(api.text(answer.body.toString())).toBe('Words')
  })

  it.each([
    ['an error object', 'data: {"error":{"message":"Out of memory","code":"oom"}}\n\n', /Out of memory/],
    ['an event that is no JSON', 'data: {"choices":\n\ndata: [DONE]\n\n', /not JSON/],
    ['no end after an event that is no object', 'data: 7\n\n', /broke off/],
    ['its end without a finish', '', /broke off/],
    ['bytes that are not UTF-8', Buffer.from([0x64, 0xff, 0xfe]), /UTF-8/],
  ])('a stream with %s ends with an event that says so', async (_name, rest, words) => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Words"}}]}\n\n')
      response.end(rest)
    })
    const answer = await askIn(gateway, api, api.body({ stream: true }))
    const heard = answer.body.toString()
    expect(api.text(heard)).toBe('Words')
    expect(api.isFailed(heard)).toBe(true)
    expect(heard).toMatch(words)
    expect([answer.whole, api.isComplete(heard)]).toEqual([true, false])
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('cut')
  })

  it('a reply that is no chat completion gets a 502 in its shape', async () => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('"words"')
    })
    const answer = await askIn(gateway, api, api.body())
    expect([answer.status, answer.headers['x-should-retry']]).toEqual([502, 'false'])
    expect(api.problem(answer).message).toMatch(/not a chat completion/)
  })

  it.each([true, false])(
    'the end of the stream reaches the app although the service keeps its connection open (asked for: %s)',
    async (stream) => {
      const { gateway } = await beforeService((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(
          'data: {"choices":[{"index":0,"delta":{"content":"Words"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        )
      })
      const answer = await askIn(gateway, api, api.body({ stream }))
      expect([answer.status, answer.whole, api.text(answer.body.toString())]).toEqual([200, true, 'Words'])
      if (stream) expect(api.isComplete(answer.body.toString())).toBe(true)
      await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('done')
    },
  )
})

describe('the app key', () => {
  it.each(['x-goog-api-key', 'key'])(
    'is accepted in %s of the Gemini API, and is sent on in no form',
    async (place) => {
      const { far, gateway } = await beforeService((_request, response) => response.end('{"choices":[]}'))
      const path = '/v1beta/models/writer-small:generateContent'
      const url = `${gateway.url.replace(/\/v1$/, '')}${path}${place === 'key' ? `?alt=json&key=${appKey}` : ''}`
      const headers = { 'content-type': 'application/json', ...(place !== 'key' && { [place]: appKey }) }
      const body = '{"contents":[{"parts":[{"text":"Hi"}]}]}'
      expect((await ask(url, { method: 'POST', headers, body })).status).toBe(502)
      expect(far.requests).toHaveLength(1)
      expect(JSON.stringify(far.requests)).not.toContain(appKey)
      await expect.poll(async () => (await gateway.rows())[0]?.path).toBe(path)
      expect(JSON.stringify(await gateway.rows())).not.toContain(appKey)
      const other = { ...headers, authorization: 'Bearer isk_another_key' }
      expect(await ask(url, { method: 'POST', headers: other, body })).toMatchObject({ status: 400 })
      const twice = `${url}${place === 'key' ? '&' : '?'}again=${appKey}`
      expect(await ask(twice, { method: 'POST', headers, body })).toMatchObject({ status: 400 })
      expect(far.requests).toHaveLength(1)
    },
  )

  it.each(apis)('is accepted in x-api-key for $name, alone and beside an equal Authorization', async (api) => {
    const { gateway } = await beforeSandbox()
    const headers = { 'content-type': 'application/json', 'x-api-key': appKey }
    const url = urlIn(gateway, api)
    expect((await ask(url, { method: 'POST', headers, body: api.body() })).status).toBe(200)
    expect((await askIn(gateway, api, api.body(), { 'x-api-key': appKey })).status).toBe(200)
  })

  it.each(apis)('beside another key is refused for $name, and neither is sent on', async (api) => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
    const answer = await askIn(gateway, api, api.body(), { 'x-api-key': 'sk-ant-of-another-vendor' })
    expect(answer.status).toBe(400)
    expect(api.error(answer.body.toString()).message).toMatch(/different keys/)
    const twice = await ask(urlIn(gateway, api), {
      method: 'POST',
      headers: { ...jsonWithKey, 'x-api-key': [appKey, appKey] },
      body: api.body(),
    })
    expect(twice.status).toBe(400)
    expect(far.requests).toHaveLength(0)
  })
})
