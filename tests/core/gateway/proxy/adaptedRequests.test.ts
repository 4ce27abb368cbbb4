import { describe, expect, it } from 'vitest'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// Which requests are changed to what the service reads, and why (docs/decisions/0040-adapted-requests.md).

const { beforeSandbox, beforeService } = testGateways()

const good = '{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}'
const replying = (options = {}) =>
  beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-studio-adapted': 'made up' }).end(good)
  }, options)

const send = ({ url }: Pick<Gateway, 'url'>, body: string | Buffer, path = '/chat/completions') =>
  ask(`${url}${path}`, { method: 'POST', headers: jsonWithKey, body })

describe('a chat request is adapted to the service', () => {
  it.each([
    ['a stop text', '{"model":"m", "stop" : "EN\\u0044" }', '{"model":"m", "stop" : ["EN\\u0044"] }', 'stop'],
    [
      'only the newer limit',
      '{"max_completion_tokens": 70,"model":"m"}\r\n',
      '{"max_completion_tokens": 70,"max_tokens":70,"model":"m"}\r\n',
      'max_tokens',
    ],
    [
      'a limit that is null beside the newer one',
      '{"max_tokens":null,"max_completion_tokens":7e1}',
      '{"max_tokens":70,"max_completion_tokens":7e1}',
      'max_tokens',
    ],
    [
      'both',
      '{"stop":"é","x":[1.0],"max_completion_tokens":5}',
      '{"stop":["é"],"x":[1.0],"max_completion_tokens":5,"max_tokens":5}',
      'stop, max_tokens',
    ],
  ])('with %s, and every other byte stays', async (_, body, sent, named) => {
    const { far, gateway } = await replying()
    const answer = await send(gateway, body)
    expect(far.requests[0]?.body.toString()).toBe(sent)
    expect(far.requests[0]?.headers['content-length']).toBe(String(Buffer.byteLength(sent)))
    expect([answer.status, answer.headers['x-studio-adapted']]).toEqual([200, named])
    expect((await gateway.rows())[0]).toMatchObject({ state: 'done', adapted: named.split(', ') })
  })

  it('beside the request for usage and the model map, in one body', async () => {
    const { far, gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n')
      },
      { app: { modelMap: [{ pattern: 'gpt-*', model: 'ours' }] } },
    )
    await send(gateway, '{"stop":"x","max_completion_tokens":9,"stream":true,"model":"gpt-5"}')
    expect(far.requests[0]?.body.toString()).toBe(
      '{"stream_options":{"include_usage":true},"stop":["x"],"max_completion_tokens":9,"max_tokens":9,"stream":true,"model":"ours"}',
    )
  })

  it('so that the service obeys it [CHAT-07]', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const body = JSON.stringify({
      model: 'writer-small',
      messages: [{ role: 'user', content: 'Hi' }],
      stop: 'END',
      max_completion_tokens: 5,
    })
    const answer = await send(gateway, body)
    const { usage } = JSON.parse(answer.body.toString()) as { usage: { completion_tokens: number } }
    expect([answer.status, usage.completion_tokens]).toEqual([200, 5])
    gateway.change({ adaptRequests: false })
    expect((await send(gateway, body)).status).toBe(400)
    expect(sandbox.observe.requests()).toHaveLength(2)
  })
})

describe('a request passes byte for byte', () => {
  it.each([
    ['with a stop list', '{"stop":["END"],"max_tokens":3}'],
    ['with both limits', '{"max_tokens":3,"max_completion_tokens":70}'],
    ['with a limit that is no whole number above 0', '{"max_completion_tokens":"70","stop":null}'],
    ['with a limit of 0', '{"max_completion_tokens":0}'],
    ['with a repeated stop', '{"stop":"a","stop":"b"}'],
    ['with a stop in another case', '{"Stop":"a","stop":"b"}'],
    ['with the limit in another case', '{"MAX_TOKENS":3,"max_completion_tokens":70}'],
    ['with the fields deeper down', '{"messages":[{"stop":"a","max_completion_tokens":7}]}'],
    ['that is no JSON', '{"stop":"a"'],
  ])('%s', async (_, body) => {
    const { far, gateway } = await replying()
    const answer = await send(gateway, body)
    expect(far.requests[0]?.body.toString()).toBe(body)
    expect(answer.headers).not.toHaveProperty('x-studio-adapted')
    expect((await gateway.rows())[0]).toMatchObject({ adapted: [] })
  })

  it('of an app that switched this off', async () => {
    const { far, gateway } = await replying({ app: { adaptRequests: false } })
    const body = '{"stop":"END","max_completion_tokens":5}'
    expect((await send(gateway, body)).headers).not.toHaveProperty('x-studio-adapted')
    expect(far.requests[0]?.body.toString()).toBe(body)
  })

  it('in the legacy API', async () => {
    const { far, gateway } = await replying()
    const body = '{"stop":"END","max_completion_tokens":5}'
    await send(gateway, body, '/completions')
    expect(far.requests[0]?.body.toString()).toBe(body)
  })
})
