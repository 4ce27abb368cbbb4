import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { ollamaDialect } from '../../../../../src-main/core/gateway/dialects/ollama/ollamaDialect.ts'
import { parametersOf } from '../../../../../src-main/core/upstream/request/chatParameters.ts'
import type { ChatMessage } from '../../../../../src-main/core/upstream/types.ts'
import { growth, linear } from '../../../../helpers/growth.ts'
import { chat, generate, translatedStream } from './streams.ts'

const png = 'iVBORw0KGgoAAAANSUhEUg=='
const jpeg = '/9j/4AAQSkZJRg=='
const imageOf = (url: string) => ({ type: 'image_url', image_url: { url } })
const messagesOf = (messages: unknown[]): ChatMessage[] => chat({ messages }).chat.messages
const call = (name: string, id?: string, args: unknown = { a: 1 }) => ({
  ...(id && { id }),
  function: { name, arguments: args },
})

describe('a request of Ollama’s API', () => {
  it('is streamed unless it says otherwise', () => {
    expect([chat().stream, chat({ stream: true }).stream, generate().stream]).toEqual([true, true, true])
    expect([chat({ stream: false }).stream, generate({ stream: false }).stream]).toEqual([false, false])
  })

  it('has the thinking of the running tool loop as reasoning, and no earlier one', () => {
    const turn = (thinking: string) => ({ role: 'assistant', content: '', thinking, tool_calls: [call('find')] })
    const done = { role: 'tool', content: 'found', tool_name: 'find' }
    const user = (content: string) => ({ role: 'user', content })
    const { chat: sent, ignored } = chat({
      messages: [user('One'), turn('old'), done, user('Two'), turn('first'), done, turn('second'), done],
    })
    expect(sent.messages.map(({ reasoning_content: reasoning }) => reasoning ?? null)).toEqual([
      ...[null, null, null],
      ...[null, 'first', null, 'second', null],
    ])
    expect(ignored).toEqual(['messages.thinking'])
  })

  it('has tool names that services accept, the same in tools, history and results, and restores them in the reply', () => {
    const long = `mcp__${'very_'.repeat(20)}long`
    const request = chat({
      tools: [
        { type: 'function', function: { name: long } },
        { type: 'function', function: { name: 'a.b' } },
      ],
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', tool_calls: [call('a.b'), call(long)] },
        { role: 'tool', tool_name: long, content: 'of long' },
        { role: 'tool', tool_name: 'a.b', content: 'of a.b' },
      ],
    })
    const { tools = [], messages } = request.chat
    const [first = '', second = ''] = tools.map((tool) => (tool as { function: { name: string } }).function.name)
    expect([first, second]).toEqual([
      expect.stringMatching(/^mcp__very_[\w-]{1,54}$/),
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
    ])
    expect(messages[1]?.tool_calls?.map(({ function: called }) => called.name)).toEqual([second, first])
    expect(messages.slice(2).map(({ content }) => content)).toEqual(['of a.b', 'of long'])
    const delta = { tool_calls: [{ index: 0, id: 'c1', function: { name: first, arguments: '{}' } }] }
    const stream = `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`
    expect(translatedStream(Buffer.from(stream), [], request).text).toContain(`"name":"${long}"`)
  })

  it('names a model with or without the tag that clients add', () => {
    const names = ['writer', 'writer:latest', 'vendor/writer:latest', 'writer:7b', ':latest']
    expect(names.map((model) => chat({ model }).chat.model)).toEqual([
      'writer',
      'writer',
      'vendor/writer',
      'writer:7b',
      ':latest',
    ])
  })

  it('has its options, format and thinking as chat completions have them', () => {
    const options = { temperature: 0.1, top_p: 0.9, top_k: 5, min_p: 0.1, seed: 7, num_predict: 20, stop: 'END' }
    expect(chat({ options, think: 'low', format: 'json' }).chat).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 0.1,
      top_p: 0.9,
      top_k: 5,
      min_p: 0.1,
      seed: 7,
      max_tokens: 20,
      stop: ['END'],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
    })
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(chat({ format: schema }).chat.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema },
    })
    expect(chat({ options: { num_predict: -1, stop: ['a', 'b'] }, format: '' }).chat).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stop: ['a', 'b'],
    })
  })

  it('has its tools, without those of another type, which are named', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } } }
    const own = { type: 'function', function: { name: 'find', description: 'Finds', parameters } }
    const request = chat({ tools: [own, { function: { name: 'bare' } }, { type: 'web_search' }] })
    expect(request.chat.tools).toEqual([
      own,
      { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } },
    ])
    expect(request.ignored).toEqual(['tools.web_search'])
    expect(chat({ tools: [] }).chat).not.toHaveProperty('tools')
  })

  it('of /api/generate becomes one of chat, with instructions and images', () => {
    expect(generate({ system: 'Be brief.', images: [png, jpeg] }).chat.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          imageOf(`data:image/png;base64,${png}`),
          imageOf(`data:image/jpeg;base64,${jpeg}`),
        ],
      },
    ])
    expect(generate().chat.messages).toEqual([{ role: 'user', content: 'hi' }])
  })

  it.each([
    ['messages', { messages: [] }],
    ['messages', { messages: undefined }],
    ['model', { model: 7 }],
    ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }],
    ['messages[0].images[0]', { messages: [{ role: 'user', content: 'x', images: ['Qk0='] }] }],
    ['messages[0].tool_calls[0].function.name', { messages: [{ role: 'assistant', tool_calls: [{ function: {} }] }] }],
    ['format', { format: 'xml' }],
    ['think', { think: 'very' }],
    ['options.num_predict', { options: { num_predict: 0 } }],
    ['options.temperature', { options: { temperature: 'hot' } }],
    ['tools[0].function', { tools: [{ type: 'function' }] }],
    ['stream', { stream: 'yes' }],
  ])('that can’t be translated is refused with the path %s', (param, changes) => {
    let thrown: unknown
    try {
      chat(changes)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(DialectError)
    expect((thrown as DialectError).problem).toMatchObject({ status: 400, param })
  })

  it.each([
    ['prompt', { prompt: '' }],
    ['suffix', { suffix: 'b' }],
    ['raw', { raw: true }],
  ])('of /api/generate that needs a model on this computer is refused with the path %s', (param, changes) => {
    expect(() => generate(changes)).toThrow(expect.objectContaining({ problem: expect.objectContaining({ param }) }))
  })
})

