import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatMessage, ChatRequest, ContentPart } from '../../../../../src-main/core/upstream/types.ts'
import { details } from './chatStream.ts'
import { interfacesOf, membersOf, typesOf, valuesOf } from './sdkTypes.ts'

const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const contentPart = z.object({
  type: z.enum(['text', 'image_url']),
  text: z.string().optional(),
  image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }).optional(),
})
/** The request of POST /v1/chat/completions as the specification has it, and the extra parameters that are sent. */
const chatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
        content: z.union([z.string(), z.null(), z.array(contentPart)]),
        tool_call_id: z.string().optional(),
        tool_calls: z.array(toolCall).min(1).optional(),
        reasoning_content: z.string().optional(),
      }),
    )
    .min(1),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  max_tokens: z.int().min(1).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().min(1),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().optional(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  response_format: z.record(z.string(), z.unknown()).optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning_effort: z.string().optional(),
  verbosity: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  safety_identifier: z.string().optional(),
  service_tier: z.string().optional(),
  user: z.string().optional(),
})

/** Fails unless the results of each message's calls follow it directly, in order, and nothing else is a result. */
function expectResultsAfterCalls(messages: ChatMessage[]): void {
  const expected: string[] = []
  for (const { role, tool_call_id, tool_calls } of messages) {
    expect(role === 'tool').toBe(expected.length > 0)
    if (role === 'tool') expect(tool_call_id).toBe(expected.shift())
    expected.push(...(tool_calls ?? []).map(({ id }) => id))
  }
  expect(expected).toEqual([])
}

/** Translates, and checks the result. Only a DialectError is accepted in its place. */
function check(body: JsonObject): 'translated' | 'refused' {
  try {
    const request = translateResponses(body)
    chatRequest.parse(request.chat)
    expectResultsAfterCalls(request.chat.messages)
    for (const name of request.ignored) expect(name).toMatch(/^[\w.[\]?-]{1,80}$/)
    request.storedInput('resp_1')
    JSON.stringify(request.reply({ choices: [{ message: { content: 'x' } }] }, details))
    return 'translated'
  } catch (thrown) {
    if (!(thrown instanceof DialectError)) throw thrown
    expect(thrown.problem).toMatchObject({ status: 400, param: expect.any(String) })
    return 'refused'
  }
}

