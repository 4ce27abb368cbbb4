import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apis, askIn, openIn, pace } from '../../../helpers/apis.ts'
import { appKey, ask, jsonWithKey, replyTo, withKey } from '../../../helpers/appRequest.ts'
import { quickClock } from '../../../helpers/clock.ts'
import { noLongerGrows } from '../../../helpers/eventually.ts'
import { apiKey, openFarEnd, writeRepeatedly } from '../../../helpers/gateway.ts'
import { quick, testGateways } from '../../../helpers/testGateways.ts'

const { closers, beforeSandbox, beforeService, beforeUrl } = testGateways()

describe('requests are passed unchanged', () => {
  it('with body bytes, query, order and case of headers, and parameters [CHAT-08] [GEN-03]', async () => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
    const body = '{"model":"m", "n" : 3,"temperature":0.70,"stop":["\\u00e9"],"x_provider":{"deep":[1.0]} }\r\n'
    await ask(`${gateway.url}/chat/completions?trace=a%20b&x=1`, {
      method: 'POST',
      headers: { ...jsonWithKey, 'X-Custom-Header': 'Kept', 'x-drop': 'no', connection: 'close, X-Drop' },
      body,
    })
    const [seen] = far.requests
    expect(seen?.url).toBe('/v1/chat/completions?trace=a%20b&x=1')
    expect(seen?.body.toString()).toBe(body)
    expect(seen?.rawHeaders).toContain('X-Custom-Header')
    expect(seen?.headers).not.toHaveProperty('x-drop')
    expect(seen?.headers.host).toBe(new URL(far.url).host)
  })

  it('to a base address with a prefix and /v1 [GEN-05]', async () => {
    const far = await openFarEnd((_request, response) => response.end('{}'))
    closers.push(far.close)
    const gateway = await beforeUrl(`${far.url}/team/api/v1/`)
    await ask(`${gateway.url}/models`, { headers: withKey })
    expect(far.requests[0]?.url).toBe('/team/api/v1/models')
  })

  it('while an upload is still received [STT-01]', async () => {
    let firstBytes: (piece: Buffer) => void = () => undefined
    const arrived = new Promise<Buffer>((resolve) => {
      firstBytes = resolve
    })
    const { gateway } = await beforeService(
      (request, response) => {
        request.once('data', firstBytes)
        request.on('end', () => response.end('{"text":"heard"}'))
        request.resume()
      },
      { early: true },
    )
    const upload = httpRequest(`${gateway.url}/audio/transcriptions`, {
      method: 'POST',
      headers: { ...withKey, 'content-type': 'multipart/form-data; boundary=b' },
    })
    upload.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF')
    expect((await arrived).toString()).toContain('RIFF')
    upload.end('\r\n--b--\r\n')
    const response = await replyTo(upload)
    expect(response.statusCode).toBe(200)
    response.resume()
  })
})

