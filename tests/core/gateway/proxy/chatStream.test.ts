import type { ServerResponse } from 'node:http'
import { createParser } from 'eventsource-parser'
import { describe, expect, it } from 'vitest'
import { askIn, chatApi, openIn } from '../../../helpers/apis.ts'
import { type Answer, ask, jsonWithKey, postJson, readAnswer, replyTo } from '../../../helpers/appRequest.ts'
import { tries } from '../../../helpers/effort.ts'
import { openFarEnd } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// How a stream of chat completions breaks off (docs/decisions/0011-agent-replays.md).

const { beforeService, beforeUrl } = testGateways()

/** What coding agents look for in a message before they send a request again. */
const repeatedAfter =
  /\d|fail|connection|time(?:d )?.?out|unavailable|overloaded|server.?error|terminated|network|upstream|rate.?limit|ended/i

const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`

/** The case: half a reply, and a regular end of the bytes. */
const half = chunk('half')

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const dataOf = (text: string): string[] => {
  const found: string[] = []
  const parser = createParser({ onEvent: ({ data }) => found.push(data) })
  parser.feed(text)
  return found
}

interface ErrorEvent {
  error: { message: string; type: string; code: string; details?: { message: string; code?: string } }
}

/** The bytes before the event that reports the break, and what that says. */
function broken({ status, body, whole }: Answer): { before: string; error: ErrorEvent['error'] } {
  const text = body.toString()
  const data = dataOf(text)
  const last = data.at(-1) ?? ''
  // Every event is whole, and the last one is the error.
  const events = data.map((one) => JSON.parse(one) as Partial<ErrorEvent>)
  expect(events.slice(0, -1).some(({ error }) => error !== undefined)).toBe(false)
  const { error } = events.at(-1) as ErrorEvent
  expect([status, whole, text.includes('[DONE]'), text.endsWith(`data: ${last}\n\n`)]).toEqual([
    200,
    false,
    false,
    true,
  ])
  expect(error.message).not.toMatch(repeatedAfter)
  return { before: text.slice(0, -`data: ${last}\n\n`.length), error }
}

const streaming = (body: string, end: (response: ServerResponse) => void, headers = {}) =>
  beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
    if (body === '') end(response)
    else response.write(body, () => end(response))
  })
const ends = (response: ServerResponse): void => void response.end()
const cuts = (response: ServerResponse): void => void setTimeout(() => response.destroy(), 20)

const asked = chatApi.body({ stream: true })

describe('a stream of chat completions that breaks off ends with an error event, and without an end', () => {
  it('after an end with neither a finish reason nor [DONE], which is not asked for again [SSE-04]', async () => {
    const { far, gateway } = await streaming(half, ends)
    const { before, error } = broken(await askIn(gateway, chatApi, asked))
    expect(before).toBe(half)
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'incomplete_reply' })
    expect(error.details).toEqual({ message: 'The reply broke off before its end.', code: 'incomplete_stream' })
    expect(far.requests).toHaveLength(1)
    expect((await gateway.rows())[0]).toMatchObject({ state: 'cut', problem: { kind: 'incomplete_stream' } })
  })

  it('after a whole reply of known length without an end', async () => {
    const { gateway } = await streaming(half, ends, { 'content-length': Buffer.byteLength(half) })
    expect(broken(await askIn(gateway, chatApi, asked)).before).toBe(half)
  })

  it('after a lost connection, with what happened as a detail', async () => {
    const { gateway } = await streaming(half, cuts)
    const { before, error } = broken(await askIn(gateway, chatApi, asked))
    expect([before, error.details?.code]).toEqual([half, 'connection_lost'])
    expect((await gateway.rows())[0]).toMatchObject({ state: 'cut', problem: { message: error.details?.message } })
  })

  it('without any event of the service', async () => {
    const { gateway } = await streaming('', ends)
    expect(broken(await askIn(gateway, chatApi, asked)).before).toBe('')
  })

  it('with the words of a service that said them instead of events', async () => {
    const { gateway } = await streaming('Out of cards today', ends)
    const { before, error } = broken(await askIn(gateway, chatApi, asked))
    expect([before, error.details?.message]).toEqual(['Out of cards today\n\n', 'Out of cards today'])
  })

  it('which the app can read before it learns that the connection is closed', async () => {
    const { gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(half)
      },
      { eventReadingMs: 400 },
    )
    const response = await replyTo(postJson(`${gateway.url}/chat/completions`, asked))
    let text = ''
    let readAt = 0
    response.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      readAt = performance.now()
    })
    await new Promise((resolve) => response.once('close', resolve).on('error', () => undefined))
    expect(text).toContain('incomplete_reply')
    // Its row has ended long before.
    expect(performance.now() - readAt).toBeGreaterThan(300)
  })

  it('after which an app that closes the connection is gone at once', async () => {
    const { gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(half)
      },
      { eventReadingMs: 60_000 },
    )
    const response = await replyTo(postJson(`${gateway.url}/chat/completions`, asked))
    await new Promise<void>((resolve) => {
      response.on('data', (bytes: Buffer) => bytes.includes('incomplete_reply') && resolve())
    })
    response.destroy()
    await expect.poll(() => gateway.proxy.counts().active).toBe(0)
  })

  it('when a person stops it in the log', async () => {
    const { gateway } = await streaming(half, () => undefined)
    const response = await replyTo(postJson(`${gateway.url}/chat/completions`, asked))
    const answer = readAnswer(response)
    await expect.poll(() => gateway.requestLog.live()).toBe(1)
    expect(gateway.requestLog.stop((await gateway.rows())[0]?.id ?? 0)).toBe(true)
    const { before, error } = broken(await answer)
    expect([before, error.code, error.message]).toEqual([
      half,
      'stopped',
      'This request was stopped in Inference Studio.',
    ])
    expect((await gateway.rows())[0]).toMatchObject({ state: 'cancelled', cancelledBy: 'person' })
  })

  it('when the key of its app is revoked', async () => {
    const { gateway } = await streaming(half, () => undefined)
    const answer = readAnswer(await replyTo(postJson(`${gateway.url}/chat/completions`, asked)))
    await expect.poll(() => gateway.requestLog.live()).toBe(1)
    await expect.poll(async () => (await gateway.rows())[0]?.status).toBe(200)
    gateway.proxy.cutInvalid(() => false)
    expect(broken(await answer).error).toMatchObject({ type: 'studio_refused', code: 'key_ended' })
    await expect.poll(() => gateway.proxy.counts().active).toBe(0)
  })

  it('in the legacy API too', async () => {
    const text = 'data: {"choices":[{"index":0,"text":"half","finish_reason":null}]}\n\n'
    const { gateway } = await streaming(text, ends)
    const body = '{"model":"m","prompt":"Hi","stream":true}'
    const answer = await ask(`${gateway.url}/completions`, { method: 'POST', headers: jsonWithKey, body })
    expect(broken(answer).before).toBe(text)
  })

  it('also when its app reads slowly', async () => {
    const many = chunk('word '.repeat(2000)).repeat(400)
    const { gateway } = await streaming(many, cuts)
    const response = await replyTo(postJson(`${gateway.url}/chat/completions`, asked))
    response.pause()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const answer = readAnswer(response)
    response.resume()
    expect(broken(await answer).before).toBe(many)
  })
})

describe('a stream that the service ends itself passes as it came', () => {
  it.each([
    ['with [DONE] and no finish reason', `${half}data: [DONE]\n\n`],
    ['with a finish reason and no [DONE]', chunk('all', 'stop')],
    ['with an error event', `${half}data: {"error":{"message":"No more","code":"odd"}}\n\n`],
    ['with an error after an event that is no JSON', `data: {"a\n\ndata: {"error":"No more"}\n\n`],
  ])('%s', async (_, text) => {
    const { gateway } = await streaming(text, ends)
    const { status, whole, body } = await askIn(gateway, chatApi, asked)
    expect([status, whole, body.toString()]).toEqual([200, true, text])
  })
})

