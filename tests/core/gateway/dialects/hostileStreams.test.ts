import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, apis, askIn, translatedApis } from '../../../helpers/apis.ts'
import { tries } from '../../../helpers/effort.ts'
import { apiKey, type FarEnd, type Gateway, openFarEnd, openGateway } from '../../../helpers/gateway.ts'

// Streams of services that break the conventions of chat completions, or break off: what an app hears in each API.

let far: FarEnd
let gateway: Gateway
/** The next reply of the service. */
let next: { type: string; body: string | Buffer } = { type: 'text/event-stream', body: '' }

beforeAll(async () => {
  far = await openFarEnd((_request, response) => {
    response.writeHead(200, { 'content-type': next.type }).end(next.body)
  })
  gateway = await openGateway(far.url, apiKey)
})
afterAll(async () => {
  await gateway.close()
  await far.close()
})

type Choice = { index?: number; delta?: unknown; finish_reason?: string | null }
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
const chunk = (delta: unknown, finish_reason: string | null = null, index = 0): string =>
  event({ id: 'chatcmpl-1', model: 'served', choices: [{ index, delta, finish_reason } satisfies Choice] })
const call = (fields: Record<string, unknown>, index: number | null = 0): string =>
  chunk({ tool_calls: [index === null ? fields : { index, ...fields }] })
const begun = (id: string | null, name: string | null, args = '', index: number | null = 0): string =>
  call(
    { ...(id !== null && { id }), type: 'function', function: { ...(name !== null && { name }), arguments: args } },
    index,
  )
const more = (args: string, index = 0): string => call({ function: { arguments: args } }, index)
const done = 'data: [DONE]\n\n'

/** A tool call as an app would run it, or a text. */
type Output = { text: string } | { reasoning: string } | { call: string; id: string; input: unknown }

interface Heard {
  status: number
  isComplete: boolean
  /** Whether the stream says that it failed. */
  isFailed: boolean
  /** What the app would show and run. Tool calls are those that the stream reports as done. */
  readonly output: Output[]
  stream: string
}

type Event = Record<string, unknown> & { type: string }
const eventsIn = (stream: string): Event[] =>
  stream.split('\n').flatMap((line) => (line.startsWith('data: {') ? (JSON.parse(line.slice(6)) as Event) : []))

type Item = {
  type: string
  content?: { text?: string; refusal?: string }[]
  summary?: { text: string }[]
  call_id?: string
  name?: string
  arguments?: string
}

function outputOfResponses(stream: string): Output[] {
  const items = eventsIn(stream).flatMap(({ type, item }) =>
    type === 'response.output_item.done' ? (item as Item) : [],
  )
  return items.map(({ type, content = [], name = '', call_id = '', arguments: args = '' }) => {
    if (type === 'function_call') return { call: name, id: call_id, input: JSON.parse(args) as unknown }
    const text = content.map((part) => part.text ?? part.refusal ?? '').join('')
    return type === 'reasoning' ? { reasoning: text } : { text }
  })
}

function outputOfMessages(stream: string): Output[] {
  const output: Output[] = []
  let [start, text]: [Record<string, string>, string] = [{}, '']
  for (const { type, content_block, delta } of eventsIn(stream)) {
    if (type === 'content_block_start') [start, text] = [content_block as Record<string, string>, '']
    if (type === 'content_block_delta') {
      const { text: words, thinking, partial_json } = delta as Record<string, string>
      text += words ?? thinking ?? partial_json ?? ''
    }
    if (type !== 'content_block_stop') continue
    if (start.type === 'thinking') output.push({ reasoning: text })
    else if (start.type === 'text') output.push({ text })
    else
      output.push({
        call: start.name ?? '',
        id: start.id ?? '',
        input: text === '' ? {} : (JSON.parse(text) as unknown),
      })
  }
  return output
}

interface GeminiPart {
  text?: string
  thought?: true
  functionCall?: { name: string; id: string; args: unknown }
}