describe('fuzzed requests', () => {
  const junk = fc.jsonValue({ maxDepth: 2 })
  const typed = (union: string): [type: string, members: string[]][] =>
    interfacesOf(union).flatMap((name) => typesOf(name).map((type): [string, string[]] => [type, membersOf(name)]))
  const strings = [
    'user',
    'assistant',
    'a',
    'b',
    'auto',
    'f',
    'x',
    '{}',
    'data:text/plain;base64,eA==',
    'low',
    ...valuesOf('ResponseIncludable'),
  ]
  const value = fc.oneof({ weight: 50, arbitrary: fc.constantFrom(...strings) }, { weight: 1, arbitrary: junk })
  /** An object of one of the types of a union, with some of its members. Values are often right, and sometimes anything. */
  const objectOf = (union: string, known: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
    fc.constantFrom(...typed(union)).chain(([type, members]) =>
      fc
        .record(
          Object.fromEntries(
            members.map((member) => [
              member,
              fc.oneof({ weight: 50, arbitrary: known[member] ?? value }, { weight: 1, arbitrary: junk }),
            ]),
          ),
          {
            requiredKeys: members.filter((member) => member in known),
          },
        )
        .map((object) => ({ ...object, type })),
    )
  const content = fc.oneof(
    fc.string(),
    fc.array(
      objectOf('ResponseContent', {
        text: fc.string(),
        refusal: fc.string(),
        image_url: fc.constant('data:image/png;base64,AA=='),
        detail: fc.constantFrom('low', 'original'),
        file_data: fc.constant('data:text/plain,x'),
      }),
      { maxLength: 3 },
    ),
  )
  const callId = fc.constantFrom('a', 'b', 'c')
  const call = fc.record({
    type: fc.constantFrom('function_call', 'custom_tool_call'),
    call_id: callId,
    name: fc.constant('f'),
    arguments: fc.json(),
    input: fc.string(),
  })
  const result = fc.record({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: callId,
    output: content,
  })
  const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content })
  const typedItem = objectOf('ResponseInputItem', { content, output: content, call_id: callId })
  const some = (weight: number, arbitrary: fc.Arbitrary<unknown>) => ({
    weight,
    arbitrary: arbitrary.map((item) => [item]),
  })
  /** Items, mostly calls with their results and messages between them. */
  const input = fc
    .array(
      fc.oneof(some(20, message), some(1, typedItem), some(1, call), some(1, result), some(1, junk), {
        weight: 20,
        arbitrary: fc
          .tuple(call, fc.option(message), result)
          .map(([made, between, got]) => [
            made,
            ...(between === null ? [] : [between]),
            { ...got, call_id: made.call_id },
          ]),
      }),
      { maxLength: 5 },
    )
    .map((groups) => groups.flat())
  const tool = fc.oneof(
    {
      weight: 50,
      arbitrary: objectOf('Tool', {
        name: fc.constantFrom('f', 'g', 'h'),
        parameters: fc.constant({}),
        description: fc.string(),
        format: fc.constantFrom({ type: 'text' }, { type: 'grammar', syntax: 'regex', definition: 'a' }),
        strict: fc.boolean(),
        tools: fc.constant([]),
      }),
    },
    { weight: 1, arbitrary: junk },
  )
  const known: Record<string, fc.Arbitrary<unknown>> = {
    input: fc.oneof({ weight: 1, arbitrary: fc.string() }, { weight: 9, arbitrary: input }),
    model: fc.constant('m'),
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (each) => (each as JsonObject | null)?.name ?? each }),
    tool_choice: fc.oneof(
      fc.constantFrom('auto', 'none', 'required'),
      objectOf('ToolChoiceAllowed', { mode: fc.constant('auto'), tools: fc.array(tool) }),
    ),
    temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
    max_output_tokens: fc.nat(20),
    stream: fc.boolean(),
    text: fc.record({
      format: fc.record({
        type: fc.constantFrom('text', 'json_schema'),
        name: fc.string({ minLength: 1 }),
        schema: fc.constant({}),
      }),
    }),
    reasoning: fc.record(
      { effort: value, summary: value, context: fc.constantFrom('all_turns', 'auto') },
      { requiredKeys: [] },
    ),
  }
  const names = membersOf('ResponseCreateParamsBase')
  const request = fc.record(
    Object.fromEntries(
      names.map((name) => [
        name,
        fc.oneof({ weight: 200, arbitrary: known[name] ?? fc.constant(null) }, { weight: 1, arbitrary: junk }),
      ]),
    ),
    { requiredKeys: ['input', 'model'] },
  )

  it('are refused by field or give a request that the specification accepts', () => {
    const seen = { translated: 0, refused: 0 }
    fc.assert(
      fc.property(request, (body) => {
        seen[check(body)] += 1
      }),
      { numRuns: 3_000 },
    )
    // Both outcomes are common, or the generator shows nothing.
    expect(seen.translated).toBeGreaterThan(300)
    expect(seen.refused).toBeGreaterThan(300)
  })

  it('of any JSON are refused by field', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names, '__proto__', 'constructor'), junk),
        (body) => void check(body),
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('hostile requests', () => {
  const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
    let value: unknown = 'x'
    for (let at = 0; at < depth; at++) value = wrap(value)
    return value
  }
  const deep = nested(100_000, (inner) => [inner])
  const deepObject = nested(100_000, (a) => ({ a }))

  it.each([
    ['input', { input: deep }],
    ['input', { input: [{ role: 'user', content: deep }] }],
    ['tools', { tools: [{ type: 'function', name: 'f', parameters: deepObject }] }],
    ['metadata', { metadata: deepObject }],
    ['text', { text: { format: { type: 'json_schema', name: 'n', schema: deepObject } } }],
    ['tool_choice', { tool_choice: deepObject }],
    ['unknown', { unknown: deep }],
  ])('with deep nesting in %s are refused', (param, body) => {
    expect(() => translateResponses({ model: 'm', input: 'x', ...body } as JsonObject)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ param }) }),
    )
  })

  it('with many items, calls and tools are translated', () => {
    const count = 50_000
    const calls = Array.from({ length: count }, (_, at) => ({
      type: 'function_call',
      call_id: `${at}`,
      name: 'f',
      arguments: '{}',
    }))
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'x' })).reverse()
    const tools = Array.from({ length: count }, (_, at) => ({ type: 'function', name: `f${at}` }))
    const { chat } = translateResponses({ model: 'm', input: [...calls, ...results], tools })
    expect(chat.messages).toHaveLength(count + 1)
    expect(chat.messages.at(-1)).toMatchObject({ tool_call_id: `${count - 1}` })
    expect(chat.tools).toHaveLength(count)
  })

  it('have their reply translated when it is hostile too', () => {
    const { reply, openStream } = translateResponses({ model: 'm', input: 'x' })
    const values = [deep, deepObject, null, 7, '', [], {}]
    for (const value of values) {
      reply({ choices: value, usage: value, model: value }, details)
      reply({ choices: [{ message: value, delta: value, finish_reason: value }] }, details)
      reply(
        { choices: [{ message: { content: value, tool_calls: [value, { function: value }], reasoning: value } }] },
        details,
      )
    }
    const translator = openStream(details)
    for (let index = 0; index < 20_000; index++)
      translator.push({ type: 'tool_call', choice: 0, index, id: 'same', name: 'f', arguments: '{}' })
    translator.push({ type: 'finish', choice: 0, reason: 'stop' })
    expect(translator.end()).toContain('response.completed')
    const ids = new Set((translator.result().output as JsonObject[]).map(({ call_id }) => call_id))
    expect(ids.size).toBe(20_000)
  })
})

