import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { accumulate, emptyAccumulation } from '../../../helpers/accumulate.ts'
import { type Api, askIn, translatedApis } from '../../../helpers/apis.ts'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// The rules of src-main/core/upstream/reply/rules.ts in the app, in chat completions, in Responses and in Messages, streamed and whole.

const { beforeService } = testGateways()
const [responses, messages] = translatedApis as [Api, Api]

/** What a reply says, whoever reads it. `said` is a part of the message of a failure. */
interface Meaning {
  text?: string
  reasoning?: string
  calls?: [name: string, args: object][]
  said?: RegExp
}

const file = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/replies/${name}`, import.meta.url), 'utf8')
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (part: object, finish: string | null = null): string =>
  event({ id: 'c1', model: 'm', choices: [{ index: 0, delta: part, finish_reason: finish }] })
const done = 'data: [DONE]\n\n'
const calling = (args: unknown): object => ({
  tool_calls: [{ index: 0, id: 'a1', type: 'function', function: { name: 'get_weather', arguments: args } }],
})
const whole = (message: object, finish: string | null = 'stop'): string =>
  JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, message, finish_reason: finish }] })
const rome: Meaning['calls'] = [['get_weather', { city: 'Rome', n: 2 }]]
const nothing: Meaning['calls'] = [['get_weather', {}]]
const twice = JSON.stringify('{"city":"Rome","n":2}')

const streams: [name: string, stream: string, meaning: Meaning][] = [
  ['an event without data', file('c-emptydata.sse'), { text: 'Hello' }],
  ['an empty data field', file('c-emptydata2.sse'), { text: 'Hello' }],
  [
    'events that are null, a number, a string and words',
    `${delta({ content: 'Hi' })}data: null\n\ndata: 7\n\ndata: "ping"\n\ndata: ping\n\n${done}`,
    { text: 'Hi' },
  ],
  ['[DONE] without a finish reason', file('nofinish.sse'), { text: 'Hello world' }],
  ['a finish reason without [DONE]', delta({ content: 'Hi' }, 'stop'), { text: 'Hi' }],
  ['neither', delta({ content: 'Hi' }), { said: /broke off/ }],
  ['no event at all', file('emptysse.sse'), { said: /broke off/ }],
  ['[DONE] alone', done, { said: /without choices/ }],
  ['arguments as an object', file('argsobject.sse'), { calls: rome }],
  [
    'arguments encoded twice',
    `${delta(calling(twice.slice(0, 9)))}${delta({ tool_calls: [{ index: 0, function: { arguments: twice.slice(9) } }] })}${delta({}, 'tool_calls')}${done}`,
    { calls: rome },
  ],
  ['empty arguments', file('emptyargs.sse'), { calls: nothing }],
  ['arguments that are null', file('nullargs.sse'), { calls: nothing }],
  [
    'interleaved calls without an index',
    file('tool-noindex-frag.sse'),
    {
      calls: [
        ['get_weather', { city: 'Rome' }],
        ['read_file', { n: 1 }],
      ],
    },
  ],
  ['content in parts, with thinking', file('contentarray.sse'), { text: 'Answer 42!', reasoning: 'Let me think.' }],
  [
    'an error in the middle',
    `${delta({ content: 'Hi' })}${event({ error: { message: 'Out of memory' } })}`,
    { said: /Out of memory/ },
  ],
  [
    'an error and then [DONE]',
    `${delta({ content: 'Hi' })}${event({ error: { message: 'Out of memory' } })}${done}`,
    { said: /Out of memory/ },
  ],
  [
    'a named error event',
    `${delta({ content: 'Hi' })}event: error\ndata: {"message":"Out of memory"}\n\n${done}`,
    { said: /Out of memory/ },
  ],
  [
    'an error object of vLLM',
    `${event({ object: 'error', message: 'Out of memory', code: 400 })}${done}`,
    { said: /Out of memory/ },
  ],
  ['broken JSON', `${delta({ content: 'Hi' })}data: {"choices":[\n\n${done}`, { said: /not JSON/ }],
]

const documents: [name: string, document: string, meaning: Meaning][] = [
  ['no finish reason', file('nofinish-whole.json'), { text: 'Whole without reason' }],
  ['an error with status 200', file('err200.json'), { said: /Model not loaded/ }],
  ['a list of errors with status 200', '[{"error":{"message":"Model not loaded"}}]', { said: /Model not loaded/ }],
  ['a detail with status 200', '{"detail":"Model not loaded"}', { said: /Model not loaded/ }],
  ['no choice', '{"choices":[]}', { said: /without choices/ }],
  ['no JSON', 'words', { said: /not JSON/ }],
  ['arguments as an object', whole(calling({ city: 'Rome', n: 2 }), 'tool_calls'), { calls: rome }],
  ['arguments encoded twice', whole(calling(twice), 'tool_calls'), { calls: rome }],
  ['empty arguments', whole(calling(''), 'tool_calls'), { calls: nothing }],
  ['arguments that are null', whole(calling(null), null), { calls: nothing }],
  [
    'content in parts',
    whole({
      content: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'Hi' },
      ],
    }),
    { text: 'Hi', reasoning: 'Hm' },
  ],
]

const parsed = (args: string): object => JSON.parse(args) as object
const empty = { text: '', reasoning: '', calls: [] as Meaning['calls'] }

/** What the studio's own chat understands. */
async function inStudio(gateway: Gateway): Promise<object> {
  const sum = emptyAccumulation()
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
  try {
    for await (const one of gateway.upstream.streamChatCompletion(request)) accumulate(sum, one)
  } catch (thrown) {
    return { said: (thrown as Error).message }
  }
  const { content = '', reasoning = '', toolCalls = [] } = sum.choices[0] ?? {}
  return { text: content, reasoning, calls: toolCalls.map(({ name, arguments: args }) => [name, parsed(args)]) }
}

type Item = Record<string, string> & { content?: { text: string }[] }

async function inResponses(gateway: Gateway, stream: boolean): Promise<object> {
  const { body, status } = await askIn(gateway, responses, responses.body({ stream, store: false }))
  const text = body.toString()
  if (status !== 200) return { said: responses.error(text).message }
  const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Record<string, unknown>)
  if (stream) {
    // One beginning, one end, and numbers that rise by one.
    expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_, at) => at))
    const types = sent.map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
    expect(types.filter((type) => type === 'response.created')).toHaveLength(1)
  }
  const last = (stream ? sent.at(-1)?.response : JSON.parse(text)) as {
    error: { message: string } | null
    output: Item[]
  }
  if (last.error) return { said: last.error.message }
  const joined = (type: string): string =>
    last.output
      .filter((item) => item.type === type)
      .flatMap(({ content = [] }) => content.map((part) => part.text))
      .join('')
  const calls = last.output.filter(({ type }) => type === 'function_call')
  return {
    text: joined('message'),
    reasoning: joined('reasoning'),
    calls: calls.map(({ name, arguments: args = '' }) => [name, parsed(args)]),
  }
}

type Block = { type: string; text?: string; thinking?: string; name?: string; input?: object }

async function inMessages(gateway: Gateway, stream: boolean): Promise<object> {
  const { body, status } = await askIn(gateway, messages, messages.body({ stream }))
  const text = body.toString()
  if (status !== 200) return { said: messages.error(text).message }
  if (!stream) {
    const { content } = JSON.parse(text) as { content: Block[] }
    return {
      text: content.map((block) => block.text ?? '').join(''),
      reasoning: content.map(({ thinking = '' }) => thinking).join(''),
      calls: content.filter(({ type }) => type === 'tool_use').map(({ name, input }) => [name, input]),
    }
  }
  const failed = /^event: error\ndata: (.*)$/m.exec(text)?.[1]
  if (failed !== undefined) return { said: (JSON.parse(failed) as { error: { message: string } }).error.message }
  expect(text).toContain('event: message_stop')
  const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Record<string, never>)
  const deltas = sent.flatMap(({ index, delta: given }) =>
    given ? [{ index, ...(given as Record<string, string>) }] : [],
  )
  const said = (key: string) => deltas.map((one) => (one as unknown as Record<string, string>)[key] ?? '').join('')
  const tools = sent.flatMap(({ index, content_block: block }) =>
    (block as unknown as Block | undefined)?.type === 'tool_use'
      ? [{ index, name: (block as unknown as Block).name }]
      : [],
  )
  const inputs = tools.map(({ index, name }) => [
    name,
    parsed(
      deltas
        .filter((one) => one.index === index)
        .map((one) => (one as unknown as Record<string, string>).partial_json ?? '')
        .join(''),
    ),
  ])
  return { text: said('text'), reasoning: said('thinking'), calls: inputs }
}

/** What every reader must understand, and how the log row of chat completions must end. */
async function check(type: string, body: string, { said, ...meaning }: Meaning): Promise<void> {
  const { gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  const expected = said ? { said: expect.stringMatching(said) } : { ...empty, ...meaning }
  expect(['the app', await inStudio(gateway)]).toEqual(['the app', expected])
  for (const stream of [true, false]) {
    const how = stream ? 'streamed' : 'whole'
    expect([`Responses, ${how}`, await inResponses(gateway, stream)]).toEqual([`Responses, ${how}`, expected])
    expect([`Messages, ${how}`, await inMessages(gateway, stream)]).toEqual([`Messages, ${how}`, expected])
    const sent = JSON.stringify({ model: 'm', messages: [], stream, stream_options: { include_usage: true } })
    const answer = await ask(`${gateway.url}/chat/completions`, { method: 'POST', headers: jsonWithKey, body: sent })
    expect(answer.body.toString()).toBe(body)
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject(
        said
          ? { state: expect.stringMatching(/^(?:cut|failed)$/), problem: { message: expect.stringMatching(said) } }
          : { state: 'done' },
      )
  }
}

describe('a stream with', () => {
  it.each(streams)('%s means the same to the app, the log and every API', async (_name, stream, meaning) => {
    await check('text/event-stream', stream, meaning)
  })
})

describe('a whole reply with', () => {
  it.each(documents)('%s means the same to the app, the log and every API', async (_name, document, meaning) => {
    await check('application/json', document, meaning)
  })
})

describe('an error reply', () => {
  it.each([
    ['e-fastapi.http', /Field required: body\.messages\.0\.content/],
    ['e-array.http', /API key not valid/],
    ['e-plain.http', /upstream connect error/],
  ])('%s reaches the app and every API with the words of the service', async (name, words) => {
    const [head = '', body = ''] = file(name).replaceAll('\r\n', '\n').split('\n\n')
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? []
    const [, type = ''] = /content-type: (.*)/i.exec(head) ?? []
    const { gateway } = await beforeService(
      (_request, response) => {
        response.writeHead(Number(status), { 'content-type': type }).end(body)
      },
      { retry: { maxAttempts: 1 } },
    )
    expect(await inStudio(gateway)).toEqual({ said: expect.stringMatching(words) })
    expect(await inResponses(gateway, true)).toEqual({ said: expect.stringMatching(words) })
    expect(await inMessages(gateway, true)).toEqual({ said: expect.stringMatching(words) })
  })
})

describe('a head', () => {
  it.each([20_000, 70_000, 120_000])('of %i bytes is accepted', async (size) => {
    const { gateway } = await beforeService((_request, response) => {
      const policy = 'x'.repeat(size)
      response
        .writeHead(200, { 'content-type': 'text/event-stream', 'content-security-policy': policy })
        .end(`${delta({ content: 'Hi' }, 'stop')}${done}`)
    })
    expect(await inStudio(gateway)).toMatchObject({ text: 'Hi' })
  })
})