/** Texts arrive in pieces, calls whole. A text is empty where the API needs a part and there is nothing to say. */
function outputOfGemini(stream: string): Output[] {
  const output: Output[] = []
  const parts = (eventsIn(stream) as unknown as { candidates?: { content: { parts: GeminiPart[] } }[] }[]).flatMap(
    ({ candidates = [] }) => candidates.flatMap(({ content }) => content.parts),
  )
  for (const { text = '', thought, functionCall } of parts) {
    if (functionCall) output.push({ call: functionCall.name, id: functionCall.id, input: functionCall.args })
    if (text === '') continue
    const last = output.at(-1)
    if (thought && last && 'reasoning' in last) last.reasoning += text
    else if (!thought && last && 'text' in last) last.text += text
    else output.push(thought ? { reasoning: text } : { text })
  }
  return output
}

interface OllamaMessage {
  content: string
  thinking?: string
  tool_calls?: { id: string; function: { name: string; arguments: unknown } }[]
}

/** Texts arrive in pieces, calls whole. */
function outputOfOllama(stream: string): Output[] {
  const output: Output[] = []
  for (const line of stream.split('\n').filter((text) => text !== '')) {
    const { message = { content: '' } } = JSON.parse(line) as { message?: OllamaMessage }
    const last = output.at(-1)
    if (message.thinking !== undefined) {
      if (last && 'reasoning' in last) last.reasoning += message.thinking
      else output.push({ reasoning: message.thinking })
    } else if (message.content !== '') {
      if (last && 'text' in last) last.text += message.content
      else output.push({ text: message.content })
    }
    for (const { id, function: called } of message.tool_calls ?? [])
      output.push({ call: called.name, id, input: called.arguments })
  }
  return output
}

const outputIn: Partial<Record<Api['name'], (stream: string) => Output[]>> = {
  responses: outputOfResponses,
  messages: outputOfMessages,
  gemini: outputOfGemini,
  ollama: outputOfOllama,
}

/** Sends a stream through the real gateway, and reads it as an app does. */
async function hear(api: Api, stream: string | Buffer, request: Record<string, unknown> = {}): Promise<Heard> {
  next = { type: 'text/event-stream', body: stream }
  const thoughts = api.name === 'gemini' ? { generationConfig: { thinkingConfig: { includeThoughts: true } } } : {}
  const answer = await askIn(gateway, api, api.body({ stream: true, ...thoughts, ...request }))
  const heard = answer.body.toString()
  return {
    status: answer.status,
    isComplete: api.isComplete(heard),
    isFailed: api.isFailed(heard),
    get output() {
      return outputIn[api.name]?.(heard) ?? []
    },
    stream: heard,
  }
}

const complete = { status: 200, isComplete: true, isFailed: false }
const failed = { status: 200, isComplete: false, isFailed: true }

