import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatMessage, ChatRequest, ContentPart } from '../../../../../src-main/core/upstream/types.ts'
import { tries } from '../../../../helpers/effort.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { details } from './chatStream.ts'

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
      fc.array(
        fc.tuple(
          fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((args) => JSON.stringify(args)),
          text,
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
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
      { numRuns: tries(500, 10_000) },
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
        const { output } = wholeReply(first, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }, details)
        const next = translateResponses({
          model: 'm',
          input: ['Go']
            .map((value): JsonObject => ({ role: 'user', content: value }))
            .concat(output as JsonObject[], results.flatMap(itemsOf)),
        })
        expect(next.chat.messages.slice(1)).toEqual([message, ...results])
      }),
      { numRuns: tries(200, 5_000) },
    )
  })
})
