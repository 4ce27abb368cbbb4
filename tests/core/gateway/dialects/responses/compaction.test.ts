import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import {
  type CompactionRequest,
  translateCompaction,
} from '../../../../../src-main/core/gateway/dialects/responses/compaction.ts'
import {
  maxSummaryBytes,
  summaryContent,
  summaryOf,
} from '../../../../../src-main/core/gateway/dialects/responses/compactionContent.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { withoutLocalKeys } from '../../../../../src-main/core/requestLog/redact.ts'
import { tries } from '../../../../helpers/effort.ts'
import { eventsIn, wholeReply } from '../../../../helpers/replies.ts'
import { chunk, details, piece, sentEvents, translated, wireOf } from './chatStream.ts'

const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
const chatOf = (message: JsonObject, finish_reason = 'stop'): JsonObject => ({
  choices: [{ index: 0, message, finish_reason }],
  usage,
})
const conversation: JsonObject[] = [
  { type: 'message', role: 'developer', content: 'Be brief.' },
  { type: 'message', role: 'user', content: 'Read notes.txt.' },
  { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
  { type: 'function_call_output', call_id: 'a', output: 'SECRET PLAN' },
  { type: 'message', role: 'assistant', content: 'Done.' },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }], id: 'msg_mine' },
]
const compact = (body: JsonObject = {}, id = details.id) =>
  translateCompaction({ model: 'm', input: conversation, ...body }, id)
/** A compacted response as the app gets it. */
const sent = ({ toJson }: CompactionRequest, reply: JsonObject) => JSON.parse(toJson(reply).toString()) as JsonObject
const compacted = (request: CompactionRequest, chat: JsonObject, replyDetails = details) =>
  sent(request, wholeReply(request, chat, replyDetails))
type Output = { id: string; type: string; role?: string; content?: { text: string }[]; encrypted_content?: string }[]
const outputOf = (reply: JsonObject) => reply.output as Output

function problemOf(act: () => unknown): { param: string | null; code: string | null; status: number } {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof DialectError) return thrown.problem
    throw thrown
  }
  throw new Error('Nothing was refused')
}

describe('a request for compaction', () => {
  it('is a chat completion with the whole conversation, which ends with the request for a summary', () => {
    const { chat, stream, ignored } = compact({ instructions: 'System', prompt_cache_key: 'k', tools: [{ type: 'x' }] })
    expect(chat.messages.map(({ role }) => role)).toEqual([
      'system',
      'developer',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'user',
    ])
    expect(chat.messages.at(-1)?.content).toMatch(/summary/i)
    expect(chat).toMatchObject({ model: 'm', prompt_cache_key: 'k' })
    expect([stream, chat.stream, chat.tools, ignored]).toEqual([false, undefined, undefined, ['tools']])
  })

  it('continues previous responses', () => {
    const stored = { previous: conversation, item: () => null }
    const { chat } = translateCompaction({ model: 'm', previous_response_id: 'resp_1' }, details.id, stored)
    expect(chat.messages).toEqual(compact().chat.messages)
  })

  it.each([
    ['model', { model: undefined }],
    ['model', { model: null }],
    ['input', { input: null }],
    ['input', { input: [] }],
    ['input', { input: 7 }],
    ['previous_response_id', { previous_response_id: 'resp_x' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['instructions', { instructions: [] }],
    ['input[0].call_id', { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }] }],
  ])('without a usable %s is refused: %j', (param, body) => {
    expect(problemOf(() => compact(body))).toMatchObject({ status: 400, param })
  })
})

