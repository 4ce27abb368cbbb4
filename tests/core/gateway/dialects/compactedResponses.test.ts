import { describe, expect, it } from 'vitest'
import { summaryOf } from '../../../../src-main/core/gateway/dialects/responses/compactionContent.ts'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import { apiKey, type Gateway } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// POST /v1/responses/compact through the real gateway.

const { beforeSandbox, beforeService, beforeEchoingService } = testGateways()

type Item = { type: string; encrypted_content: string; content: { text: string }[] }
type Compacted = {
  object: string
  output: Item[]
  usage: { input_tokens: number; total_tokens: number }
  error?: { message: string; code: string; param: string | null }
}
const conversation = [
  { role: 'user', content: 'We launch on Tuesday.' },
  { role: 'assistant', content: 'Understood.' },
]

async function compact(gateway: Gateway, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const answer = await ask(`${gateway.url}/responses/compact`, {
    method: 'POST',
    headers: { ...jsonWithKey, ...headers },
    body: JSON.stringify({ model: 'writer-small', input: conversation, ...more }),
  })
  return { ...answer, compacted: JSON.parse(answer.body.toString()) as Compacted }
}

/** A service that replies with one message. */
async function farService(message: unknown, finish_reason = 'stop', type = 'application/json') {
  const { far, gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(
      typeof message === 'string' ? message : JSON.stringify({ choices: [{ index: 0, message, finish_reason }] }),
    )
  })
  return { far, gateway }
}

describe('a request for compaction', () => {
  it('is one chat completion with its own row, tokens and cost', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const { status, compacted } = await compact(gateway, { tools: [{ type: 'web_search' }] })
    expect([status, compacted.object]).toEqual([200, 'response.compaction'])
    expect(sandbox.observe.requests().map(({ path }) => path)).toEqual(['/v1/chat/completions'])
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({
        state: 'done',
        status: 200,
        endpoint: 'chat',
        dialect: 'responses',
        path: '/v1/responses/compact',
        model: 'writer-small',
        tokensAre: 'measured',
        ignored: ['tools'],
      })
    const [row] = await gateway.rows()
    expect((row?.tokensIn ?? 0) + (row?.tokensOut ?? 0)).toBe(compacted.usage.total_tokens)
  })

  it('gives a window that the next request continues', async () => {
    const { far, gateway } = await farService({ content: 'Launch: Tuesday.' })
    const { compacted } = await compact(gateway)
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction'])
    const answer = await ask(`${gateway.url}/responses`, {
      method: 'POST',
      headers: jsonWithKey,
      body: JSON.stringify({ model: 'm', input: [...compacted.output, { role: 'user', content: 'When?' }] }),
    })
    expect(answer.status).toBe(200)
    const { messages } = JSON.parse(far.requests[1]?.body.toString() ?? '') as { messages: { content: string }[] }
    expect(messages.map(({ content }) => content)).toEqual([
      'We launch on Tuesday.',
      expect.stringMatching(/\n\nLaunch: Tuesday\.$/),
      'When?',
    ])
  })

  it('can compact a stored response, and stores nothing itself', async () => {
    const { far, gateway } = await farService({ content: 'Words' })
    const post = { method: 'POST', headers: jsonWithKey }
    const first = await ask(`${gateway.url}/responses`, { ...post, body: '{"model":"m","input":"One"}' })
    const { id } = JSON.parse(first.body.toString()) as { id: string }
    const { compacted } = await compact(gateway, { previous_response_id: id, input: undefined })
    expect(compacted.output[0]?.content[0]?.text).toBe('One')
    const sent = JSON.parse(far.requests[1]?.body.toString() ?? '') as { messages: { content: string }[] }
    expect(sent.messages.map(({ content }) => content)).toEqual(['One', 'Words', expect.stringContaining('summary')])
    const unknown = await compact(gateway, { previous_response_id: 'resp_unknown' })
    expect([unknown.status, unknown.compacted.error?.code]).toEqual([400, 'previous_response_not_found'])
    const { id: compactedId } = compacted as unknown as { id: string }
    expect((await ask(`${gateway.url}/responses/${compactedId}`, { headers: jsonWithKey })).status).toBe(404)
  })

  it('of several MB is translated on the other thread, and its reply has the same messages of the user', {
    tags: 'long',
  }, async () => {
    const { far, gateway } = await farService({ content: 'Words' })
    const input = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'x'.repeat(3 * 1024 * 1024) },
      { role: 'user', content: 'y'.repeat(1024 * 1024) },
    ]
    const { status, compacted } = await compact(gateway, { input })
    expect([status, compacted.output.map(({ type }) => type)]).toEqual([200, ['message', 'message', 'compaction']])
    expect(compacted.output.map(({ content }) => content?.[0]?.text.length)).toEqual([3, 1024 * 1024, undefined])
    const sent = JSON.parse(far.requests[0]?.body.toString() ?? '') as { messages: { content: string }[] }
    expect(sent.messages.map(({ content }) => content.length).slice(0, 3)).toEqual([3, 3 * 1024 * 1024, 1024 * 1024])
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('obeys the limits and the budget of the app, and its model map', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const statusWith = async (app: Parameters<Gateway['change']>[0]) => {
      gateway.change({ endpoints: null, models: null, tokensPerMinute: null, budgetTotal: null, ...app })
      return (await compact(gateway)).status
    }
    expect(await statusWith({ endpoints: ['speech'] })).toBe(403)
    expect(await statusWith({ models: ['writer-large'] })).toBe(403)
    expect(await statusWith({ tokensPerMinute: 1 })).toBe(429)
    expect(await statusWith({ budgetTotal: '0' })).toBe(402)
    expect(sandbox.observe.requests()).toHaveLength(0)
    expect(await statusWith({ endpoints: ['chat'], models: ['writer-small'] })).toBe(200)
    gateway.change({ modelMap: [{ pattern: 'gpt-*', model: 'writer-small' }] })
    expect((await compact(gateway, { model: 'gpt-6' })).status).toBe(200)
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ askedModel: 'gpt-6', model: 'writer-small' })
  })

  it.each([
    ['model', { model: undefined }],
    ['input', { input: undefined }],
  ])('without a usable %s gets a 400 that names it, and sends nothing', async (param, body) => {
    const { sandbox, gateway } = await beforeSandbox()
    const { status, compacted } = await compact(gateway, body)
    expect([status, compacted.error?.param]).toEqual([400, param])
    expect(sandbox.observe.requests()).toHaveLength(0)
    expect(gateway.memory.held).toBe(0)
  })
})

