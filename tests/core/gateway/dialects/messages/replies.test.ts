import { describe, expect, it, vi } from 'vitest'
import { messagesDialect } from '../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts'
import type { DialectProblem, JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { JsonScan } from '../../../../../src-main/core/upstream/json/jsonScan.ts'
import { TopLevel } from '../../../../../src-main/core/upstream/reply/topLevel.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { details, translate } from './helpers/streams.ts'

const replyTo = (chat: JsonObject, notes: string[] = []) =>
  wholeReply(translate(), chat, { ...details, report: (note) => notes.push(note) })
const choice = (message: JsonObject, finish_reason: unknown = 'stop') => ({
  choices: [{ index: 0, message, finish_reason }],
})
const calling = (args: unknown) =>
  choice({ tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: args } }] }, 'tool_calls')

describe('a whole reply', () => {
  it('has the arguments of its calls as text once they have too many values together, which are not scanned', () => {
    const push = vi.spyOn(JsonScan.prototype, 'push')
    const args = (values: number) => `{"a":[${'1,'.repeat(values)}1]}`
    const call = (values: number, at: number) => ({
      id: `call_${at}`,
      type: 'function',
      function: { name: 'read', arguments: args(values) },
    })
    const notes: string[] = []
    const given = [10, 480_000, 480_000, 5]
    const message = replyTo(choice({ tool_calls: given.map(call) }, 'tool_calls'), notes)
    const inputs = (message.content as { input: Record<string, unknown> }[]).map(({ input }) => Object.keys(input)[0])
    expect(inputs).toEqual(['a', 'INVALID_JSON', 'INVALID_JSON', 'INVALID_JSON'])
    expect(notes).toEqual(['The arguments of the tool calls have too many values to be checked.'])
    // The reply itself is scanned too, while it arrives.
    const scanned = push.mock.calls.filter(
      ([bytes], at) => bytes.length > 0 && !(push.mock.contexts[at] instanceof TopLevel),
    )
    push.mockRestore()
    expect(scanned).toHaveLength(2)
  })

  it('becomes a message', () => {
    const chat = {
      id: 'chatcmpl-1',
      model: 'served',
      ...choice(
        {
          role: 'assistant',
          reasoning: 'Hm',
          content: 'Yes',
          tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{"x":[1]}' } }],
        },
        'tool_calls',
      ),
      usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 2 } },
    }
    expect(replyTo(chat)).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'served',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: '' },
        { type: 'text', text: 'Yes', citations: null },
        { type: 'tool_use', id: 'a', name: 'read', input: { x: [1] }, caller: { type: 'direct' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 0,
        cache_creation: null,
        output_tokens: 4,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        speed: null,
      },
    })
  })

  it('leaves out reasoning for a client that turned thinking off', () => {
    const { content } = wholeReply(
      translate({ thinking: { type: 'disabled' } }),
      choice({ reasoning: 'Hm', content: 'Yes' }),
      details,
    )
    expect(content).toMatchObject([{ type: 'text' }])
  })

  it.each([
    ['', {}],
    [' ', {}],
    [undefined, {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', { INVALID_JSON: '{"a":' }],
    ['[1]', { INVALID_JSON: '[1]' }],
    ['null', { INVALID_JSON: 'null' }],
    ['{"a":1}{"a":2}', { INVALID_JSON: '{"a":1}{"a":2}' }],
  ])('turns the arguments %j into an object without loss', (args, input) => {
    const notes: string[] = []
    expect(replyTo(calling(args), notes).content).toMatchObject([{ type: 'tool_use', input }])
    expect(notes).toHaveLength('INVALID_JSON' in input ? 1 : 0)
  })

  it('does not touch prototypes, and does not overflow the stack', () => {
    const polluted = replyTo(calling('{"__proto__":{"admin":true}}')).content as { input: object }[]
    expect(Object.keys(polluted[0]?.input ?? {})).toEqual(['__proto__'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const message = replyTo(calling(deep))
    expect(JSON.stringify(message)).toContain('INVALID_JSON')
  })

  it.each([
    [{ choices: [{}] }, 'end_turn'],
    [{ choices: [{ message: { content: 'Words' } }], usage: { prompt_tokens: -1 } }, 'end_turn'],
    [{ choices: [{ message: { content: 'Words' }, finish_reason: null }] }, 'end_turn'],
    [{ choices: [{ message: { tool_calls: [{ function: { name: 'read' } }] } }] }, 'tool_use'],
    [
      { choices: [{ message: { content: 7, tool_calls: [null, {}, { function: 'x' }] }, finish_reason: 7 }] },
      'tool_use',
    ],
  ])('is complete without a finish reason, which the specification lets be absent: %j', (chat, stop_reason) => {
    expect(replyTo(chat)).toMatchObject({ type: 'message', stop_reason })
  })

  it('with a finish reason that is not known claims no end, and the log says so', () => {
    const notes: string[] = []
    expect(replyTo(choice({ content: 'Words' }, 'solar_flare'), notes)).toMatchObject({ stop_reason: null })
    expect(notes).toEqual(['The service ended its reply for a reason that the API does not have.'])
  })

  it.each([
    [{}, 'incomplete_stream', /without choices/],
    [{ choices: null }, 'incomplete_stream', /without choices/],
    [{ choices: [null, 7] }, 'incomplete_stream', /without choices/],
    [{ error: { message: 'Out of memory' }, usage: { prompt_tokens: -1 } }, 'incomplete_stream', /Out of memory/],
    [choice({ content: 'Half' }, 'error'), 'incomplete_stream', /"error"/],
    [choice({ content: 'Half' }, 'insufficient_system_resource'), 'incomplete_stream', /insufficient/],
  ])('that is none is a failure: %j', (chat, kind, words) => {
    expect(() => replyTo(chat)).toThrow(expect.objectContaining({ kind, message: expect.stringMatching(words) }))
  })
})

describe('errors', () => {
  const problem = (status: number, param: string | null = null): DialectProblem => ({
    status,
    message: 'No.',
    type: null,
    code: null,
    param,
  })

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('with status %i are %s', (status, type) => {
    expect(messagesDialect.errorBody(problem(status), 'req_1')).toEqual({
      type: 'error',
      error: { type, message: 'No.' },
      request_id: 'req_1',
    })
  })

  it('name the field', () => {
    expect(messagesDialect.errorBody(problem(400, 'tools[0].name'), 'r')).toMatchObject({
      error: { message: 'tools[0].name: No.' },
    })
  })
})