describe('results of tools', () => {
  const result = (content: string, more = {}) => ({ role: 'tool', content, ...more })

  it('follow their calls in the order of the calls, found by id, by name or by order', () => {
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', tool_calls: [call('a', 'x'), call('b'), call('a'), call('c')] },
      result('of c', { tool_name: 'c' }),
      result('of the second a', { tool_call_id: 'call_1' }),
      result('of the first a', { tool_name: 'a' }),
      result('of b'),
      { role: 'user', content: 'and?' },
    ]
    expect(messagesOf(messages)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: ['x', 'call_0', 'call_1', 'call_2'].map((id, at) => ({
          id,
          type: 'function',
          function: { name: ['a', 'b', 'a', 'c'][at], arguments: '{"a":1}' },
        })),
      },
      { role: 'tool', tool_call_id: 'x', content: 'of the first a' },
      { role: 'tool', tool_call_id: 'call_0', content: 'of b' },
      { role: 'tool', tool_call_id: 'call_1', content: 'of the second a' },
      { role: 'tool', tool_call_id: 'call_2', content: 'of c' },
      { role: 'user', content: 'and?' },
    ])
  })

  it('that are missing are said to be, and those without a call become words of the user', () => {
    expect(
      messagesOf([
        result('lost', { tool_name: 'a' }),
        { role: 'assistant', content: 'x', tool_calls: [call('a')] },
        { role: 'user', content: 'y' },
      ]),
    ).toEqual([
      { role: 'user', content: 'Result of the tool a:\nlost' },
      { role: 'assistant', content: 'x', tool_calls: [expect.objectContaining({ id: 'call_0' })] },
      { role: 'tool', tool_call_id: 'call_0', content: 'The program sent no result of this call.' },
      { role: 'user', content: 'y' },
    ])
  })

  it('have their images in a user message behind them', () => {
    expect(
      messagesOf([
        { role: 'assistant', tool_calls: [call('look', 'x'), call('look', 'y')] },
        result('one', { images: [png] }),
        result('two'),
      ]).slice(1),
    ).toEqual([
      { role: 'tool', tool_call_id: 'x', content: 'one' },
      { role: 'tool', tool_call_id: 'y', content: 'two' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Images of the result of tool call x:' },
          imageOf(`data:image/png;base64,${png}`),
        ],
      },
    ])
  })

  it('are, with any messages, each behind its own call and one for each call, as the service requires', () => {
    const anyMessage = fc.oneof(
      fc.record({ role: fc.constant('user'), content: fc.string() }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc.string(),
        tool_calls: fc.array(
          fc.record({
            id: fc.option(fc.constantFrom('p', 'q', 'call_0', 'call_1'), { nil: undefined }),
            function: fc.record({
              name: fc.constantFrom('a', 'b'),
              arguments: fc.dictionary(fc.string(), fc.jsonValue()),
            }),
          }),
          { maxLength: 3 },
        ),
      }),
      fc.record({
        role: fc.constant('tool'),
        content: fc.string(),
        tool_name: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
        tool_call_id: fc.option(fc.constantFrom('p', 'q', 'call_0'), { nil: undefined }),
        images: fc.option(fc.array(fc.constant(png), { maxLength: 1 }), { nil: undefined }),
      }),
    )
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), (messages) => {
        const all = messagesOf([...messages, { role: 'user', content: 'end' }])
        let open: string[] = []
        for (const { role, tool_calls, tool_call_id } of all) {
          if (role === 'tool') expect(open.shift()).toBe(tool_call_id)
          else expect(open).toEqual([])
          const ids = tool_calls?.map(({ id }) => id) ?? []
          expect(new Set(ids).size).toBe(ids.length)
          if (ids.length > 0) open = ids
        }
        // Nothing that a tool said is lost.
        const said = all.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
        for (const { role, content } of messages) {
          const escaped = JSON.stringify(content).slice(1, -1)
          if (role === 'tool') expect(said.some((text) => text.includes(content) || text.includes(escaped))).toBe(true)
        }
      }),
    )
  })
})