describe('cut at any byte', () => {
  const text = `: hello\n\n${half}data:${half.slice(5, -1)}\r\n${chunk(' wörld')}${chunk('', 'stop')}data: [DONE]\n\n`
  const bytes = Buffer.from(text)
  /** Where an event ends. */
  const edges = [
    0,
    ...[...bytes.keys()].map((at) => at + 1).filter((at) => /\n(?:\r?\n|\r)$/.test(bytes.toString('latin1', 0, at))),
  ]
  const done = bytes.indexOf('data: [DONE]')
  /** From here on a regular end is complete, because the finish reason has arrived. */
  const finished = done - 2
  const step = tries(5, 1)

  it.each([
    ['a lost connection', false, asked],
    [
      'a lost connection, of a request that wants the usage',
      false,
      chatApi.body({ stream: true, stream_options: { include_usage: true } }),
    ],
    ['an end of the bytes', true, asked],
  ])(
    'by %s, the event is whole, and before it are all whole events of the service, unchanged',
    async (_, isRegular, body) => {
      const end = isRegular ? ends : cuts
      const { gateway } = await beforeService((_request, response, received) => {
        const { model } = JSON.parse(received.toString()) as { model: string }
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(bytes.subarray(0, Number(model)), () => end(response))
      })
      const cutAt = async (at: number) => {
        const { before } = broken(
          await askIn(gateway, chatApi, JSON.stringify({ ...JSON.parse(body), model: `${at}` })),
        )
        const edge = edges.findLast((one) => one <= at) ?? 0
        expect([at, before.startsWith(bytes.toString('utf8', 0, edge))]).toEqual([at, true])
        expect([at, bytes.toString('utf8', 0, at).startsWith(before.replace(/\n\n$/, ''))]).toEqual([at, true])
        // After a regular end an event passes too that lacks only its blank line.
        const arrived = isRegular
          ? dataOf(`${bytes.toString('utf8', 0, at)}\n\n`)
          : dataOf(bytes.toString('utf8', 0, edge))
        expect([at, dataOf(before)]).toEqual([at, arrived.filter(isJson)])
      }
      const all = [...bytes.keys()].filter(
        (at) => at < (isRegular ? finished : done) && at % step === 1 % step && at > 0,
      )
      for (let first = 0; first < all.length; first += 4) await Promise.all(all.slice(first, first + 4).map(cutAt))
    },
  )
})