describe('a compacted response', () => {
  it('has the messages of the user, the summary, and the usage of the service', () => {
    const reply = compacted(compact(), chatOf({ content: ' Notes were read. ' }))
    const [first, second, item, ...more] = outputOf(reply)
    expect([first, second].map((each) => [each?.role, each?.content?.[0]?.text])).toEqual([
      ['user', 'Read notes.txt.'],
      ['user', 'Go on.'],
    ])
    expect([second?.id, item?.type, item?.id, more]).toEqual(['msg_mine', 'compaction', 'cmp_test', []])
    expect(summaryOf(item?.encrypted_content ?? '')).toBe('Notes were read.')
    expect(reply).toMatchObject({
      object: 'response.compaction',
      id: details.id,
      created_at: details.createdAt,
      usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
    })
    expect(JSON.stringify(reply)).not.toContain('SECRET PLAN')
  })

  it('can be sent back: the summary is a message at its place', () => {
    const output = outputOf(compacted(compact(), chatOf({ content: 'Notes were read.' })))
    const { chat, ignored } = translateResponses({ model: 'm', input: [...output, { role: 'user', content: 'Next' }] })
    expect(chat.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Read notes.txt.'],
      ['user', 'Go on.'],
      ['user', expect.stringMatching(/^Summary of [^\n]+\n\nNotes were read\.$/)],
      ['user', 'Next'],
    ])
    expect(ignored).toEqual([])
  })

  it('can be compacted again: its summary is read, and replaced', () => {
    const first = outputOf(compacted(compact(), chatOf({ content: 'One' })))
    const again = compact({ input: [...first, { role: 'user', content: 'Next' }] }, 'resp_second')
    expect(JSON.stringify(again.chat.messages)).toContain('One')
    const second = outputOf(compacted(again, chatOf({ content: 'Two' }), { ...details, id: 'resp_second' }))
    expect(second.map(({ type }) => type)).toEqual(['message', 'message', 'message', 'compaction'])
    expect(summaryOf(second.at(-1)?.encrypted_content ?? '')).toBe('Two')
  })

  it('is the same when the service streams without being asked to', async () => {
    const request = compact()
    const chunks = [chunk({ content: 'Notes ' }), chunk({ content: 'were read.' }), chunk({}, 'stop')]
    const translator = request.openReply(details, false)
    let text = ''
    for (const event of eventsIn(Buffer.from(wireOf(chunks)))) {
      if (event.type !== 'done') text += translator.push(event)
    }
    text += translator.end()
    expect(text).toBe('')
    const reply = sent(request, translator.result())
    expect(summaryOf(outputOf(reply).at(-1)?.encrypted_content ?? '')).toBe('Notes were read.')
    const { usage: estimated } = reply as { usage: { input_tokens: number; output_tokens: number } }
    expect([estimated.input_tokens, estimated.output_tokens]).toEqual([details.tokensIn, 4])
    expect(reply).toEqual({ ...compacted(request, chatOf({ content: 'Notes were read.' })), usage: estimated })
  })

  it.each([
    ['is empty', chatOf({ content: '' }), 'malformed_reply'],
    ['is white space', chatOf({ content: ' \n\t' }), 'malformed_reply'],
    ['is reasoning only', chatOf({ content: null, reasoning_content: 'Hm' }), 'malformed_reply'],
    ['was cut by its length', chatOf({ content: 'Notes we' }, 'length'), 'incomplete_stream'],
    ['was filtered', chatOf({ content: 'Notes we' }, 'content_filter'), 'incomplete_stream'],
    ['ended for an unknown reason', chatOf({ content: 'Notes we' }, 'tired'), 'incomplete_stream'],
    ['ended with an error', chatOf({ content: 'Notes we' }, 'error'), 'incomplete_stream'],
    ['is a refusal', chatOf({ content: null, refusal: 'No.' }), 'malformed_reply'],
    ['is a tool call', chatOf({ content: 'Notes', ...piece(0, '{}', 'a', 'f') }, 'tool_calls'), 'malformed_reply'],
    ['is too large', chatOf({ content: 'é'.repeat(maxSummaryBytes / 2 + 1) }), 'malformed_reply'],
    ['has no choice', { choices: [] }, 'incomplete_stream'],
    ['is no chat completion', {}, 'incomplete_stream'],
  ])('fails when the summary %s', (_, chat, kind) => {
    expect(() => wholeReply(compact(), chat, details)).toThrow(expect.objectContaining({ kind }))
  })
})