it('any body is translated or refused with a DialectError, and what is translated is one valid chat completion', () => {
  const anyBody = fc.dictionary(
    fc.constantFrom('model', 'messages', 'stream', 'options', 'format', 'tools', 'think', 'prompt', 'system', 'images'),
    fc.oneof(
      fc.jsonValue(),
      fc.constant([{ role: 'user', content: 'x' }]),
      fc.constant('m'),
      fc.constant([{ type: 'function', function: { name: 'a' } }]),
    ),
  )
  fc.assert(
    fc.property(anyBody, fc.boolean(), (body, isGenerate) => {
      try {
        const translated = ollamaDialect.translate(JSON.parse(JSON.stringify(body)), { isGenerate })
        expect(parametersOf(translated.chat).json).toBe(true)
        expect(translated.chat.messages.length).toBeGreaterThan(0)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DialectError)
      }
    }),
  )
})

it.each<[string, (count: number) => unknown[]]>([
  [
    'calls and results by id',
    (n) => [
      { role: 'assistant', tool_calls: range(n, (i) => call('a', `i${i}`)) },
      ...range(n, (i) => ({ role: 'tool', content: 'x', tool_call_id: `i${n - i - 1}` })),
    ],
  ],
  [
    'calls and results by name',
    (n) => [
      { role: 'assistant', tool_calls: range(n, () => call('a')) },
      ...range(n, () => ({ role: 'tool', content: 'x', tool_name: 'a' })),
    ],
  ],
  [
    'calls and results by order',
    (n) => [
      { role: 'assistant', tool_calls: range(n, (i) => call(`t${i}`)) },
      ...range(n, () => ({ role: 'tool', content: 'x' })),
    ],
  ],
  [
    'results of another tool',
    (n) => [
      { role: 'assistant', tool_calls: range(n, () => call('a')) },
      ...range(n, () => ({ role: 'tool', content: 'x', tool_name: 'b' })),
    ],
  ],
  [
    'repeated ids',
    (n) => [
      { role: 'assistant', tool_calls: range(n, (i) => call('a', i % 2 === 0 ? 'x' : `call_${i}`)) },
      { role: 'user', content: 'x' },
    ],
  ],
  [
    'ids of the derived form',
    (n) => [
      { role: 'assistant', tool_calls: [...range(n, (i) => call('a', `call_${i}`)), ...range(n, () => call('a'))] },
      { role: 'user', content: 'x' },
    ],
  ],
])('the work for %s grows with their number only', (_, messages) => {
  expect(growth(1250, messages, messagesOf)).toBeLessThan(linear)
})

const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
