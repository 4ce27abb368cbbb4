import { readFileSync } from 'node:fs'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { accumulate, emptyAccumulation } from '../../../helpers/accumulate.ts'
import { type Api, askIn, translatedApis } from '../../../helpers/apis.ts'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import { type Gateway, writeRepeatedly } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// The rules of src-main/core/upstream/reply/rules.ts in the app, in chat completions and in every translated API, streamed and whole.

const { beforeService } = testGateways()
const [responses, messages, gemini] = translatedApis as [Api, Api, Api]

/** What a reply says, whoever reads it. `said` is a part of the message of a failure. */
interface Meaning {
  /** The answer, or the words of a refusal. */
  text?: string
  reasoning?: string
  /** The arguments are text when they are no JSON object. */
  calls?: [name: string, args: object | string][]
  said?: RegExp
  /** Tokens of the log row. */
  tokens?: [input: number, output: number]
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
const call = (name: string, args: unknown, rest: object = {}): object => ({
  ...rest,
  type: 'function',
  function: { name, arguments: args },
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
  [
    'an error that is a text',
    `${delta({ content: 'Hi' })}${event({ error: 'Out of memory' })}${done}`,
    { said: /^Out of memory$/ },
  ],
  [
    'an error whose message is an object',
    `${delta({ content: 'Hi' })}${event({ error: { message: { detail: 'Out of memory' } } })}${done}`,
    { said: /^Out of memory$/ },
  ],
  [
    'an error whose message is JSON',
    `${delta({ content: 'Hi' })}${event({ error: { message: '{"error":{"message":"Out of memory"}}' } })}${done}`,
    { said: /^Out of memory$/ },
  ],
  [
    'an error with the words of another service',
    `${event({ error: { message: 'Provider returned error', code: 502, metadata: { raw: '{"error":{"message":"Out of memory"}}' } } })}${done}`,
    { said: /^Provider returned error: Out of memory$/ },
  ],
  [
    'a list of errors',
    `${delta({ content: 'Hi' })}${event({ errors: [{ message: 'Out of memory' }, { message: 'Try later' }] })}${done}`,
    { said: /^Out of memory; Try later$/ },
  ],
  [
    'an error in a choice',
    `${delta({ content: 'Hi' })}${event({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 502, message: 'Out of memory' } }] })}${done}`,
    { said: /^Out of memory$/ },
  ],
  [
    'success that is false',
    `${delta({ content: 'Hi' })}${event({ success: false, message: 'Out of memory' })}${done}`,
    { said: /^Out of memory$/ },
  ],
  [
    'a message without choices instead of the rest',
    `${delta({ content: 'Hi' })}${event({ code: 1113, msg: 'Out of memory' })}${done}`,
    { said: /^Out of memory$/ },
  ],
  [
    'a detail without choices instead of the rest, and no [DONE]',
    `${delta({ content: 'Hi' })}${event({ detail: 'Out of memory' })}`,
    { said: /^Out of memory$/ },
  ],
  [
    'a message without choices between chunks',
    `${event({ message: 'Processing' })}${delta({ content: 'Hi' })}${done}`,
    { text: 'Hi' },
  ],
  [
    'empty errors beside choices',
    [null, '', {}, [], 0, false, { code: 0, message: '' }, { message: null, type: null }]
      .map((error) => event({ error, errors: [], choices: [{ index: 0, delta: { content: 'a' } }] }))
      .join('') + done,
    { text: 'aaaaaaaa' },
  ],
  [
    'a named error event of words',
    `${delta({ content: 'Hi' })}event: error\ndata: Out of memory\n\n`,
    { said: /^Out of memory$/ },
  ],
  ['a body of JSON instead of events', JSON.stringify({ detail: 'Out of memory' }), { said: /^Out of memory$/ }],
  ['a whole reply instead of events', whole({ content: 'Hi' }, null), { text: 'Hi' }],
  ['words instead of events', 'upstream connect error\n\n', { said: /^upstream connect error$/ }],
  ['a page instead of events', '<!DOCTYPE html>\n<h1>502</h1>\n', { said: /broke off/ }],
  [
    'a byte order mark, CR alone, comments, ids, delays and no space after the colon',
    `\ufeff: hi\r\rid: 1\rretry: 10\rdata:${delta({ content: 'Hi' }).slice(6, -2)}\r\r:\rdata:[DONE]\r\r`,
    { text: 'Hi' },
  ],
  [
    'JSON over several data lines, and [DONE] between spaces',
    `data: {"choices":[{"index":0,\ndata: "delta":{"content":"Hi"}}]}\n\ndata:   [DONE]  \n\n`,
    { text: 'Hi' },
  ],
  ['data: twice', `data: ${delta({ content: 'Hi' })}data: ${done}`, { text: 'Hi' }],
  [
    'choices that are null or an object',
    `${event({ choices: null })}${event({ choices: {} })}${done}`,
    { said: /without choices/ },
  ],
  [
    'choices that are null before others',
    `${event({ choices: null })}${event({ choices: {} })}${delta({ content: 'Hi' }, 'stop')}`,
    { text: 'Hi' },
  ],
  [
    'a delta that is null',
    `${event({ choices: [{ index: 0, delta: null }] })}${delta({ content: 'Hi' })}${done}`,
    { text: 'Hi' },
  ],
  ['an empty finish reason', `${delta({ content: 'Hi' }, '')}${delta({ content: '!' }, '')}${done}`, { text: 'Hi!' }],
  [
    'numbers as text',
    `${event({ choices: [{ index: '0', delta: { content: 'Hi' }, finish_reason: 'stop' }] })}${event({ choices: [], usage: { prompt_tokens: '31', completion_tokens: '9' } })}${done}`,
    { text: 'Hi', tokens: [31, 9] },
  ],
  [
    'the usage beside a choice, then null',
    `${event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }], usage: { prompt_tokens: 31, completion_tokens: 9 } })}${event({ choices: [], usage: null })}${done}`,
    { text: 'Hi', tokens: [31, 9] },
  ],
  [
    'the usage in a choice',
    `${event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', usage: { prompt_tokens: 31, completion_tokens: 9 } }] })}${done}`,
    { text: 'Hi', tokens: [31, 9] },
  ],
  [
    'the usage under the names of another API',
    `${delta({ content: 'Hi' }, 'stop')}${event({ choices: [], usage: { input_tokens: 31, output_tokens: 9 } })}${done}`,
    { text: 'Hi', tokens: [31, 9] },
  ],
  [
    'calls whose index is a text',
    `${delta({ tool_calls: [call('a', '{"n"', { index: '0', id: 'x' }), call('b', '{"m"', { index: '1', id: 'y' })] })}${delta({ tool_calls: [{ index: '1', function: { arguments: ':2}' } }] })}${delta({ tool_calls: [{ index: '0', function: { arguments: ':1}' } }] })}${done}`,
    {
      calls: [
        ['a', { n: 1 }],
        ['b', { m: 2 }],
      ],
    },
  ],
  [
    'whole calls that all have the index null and one id each',
    `${delta({ tool_calls: [call('a', '{}', { index: null, id: 'x' })] })}${delta({ tool_calls: [call('b', '{}', { index: null, id: 'y' })] })}${done}`,
    {
      calls: [
        ['a', {}],
        ['b', {}],
      ],
    },
  ],
  [
    'two calls with the same id',
    `${delta({ tool_calls: [call('a', '{"n":1}', { index: 0, id: 'x' }), call('a', '{"n":2}', { index: 1, id: 'x' })] })}${done}`,
    {
      calls: [
        ['a', { n: 1 }],
        ['a', { n: 2 }],
      ],
    },
  ],
  [
    'a name in pieces',
    `${delta({ tool_calls: [call('get_', '', { index: 0, id: 'x' })] })}${delta({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '{}' } }] })}${done}`,
    { calls: nothing },
  ],
  [
    'a name that is repeated with each piece',
    `${delta({ tool_calls: [call('get_weather', '{', { index: 0, id: 'x' })] })}${delta({ tool_calls: [call('get_weather', '}', { index: 0, id: 'x' })] })}${done}`,
    { calls: nothing },
  ],
  [
    'one call instead of a list',
    `${delta({ tool_calls: call('get_weather', '{}', { index: 0, id: 'x' }) })}${done}`,
    { calls: nothing },
  ],
  [
    'a call without function around its members',
    `${delta({ tool_calls: [{ index: 0, id: 'x', name: 'get_weather', arguments: { city: 'Rome', n: 2 } }] })}${done}`,
    { calls: rome },
  ],
  [
    'a call in the old form',
    `${delta({ tool_calls: [], function_call: { name: 'get_weather', arguments: '' } })}${delta({ function_call: { arguments: '{"city":"Rome",' } })}${delta({ function_call: { arguments: '"n":2}' } })}${delta({}, 'function_call')}${done}`,
    { calls: rome },
  ],
  [
    'arguments with a trailing comma, and arguments with text after them',
    `${delta({ tool_calls: [call('a', '{"n":1,}', { index: 0, id: 'x' }), call('b', '{"n":1} I hope this helps', { index: 1, id: 'y' })] })}${done}`,
    {
      calls: [
        ['a', '{"n":1,}'],
        ['b', '{"n":1} I hope this helps'],
      ],
    },
  ],
  [
    'a refusal',
    `${delta({ refusal: 'I can’t' })}${delta({ refusal: ' do that.' }, 'stop')}${done}`,
    { text: 'I can’t do that.' },
  ],
  [
    'reasoning in both fields, in one of them, and in parts',
    `${delta({ reasoning_content: 'a', reasoning: 'a' })}${delta({ reasoning: 'b' })}${delta({ reasoning_content: [{ type: 'text', text: 'c' }] })}${delta({ content: 'Hi' })}${done}`,
    { text: 'Hi', reasoning: 'abc' },
  ],
  [
    'parts of unknown types, one part, and a text inside an object',
    `${delta({ content: [{ type: 'output_text', text: 'a' }, { type: 'widget', data: 1 }, null, 7] })}${delta({ content: { type: 'text', text: 'b' } })}${delta({ content: [{ type: 'text', text: { value: 'c' } }] })}${done}`,
    { text: 'abc' },
  ],
  [
    'thinking in tags',
    `${delta({ content: '<thi' })}${delta({ content: 'nk>\nHm.</' })}${delta({ content: 'think>\n\nHi <think>' })}${done}`,
    { text: 'Hi <think>', reasoning: 'Hm.' },
  ],
  ['thinking in tags that does not end', `${delta({ content: '<think>Hm. </th' })}${done}`, { reasoning: 'Hm. </th' }],
  ['broken JSON', `${delta({ content: 'Hi' })}data: {"choices":[\n\n${done}`, { said: /not JSON/ }],
]

const documents: [name: string, document: string, meaning: Meaning][] = [
  ['no finish reason', file('nofinish-whole.json'), { text: 'Whole without reason' }],
  ['an error with status 200', file('err200.json'), { said: /Model not loaded/ }],
  ['a list of errors with status 200', '[{"error":{"message":"Model not loaded"}}]', { said: /Model not loaded/ }],
  ['a detail with status 200', '{"detail":"Model not loaded"}', { said: /Model not loaded/ }],
  ...[
    '{"error":"Model not loaded"}',
    '{"error":{"message":{"text":"no","message":"Model not loaded"}}}',
    '{"error":{"message":"{\\"detail\\":\\"Model not loaded\\"}"}}',
    '{"errors":["Model not loaded"]}',
    '{"errors":[{"detail":"Model not loaded","status":"404"}]}',
    '{"message":"Model not loaded","code":404}',
    '{"message":["Model not loaded"],"error":"Not Found","statusCode":404}',
    '{"error":true,"error_description":"Model not loaded"}',
    '{"error":{},"choices":null,"error_msg":"Model not loaded"}',
    '{"choices":[{"index":0,"message":{"content":null},"finish_reason":"error","error":{"message":"Model not loaded"}}]}',
  ].map((body): [string, string, Meaning] => [`${body} with status 200`, body, { said: /^Model not loaded$/ }]),
  [
    'a list of what is wrong with which field with status 200',
    '{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}',
    { said: /^Field required: body\.model$/ },
  ],
  [
    'numbers as text',
    '{"choices":[{"index":"0","message":{"content":"Hi"}}],"usage":{"prompt_tokens":"31","completion_tokens":"9"}}',
    { text: 'Hi', tokens: [31, 9] },
  ],
  [
    'a call in the old form',
    whole(
      { content: null, function_call: { name: 'get_weather', arguments: '{"city":"Rome","n":2}' } },
      'function_call',
    ),
    { calls: rome },
  ],
  [
    'a call in the old and the new form',
    whole({ function_call: { name: 'get_weather', arguments: '{}' }, ...calling({}) }, 'tool_calls'),
    { calls: nothing },
  ],
  [
    'arguments with a trailing comma',
    whole(calling('{"n":1,}'), 'tool_calls'),
    { calls: [['get_weather', '{"n":1,}']] },
  ],
  ['thinking in tags', whole({ content: '<think>\nHm.\n</think>\n\nHi' }), { text: 'Hi', reasoning: 'Hm.' }],
  ['a refusal', whole({ content: null, refusal: 'I can’t do that.' }), { text: 'I can’t do that.' }],
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

/** Arguments as an object; as text when they are no object. Messages wraps these in whole replies. */
function parsed(args: string): object | string {
  try {
    const value = JSON.parse(args) as { INVALID_JSON?: string }
    return value.INVALID_JSON ?? value
  } catch {
    return args
  }
}
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
  const { content = '', refusal = '', reasoning = '', toolCalls = [] } = sum.choices[0] ?? {}
  return {
    text: content + refusal,
    reasoning,
    calls: toolCalls.map(({ name, arguments: args }) => [name, parsed(args)]),
  }
}

type Item = Record<string, string> & { content?: { text?: string; refusal?: string }[] }

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
      .flatMap(({ content = [] }) => content.map((part) => part.text ?? part.refusal ?? ''))
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
      calls: content
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => [name, parsed(JSON.stringify(input))]),
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

interface GeminiElement {
  candidates?: { content: { parts: GeminiPart[] } }[]
  error?: { message: string }
}
interface GeminiPart {
  text?: string
  thought?: true
  functionCall?: { name: string; args: object }
}

async function inGemini(gateway: Gateway, stream: boolean): Promise<object> {
  const generationConfig = { thinkingConfig: { includeThoughts: true } }
  const { body, status } = await askIn(gateway, gemini, gemini.body({ stream, generationConfig }))
  const text = body.toString()
  if (status !== 200) return { said: gemini.error(text).message }
  const json = stream ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data) : [text]
  const sent = json.map((one) => JSON.parse(one) as GeminiElement)
  const failed = sent.at(-1)?.error
  if (failed) return { said: failed.message }
  expect(!stream || gemini.isComplete(text)).toBe(true)
  const parts = sent.flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content.parts))
  const said = (isThought: boolean): string =>
    parts.map(({ text: words = '', thought }) => ((thought === true) === isThought ? words : '')).join('')
  const calls = parts.flatMap(({ functionCall: called }) =>
    called ? [[called.name, parsed(JSON.stringify(called.args))]] : [],
  )
  return { text: said(false), reasoning: said(true), calls }
}