describe('replies are passed unchanged', () => {
  it('with status, unknown headers, rate limits and request ids [LIM-04] [GEN-03]', async () => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(418, {
        'X-RateLimit-Limit': 'many',
        'X-RateLimit-Remaining': '7',
        'X-Request-Id': 'req_1',
        'X-New': 'kept',
        'Set-Cookie': 'a=b',
        'Access-Control-Allow-Origin': '*',
      })
      response.end('{"odd":true}')
    })
    const answer = await ask(`${gateway.url}/models`, { headers: withKey })
    expect(answer.status).toBe(418)
    expect(answer.body.toString()).toBe('{"odd":true}')
    expect(answer.headers).toMatchObject({
      'x-ratelimit-limit': 'many',
      'x-ratelimit-remaining': '7',
      'x-request-id': 'req_1',
      'x-new': 'kept',
    })
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('for every split of a stream: CR, CRLF, comments, multi-line data, usage events [SSE-02] [SSE-03] [SSE-06]', async () => {
    const events =
      ': keep-alive\r\n\r\ndata: {"choices":[{"delta":{"content":"héllo 🌍"}}]}\r\n\r\nevent: x\rdata: {"choices":\rdata: []}\r\r' +
      'data: {"choices":[],"usage":{"total_tokens":3}}\n\ndata: [DONE]\n\ntrailing'
    const bytes = Buffer.from(events)
    let cuts: number[] = []
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const edges = [0, ...cuts, bytes.length]
      const write = (at: number): void => {
        if (at + 1 >= edges.length) {
          response.end()
          return
        }
        response.write(bytes.subarray(edges[at], edges[at + 1]), () => setImmediate(write, at + 1))
      }
      write(0)
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }),
        async (places) => {
          cuts = places.sort((a, b) => a - b)
          const answer = await ask(`${gateway.url}/chat/completions`, {
            method: 'POST',
            headers: jsonWithKey,
            body: '{}',
          })
          expect(answer.body.equals(bytes)).toBe(true)
          expect(answer.whole).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('except that the API key is masked in echoed headers', async () => {
    const { gateway } = await beforeService((request, response) => {
      response.writeHead(200, { 'x-echo': request.headers.authorization ?? '' }).end('{}')
    })
    const answer = await ask(`${gateway.url}/models`, { headers: withKey })
    expect(answer.headers['x-echo']).toMatch(/^Bearer /)
    expect(JSON.stringify(answer.headers)).not.toContain(apiKey)
  })

  it('except that unrequested compression is removed, because it could hide the key', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const plain = await ask(`${gateway.url}/models`, { headers: withKey })
    const headers = { ...withKey, 'accept-encoding': 'gzip', 'x-sandbox-fault': 'gzip' }
    const answer = await ask(`${gateway.url}/models`, { headers })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body.equals(plain.body)).toBe(true)
    expect(sandbox.observe.requests().at(-1)?.status).toBe(200)
  })

  it('with the 501 of the legacy route [LEG-01] [ERR-01]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const direct = await ask(`${sandbox.baseUrl}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}` },
      body: '{}',
    })
    const answer = await ask(`${gateway.url}/completions`, { method: 'POST', headers: jsonWithKey, body: '{}' })
    expect(answer.status).toBe(501)
    expect(answer.body.toString()).toBe(direct.body.toString())
    expect(JSON.parse(answer.body.toString())).toHaveProperty('error.code')
  })

  it('with image URLs that are never fetched, except that those below the base address are rewritten [GEN-01] [AUTH-01]', async () => {
    const trap = await openFarEnd((_request, response) => response.end())
    closers.push(trap.close)
    const { gateway } = await beforeSandbox()
    const body = JSON.stringify({ prompt: 'a lighthouse', n: 1 })
    const foreign = await ask(`${gateway.url}/images/generations`, {
      method: 'POST',
      headers: { ...jsonWithKey, 'x-sandbox-fault': `foreign-url; to=${trap.url}/` },
      body,
    })
    expect(foreign.body.toString()).toContain(trap.url)
    expect(trap.connections()).toBe(0)
    const own = await ask(`${gateway.url}/images/generations`, { method: 'POST', headers: jsonWithKey, body })
    const address = (JSON.parse(own.body.toString()) as { data: { url: string }[] }).data[0]?.url ?? ''
    expect(address.startsWith(`${gateway.url}/`)).toBe(true)
    const image = await ask(address, { headers: withKey })
    expect(image.status).toBe(200)
    expect(image.body.subarray(1, 4).toString()).toBe('PNG')
  })
})

