import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { messagesDialect } from '../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts'
import { clientToolId, serviceToolId } from '../../../../../src-main/core/gateway/dialects/messages/toolCallIds.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatMessage, ChatRequest, ContentPart } from '../../../../../src-main/core/upstream/types.ts'
import { chatRequest, toolOrderProblem } from '../specification.ts'
import { anyObject, anyText } from './helpers/arbitraries.ts'

it('ids of tool calls are accepted by clients and come back unchanged', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc.uuid().map((id) => `toolu_b64_${id}`),
      ),
      (id) => {
        expect(clientToolId(id)).toMatch(/^[a-zA-Z0-9_-]+$/)
        expect(serviceToolId(clientToolId(id))).toBe(id)
      },
    ),
  )
})

// The common subset of both APIs.
const image: fc.Arbitrary<ContentPart> = fc.constantFrom(
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
)
const part: fc.Arbitrary<ContentPart> = fc.oneof(
  anyText.map((text) => ({ type: 'text', text })),
  image,
)
const user: fc.Arbitrary<ChatMessage> = fc
  .oneof(anyText, fc.array(part, { minLength: 2, maxLength: 4 }), fc.tuple(image))
  .map((content) => ({ role: 'user', content }))
const plainAssistant: fc.Arbitrary<ChatMessage> = anyText.map((content) => ({ role: 'assistant', content }))
const calling: fc.Arbitrary<ChatMessage[]> = fc
  .record({
    content: fc.option(anyText),
    calls: fc.uniqueArray(
      fc.record({
        id: anyText,
        name: fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/),
        input: anyObject,
        result: fc.string(),
      }),
      { minLength: 1, maxLength: 3, selector: ({ id }) => id },
    ),
  })
  .map(({ content, calls }) => [
    {
      role: 'assistant',
      content,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
    ...calls.map(({ id, result }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: result })),
  ])
const instructions: fc.Arbitrary<ChatMessage> = fc
  .tuple(fc.constantFrom('system' as const, 'developer' as const), anyText)
  .map(([role, content]) => ({ role, content }))
const turns = fc
  .array(
    fc.oneof(
      user.map((message) => [message]),
      plainAssistant.map((message) => [message]),
      calling,
      instructions.map((message) => [message]),
    ),
    { maxLength: 6 },
  )
  .map((groups) => groups.flat())
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const tools = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 3 }).chain((names) =>
  fc.record(
    {
      tools: fc.constant(
        names.map((name) => ({
          type: 'function',
          function: { name, description: 'd', parameters: { type: 'object' } },
        })),
      ),
      tool_choice: fc.constantFrom('auto', 'required', 'none', {
        type: 'function',
        function: { name: names[0] ?? '' },
      }),
      parallel_tool_calls: fc.boolean(),
    },
    { requiredKeys: ['tools', 'tool_choice'] },
  ),
)
const chats: fc.Arbitrary<ChatRequest> = fc
  .record({
    messages: fc
      .tuple(optional(anyText), user, turns)
      .map(([system, first, rest]): ChatMessage[] => [
        ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
        first,
        ...rest,
      ]),
    parameters: fc.record(
      {
        max_tokens: fc.integer({ min: 1, max: 9_999 }),
        temperature: fc.double({ min: 0, max: 2, noNaN: true }),
        top_p: fc.double({ min: 0, max: 1, noNaN: true }),
        stop: fc.array(anyText, { minLength: 1, maxLength: 3 }),
        reasoning_effort: fc.constantFrom('low', 'medium', 'high'),
        response_format: anyObject.map((schema) => ({
          type: 'json_schema',
          json_schema: { name: 'output', schema, strict: true },
        })),
        stream: fc.constant(true),
      },
      { requiredKeys: [] },
    ),
    tools: optional(tools),
  })
  .map(({ messages, parameters, tools: withTools }) => ({
    model: 'm',
    messages,
    ...parameters,
    ...(parameters.stream === true ? { stream_options: { include_usage: true } } : {}),
    ...withTools,
  }))