/** What every reader must understand, and how the log row of chat completions must end. */
async function check(
  type: string,
  body: string,
  { said, tokens, ...meaning }: Meaning,
  [encoding, encode]: readonly [string, (body: string) => Buffer] = ['identity', Buffer.from],
): Promise<void> {
  const { gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': encoding }).end(encode(body))
  })
  const expected = said ? { said: expect.stringMatching(said) } : { ...empty, ...meaning }
  expect(['the app', await inStudio(gateway)]).toEqual(['the app', expected])
  for (const stream of [true, false]) {
    const how = stream ? 'streamed' : 'whole'
    expect([`Responses, ${how}`, await inResponses(gateway, stream)]).toEqual([`Responses, ${how}`, expected])
    expect([`Messages, ${how}`, await inMessages(gateway, stream)]).toEqual([`Messages, ${how}`, expected])
    expect([`Gemini, ${how}`, await inGemini(gateway, stream)]).toEqual([`Gemini, ${how}`, expected])
    const sent = JSON.stringify({ model: 'm', messages: [], stream, stream_options: { include_usage: true } })
    const answer = await ask(`${gateway.url}/chat/completions`, { method: 'POST', headers: jsonWithKey, body: sent })
    // After the bytes of the service, a broken stream says that it broke.
    const text = answer.body.toString()
    const own = said ? text.replace(/data: \{"error":\{"message":"Inference Studio received [^\n]*\n\n$/, '') : text
    expect(own === text ? [body] : [body, `${body}\n\n`, `${body}\n\n\n`]).toContain(own)
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject(
        said
          ? { state: expect.stringMatching(/^(?:cut|failed)$/), problem: { message: expect.stringMatching(said) } }
          : { state: 'done', ...(tokens && { tokensIn: tokens[0], tokensOut: tokens[1] }) },
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

/** Bodies of error replies, with the words of the service in them. Null: there are none, and the words are those of the status. */
const errorBodies: [name: string, type: string, body: string, words: RegExp | null][] = [
  ...['e-fastapi.http', 'e-array.http', 'e-plain.http'].map((name): [string, string, string, RegExp] => {
    const [head = '', body = ''] = file(name).replaceAll('\r\n', '\n').split('\n\n')
    const [, type = ''] = /content-type: (.*)/i.exec(head) ?? []
    const said = {
      fastapi: /^Field required: body\.messages\.0\.content/,
      array: /^API key not valid/,
      plain: /^upstream connect error/,
    }
    return [name, type, body, said[name.slice(2, -5) as keyof typeof said]]
  }),
  ...(
    [
      [{ error: 'No such model' }, /^No such model$/],
      [{ message: 'No such model' }, /^No such model$/],
      [{ error: { message: { detail: 'No such model' } } }, /^No such model$/],
      [{ error: { message: '{"error":{"message":"No such model"}}' } }, /^No such model$/],
      [
        { error: { message: 'Provider returned error', metadata: { raw: '{"error":"No such model"}' } } },
        /^Provider returned error: No such model$/,
      ],
      [
        { error: { message: 'Provider returned error', metadata: { raw: { message: 'No such model' } } } },
        /^Provider returned error: No such model$/,
      ],
      [{ message: 'Request failed', error: { message: 'No such model' } }, /^No such model$/],
      [{ errors: [{ message: 'No such model' }, 'Or key'] }, /^No such model; Or key$/],
      [{ errors: { model: ['No such model'] } }, /^No such model: model$/],
      [{ detail: 'No such model' }, /^No such model$/],
      [{ type: 'about:blank', title: 'Not found', detail: 'No such model' }, /^No such model$/],
      [{ title: 'No such model', status: 404 }, /^No such model$/],
      ['No such model', /^No such model$/],
    ] as const
  ).map(([body, words]): [string, string, string, RegExp] => [
    JSON.stringify(body),
    'application/json',
    JSON.stringify(body),
    words,
  ]),
  ['a page', 'text/html', '<!DOCTYPE html><h1>502</h1>', null],
  ['nothing', 'text/plain', '', null],
]

describe.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('a reply that is compressed with %s although nobody asked for it', (...encoding) => {
  const usage = { prompt_tokens: 31, completion_tokens: 9 }
  const meaning: Meaning = { text: 'Hi', tokens: [31, 9] }
  it('is read and metered as a stream', async () => {
    const stream = `${delta({ content: 'Hi' }, 'stop')}${event({ choices: [], usage })}${done}`
    await check('text/event-stream', stream, meaning, encoding)
  })
  it('is read and metered whole', async () => {
    const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }]
    await check('application/json', JSON.stringify({ choices, usage }), meaning, encoding)
  })
})

describe('a reply without an end', () => {
  it('fails at 64 MB in the app, in Messages and in Gemini, and at 8 MB in Responses', { tags: 'long' }, async () => {
    const piece = delta({ content: 'x'.repeat(256 * 1024) })
    let sent = 0
    const { gateway } = await beforeService((_request, response) => {
      sent = 0
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      writeRepeatedly(response, piece, (bytes) => {
        sent += bytes
      })
    })
    const tooLarge = { said: expect.stringMatching(/too large/) }
    const megabytes = (): number => sent / 1024 / 1024
    expect(await inStudio(gateway)).toEqual(tooLarge)
    expect(megabytes()).toBeGreaterThan(64)
    expect(megabytes()).toBeLessThan(80)
    for (const read of [inMessages, inGemini]) {
      expect(await read(gateway, true)).toEqual(tooLarge)
      expect(megabytes()).toBeLessThan(80)
    }
    expect(await inResponses(gateway, true)).toEqual(tooLarge)
    expect(megabytes()).toBeLessThan(24)
  })
})

describe('an error reply', () => {
  it.each(errorBodies)(
    'with %s reaches the app and every API with the words of the service',
    async (_, type, body, words) => {
      const { gateway } = await beforeService(
        (_request, response) => {
          response.writeHead(422, { 'content-type': type }).end(body)
        },
        { retry: { maxAttempts: 1 } },
      )
      const said = { said: expect.stringMatching(words ?? /^The service .*422/) }
      expect(await inStudio(gateway)).toEqual(said)
      for (const stream of [true, false]) {
        expect(await inResponses(gateway, stream)).toEqual(said)
        expect(await inMessages(gateway, stream)).toEqual(said)
        expect(await inGemini(gateway, stream)).toEqual(said)
        const sent = JSON.stringify({ model: 'm', messages: [], stream })
        const answer = await ask(`${gateway.url}/chat/completions`, {
          method: 'POST',
          headers: jsonWithKey,
          body: sent,
        })
        expect([answer.status, answer.body.toString()]).toEqual([422, body])
      }
    },
  )
})

/** Bodies with status 200 that report an error, with its words in them. */
const errors200: [body: string, words: RegExp][] = [
  [file('transcription-err200.json'), /^Audio file is too short$/],
  [file('image-err200.json'), /^Prompt rejected by the safety system$/],
  ['{"error":"No credits"}', /^No credits$/],
  ['[{"error":{"message":"No credits"}}]', /^No credits$/],
  ['{"errors":["No credits"]}', /^No credits$/],
  ['{"detail":"No credits"}', /^No credits$/],
  ['{"code":1,"msg":"No credits","data":null,"text":null}', /^No credits$/],
  ['{"error":{"message":"Provider error","metadata":{"raw":"No credits"}}}', /^Provider error: No credits$/],
]

type Media = (gateway: Gateway) => Promise<unknown>
const recording = { file: Buffer.from('RIFF'), fileName: 'a.wav' }
const form = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\r\n--x--\r\n`
const media: [path: string, type: string, body: string, inApp: Media][] = [
  [
    '/audio/transcriptions',
    'multipart/form-data; boundary=x',
    form,
    ({ upstream }) => upstream.createTranscription(recording),
  ],
  [
    '/images/generations',
    'application/json',
    '{"prompt":"A ship"}',
    ({ upstream }) => upstream.createImage({ prompt: 'A ship' }),
  ],
]

describe.each(media)('%s with status 200', (path, type, sent, inApp) => {
  it.each(errors200)('and the body %s fails in the app and in the log, and passes to an app', async (body, words) => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    await expect(inApp(gateway)).rejects.toThrow(words)
    const headers = { ...jsonWithKey, 'content-type': type }
    const answer = await ask(`${gateway.url}${path}`, { method: 'POST', headers, body: sent })
    expect([answer.status, answer.body.toString()]).toEqual([200, body])
    await expect
      .poll(async () => (await gateway.rows())[0])
      .toMatchObject({ state: 'failed', problem: { message: expect.stringMatching(words) } })
  })
})

describe('a transcript', () => {
  it.each([
    ['text/plain', '{"error":{"message":"No credits"}}', /^No credits$/],
    ['text/html', '<!DOCTYPE html><h1>Sign in</h1>', /web page/],
  ])('of the type %s that is %s fails', async (type, body, words) => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    await expect(gateway.upstream.createTranscription(recording)).rejects.toThrow(words)
  })
})

describe('an image', () => {
  const bytes = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 37) % 256))
  const base64 = bytes.toString('base64')
  const lines = base64.replace(/.{76}/g, '$&\r\n')
  const url = bytes.toString('base64url')
  it.each([
    ['base64', { b64_json: base64 }],
    ['base64 without padding', { b64_json: base64.replace(/=+$/, '') }],
    ['base64 with a prefix', { b64_json: `data:image/png;base64,${base64}` }],
    ['base64 with a prefix in capitals and a parameter', { b64_json: `DATA:image/png;charset=utf-8;BASE64,${base64}` }],
    ['base64 with line breaks', { b64_json: lines }],
    ['base64 with line breaks and a prefix', { b64_json: ` data:image/png;base64,\n${lines}\n` }],
    ['base64 of the URL-safe alphabet', { b64_json: url }],
    ['a data: URL', { url: `data:image/png;base64,${base64}` }],
    ['a data: URL of the URL-safe alphabet with escapes', { url: `data:image/png;base64,${url}%3D`, b64_json: null }],
    ['a data: URL beside an empty base64', { url: `data:image/png;base64,${base64}`, b64_json: '' }],
  ])('as %s is the image, and passes to an app unchanged', async (_, entry) => {
    const body = JSON.stringify({ created: 1, data: [entry] })
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const { value } = await gateway.upstream.createImage({ prompt: 'A ship' })
    expect(value.map(({ url, content }) => [url, content?.isText, Buffer.concat(content?.bytes ?? [])])).toEqual([
      [null, false, bytes],
    ])
    const answer = await ask(`${gateway.url}/images/generations`, {
      method: 'POST',
      headers: jsonWithKey,
      body: '{"prompt":"A ship"}',
    })
    expect(answer.body.toString()).toBe(body)
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