describe.each(apis)('in the API $name', (api) => {
  const stream = api.body({ stream: true, ...api.atMost(5000) })
  const slowly = pace({ tokens: 5000, perSecond: 100 })

  it('a redirect becomes 502, and is not followed [GEN-01]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'redirect; to=http://127.0.0.1:9/' })
    expect([answer.status, answer.headers.location]).toEqual([502, undefined])
    expect(api.problem(answer).message).toMatch(/redirect/)
    expect(sandbox.observe.requests()).toHaveLength(1)
  })

  it('the upstream request closes when the app disconnects within a stream, and the slot is free [CHAT-16] [SSE-05] [LIM-05] [ERR-08]', async () => {
    const { sandbox, gateway } = await beforeSandbox({
      key: 'oneAtATime',
      // With one slot, a retry of a refused request would wait for the slot.
      retry: { ...quick, maxAttempts: 1 },
    })
    const first = openIn(gateway, api, stream, slowly)
    await first.begun
    expect((await askIn(gateway, api, stream)).status).toBe(429)
    const record = sandbox.observe.requests().find((request) => request.stream && request.status === 200)
    first.request.destroy()
    const closed = await sandbox.observe.whenClosed(record?.id ?? '')
    expect(closed.closedByClient).toBe(true)
    const third = openIn(gateway, api, stream, slowly)
    expect((await third.begun).statusCode).toBe(200)
    third.request.destroy()
    // The request was not retried after the cancellation.
    const asked = sandbox.observe.requests().length
    await ask(`${gateway.url}/models`, { headers: withKey })
    expect(sandbox.observe.requests().length).toBe(asked + 1)
  })

  it('a revoked key cuts its running requests and closes them upstream', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const response = await openIn(gateway, api, stream, slowly).begun
    const cut = new Promise((resolve) => response.resume().once('close', resolve))
    gateway.proxy.cutInvalid((id) => id === 'testtool')
    expect(gateway.proxy.counts().active).toBe(1)
    gateway.proxy.cutInvalid(() => false)
    await cut
    expect(response.complete).toBe(false)
    const id = sandbox.observe.requests().at(-1)?.id ?? ''
    expect((await sandbox.observe.whenClosed(id)).closedByClient).toBe(true)
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ state: 'cancelled', cancelledBy: 'studio', problem: { kind: 'key_ended' } })
  })

  it('a revoked key ends a request that waits for its reply with the reason', async () => {
    const { gateway } = await beforeSandbox()
    const answer = askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'slow-headers; ms=60000' })
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('sent')
    gateway.proxy.cutInvalid(() => false)
    expect((await answer).status).toBe(403)
    expect(api.problem(await answer).message).toMatch(/revoked/)
  })

  it('the upstream request closes when the app disconnects before any header', async () => {
    const arrived = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const { gateway } = await beforeService((_request, response) => {
      response.once('close', () => gone.resolve())
      arrived.resolve()
    })
    const { request } = openIn(gateway, api, api.body())
    await arrived.promise
    request.destroy()
    await gone.promise
    await expect.poll(async () => (await gateway.rows())[0]).toMatchObject({ state: 'cancelled', cancelledBy: 'app' })
  })

  it('the upstream request closes when the app disconnects in the middle of a whole reply, which is not asked for again', async () => {
    const begun = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const { far, gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices":[{"index":0,"message":{"content":"Wo')
      response.once('close', () => gone.resolve())
      begun.resolve()
    })
    const { request } = openIn(gateway, api, api.body())
    await begun.promise
    await expect.poll(async () => (await gateway.rows())[0]?.status).toBe(200)
    request.destroy()
    await gone.promise
    await expect.poll(async () => (await gateway.rows())[0]).toMatchObject({ state: 'cancelled', cancelledBy: 'app' })
    expect([far.requests.length, gateway.memory.held]).toEqual([1, 0])
  })
})