describe.each(translatedApis)('in the API $name, a stream', (api) => {
  it('of reasoning only is a complete reply without a text', async () => {
    const heard = await hear(api, `${chunk({ reasoning: 'Hm' })}${chunk({ reasoning: 'm' }, 'stop')}${done}`)
    expect(heard).toMatchObject({ ...complete, output: [{ reasoning: 'Hmm' }] })
  })

  it.each(['', ' '])(
    'with a call whose arguments are %j has an empty object, which clients can parse',
    async (args) => {
      const heard = await hear(api, `${begun('call_1', 'now', args)}${chunk({}, 'tool_calls')}${done}`)
      expect(heard).toMatchObject({ ...complete, output: [{ call: 'now', id: 'call_1', input: {} }] })
    },
  )

  it.each([
    ['begin to end', [begun('a', 'read', '{"x":1}'), begun('b', 'write', '{"y":2}')]],
    [
      'with their pieces',
      [begun('a', 'read'), more('{"x"'), more(':1}'), begun('b', 'write'), more('{"y":'), more('2}')],
    ],
    ['with the same name', [begun('a', 'read', '{"x":1}'), begun('b', 'read', '{"y":2}')]],
    ['without an index', [begun('a', 'read', '{"x":1}', null), begun('b', 'write', '{"y":2}', null)]],
  ])('with two calls at the same index, %s, has two calls', async (_, pieces) => {
    const heard = await hear(api, `${pieces.join('')}${chunk({}, 'tool_calls')}${done}`)
    expect(heard).toMatchObject(complete)
    expect(heard.output.map((item) => 'id' in item && [item.id, item.input])).toEqual([
      ['a', { x: 1 }],
      ['b', { y: 2 }],
    ])
  })

  it('that repeats the id, or sends another id with each piece, has one call', async () => {
    for (const ids of [
      ['a', 'a', 'a'],
      ['a', 'b', 'c'],
      ['a', '', null],
    ] as const) {
      const pieces = [begun(ids[0], 'read', '{"x"'), begun(ids[1], null, ':'), begun(ids[2], null, '1}')].join('')
      const heard = await hear(api, `${pieces}${chunk({}, 'tool_calls')}${done}`)
      expect(heard).toMatchObject({ ...complete, output: [{ call: 'read', id: 'a', input: { x: 1 } }] })
    }
  })

  it('with two calls of the same id has two ids', async () => {
    const pieces = `${begun('same', 'read', '{"x":1}', 0)}${begun('same', 'read', '{"y":2}', 1)}`
    const { output } = await hear(api, `${pieces}${chunk({}, 'tool_calls')}${done}`)
    expect(output).toMatchObject([{ id: 'same', input: { x: 1 } }, { input: { y: 2 } }])
    expect(new Set(output.map((item) => 'id' in item && item.id)).size).toBe(2)
  })

  it('whose call has its name in pieces, or after its arguments, has the whole name', async () => {
    const split = `${begun('a', 'read_')}${begun(null, 'file')}${more('{"x":1}')}`
    const late = `${begun('a', null, '{"x"')}${more(':1}')}${begun(null, 'read_file')}`
    for (const pieces of [split, late]) {
      const heard = await hear(api, `${pieces}${chunk({}, 'tool_calls')}${done}`)
      expect(heard).toMatchObject({ ...complete, output: [{ call: 'read_file', id: 'a', input: { x: 1 } }] })
    }
  })

  it('with a second choice has the first one only', async () => {
    const both = `${chunk({ content: 'A' })}${chunk({ content: 'B' }, null, 1)}${chunk({ content: 'B' }, 'stop', 1)}`
    const heard = await hear(api, `${both}${chunk({}, 'stop')}${done}`)
    expect(heard).toMatchObject({ ...complete, output: [{ text: 'A' }] })
  })

  it('with a usage before or after its finish reason, or without one, is complete', async () => {
    const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } })
    const [words, end] = [chunk({ content: 'A' }), chunk({}, 'stop')]
    for (const stream of [usage + words + end + done, words + end + usage + done, words + end + usage]) {
      const heard = await hear(api, stream)
      expect(heard).toMatchObject({ ...complete, output: [{ text: 'A' }] })
      expect(heard.stream).toMatch(/"(?:output_tokens|candidatesTokenCount|eval_count)":3[,}]/)
    }
    expect(await hear(api, words + end + done)).toMatchObject({ ...complete, output: [{ text: 'A' }] })
  })

  it('with deltas of no length, or with none, has no output for them', async () => {
    const nothing = ['', null].flatMap((text) => [
      chunk({ content: text, reasoning_content: text, refusal: text, tool_calls: [] }),
      chunk({ reasoning: text }),
    ])
    const heard = await hear(
      api,
      `${nothing.join('')}${chunk(null)}${event({ choices: [{}] })}${chunk({}, 'stop')}${done}`,
    )
    expect(heard).toMatchObject({ ...complete, output: [] })
    expect(heard.stream).not.toMatch(/output_item|content_block/)
  })

  it.each(['STOP', 'Stop', 'eos_token', 'complete', 'end_turn'])(
    'with the finish reason %s is complete',
    async (reason) => {
      const heard = await hear(api, `${chunk({ content: 'A' }, reason)}${done}`)
      expect(heard).toMatchObject(complete)
      expect(heard.stream).toMatch(
        /"type":"response\.completed"|"stop_reason":"end_turn"|"finishReason":"STOP"|"done_reason":"stop"/,
      )
    },
  )

  it.each(['MAX_TOKENS', 'max_output_tokens', 'model_length'])(
    'with the finish reason %s was cut by length',
    async (reason) => {
      const heard = await hear(api, `${chunk({ content: 'A' }, reason)}${done}`)
      expect(heard.stream).toMatch(
        /"reason":"max_output_tokens"|"stop_reason":"max_tokens"|"finishReason":"MAX_TOKENS"|"done_reason":"length"/,
      )
    },
  )

  it.each(['error', 'abort', 'Aborted', 'cancelled', 'insufficient_system_resource'])(
    'with the finish reason %s is a failure, and its tool call is never reported as done',
    async (reason) => {
      const heard = await hear(api, `${begun('a', 'remove', '{"path":"/"}')}${chunk({}, reason)}${done}`)
      expect(heard).toMatchObject({ ...failed, output: [] })
      expect(heard.stream).toContain(reason)
    },
  )

  it('with a finish reason that is not known claims neither a success nor a failure', async () => {
    const heard = await hear(api, `${chunk({ content: 'A' }, 'solar_flare')}${done}`)
    expect(heard).toMatchObject({ ...complete, output: [{ text: 'A' }] })
    expect(heard.stream).toMatch(
      /"(?:done_)?reason":"solar_flare"|"stop_reason":null,"stop_sequence":null,"stop_details":null\}|"finishReason":"OTHER"/,
    )
    expect(heard.stream).not.toContain('response.completed')
  })

  it.each([
    ['before its finish reason', chunk({ content: 'Half' }), ''],
    ['after its finish reason', chunk({ content: 'Half' }), chunk({}, 'stop')],
  ])('with an error event %s is a failure with the words of the service', async (_, before, finish) => {
    const error = event({ error: { message: 'GPU fell off', type: 'server_error', code: 'gpu' } })
    const heard = await hear(api, `${before}${finish}${error}${chunk({ content: 'more' })}${done}`)
    expect(heard).toMatchObject(failed)
    expect(heard.stream).toContain('GPU fell off')
    expect(heard.stream).not.toContain('more')
  })

  it('that ends with a finish reason or [DONE] is complete, and without both or without a choice it is a failure', async () => {
    expect(await hear(api, chunk({ content: 'A' }, 'stop'))).toMatchObject({ ...complete, output: [{ text: 'A' }] })
    expect(await hear(api, chunk({ content: 'A' }))).toMatchObject(failed)
    expect(await hear(api, `${chunk({ content: 'A' })}${done}`)).toMatchObject({ isComplete: true, isFailed: false })
    expect(await hear(api, '')).toMatchObject(failed)
    expect(await hear(api, done)).toMatchObject(failed)
  })

  it('that is cut in a tool call never reports the call as done', async () => {
    const heard = await hear(api, `${begun('a', 'remove', '{"path":"/tmp')}`)
    expect(heard).toMatchObject({ ...failed, output: [] })
  })

  it('with one event of 4 MB has all of it', { tags: 'long' }, async () => {
    const words = 'wörd 🙂 '.repeat(400_000)
    const heard = await hear(api, `${chunk({ content: words })}${chunk({}, 'stop')}${done}`)
    expect(heard).toMatchObject(complete)
    expect(heard.output).toEqual([{ text: words }])
  })

  it('with a line that never ends is a failure, and the memory is bounded', { tags: 'long' }, async () => {
    const heard = await hear(
      api,
      Buffer.from(`${chunk({ content: 'A' })}data: {"choices":"${'x'.repeat(17 * 1024 * 1024)}`),
    )
    expect(heard).toMatchObject(failed)
    expect(heard.stream).toMatch(/an event that is too large/)
    expect(heard.stream.length).toBeLessThan(20_000)
  })

  it('with half of a character in each delta has whole characters, as clients in Python and Rust need them', async () => {
    const halves = '🙂'.split('')
    const text = halves.map((half) => chunk({ content: half })).join('')
    const inArguments = `${begun('a', 'say', '{"x":"')}${halves.map((half) => more(half)).join('')}${more('"}')}`
    const heard = await hear(api, `${text}${inArguments}${chunk({}, 'tool_calls')}${done}`)
    expect(heard.output).toEqual([{ text: '🙂' }, { call: 'say', id: 'a', input: { x: '🙂' } }])
    expect(heard.stream).not.toMatch(/\\ud[89a-f]/i)
    const alone = await hear(api, `${chunk({ content: `a${halves[0]}` })}${chunk({}, 'stop')}${done}`)
    expect(alone).toMatchObject({ ...complete, output: [{ text: 'a\ufffd' }] })
    expect(alone.stream).not.toMatch(/\\ud[89a-f]/i)
  })
})

