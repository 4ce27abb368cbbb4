import { describe, expect, it } from 'vitest'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatStreamEvent } from '../../../../../src-main/core/upstream/types.ts'
import { eventsIn } from '../../../../helpers/replies.ts'
import {
  chunk,
  details,
  piece,
  type SentEvent,
  sentEvents,
  toolRequest,
  translated,
  usageChunk,
  wireOf,
} from './chatStream.ts'

async function streamed(chunks: JsonObject[], request: JsonObject = toolRequest, done = true) {
  const translator = translateResponses({ ...request, stream: true }).openReply(details, false)
  const events = eventsIn(Buffer.from(wireOf(chunks, done)))
  const sent = sentEvents(translated(translator, events))
  return { sent, types: sent.map(({ type }) => type), translator }
}

const last = (sent: SentEvent[]) => sent.at(-1)?.response as JsonObject & { output: JsonObject[] }
const deltas = (sent: SentEvent[], type: string): string =>
  sent
    .filter((event) => event.type === type)
    .map(({ delta }) => delta)
    .join('')

describe('events of a streamed reply', () => {
  it('are sent in the order of the API, numbered from 0', async () => {
    const { sent, types } = await streamed([
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
    ])
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_, at) => at))
    expect(sent[4]).toEqual({
      type: 'response.output_text.delta',
      item_id: 'msg_test_0',
      output_index: 0,
      content_index: 0,
      logprobs: [],
      sequence_number: 4,
      delta: 'Hel',
    })
    expect(sent[6]).toMatchObject({ text: 'Hello', logprobs: [] })
    expect(last(sent)).toMatchObject({
      id: 'resp_test',
      status: 'completed',
      model: 'service-model',
      created_at: 1_700_000_000,
      completed_at: 1_700_000_009,
      output: [
        { type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
      ],
    })
    expect(sent[0]?.response).toMatchObject({ status: 'in_progress', output: [], usage: null, completed_at: null })
  })

  it('report reasoning as reasoning text, before the message', async () => {
    const { sent, types } = await streamed([
      chunk({ reasoning_content: 'Hm' }),
      chunk({ reasoning: 'm' }),
      chunk({ content: 'Yes' }),
      chunk({}, 'stop'),
    ])
    expect(types.slice(2, 11)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
    ])
    expect(last(sent).output[0]).toEqual({
      id: 'rs_test_0',
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hmm' }],
      status: 'completed',
    })
  })

  it('report reasoning as a summary when the request asked for one', async () => {
    const { sent, types } = await streamed([chunk({ reasoning: 'Hm' }), chunk({ content: 'Yes' }), chunk({}, 'stop')], {
      model: 'm',
      input: 'x',
      reasoning: { summary: 'auto' },
    })
    expect(types.slice(2, 8)).toEqual([
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
    ])
    expect(last(sent).output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'Hm' }] })
    expect(last(sent).output[0]).not.toHaveProperty('content')
  })

  it('report a refusal as a part of its own', async () => {
    const { sent, types } = await streamed([
      chunk({ content: 'So: ' }),
      chunk({ refusal: 'No' }),
      chunk({ refusal: '.' }),
      chunk({}, 'stop'),
    ])
    expect(types).toContain('response.refusal.delta')
    expect(sent.find(({ type }) => type === 'response.refusal.done')).toMatchObject({
      refusal: 'No.',
      content_index: 1,
    })
    expect(last(sent).output).toMatchObject([
      {
        content: [
          { type: 'output_text', text: 'So: ' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    ])
  })

  it('report function calls, with the service’s ids, while their pieces are interleaved', async () => {
    const { sent } = await streamed([
      chunk({ content: 'Both.' }),
      chunk(piece(0, '', 'call_x', 'look')),
      chunk(piece(1, '{"b"', 'call_y', 'look')),
      chunk(piece(0, '{"a":')),
      chunk(piece(1, ':2}')),
      chunk(piece(0, '1}')),
      chunk({}, 'tool_calls'),
    ])
    const response = last(sent)
    expect(response.status).toBe('completed')
    expect(response.output).toMatchObject([
      { type: 'message', status: 'completed' },
      {
        type: 'function_call',
        id: 'fc_test_1',
        call_id: 'call_x',
        name: 'look',
        arguments: '{"a":1}',
        status: 'completed',
      },
      {
        type: 'function_call',
        id: 'fc_test_2',
        call_id: 'call_y',
        name: 'look',
        arguments: '{"b":2}',
        status: 'completed',
      },
    ])
    const added = sent.filter(({ type }) => type === 'response.output_item.added').map(({ item }) => item as JsonObject)
    expect(added[1]).toMatchObject({ arguments: '', status: 'in_progress', call_id: 'call_x', name: 'look' })
    expect(sent.filter(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject([
      { item_id: 'fc_test_1', output_index: 1, name: 'look', arguments: '{"a":1}' },
      { item_id: 'fc_test_2', output_index: 2, name: 'look', arguments: '{"b":2}' },
    ])
  })

  it('start a new message for text after tool calls', async () => {
    const { sent } = await streamed([
      chunk({ content: 'A' }),
      chunk(piece(0, '{}', 'c', 'look')),
      chunk({ content: 'B' }),
      chunk({}, 'stop'),
    ])
    expect(last(sent).output.map(({ type }) => type)).toEqual(['message', 'function_call', 'message'])
  })

  it('derive call ids that are absent or not unique from the reply', async () => {
    const { sent } = await streamed([
      chunk(piece(0, '{}', undefined, 'look')),
      chunk(piece(1, '{}', 'same', 'look')),
      chunk(piece(2, '{}', 'same', 'look')),
      chunk({}, 'tool_calls'),
    ])
    expect(last(sent).output.map(({ call_id }) => call_id)).toEqual(['call_test_0', 'same', 'call_test_2'])
  })

  it('join a name that comes in pieces, and take a repeated name once', async () => {
    const { sent } = await streamed([
      chunk(piece(0, '', 'c', 'lo')),
      chunk(piece(0, '', 'c', 'ok')),
      chunk(piece(1, '', 'd', 'look')),
      chunk(piece(1, '', 'd', 'look')),
      chunk(piece(1, '{}', 'd', 'look')),
      chunk({}, 'tool_calls'),
    ])
    expect(last(sent).output.map(({ name }) => name)).toEqual(['look', 'look'])
  })

  it('restore the namespace of a function', async () => {
    const { sent } = await streamed([chunk(piece(0, '{}', 'c', 'box__open')), chunk({}, 'tool_calls')])
    expect(last(sent).output[0]).toMatchObject({ type: 'function_call', namespace: 'box', name: 'open' })
  })

  it('send the raw text of a custom tool call as it arrives', async () => {
    const { sent, types } = await streamed([
      chunk(piece(0, '', 'c', 'write')),
      chunk(piece(0, '{"inp')),
      chunk(piece(0, 'ut": "a\\')),
      chunk(piece(0, 'nb \\ud83d')),
      chunk(piece(0, '\\ude00"}')),
      chunk({}, 'tool_calls'),
    ])
    expect(deltas(sent, 'response.custom_tool_call_input.delta')).toBe('a\nb 😀')
    expect(sent.every(({ delta }) => typeof delta !== 'string' || delta.isWellFormed())).toBe(true)
    expect(types.filter((type) => type === 'response.custom_tool_call_input.delta').length).toBe(3)
    expect(sent.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({ input: 'a\nb 😀' })
    expect(last(sent).output).toMatchObject([
      { type: 'custom_tool_call', id: 'ctc_test_0', call_id: 'c', name: 'write', input: 'a\nb 😀' },
    ])
  })
})

describe('the end of a streamed reply', () => {
  it('replaces half a character that remains alone', async () => {
    const { sent } = await streamed([chunk({ content: 'a\ud83d' }), chunk({}, 'stop')])
    expect(deltas(sent, 'response.output_text.delta')).toBe('a\ufffd')
    expect(last(sent).output).toMatchObject([{ content: [{ text: 'a\ufffd' }] }])
  })

  it('has the text of a custom call as far as it came', async () => {
    const { sent } = await streamed([chunk(piece(0, '{ "a": ', 'c', 'write')), chunk({}, 'length')])
    expect(last(sent).output).toMatchObject([{ type: 'custom_tool_call', status: 'incomplete', input: '{ "a": ' }])
    expect(deltas(sent, 'response.custom_tool_call_input.delta')).toBe('{ "a": ')
  })

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
    ['odd_reason', 'odd_reason'],
  ])('is incomplete for the finish reason %s', async (finish, reason) => {
    const { sent, types } = await streamed([chunk({ content: 'Hel' }), chunk({}, finish)])
    expect(types.at(-1)).toBe('response.incomplete')
    expect(types).toContain('response.output_item.done')
    expect(last(sent)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      completed_at: null,
      output: [{ status: 'incomplete' }],
    })
  })

  it('never reports a tool call as done that was cut by length', async () => {
    const { sent } = await streamed([
      chunk(piece(0, '{"a":1}', 'c', 'look')),
      chunk(piece(1, '{"a":', 'd', 'look')),
      chunk({}, 'length'),
    ])
    const done = sent.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as JsonObject)
    expect(done.map(({ call_id }) => call_id)).toEqual(['c'])
    expect(last(sent).output.map(({ status }) => status)).toEqual(['completed', 'incomplete'])
  })

  it('is a failure without a finish reason and [DONE], and no item is reported as done', async () => {
    const chunks = [chunk({ content: 'Hel' }), chunk(piece(0, '{}', 'c', 'look'))]
    const { sent, types } = await streamed(chunks, toolRequest, false)
    expect(types.slice(-2)).toEqual(['error', 'response.failed'])
    expect(types).not.toContain('response.function_call_arguments.done')
    expect(last(sent)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_prompt', message: expect.stringContaining('broke off') },
    })
    expect(last(sent).output.map(({ status }) => status)).toEqual(['completed', 'incomplete'])
  })

  it('is a failure for a finish reason that means an error', async () => {
    const { sent, types } = await streamed([chunk({ content: 'Hel' }), chunk({}, 'error')])
    expect(types.at(-1)).toBe('response.failed')
    expect(last(sent).error).toMatchObject({ message: expect.stringContaining('"error"') })
  })

  it('is a failure that names the problem of the service', async () => {
    const translator = translateResponses(toolRequest).openReply(details, false)
    translator.push({ type: 'content', choice: 0, text: 'Hel' })
    const text = translator.fail({ status: 429, message: 'Too many requests', type: null, code: null, param: null })
    const [error, failed] = sentEvents(text)
    expect(error).toMatchObject({
      type: 'error',
      code: 'rate_limit_exceeded',
      message: 'Too many requests',
      param: null,
    })
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'invalid_prompt' } },
    })
    expect(translator.end() + translator.push({ type: 'content', choice: 0, text: 'late' })).toBe('')
  })

  it.each([
    [{ status: 402, code: null }, 'insufficient_quota'],
    [{ status: 400, code: null }, 'invalid_prompt'],
    [{ status: 400, code: 'context_length_exceeded' }, 'context_length_exceeded'],
    [{ status: 503, code: 'overloaded' }, 'invalid_prompt'],
  ])('maps %j to the code %s', (problem, code) => {
    const translator = translateResponses(toolRequest).openReply(details, false)
    const sent = sentEvents(translator.fail({ message: 'm', type: null, param: null, ...problem }))
    expect(sent.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ])
    expect(last(sent).error).toMatchObject({ code })
    // The event before it names the cause, for programs that don't repeat requests.
    expect(sent.at(-2)).toMatchObject({ type: 'error', code: problem.status === 503 ? 'server_error' : code })
  })

  it('is a completion without output for an empty reply', async () => {
    const { sent } = await streamed([chunk({ content: '' }), chunk({}, 'stop')])
    expect(last(sent)).toMatchObject({ status: 'completed', output: [] })
  })

  it('is a failure for a reply that is too large, and nothing follows', () => {
    const translator = translateResponses(toolRequest).openReply(details, false)
    const event: ChatStreamEvent = { type: 'content', choice: 0, text: 'x'.repeat(3_000_000) }
    const types = Array.from({ length: 4 }, () => sentEvents(translator.push(event)).map(({ type }) => type))
    expect(types[1]).toEqual(['response.output_text.delta'])
    expect(types.slice(2)).toEqual([['response.output_text.delta', 'error', 'response.failed'], []])
    expect(translator.result()).toMatchObject({ error: { message: expect.stringContaining('too large') } })
  })

  it.each([1, 6])('has at most four times 8 MB for the largest reply, with characters of %s units in JSON', (units) => {
    const translator = translateResponses(toolRequest).openReply(details, false)
    const text = (units === 6 ? '\u0001' : 'x').repeat(1_000_000 / units)
    for (let at = 0; at < 8; at++) translator.push({ type: 'content', choice: 0, text })
    expect(translator.failure).toBeNull()
    translator.push({ type: 'finish', choice: 0, reason: 'stop' })
    const { length } = translator.end()
    expect([length > 31_900_000, length < 34_000_000]).toEqual([true, true])
  })

  it('has a note for the log for what the API can’t express', async () => {
    const notes: string[] = []
    const translator = translateResponses(toolRequest).openReply(
      { ...details, report: (note) => notes.push(note) },
      false,
    )
    const chunks = [
      chunk({ content: 'A' }, null, 1),
      chunk({ content: 'A' }, null, 1),
      chunk(piece(0, '{}')),
      chunk({}, 'odd'),
    ]
    translated(translator, eventsIn(Buffer.from(wireOf(chunks))))
    expect(notes).toEqual([
      'The service sent more than one choice. Only the first was used.',
      'The service sent a tool call without a name.',
      'The service sent a tool call without an id, or two with the same. It got an id here.',
      'The service ended its reply for a reason that the API does not have.',
    ])
  })

  it('reads only the first choice', async () => {
    const { sent } = await streamed([
      chunk({ content: 'A' }),
      chunk({ content: 'B' }, null, 1),
      chunk({}, 'length', 1),
      chunk({}, 'stop'),
    ])
    expect(last(sent)).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'A' }] }] })
  })
})

