import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import {
  chunk,
  details,
  parseSent,
  type Sent,
  sent,
  streamBytes,
  translate,
  translatedStream,
  usageChunk,
} from './helpers/streams.ts'

const usage = {
  prompt_tokens: 30,
  completion_tokens: 7,
  total_tokens: 37,
  prompt_tokens_details: { cached_tokens: 10 },
}
const piece = (index: number, fields: JsonObject) => ({ tool_calls: [{ index, ...fields }] })
const begun = (index: number, id: string, name: string, args = '') =>
  piece(index, { id, type: 'function', function: { name, arguments: args } })
const args = (index: number, text: string) => piece(index, { function: { arguments: text } })

const typesOf = (events: Sent[]) => events.map(({ type }) => type)
const only = (events: Sent[], type: string) => events.filter((event) => event.type === type)
/** The text of all deltas of each content block, and that the blocks are strictly sequential. */
function blocksOf(events: Sent[]) {
  const blocks: { start: JsonObject; text: string; pieces: number }[] = []
  let open = -1
  for (const event of events) {
    if (event.type === 'content_block_start') {
      expect(open).toBe(-1)
      expect(event.index).toBe(blocks.length)
      open = blocks.length
      blocks.push({ start: event.content_block as JsonObject, text: '', pieces: 0 })
    } else if (event.type === 'content_block_delta') {
      expect(event.index).toBe(open)
      const { type: _, ...delta } = event.delta as Record<string, string>
      const block = blocks[open]
      if (block === undefined) throw new Error('A delta without its block.')
      block.text += Object.values(delta).join('')
      block.pieces++
    } else if (event.type === 'content_block_stop') {
      expect(event.index).toBe(open)
      open = -1
    }
  }
  expect(open).toBe(-1)
  return blocks
}

describe('a stream of text', () => {
  it('has all events in the order of the API', async () => {
    const events = await sent([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      usageChunk(usage),
    ])
    expect(typesOf(events)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events[0]?.message).toMatchObject({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'served',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 21, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    })
    expect(events[2]?.content_block).toEqual({ type: 'text', text: '', citations: null })
    expect(events[3]?.delta).toEqual({ type: 'text_delta', text: 'Hel' })
    expect(events[6]).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
      usage: { input_tokens: 20, cache_read_input_tokens: 10, cache_creation_input_tokens: 0, output_tokens: 7 },
    })
  })

  it('sends each piece at once', () => {
    const stream = translate({ stream: true }).openReply(details, false)
    expect(parseSent(stream.push({ type: 'meta', id: 'a', model: 'served', created: null }))).toHaveLength(2)
    expect(parseSent(stream.push({ type: 'content', choice: 0, text: 'a' }))).toHaveLength(2)
    expect(parseSent(stream.push({ type: 'content', choice: 0, text: '"\n\u2028' }))[0]?.delta).toEqual({
      type: 'text_delta',
      text: '"\n\u2028',
    })
  })

  it('names the model that was asked if the service names none', async () => {
    const events = await sent([{ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }])
    expect(events[0]?.message).toMatchObject({ model: 'm1' })
  })

  it('leaves the estimate of the prompt if the service reports no usage, and counts the reply', async () => {
    const events = await sent([chunk({ content: 'one two three four' }, 'stop')])
    const delta = only(events, 'message_delta')[0]?.usage as { input_tokens: number; output_tokens: number }
    expect(delta.input_tokens).toBe(21)
    expect(delta.output_tokens).toBeGreaterThanOrEqual(4)
    expect(delta.output_tokens).toBeLessThan(10)
  })

  it('never reports fewer than no tokens', async () => {
    const odd = { prompt_tokens: 3, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 10 } }
    const events = await sent([chunk({ content: 'a' }, 'stop'), usageChunk(odd)])
    expect(only(events, 'message_delta')[0]?.usage).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 3 })
  })
})

describe('thinking', () => {
  const chunks = [
    chunk({ reasoning_content: 'Hm' }),
    chunk({ reasoning: '.' }),
    chunk({ content: 'Yes' }),
    chunk({}, 'stop'),
  ]

  it('is a block of its own before the text', async () => {
    const events = await sent(chunks)
    expect(blocksOf(events)).toEqual([
      { start: { type: 'thinking', thinking: '', signature: '' }, text: 'Hm.', pieces: 3 },
      { start: { type: 'text', text: '', citations: null }, text: 'Yes', pieces: 1 },
    ])
  })

  it('is left out for a client that turned it off, which sees a ping instead', async () => {
    const events = await sent(chunks, true, { thinking: { type: 'disabled' } })
    expect(blocksOf(events)).toHaveLength(1)
    expect(only(events, 'ping')).toHaveLength(2)
    expect((only(events, 'message_delta')[0]?.usage as JsonObject | undefined)?.output_tokens).toBeGreaterThan(2)
  })
})