/** The way back, from a chat request to a Messages request. */
function toMessages(chat: ChatRequest): JsonObject {
  const messages: JsonObject[] = []
  const [first, ...others] = chat.messages
  const system = first?.role === 'system' ? first.content : undefined
  for (const message of system === undefined ? chat.messages : others) messages.push(toMessage(message))
  const format = chat.response_format as { json_schema: { schema: JsonObject } } | undefined
  const config = {
    ...(chat.reasoning_effort === undefined ? {} : { effort: chat.reasoning_effort }),
    ...(format === undefined ? {} : { format: { type: 'json_schema', schema: format.json_schema.schema } }),
  }
  return {
    model: chat.model,
    ...(system === undefined ? {} : { system }),
    messages,
    max_tokens: chat.max_tokens,
    temperature: chat.temperature,
    top_p: chat.top_p,
    stop_sequences: chat.stop,
    output_config: config,
    stream: chat.stream,
    ...(chat.tools === undefined ? {} : toTools(chat)),
  }
}

function toMessage({ role, content, tool_calls, tool_call_id }: ChatMessage): JsonObject {
  if (role === 'tool') {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: clientToolId(tool_call_id ?? ''), content }] }
  }
  if (tool_calls === undefined) return { role, content: Array.isArray(content) ? content.map(toBlock) : content }
  return {
    role,
    content: [
      ...(content === null ? [] : [{ type: 'text', text: content }]),
      ...tool_calls.map(({ id, function: { name, arguments: args } }) => ({
        type: 'tool_use',
        id: clientToolId(id),
        name,
        input: JSON.parse(args),
      })),
    ],
  }
}

function toBlock({ text, image_url }: ContentPart): JsonObject {
  if (image_url === undefined) return { type: 'text', text }
  const [, mediaType, data] = /^data:(.+);base64,(.*)$/.exec(image_url.url) ?? []
  const base64 = { type: 'base64', media_type: mediaType, data }
  return { type: 'image', source: mediaType === undefined ? { type: 'url', url: image_url.url } : base64 }
}

function toTools({ tools: list, tool_choice, parallel_tool_calls }: ChatRequest): JsonObject {
  const name = (tool_choice as { function?: { name: string } }).function?.name
  const type = name === undefined ? (tool_choice === 'required' ? 'any' : tool_choice) : 'tool'
  return {
    tools: (list as { function: { name: string; description: string; parameters: JsonObject } }[]).map(
      ({ function: { parameters, ...called } }) => ({ ...called, input_schema: parameters }),
    ),
    tool_choice: {
      type,
      ...(name === undefined ? {} : { name }),
      ...(parallel_tool_calls === undefined ? {} : { disable_parallel_tool_use: !parallel_tool_calls }),
    },
  }
}

it('a chat request, written as a Messages request and translated, is the same request', () => {
  fc.assert(
    fc.property(chats, (chat) => {
      const { chat: back, ignored } = messagesDialect.translate(JSON.parse(JSON.stringify(toMessages(chat))))
      expect(back).toEqual(chat)
      expect(ignored.filter((name) => name !== 'prefill')).toEqual([])
    }),
    { numRuns: 300 },
  )
})

// Requests that are almost valid: each value is sometimes anything.
const anything = fc.jsonValue({ maxDepth: 3 })
const or = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary, weight: 40 }, { arbitrary: anything, weight: 1 })
const loose = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = Object.keys(fields)) =>
  fc.record(
    Object.fromEntries(Object.entries({ ...fields, cache_control: anything }).map(([key, value]) => [key, or(value)])),
    { requiredKeys: required },
  )
