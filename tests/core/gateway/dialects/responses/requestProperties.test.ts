import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatMessage } from '../../../../../src-main/core/upstream/types.ts'
import { tries } from '../../../../helpers/effort.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { chatRequest } from '../specification.ts'
import { details } from './chatStream.ts'
import { interfacesOf, membersOf, typesOf, valuesOf } from './sdkTypes.ts'

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
    JSON.stringify(wholeReply(request, { choices: [{ message: { content: 'x' } }] }, details))
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

  it('are refused by field or give a request that the specification accepts', { tags: 'long' }, () => {
    const seen = { translated: 0, refused: 0 }
    fc.assert(
      fc.property(request, (body) => {
        seen[check(body)] += 1
      }),
      { numRuns: tries(3_000, 60_000) },
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
      { numRuns: tries(2_000, 40_000) },
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

  it('with many items, calls and tools are translated', { tags: 'long' }, () => {
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
    const translation = translateResponses({ model: 'm', input: 'x' })
    const reply = (chat: string): void => {
      try {
        wholeReply(translation, chat, details)
      } catch (thrown) {
        expect(thrown).toMatchObject({ kind: 'malformed_reply' })
      }
    }
    const levels = 100_000
    const nestedText = [`${'['.repeat(levels)}${']'.repeat(levels)}`, `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`]
    for (const value of [...nestedText, 'null', '7', '""', '[]', '{}']) {
      reply(`{"choices":${value},"usage":${value},"model":${value}}`)
      reply(`{"choices":[{"message":${value},"delta":${value},"finish_reason":${value}}]}`)
      const calls = `[${value},{"function":${value}}]`
      reply(`{"choices":[{"message":{"content":${value},"tool_calls":${calls},"reasoning":${value}}}]}`)
    }
    const translator = translation.openReply(details, false)
    for (let index = 0; index < 5_000; index++)
      translator.push({ type: 'tool_call', choice: 0, index, id: 'same', name: 'f', arguments: '{}' })
    translator.push({ type: 'finish', choice: 0, reason: 'stop' })
    expect(translator.end()).toContain('response.completed')
    const ids = new Set((translator.result().output as JsonObject[]).map(({ call_id }) => call_id))
    expect(ids.size).toBe(5_000)
  })
})