describe('chat completions', () => {
  const text = fc.string({ minLength: 1, maxLength: 20 })
  const image = fc.record(
    {
      url: fc.constantFrom('https://example.org/a.png', 'data:image/png;base64,AA=='),
      detail: fc.constantFrom('auto' as const, 'low' as const, 'high' as const),
    },
    { requiredKeys: ['url'] },
  )
  const part: fc.Arbitrary<ContentPart> = fc.oneof(
    text.map((value): ContentPart => ({ type: 'text', text: value })),
    image.map((image_url): ContentPart => ({ type: 'image_url', image_url })),
  )
  // A list with a single text is the same as the text.
  const content = fc.oneof(text, fc.array(part, { minLength: 2, maxLength: 4 }))
  const from = fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content }) as fc.Arbitrary<ChatMessage>
  const step = fc
    .tuple(
      fc.option(text, { nil: null }),
      fc.array(fc.tuple(fc.json(), text), { minLength: 1, maxLength: 3 }),
      fc.option(text, { nil: undefined }),
    )
    .map(([said, calls, reasoning_content]): ChatMessage[] => [
      {
        role: 'assistant',
        content: said,
        ...(reasoning_content !== undefined && { reasoning_content }),
        tool_calls: calls.map(([args], at) => ({
          id: `call_${at}`,
          type: 'function',
          function: { name: 'look', arguments: args },
        })),
      },
      ...calls.map(([, output], at): ChatMessage => ({ role: 'tool', tool_call_id: `call_${at}`, content: output })),
    ])
  const turn = fc
    .tuple(
      fc.array(from, { minLength: 1, maxLength: 3 }),
      fc.array(step, { maxLength: 2 }),
      fc.option(text, { nil: null }),
    )
    .map(([before, steps, said]): ChatMessage[] => [
      ...before,
      ...steps.flat(),
      ...(said === null ? [] : [{ role: 'assistant' as const, content: said }]),
    ])
  const messages = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => turns.flat())
  const settings = fc.record(
    {
      max_tokens: fc.integer({ min: 1, max: 1000 }),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      top_p: fc.double({ min: 0, max: 1, noNaN: true }),
      presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
      reasoning_effort: fc.constantFrom('low', 'high'),
      response_format: fc.constantFrom(
        { type: 'json_object' },
        { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      ),
      user: text,
    },
    { requiredKeys: [] },
  )
  const tools = [
    {
      type: 'function',
      function: { name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: false },
    },
  ]
  const toolSettings = fc.option(
    fc.record(
      {
        tools: fc.constant(tools),
        tool_choice: fc.constantFrom('auto', 'none', 'required', { type: 'function', function: { name: 'look' } }),
        parallel_tool_calls: fc.boolean(),
      },
      { requiredKeys: ['tools'] },
    ),
    { nil: {} },
  )

  /** The same request for the Responses API. */
  function asResponses(chat: ChatRequest): JsonObject {
    const {
      messages: each,
      max_tokens,
      reasoning_effort,
      response_format,
      tools: functions,
      tool_choice,
      ...same
    } = chat
    const format =
      response_format?.type === 'json_schema'
        ? { type: 'json_schema', ...(response_format.json_schema as JsonObject) }
        : response_format
    return {
      ...same,
      input: each.flatMap(itemsOf),
      reasoning: { effort: reasoning_effort, context: 'all_turns' },
      ...(max_tokens !== undefined && { max_output_tokens: max_tokens }),
      ...(format !== undefined && { text: { format } }),
      ...(functions !== undefined && {
        tools: (functions as typeof tools).map(({ type, function: called }) => ({ type, ...called })),
      }),
      ...(tool_choice !== undefined && {
        tool_choice: typeof tool_choice === 'string' ? tool_choice : { type: 'function', name: 'look' },
      }),
    }
  }

  function itemsOf({ role, content: said, tool_calls, tool_call_id, reasoning_content }: ChatMessage): JsonObject[] {
    if (role === 'tool') return [{ type: 'function_call_output', call_id: tool_call_id, output: said }]
    const parts = Array.isArray(said) ? said.map(asInput) : said
    return [
      ...(reasoning_content === undefined
        ? []
        : [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: reasoning_content }] }]),
      ...(parts === null ? [] : [{ type: 'message', role, content: parts }]),
      ...(tool_calls ?? []).map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
    ]
  }

  const asInput = ({ text: value, image_url }: ContentPart): JsonObject =>
    image_url === undefined
      ? { type: 'input_text', text: value }
      : { type: 'input_image', image_url: image_url.url, ...(image_url.detail && { detail: image_url.detail }) }

  it('written as Responses and translated back are the same', () => {
    fc.assert(
      fc.property(messages, settings, toolSettings, (each, some, more) => {
        const chat = { model: 'm', messages: each, ...some, ...more } as ChatRequest
        const request = translateResponses(asResponses(chat))
        expect(request.chat).toEqual(chat)
        expect(request.ignored).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('have a reply that is the same message when the app sends it back', () => {
    fc.assert(
      fc.property(step, fc.boolean(), ([message, ...results], summarizes) => {
        const first = translateResponses({
          model: 'm',
          input: 'Go',
          ...(summarizes && { reasoning: { summary: 'auto' } }),
        })
        const { output } = first.reply({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }, details)
        const next = translateResponses({
          model: 'm',
          input: ['Go']
            .map((value): JsonObject => ({ role: 'user', content: value }))
            .concat(output as JsonObject[], results.flatMap(itemsOf)),
        })
        expect(next.chat.messages.slice(1)).toEqual([message, ...results])
      }),
    )
  })
})