describe('a summary that is not whole', () => {
  it.each([
    ['is empty', { content: '' }, 'stop', /no summary/],
    ['was cut by its length', { content: 'Launch: Tu' }, 'length', /did not finish/],
    ['is a refusal', { content: null, refusal: 'No.' }, 'stop', /refused/],
    ['is no chat completion', '"words"', 'stop', /not a chat completion/],
  ])('because it %s is a 502, a failed row, and is asked for once', async (_, message, finish, words) => {
    const { far, gateway } = await farService(message, finish)
    const { status, headers, compacted } = await compact(gateway)
    expect([status, headers['x-should-retry'], far.requests.length]).toEqual([502, 'false', 1])
    expect(compacted.error?.message).toMatch(words)
    expect(compacted.output).toBeUndefined()
    await expect.poll(async () => (await gateway.rows())[0]).toMatchObject({ state: 'failed', status: 502 })
  })

  it('because its stream broke off is a failure too, and a whole stream is none', async () => {
    const event = (delta: unknown, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const start = event({ content: 'Launch: Tuesday.' })
    const broken = await farService(start, 'stop', 'text/event-stream')
    expect((await compact(broken.gateway)).status).toBe(502)
    const whole = await farService(`${start}${event({}, 'stop')}data: [DONE]\n\n`, 'stop', 'text/event-stream')
    const { status, compacted } = await compact(whole.gateway)
    expect([status, summaryOf(compacted.output.at(-1)?.encrypted_content ?? '')]).toEqual([200, 'Launch: Tuesday.'])
  })

  it('because the service refused the request is the service’s own error', async () => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"Too long","code":"context_length_exceeded"}}')
    })
    const { status, compacted } = await compact(gateway)
    expect([status, compacted.error?.code]).toEqual([400, 'context_length_exceeded'])
  })
})

it('a service that echoes its key in any encoding does not reach the app with it', async () => {
  const { gateway } = await beforeEchoingService()
  for (const mode of ['good', 'refuses', 'page', 'error frame', 'no JSON', 'cut'] as const) {
    const { headers, body } = await compact(gateway, {}, { 'x-echo-mode': mode })
    const heard = `${JSON.stringify(headers)}${body.toString()}`
    expect([mode, heard.includes(apiKey)]).toEqual([mode, false])
  }
})

it('a summary with the key of the service is masked before it is encoded', async () => {
  const { gateway } = await farService({ content: `The key is ${apiKey}.` })
  const { compacted } = await compact(gateway)
  const summary = summaryOf(compacted.output.at(-1)?.encrypted_content ?? '')
  expect(summary).toMatch(/^The key is \[key\].*\.$/s)
  expect(summary).not.toContain(apiKey)
})