describe('requests without a translation', () => {
  it('an app that stops reading slows the service down', async () => {
    let sent = 0
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' })
      const block = Buffer.alloc(65_536)
      writeRepeatedly(response, block, (bytes) => {
        sent += bytes
      })
    })
    const socket = connect(gateway.proxy.port, '127.0.0.1')
    socket.pause()
    socket.on('error', () => undefined)
    socket.write(
      `GET /v1/audio HTTP/1.1\r\nHost: 127.0.0.1:${gateway.proxy.port}\r\nAuthorization: Bearer ${appKey}\r\n\r\n`,
    )
    await noLongerGrows(() => sent)
    expect(sent).toBeLessThan(40_000_000)
    socket.destroy()
  })

  it('never repeats an upload without a complete copy', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(400_000)]), 'speech.wav')
    const answer = await fetch(`${gateway.url}/audio/transcriptions`, {
      method: 'POST',
      headers: { ...withKey, 'x-sandbox-fault': 'fail; status=503; times=1; id=c' },
      body: form,
    })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('x-should-retry')).toBeNull()
    expect(sandbox.observe.requests()).toHaveLength(1)
  })
})

describe.each(apis)('the one retry loop in the API $name', (api) => {
  it('ends when the app disconnects during a wait [ERR-08]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    using clock = quickClock()
    const { request } = openIn(gateway, api, api.body(), { 'x-sandbox-fault': 'refuse; status=429; retry-after=30' })
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('backing_off')
    request.destroy()
    await expect.poll(() => gateway.proxy.counts().active).toBe(0)
    await clock.advance(31_000)
    expect(sandbox.observe.requests()).toHaveLength(1)
  })

  it('retries before output after 503, with growing delays, invisible to the app [ERR-06] [ERR-09]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'fail; status=503; times=2; id=a' })
    expect(answer.status).toBe(200)
    expect(sandbox.observe.requests().map((request) => request.status)).toEqual([503, 503, 200])
    const bodies = new Set(
      sandbox.observe
        .requests()
        .filter((request) => request.bodySha256)
        .map((request) => request.bodySha256),
    )
    expect(bodies.size).toBe(1)
  })

  it('waits at least Retry-After [ERR-05]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const fault = 'fail; status=429; times=1; retry-after=1; id=b'
    expect((await askIn(gateway, api, api.body(), { 'x-sandbox-fault': fault })).status).toBe(200)
    const [first, second] = sandbox.observe.requests()
    expect((second?.startedAt ?? 0) - (first?.endedAt ?? 0)).toBeGreaterThanOrEqual(990)
  })

  it('passes the last reply when it gives up, and prevents a retry loop of the SDK [ERR-10]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': 'refuse; status=502' })
    expect(answer.status).toBe(502)
    expect(answer.headers['x-should-retry']).toBe('false')
    expect(api.error(answer.body.toString()).message).not.toBe('')
    expect(sandbox.observe.requests().length).toBeGreaterThan(1)
    expect(sandbox.observe.requests().length).toBeLessThan(6)
  })

  it.each([400, 401, 402, 403, 404, 500])('passes %i at once after one attempt', async (status) => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askIn(gateway, api, api.body(), { 'x-sandbox-fault': `refuse; status=${status}` })
    expect(answer.status).toBe(status)
    expect(sandbox.observe.requests()).toHaveLength(1)
  })

  it('repeats a long request, because JSON is buffered until its reply starts', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const body = api.body(api.prompt('word '.repeat(80_000)))
    const answer = await askIn(gateway, api, body, { 'x-sandbox-fault': 'fail; status=503; times=1; id=d' })
    expect(answer.status).toBe(200)
    expect(sandbox.observe.requests()).toHaveLength(2)
  })

  it('replies with an error object if the service is not reachable', async () => {
    const far = await openFarEnd(() => undefined)
    const gateway = await beforeUrl(far.url, { retry: { ...quick, maxAttempts: 2 } })
    await far.close()
    const answer = await askIn(gateway, api, api.body())
    expect(answer.status).toBe(502)
    expect(answer.headers).toMatchObject({ 'x-should-retry': 'false', 'x-studio-answer': 'studio_upstream' })
    const { message } = api.problem(answer)
    expect((await gateway.rows())[0]).toMatchObject({ state: 'failed', problem: { kind: 'connect_failed', message } })
  })
})