describe('tool calls', () => {
  it('pass their arguments in the pieces in which they arrive', async () => {
    const events = await sent([
      chunk(begun(0, 'call_1', 'read')),
      chunk(args(0, '{"pa')),
      chunk(args(0, 'th":"x"}')),
      chunk({}, 'tool_calls'),
    ])
    expect(blocksOf(events)).toEqual([
      {
        start: { type: 'tool_use', id: 'call_1', name: 'read', input: {}, caller: { type: 'direct' } },
        text: '{"path":"x"}',
        pieces: 2,
      },
    ])
    expect(only(events, 'message_delta')[0]?.delta).toMatchObject({ stop_reason: 'tool_use' })
  })

  it('pass at once also when they are the second of a reply', () => {
    const stream = translate({ stream: true }).openReply(details, false)
    const push = (index: number, id: string | null, name: string | null, text: string) =>
      parseSent(stream.push({ type: 'tool_call', choice: 0, index, id, name, arguments: text }))
    push(0, 'a', 'read', '{"x":')
    push(0, null, null, '1}')
    expect(typesOf(push(1, 'b', 'write', '{"y"'))).toEqual([
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
    ])
    expect(typesOf(push(1, null, null, ':2}'))).toEqual(['content_block_delta'])
  })

  it('wait while the call before them is incomplete', async () => {
    const events = await sent([
      chunk({ content: 'Both.' }),
      chunk(begun(0, 'a', 'read', '{"x":')),
      chunk(begun(1, 'b', 'write', '{"y":')),
      chunk(args(0, '1')),
      chunk(args(1, '2}')),
      chunk({ content: 'And text.' }),
      chunk(args(0, '}')),
      chunk({}, 'tool_calls'),
    ])
    expect(blocksOf(events).map(({ start, text }) => [start.name ?? start.type, text])).toEqual([
      ['text', 'Both.'],
      ['read', '{"x":1}'],
      ['write', '{"y":2}'],
      ['text', 'And text.'],
    ])
  })

  it('may have no arguments, a name in pieces, and a name that is repeated', async () => {
    const events = await sent([
      chunk(begun(0, 'a', 'get_')),
      chunk(piece(0, { function: { name: 'time' } })),
      chunk(begun(1, 'b', 'read', '{')),
      chunk(piece(1, { function: { name: 'read', arguments: '}' } })),
      chunk({}, 'tool_calls'),
    ])
    expect(blocksOf(events).map(({ start, text }) => [start.name, text])).toEqual([
      ['get_time', '{}'],
      ['read', '{}'],
    ])
  })

  it('get an id if the service sends none or the same one twice, and a name if it sends none', async () => {
    const notes: string[] = []
    const stream = translate({ stream: true }).openReply({ ...details, report: (note) => notes.push(note) }, false)
    const push = (index: number, id: string | null, name: string | null) =>
      stream.push({ type: 'tool_call', choice: 0, index, id, name, arguments: '{}' })
    let text = push(0, null, 'a') + push(1, 'x', 'b') + push(2, 'x', 'c') + push(3, 'toolu_1_0', null)
    text += stream.push({ type: 'finish', choice: 0, reason: 'tool_calls' }) + stream.end()
    const starts = blocksOf(parseSent(text)).map(({ start }) => [start.id, start.name])
    expect(starts).toEqual([
      ['toolu_1_0', 'a'],
      ['x', 'b'],
      ['toolu_1_2', 'c'],
      ['toolu_1_3', 'unnamed_tool'],
    ])
    expect(notes).toEqual(['The service sent a tool call without a name.'])
  })

  it('end with tool_use even if the service says stop', async () => {
    const events = await sent([chunk(begun(0, 'a', 'read', '{}')), chunk({}, 'stop')])
    expect(only(events, 'message_delta')[0]?.delta).toMatchObject({ stop_reason: 'tool_use' })
  })

  it('are reported when their arguments are not JSON', async () => {
    const notes: string[] = []
    const stream = translate({ stream: true }).openReply({ ...details, report: (note) => notes.push(note) }, false)
    stream.push({ type: 'tool_call', choice: 0, index: 0, id: 'a', name: 'read', arguments: '{"x": oops' })
    stream.push({ type: 'finish', choice: 0, reason: 'tool_calls' })
    stream.end()
    expect(notes).toEqual(['The arguments of a tool call are not a JSON object.'])
    expect(stream.result().content).toMatchObject([{ input: { INVALID_JSON: '{"x": oops' } }])
  })
})