describe('a failure before the reply began', () => {
  const agents = [
    'opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14',
    'Kilo-Code/7.7.7 ai-sdk/provider-utils/4.0.27 runtime/bun/1.3.14',
    'QwenCode/0.24.4 (linux; x64)',
    'pi/1.6.0 (linux; node/v24.21.0; x64)',
    'Cline/3.0.65',
    'ls/JS 5.23.2',
  ]
  const refusing = (status: number) =>
    beforeService(
      (_request, response) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'x-request-id': 'req_far',
          'retry-after': '9',
        })
        response.end('{"error":{"message":"No space today (503)","type":"overloaded","code":"busy"}}')
      },
      { app: { retries: false } },
    )

  it.each(agents)('is an event for %s, with the words of the service as a detail', async (agent) => {
    for (const status of [502, 503]) {
      const { far, gateway } = await refusing(status)
      const answer = await askIn(gateway, chatApi, asked, { 'user-agent': agent })
      const { before, error } = broken(answer)
      expect([before, error.code]).toEqual(['', 'incomplete_reply'])
      expect(error.details).toEqual({ message: 'No space today (503)', type: 'overloaded', code: 'busy' })
      expect(answer.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-request-id': 'req_far',
      })
      expect(far.requests).toHaveLength(1)
      expect((await gateway.rows())[0]).toMatchObject({
        status,
        state: 'done',
        problem: { kind: status === 503 ? 'unavailable' : 'bad_gateway', message: 'No space today (503)' },
      })
    }
  })

  it('is an event for an agent with the name of a library, if its app is connected with that agent', async () => {
    const library = 'ai-sdk/openai-compatible/2.0.51 ai-sdk/provider-utils/4.0.30 runtime/node.js/24'
    for (const [connectedPrograms, status] of [
      [['codex', 'nanocoder'], 200],
      [['cline'], 200],
      [['codex'], 503],
      [[], 503],
    ] as const) {
      const { gateway } = await beforeService((_request, response) => response.writeHead(503).end(), {
        app: { retries: false },
        connectedPrograms: [...connectedPrograms],
      })
      expect((await askIn(gateway, chatApi, asked, { 'user-agent': library })).status).toBe(status)
    }
  })

  it('is an event for an agent when the service can’t be reached', async () => {
    const far = await openFarEnd(() => undefined)
    const gateway = await beforeUrl(far.url, { app: { retries: false } })
    await far.close()
    const answer = await askIn(gateway, chatApi, asked, { 'user-agent': agents[0] ?? '' })
    expect(broken(answer).error).toMatchObject({ code: 'incomplete_reply', details: { code: 'connect_failed' } })
    expect(answer.headers['x-studio-answer']).toBe('studio_upstream')
    expect((await gateway.rows())[0]).toMatchObject({ state: 'failed', status: 502 })
  })

  it('is an event for an agent when the service redirects, so that it does not ask there again', async () => {
    const { far, gateway } = await beforeService((_request, response) =>
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    )
    const answer = await askIn(gateway, chatApi, asked, { 'user-agent': agents[0] ?? '' })
    expect(broken(answer).error).toMatchObject({ code: 'incomplete_reply', details: { code: 'redirected' } })
    expect(far.requests).toHaveLength(1)
    expect((await gateway.rows())[0]).toMatchObject({ state: 'failed', status: 502, problem: { kind: 'redirected' } })
  })

  it.each([
    ['another program', 'OpenAI/JS 5.20.1', { stream: true }, 503],
    ['a program that only names an agent', 'my-opencode/1 pi/2', { stream: true }, 503],
    ['an agent without a stream', agents[0], {}, 503],
    ['an agent, after a status that it does not repeat', agents[0], { stream: true }, 429],
    ['an agent without credits', agents[0], { stream: true }, 402],
    ['an agent, after a refused request', agents[0], { stream: true }, 400],
  ])('keeps its status for %s', async (_, agent = '', body, status) => {
    const { gateway } = await refusing(status)
    const answer = await askIn(gateway, chatApi, chatApi.body(body), { 'user-agent': agent })
    expect([answer.status, answer.whole, chatApi.error(answer.body.toString()).message]).toEqual([
      status,
      true,
      'No space today (503)',
    ])
  })
})

it('an app that disconnects closes its request at the service within 20 ms, and no event is written', async () => {
  let closedAt: (at: number) => void = () => undefined
  const { gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // The start of an event is held back, and must not delay anything.
    response.write(`${half}data: {"cho`)
    response.once('close', () => closedAt(performance.now()))
  })
  const times: number[] = []
  // The machine may be busy for a moment, so the best of five counts.
  for (let attempt = 0; attempt < 5; attempt++) {
    const closed = new Promise<number>((resolve) => {
      closedAt = resolve
    })
    const { request, begun } = openIn(gateway, chatApi, asked)
    await begun
    const from = performance.now()
    request.destroy()
    times.push((await closed) - from)
  }
  expect(Math.min(...times)).toBeLessThan(20)
  await expect.poll(async () => (await gateway.rows())[0]).toMatchObject({ state: 'cancelled', cancelledBy: 'app' })
})