describe('usage', () => {
  const ended = [chunk({ content: 'A' }), chunk({}, 'stop')]

  it('has the cached tokens as a part of the input', async () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 4,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 5 },
    }
    const { sent } = await streamed([...ended, usageChunk(usage)])
    expect(last(sent).usage).toEqual({
      input_tokens: 9,
      input_tokens_details: { cached_tokens: 5, cache_write_tokens: 0 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 13,
    })
  })

  it.each([
    [{}, [7, 1, 8]],
    [{ prompt_tokens: 9 }, [9, 1, 10]],
    [{ completion_tokens: 4 }, [7, 4, 11]],
    [{ total_tokens: 99 }, [7, 1, 8]],
  ])('has estimates for what %j of the service lacks', async (usage, [input, output, total]) => {
    const { sent } = await streamed([...ended, usageChunk(usage)])
    expect(last(sent).usage).toMatchObject({ input_tokens: input, output_tokens: output, total_tokens: total })
    expect(sent[0]?.response).toMatchObject({ usage: null })
  })

  it('counts reasoning, text and calls of a response that ended, and is null when it failed', async () => {
    const deltas = [
      chunk({ reasoning_content: 'one two' }),
      chunk({ content: 'three' }),
      chunk(piece(0, '{"a":"four"}', 'c', 'look')),
    ]
    const tokensOf = async (chunks: JsonObject[]) =>
      last((await streamed(chunks)).sent).usage as { output_tokens: number } | null
    const whole = (await tokensOf([...deltas, chunk({}, 'length')]))?.output_tokens ?? 0
    expect(whole).toBeGreaterThanOrEqual(8)
    expect((await tokensOf([...deltas.slice(0, 2), chunk({}, 'stop')]))?.output_tokens).toBeLessThan(whole)
    expect(await tokensOf([...deltas, chunk({}, 'error')])).toBeNull()
  })
})

it('the result of a running stream is in progress', () => {
  const translator = translateResponses(toolRequest).openReply(details, false)
  const event: ChatStreamEvent = { type: 'content', choice: 0, text: 'Hel' }
  translator.push(event)
  expect(translator.result()).toMatchObject({
    status: 'in_progress',
    output: [{ status: 'in_progress', content: [{ text: 'Hel' }] }],
  })
})