describe.each(apis)('in the API $name', (api) => {
  it('the service sees no second request, whatever breaks the stream [SSE-04] [ERR-08]', async () => {
    const streams = [
      chunk({ content: 'A' }),
      `${chunk({ content: 'A' })}${event({ error: { message: 'x' } })}`,
      `${chunk({ content: 'A' }, 'error')}${done}`,
      `${chunk({ content: 'A' })}data: {`,
    ]
    far.requests.length = 0
    for (const stream of streams) await hear(api, stream)
    expect(far.requests).toHaveLength(streams.length)
  })
})

describe.each(translatedApis)(
  'in the API $name, a reply that is not streamed although a stream was asked for',
  (api) => {
    const whole = async (chat: unknown) => {
      next = { type: 'application/json', body: JSON.stringify(chat) }
      return askIn(gateway, api, api.body({ stream: true }))
    }

    it('is complete without a finish reason, which the specification lets be absent', async () => {
      for (const finish of [{}, { finish_reason: null }]) {
        const heard = (await whole({ choices: [{ message: { content: 'Words' }, ...finish }] })).body.toString()
        expect([api.isComplete(heard), api.text(heard)]).toEqual([true, 'Words'])
      }
    })

    it.each([
      [{ error: { message: 'Out of memory' } }, /Out of memory/],
      [{ choices: [] }, /without choices/],
    ])('is a 502 for %j', async (chat, words) => {
      const answer = await whole(chat)
      expect([answer.status, answer.headers['x-should-retry']]).toEqual([502, 'false'])
      expect(api.problem(answer).message).toMatch(words)
    })
  },
)