describe('the content of a compaction item', () => {
  it('is the summary, for any text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (summary) => {
        expect(summaryOf(summaryContent(summary))).toBe(summary.toWellFormed())
      }),
      { numRuns: tries(300, 5000) },
    )
    const largest = 'x'.repeat(maxSummaryBytes)
    expect(summaryOf(summaryContent(largest))).toBe(largest)
    expect(summaryOf(summaryContent(`${largest}x`))).toBeNull()
  })

  it('is refused with one changed character, or a missing or added one', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.nat(),
        fc.constantFrom('', 'A', '-', '.', '=', ' ', '\u0000', 'é'),
        fc.boolean(),
        (summary, at, replacement, replaces) => {
          const content = summaryContent(summary)
          const place = at % (content.length + 1)
          const changed = content.slice(0, place) + replacement + content.slice(place + (replaces ? 1 : 0))
          fc.pre(changed !== content)
          expect(summaryOf(changed)).toBeNull()
        },
      ),
      { numRuns: tries(500, 20_000) },
    )
  })

  it.each([
    undefined,
    null,
    7,
    '',
    'gAAAAABpM0Yj-of-another-service',
    'studio-summary-1.',
    'studio-summary-1..00000000',
    `studio-summary-1.${Buffer.from([0xff]).toString('base64')}.ff000000`,
    'x'.repeat(3 * 1024 * 1024),
  ])(
    'ends no session when it is not of this program: the model is told that a summary is missing: %#',
    (encrypted_content) => {
      const input = [
        { role: 'user', content: 'x' },
        { type: 'compaction', encrypted_content },
      ]
      for (const { chat, ignored } of [translateResponses({ model: 'm', input }), compact({ input })]) {
        expect(chat.messages[1]).toEqual({
          role: 'user',
          content: expect.stringMatching(/^\[A summary .* was left out/),
        })
        expect(ignored).toEqual(['input.compaction'])
      }
    },
  )
})

it('a summary never looks like an app key when it is encoded', () => {
  const summary = 'x謓😀'.repeat(3)
  // The same bytes with the alphabet of URLs would be masked where a response is stored.
  expect(withoutLocalKeys(Buffer.from(summary).toString('base64url'))).toContain('isk_…')
  const content = summaryContent(summary)
  expect(withoutLocalKeys(content)).toBe(content)
  expect(summaryOf(content)).toBe(summary)
})

describe('a compaction_trigger', () => {
  const tools = [{ type: 'function', name: 'look' }]
  const body = {
    model: 'm',
    input: [...conversation, { type: 'compaction_trigger' }],
    tools,
    stream: true,
    text: { format: { type: 'json_object' } },
    include: ['reasoning.encrypted_content'],
  }
  const run = (chunks: JsonObject[]) => {
    const given = { ...details, seal: () => 'sealed' }
    const reply = translateResponses(body).openReply(given, false)
    const events = sentEvents(translated(reply, eventsIn(Buffer.from(wireOf(chunks)))))
    return {
      events,
      response: reply.result() as { status: string; output: JsonObject[]; usage: object },
      failure: reply.failure,
    }
  }

  it('asks for a summary with the same messages and tools, none of which can be called', () => {
    const { input: _, ...rest } = body
    const without = translateResponses({ ...rest, input: conversation }).chat
    const { chat, ignored } = translateResponses(body)
    expect(chat.messages.slice(0, -1)).toEqual(without.messages)
    expect(chat.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('summary') })
    expect([chat.tools, chat.tool_choice, chat.response_format]).toEqual([without.tools, 'none', undefined])
    expect(ignored).toEqual([])
  })

  it('gives exactly one item, whatever the model wrote besides its summary', () => {
    const { events, response } = run([
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Notes ' }),
      chunk({ content: 'were read.' }, 'stop'),
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(response.output).toMatchObject([{ type: 'compaction', id: 'cmp_test_0' }])
    expect(summaryOf(String(response.output[0]?.encrypted_content))).toBe('Notes were read.')
    expect(events[3]?.item).toEqual(response.output[0])
    expect(response.usage).toMatchObject({ input_tokens: details.tokensIn, output_tokens: 4 })
    const next = translateResponses({ model: 'm', input: [conversation[0], ...response.output] as JsonObject[] })
    expect(next.chat.messages.at(-1)?.content).toContain('Notes were read.')
  })

  it.each([
    ['is empty', [chunk({}, 'stop')]],
    ['is cut', [chunk({ content: 'Notes we' }, 'length')]],
    ['is a refusal', [chunk({ refusal: 'No.' }, 'stop')]],
    ['is a tool call', [chunk(piece(0, '{}', 'c', 'look'), 'tool_calls')]],
  ])('fails without an item when the summary %s', (_, chunks) => {
    const { events, response, failure } = run(chunks)
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
    expect([response.status, response.output]).toEqual(['failed', []])
    expect(failure).toBe(events.at(-2)?.message)
  })

  it('in a previous response has no effect', () => {
    const stored = { previous: [...conversation, { type: 'compaction_trigger' }], item: () => null }
    const { chat } = translateResponses({ model: 'm', input: 'On', previous_response_id: 'resp_1' }, stored)
    expect(chat.messages.at(-1)).toEqual({ role: 'user', content: 'On' })
  })
})