describe('the end', () => {
  const endOf = async (reason: string, delta: JsonObject = { content: 'a' }) =>
    only(await sent([chunk(delta), chunk({}, reason)]), 'message_delta')[0]?.delta

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'end_turn'],
    ['solar_flare', null],
  ])('%s becomes %s', async (reason, stop) => {
    expect(await endOf(reason)).toMatchObject({ stop_reason: stop })
  })

  it('of a refusal has its text', async () => {
    const events = await sent([chunk({ refusal: 'I can not.' }), chunk({}, 'stop')])
    expect(blocksOf(events)).toMatchObject([{ text: 'I can not.' }])
    expect(only(events, 'message_delta')[0]?.delta).toEqual({
      stop_reason: 'refusal',
      stop_sequence: null,
      stop_details: { type: 'refusal', category: null, explanation: null },
    })
  })

  it('is an error when the service ends without a finish reason and without [DONE]', async () => {
    const events = await sent([chunk({ content: 'a' })], false)
    expect(typesOf(events)).not.toContain('message_delta')
    expect(typesOf(events)).not.toContain('message_stop')
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
    expect(await sent([])).toMatchObject([{ type: 'error' }])
  })

  it('is an error when the service says error', async () => {
    const events = await sent([chunk({ content: 'a' }), chunk({}, 'error')])
    expect(typesOf(events)).not.toContain('message_stop')
    expect(events.at(-1)).toMatchObject({ type: 'error' })
  })

  it('is never followed by anything', () => {
    const stream = translate({ stream: true }).openReply(details, false)
    stream.push({ type: 'content', choice: 0, text: 'a' })
    const failure = { status: 503, message: 'Broken.', type: null, code: null, param: null }
    // An overloaded_error could make an agent repeat the request.
    expect(parseSent(stream.fail(failure))).toEqual([
      { type: 'error', error: { type: 'api_error', message: 'Broken.' }, request_id: null },
    ])
    expect(stream.push({ type: 'content', choice: 0, text: 'b' }) + stream.end() + stream.fail(failure)).toBe('')
    expect(() => stream.result()).toThrow('Broken.')
  })

  it('comes after at most 64 MB of a reply', { tags: 'long' }, () => {
    const stream = translate({ stream: true }).openReply(details, false)
    const text = 'x'.repeat(1024 * 1024)
    let sentAll = ''
    for (let count = 0; count < 65 && !sentAll.includes('event: error'); count++) {
      sentAll = stream.push({ type: 'content', choice: 0, text })
    }
    expect(parseSent(sentAll)).toMatchObject([{ type: 'error', error: { type: 'api_error' } }])
    expect(stream.push({ type: 'content', choice: 0, text })).toBe('')
  })
})

it('ignores other choices and reports them', async () => {
  const notes: string[] = []
  const stream = translate({ stream: true }).openReply({ ...details, report: (note) => notes.push(note) }, false)
  expect(stream.push({ type: 'content', choice: 1, text: 'a' })).toBe('')
  expect(stream.push({ type: 'content', choice: 1, text: 'b' })).toBe('')
  expect(notes).toEqual(['The service sent more than one choice. Only the first was used.'])
})

it('handles interleaved pieces of long arguments in linear time', () => {
  const stream = translate({ stream: true }).openReply(details, false)
  const push = (index: number, text: string) =>
    stream.push({ type: 'tool_call', choice: 0, index, id: `c${index}`, name: 'read', arguments: text })
  push(0, '{"a":"')
  push(1, '{"b":"')
  // Each piece looks like an end. Parsing the arguments each time would take minutes.
  for (let count = 0; count < 200_000; count++) {
    push(0, '}')
    push(1, '}')
  }
  const text =
    push(0, '"}') + push(1, '"}') + stream.push({ type: 'finish', choice: 0, reason: 'tool_calls' }) + stream.end()
  expect(text).toContain('message_stop')
  expect(stream.result().content).toMatchObject([{ type: 'tool_use' }, { type: 'tool_use' }])
})

it('gives the stored reply the same content as the events', async () => {
  const { text, stream } = await translatedStream(
    streamBytes([
      chunk({ content: 'a' }),
      chunk(begun(0, 'x', 'read', '{"y":1}')),
      chunk({}, 'tool_calls'),
      usageChunk(usage),
    ]),
  )
  expect(stream.result()).toMatchObject({
    content: [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'x', name: 'read', input: { y: 1 } },
    ],
    stop_reason: 'tool_use',
    usage: only(parseSent(text), 'message_delta')[0]?.usage as JsonObject,
  })
})