describe('a whole reply that reports a failure', () => {
  it.each([
    ['an error object with the status 200', { error: { message: 'Out of memory' } }, /Out of memory/],
    ['no choice', { choices: [] }, /without choices/],
    [
      'a finish reason for a failure',
      { choices: [{ message: { content: 'Half' }, finish_reason: 'error' }] },
      /"error"/,
    ],
  ])(
    'by %s is none in an API whose objects can’t say that: 502 with the reason, and a failed row',
    async (_, chat, words) => {
      for (const api of translatedApis.filter(({ name }) => name !== 'responses')) {
        next = { type: 'application/json', body: JSON.stringify(chat) }
        far.requests.length = 0
        const answer = await askIn(gateway, api, api.body())
        expect([answer.status, answer.headers['x-should-retry']]).toEqual([502, 'false'])
        expect(api.problem(answer).message).toMatch(words)
        expect((await gateway.rows())[0]).toMatchObject({ state: 'failed', status: 502 })
        expect(far.requests).toHaveLength(1)
      }
    },
  )
})

it('any stream of pieces ends as complete or as failed, never as both or neither', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 5 }).map((content) => chunk({ content })),
    fc.string({ maxLength: 5 }).map((reasoning) => chunk({ reasoning })),
    fc
      .tuple(
        fc.option(fc.constantFrom('a', 'b', '')),
        fc.option(fc.constantFrom('read', 're', '')),
        fc.constantFrom('', '{', '}', '{}'),
        fc.nat(2),
      )
      .map(([id, name, args, index]) => begun(id, name, args, index)),
    fc.constantFrom('stop', 'length', 'error', 'odd', '').map((reason) => chunk({}, reason)),
    fc.constantFrom(event({ error: null }), event({ error: 'x' }), ': ping\n\n', event({ choices: [] }), 'data: 7\n\n'),
  )
  for (const api of translatedApis) {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.boolean(), async (pieces, isDone) => {
        const sent = `${pieces.join('')}${isDone ? done : ''}`
        const { isFailed, stream: heard } = await hear(api, sent, { store: false })
        expect(api.isComplete(heard) !== isFailed, `${sent}\n${heard}`).toBe(true)
        expect(heard.isWellFormed() && !/\\ud[89a-f]/i.test(heard), heard).toBe(true)
      }),
      { numRuns: tries(60, 2000) },
    )
  }
})