const toolId = fc.constantFrom('t1', 't2', 't3')
const source = fc.oneof(
  loose({
    type: fc.constant('base64'),
    media_type: fc.constantFrom('image/png', 'text/plain', 'application/pdf'),
    data: fc.base64String(),
  }),
  loose({ type: fc.constant('url'), url: fc.webUrl() }),
  loose({ type: fc.constantFrom('file', 'text', 'content'), data: fc.string(), content: fc.string() }),
)
const leaf = fc.oneof(
  loose({ type: fc.constant('text'), text: fc.string() }),
  loose({ type: fc.constantFrom('image', 'document'), source, title: fc.option(fc.string()) }),
  loose({ type: fc.constant('search_result'), title: fc.string(), source: fc.string(), content: fc.constant([]) }),
)
const block = fc.oneof(
  { arbitrary: leaf, weight: 4 },
  { arbitrary: loose({ type: fc.constant('tool_use'), id: toolId, name: fc.string(), input: anything }), weight: 2 },
  {
    arbitrary: loose({
      type: fc.constant('tool_result'),
      tool_use_id: toolId,
      content: fc.array(leaf, { maxLength: 2 }),
    }),
    weight: 3,
  },
  loose({
    type: fc.constantFrom('thinking', 'mcp_tool_result', 'compaction', 'tool_addition', 'nonsense'),
    content: fc.string(),
    tool: anyObject,
  }),
)
const message = loose({
  role: fc.constantFrom('user', 'assistant', 'system', 'developer'),
  content: fc.oneof(fc.string(), fc.array(or(block), { maxLength: 4 })),
})
const answeredCall = fc.tuple(toolId, anything).map(([id, input]) => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'x' },
      { type: 'tool_result', tool_use_id: id },
    ],
  },
])
const plain = loose({
  role: fc.constant('user'),
  content: fc.oneof(
    fc.string(),
    fc.array(loose({ type: fc.constant('text'), text: anyText }), { minLength: 1, maxLength: 3 }),
  ),
})
const groups = fc.array(
  fc.oneof(
    { arbitrary: plain.map((each) => [each]), weight: 5 },
    { arbitrary: message.map((each) => [each]), weight: 1 },
    { arbitrary: answeredCall, weight: 3 },
  ),
  { minLength: 1, maxLength: 5 },
)
const requests = loose(
  {
    model: fc.string({ minLength: 1 }),
    max_tokens: fc.integer({ min: 0, max: 99 }),
    messages: groups.map((list) => list.flat()),
    system: fc.oneof(fc.string(), fc.array(leaf, { maxLength: 2 })),
    stop_sequences: fc.array(fc.string()),
    temperature: fc.double(),
    stream: fc.boolean(),
    tools: fc.array(
      loose({
        name: fc.string({ minLength: 1 }),
        input_schema: anyObject,
        type: fc.constantFrom('custom', null, 'bash_20250124'),
      }),
      { maxLength: 2 },
    ),
    tool_choice: loose({ type: fc.constantFrom('auto', 'any', 'none') }),
    thinking: loose({ type: fc.constantFrom('enabled', 'adaptive', 'disabled'), budget_tokens: fc.nat() }),
    output_config: loose({ effort: fc.constantFrom('low', 'max'), format: anyObject }, ['effort']),
  },
  ['model', 'messages'],
)

it('any request is refused with a 400 or becomes a valid chat request', { tags: 'long' }, () => {
  let accepted = 0
  let calls = 0
  fc.assert(
    fc.property(requests, (request) => {
      let translated: ReturnType<typeof messagesDialect.translate>
      try {
        translated = messagesDialect.translate(request as JsonObject)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DialectError)
        expect((thrown as DialectError).problem.param).not.toBe('')
        return
      }
      accepted++
      if (translated.chat.messages.some(({ role }) => role === 'tool')) calls++
      const sent = JSON.parse(JSON.stringify(translated.chat))
      expect(chatRequest.safeParse(sent).error).toBeUndefined()
      expect(toolOrderProblem(sent.messages)).toBeNull()
    }),
    { numRuns: 3_000 },
  )
  // Otherwise the property would say little.
  expect(accepted).toBeGreaterThan(200)
  expect(calls).toBeGreaterThan(50)
})

it('large and deep requests are refused or translated without overflowing the stack', { tags: 'long' }, () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 'x'
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { content: value, type: 'text' }
    return value
  }
  const base = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }
  for (const key of ['messages', 'system', 'tools', 'metadata', 'unknown']) {
    expect(() => messagesDialect.translate({ ...base, [key]: nested(100_000) })).toThrow(DialectError)
  }
  const blocks = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a', cache_control: {} }))
  const { chat, ignored } = messagesDialect.translate({ ...base, messages: [{ role: 'user', content: blocks }] })
  expect(chat.messages[0]?.content).toHaveLength(200_000)
  expect(ignored).toEqual(['cache_control'])
  const many = Array.from({ length: 100_000 }, () => ({ role: 'user', content: 'a' }))
  expect(messagesDialect.translate({ ...base, messages: many }).chat.messages).toHaveLength(100_000)
})
