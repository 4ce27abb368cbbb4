import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, jsonWithKey, postJson, replyTo, toolKey, withKey } from '../../../helpers/appRequest.ts'
import { quickClock } from '../../../helpers/clock.ts'
import { apiKey, type Gateway, openFarEnd, writeRepeatedly } from '../../../helpers/gateway.ts'
import { quick, testGateways } from '../../../helpers/testGateways.ts'

const { closers, beforeSandbox, beforeService, beforeUrl } = testGateways()

const chat = (body: Record<string, unknown>) =>
  JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], model: 'mirror', ...body })

/** Sends a chat whose reply the sandbox breaks. */
const askChat = (gateway: Gateway, fault: string, body: string) =>
  ask(`${gateway.url}/chat/completions`, {
    method: 'POST',
    headers: { ...jsonWithKey, 'x-sandbox-fault': fault },
    body,
  })

/** Starts a streamed chat and resolves with the open reply after its first bytes. */
async function openStream(url: string, headers: Record<string, string> = {}, body: Record<string, unknown> = {}) {
  const request = postJson(`${url}/chat/completions`, chat({ model: 'writer-small', stream: true, ...body }), headers)
  const response = await replyTo(request)
  await once(response, 'data')
  return { request, response }
}

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

  it('except that a redirect becomes 502 [GEN-01]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askChat(gateway, 'redirect; to=http://127.0.0.1:9/', chat({}))
    expect(answer.status).toBe(502)
    expect(answer.headers.location).toBeUndefined()
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'redirected' } })
    expect(sandbox.observe.requests()).toHaveLength(1)
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

describe('disconnects and cancellation', () => {
  it('the upstream request closes when the app disconnects within a stream, and the slot is free [CHAT-16] [SSE-05] [LIM-05] [ERR-08]', async () => {
    const { sandbox, gateway } = await beforeSandbox({
      key: 'oneAtATime',
      // With one slot, a retry of a refused request would wait for the slot.
      retry: { ...quick, maxAttempts: 1 },
    })
    const first = await openStream(gateway.url)
    const second = await ask(`${gateway.url}/chat/completions`, {
      method: 'POST',
      headers: jsonWithKey,
      body: chat({ model: 'writer-small', stream: true }),
    })
    expect(second.status).toBe(429)
    const record = sandbox.observe.requests().find((request) => request.stream && request.status === 200)
    first.request.destroy()
    const closed = await sandbox.observe.whenClosed(record?.id ?? '')
    expect(closed.closedByClient).toBe(true)
    const third = await openStream(gateway.url)
    expect(third.response.statusCode).toBe(200)
    third.request.destroy()
    // The request was not retried after the cancellation.
    const asked = sandbox.observe.requests().length
    await ask(`${gateway.url}/models`, { headers: withKey })
    expect(sandbox.observe.requests().length).toBe(asked + 1)
  })

  it('a revoked key cuts its running requests and closes them upstream', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const { response } = await openStream(gateway.url, {}, { sandbox: { tokens: 5000 } })
    const cut = new Promise((resolve) => response.once('close', resolve))
    gateway.proxy.cutInvalid((id) => id === 'testtool')
    expect(gateway.proxy.counts().active).toBe(1)
    gateway.proxy.cutInvalid(() => false)
    await cut
    expect(response.complete).toBe(false)
    const id = sandbox.observe.requests().at(-1)?.id ?? ''
    expect((await sandbox.observe.whenClosed(id)).closedByClient).toBe(true)
  })

  it('the upstream request closes when the app disconnects before any header', async () => {
    const arrived = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const { gateway } = await beforeService((_request, response) => {
      response.once('close', () => gone.resolve())
      arrived.resolve()
    })
    const request = httpRequest(`${gateway.url}/models`, { headers: withKey, agent: false })
    request.on('error', () => undefined)
    request.end()
    await arrived.promise
    request.destroy()
    await gone.promise
  })

  it('a reply that the service breaks off is cut and never completed [SSE-04] [CHAT-19]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askChat(gateway, 'cut; bytes=900', chat({ stream: true }))
    expect(answer.status).toBe(200)
    expect(answer.whole).toBe(false)
    expect(answer.body.toString()).not.toContain('[DONE]')
    expect(sandbox.observe.requests()).toHaveLength(1)
  })

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
      `GET /v1/audio HTTP/1.1\r\nHost: 127.0.0.1:${gateway.proxy.port}\r\nAuthorization: Bearer ${toolKey}\r\n\r\n`,
    )
    // Stable when every buffer is full: no growth in three consecutive checks.
    for (let [same, last] = [0, -1]; same < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      ;[same, last] = sent > 0 && sent === last ? [same + 1, last] : [0, sent]
    }
    expect(sent).toBeLessThan(40_000_000)
    socket.destroy()
  })
})

describe('the one retry loop', () => {
  it('ends when the app disconnects during a wait [ERR-08]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    using clock = quickClock()
    const request = httpRequest(`${gateway.url}/models`, {
      agent: false,
      headers: { ...withKey, 'x-sandbox-fault': 'refuse; status=429; retry-after=30' },
    })
    request.on('error', () => undefined)
    request.end()
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('backing_off')
    request.destroy()
    await expect.poll(() => gateway.proxy.counts().active).toBe(0)
    await clock.advance(31_000)
    expect(sandbox.observe.requests()).toHaveLength(1)
  })

  it('retries before output after 503, with growing delays, invisible to the app [ERR-06] [ERR-09]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askChat(gateway, 'fail; status=503; times=2; id=a', chat({}))
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
    await ask(`${gateway.url}/models`, {
      headers: { ...withKey, 'x-sandbox-fault': 'fail; status=429; times=1; retry-after=1; id=b' },
    })
    const [first, second] = sandbox.observe.requests()
    expect((second?.startedAt ?? 0) - (first?.endedAt ?? 0)).toBeGreaterThanOrEqual(990)
  })

  it('passes the last reply when it gives up, and prevents a retry loop of the SDK [ERR-10]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await ask(`${gateway.url}/models`, {
      headers: { ...withKey, 'x-sandbox-fault': 'refuse; status=502' },
    })
    expect(answer.status).toBe(502)
    expect(answer.headers['x-should-retry']).toBe('false')
    expect(JSON.parse(answer.body.toString())).toHaveProperty('error.message')
    expect(sandbox.observe.requests().length).toBeGreaterThan(1)
    expect(sandbox.observe.requests().length).toBeLessThan(6)
  })

  it.each([400, 401, 402, 403, 404, 500])('passes %i at once after one attempt', async (status) => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await ask(`${gateway.url}/models`, {
      headers: { ...withKey, 'x-sandbox-fault': `refuse; status=${status}` },
    })
    expect(answer.status).toBe(status)
    expect(sandbox.observe.requests()).toHaveLength(1)
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

  it('repeats a long chat, because JSON is buffered until its reply starts', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const answer = await askChat(gateway, 'fail; status=503; times=1; id=d', chat({ padding: 'x'.repeat(400_000) }))
    expect(answer.status).toBe(200)
    expect(sandbox.observe.requests()).toHaveLength(2)
  })

  it('replies with an error object if the service is not reachable', async () => {
    const far = await openFarEnd(() => undefined)
    const gateway = await beforeUrl(far.url, { retry: { ...quick, maxAttempts: 2 } })
    await far.close()
    const answer = await ask(`${gateway.url}/models`, { headers: withKey })
    expect(answer.status).toBe(502)
    expect(answer.headers['x-should-retry']).toBe('false')
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      error: { type: 'studio_upstream', code: 'connect_failed' },
    })
  })
})
