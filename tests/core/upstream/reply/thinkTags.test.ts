import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { ChatStreamEvent } from '../../../../src-main/core/upstream/types.ts'
import { accumulate, emptyAccumulation } from '../../../helpers/accumulate.ts'
import { eventsIn } from '../../../helpers/replies.ts'
import { chunk, delta, event } from './helpers/streams.ts'

const done = event('[DONE]')
const asJson = { contentType: 'application/json', stream: false } as const

const joined = (events: readonly ChatStreamEvent[], at = 0) => {
  const sum = emptyAccumulation()
  for (const one of events) accumulate(sum, one)
  const { content, reasoning } = sum.choices[at] ?? { content: '', reasoning: '' }
  return { content, reasoning }
}

/** The texts of a reply whose content is streamed in these pieces. */
const streamed = (pieces: readonly string[], end = event(delta({}, 0, 'stop')) + done) =>
  joined(
    eventsIn(Buffer.from(pieces.map((content) => event(delta({ content }))).join('') + end), [], { thinkTags: true }),
  )
const whole = (content: unknown) =>
  joined(
    eventsIn(Buffer.from(chunk({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] })), [], {
      ...asJson,
      thinkTags: true,
    }),
  )

const texts: [name: string, text: string, meaning: { content: string; reasoning: string }][] = [
  ['thinking and an answer', '<think>Let me see.</think>42', { reasoning: 'Let me see.', content: '42' }],
  [
    'white space around the tags',
    '\n <think>\nHm\n\nyes\n</think>\n\n 42\n',
    { reasoning: 'Hm\n\nyes', content: '42\n' },
  ],
  ['no thought', '<think>\n\n</think>\n\n42', { reasoning: '', content: '42' }],
  ['thinking that does not end', '<think>Hm, 1 < 2 </thi', { reasoning: 'Hm, 1 < 2 </thi', content: '' }],
  ['an opening tag alone', '<think>', { reasoning: '', content: '' }],
  ['a tag in the middle', 'Write <think>x</think>', { reasoning: '', content: 'Write <think>x</think>' }],
  ['a second tag', '<think>a</think>b<think>c</think>', { reasoning: 'a', content: 'b<think>c</think>' }],
  ['tags that look similar', '<thinker>a</think>', { reasoning: '', content: '<thinker>a</think>' }],
  ['similar tags inside', '<think>a</thinker><</think>b', { reasoning: 'a</thinker><', content: 'b' }],
  ['the beginning of a tag', ' <thin', { reasoning: '', content: ' <thin' }],
  ['white space alone', ' \n', { reasoning: '', content: ' \n' }],
  ['a closing tag alone', 'a</think>b', { reasoning: '', content: 'a</think>b' }],
]

describe('thinking in tags is apart from the answer', () => {
  it.each(texts)('in a text with %s, streamed in any pieces and whole', (_, text, meaning) => {
    expect(whole(text)).toEqual(meaning)
    expect(streamed(text.split(''))).toEqual(meaning)
    expect(streamed([text], done)).toEqual(meaning)
    for (let at = 1; at < text.length; at++) expect(streamed([text.slice(0, at), text.slice(at)])).toEqual(meaning)
  })

  test('in the same way for every split of any text', () => {
    const part = fc.constantFrom('<think>', '</think>', '<', '</', 'think>', ' ', '\n', 'a', '𝄞', ' '.repeat(40))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
        const text = parts.join('')
        const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
        const pieces = [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
        expect(streamed(pieces)).toEqual(whole(text))
      }),
    )
  })

  test('in content parts, and for each choice by itself', () => {
    const part = (index: number, text: string) => event(delta({ content: [{ type: 'text', text }] }, index))
    const stream = `${part(0, '<thi')}${part(1, 'Hi <think>')}${part(0, 'nk>Hm</think>Yes')}${done}`
    const events = eventsIn(Buffer.from(stream), [], { thinkTags: true })
    expect(joined(events)).toEqual({ reasoning: 'Hm', content: 'Yes' })
    expect(joined(events, 1)).toEqual({ reasoning: '', content: 'Hi <think>' })
  })

  test('before a tool call, in the order in which they came', () => {
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }
    const stream = `${event(delta({ content: '<think>Look it up</' }))}${event(delta(call))}${done}`
    const events = eventsIn(Buffer.from(stream), [], { thinkTags: true })
    expect(events.map(({ type }) => type)).toEqual(['meta', 'reasoning', 'reasoning', 'tool_call', 'done'])
    expect(joined(events)).toEqual({ reasoning: 'Look it up</', content: '' })
  })

  test('of a stream that broke off, whose beginning of a tag is kept', () => {
    const stream = `${event(delta({ content: '<think>Hm' }))}${event(delta({ content: ' </th' }))}`
    const events = eventsIn(Buffer.from(stream), [], { thinkTags: true })
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { kind: 'incomplete_stream' } })
    expect(joined(events)).toEqual({ reasoning: 'Hm </th', content: '' })
  })
})

describe('tags stay text', () => {
  test('when the reasoning has a field of its own', () => {
    const stream = `${event(delta({ reasoning_content: 'Hm' }))}${event(delta({ content: '<think>x</think>y' }))}${done}`
    const events = eventsIn(Buffer.from(stream), [], { thinkTags: true })
    expect(joined(events)).toEqual({ reasoning: 'Hm', content: '<think>x</think>y' })
  })

  test('in legacy completions, and when nobody asked for thinking', () => {
    const tagged = '<think>x</think>y'
    const legacy = chunk({ choices: [{ index: 0, text: tagged, finish_reason: 'stop' }] })
    expect(joined(eventsIn(Buffer.from(legacy), [], { ...asJson, thinkTags: true })).content).toBe(tagged)
    expect(joined(eventsIn(Buffer.from(event(delta({ content: tagged })) + done))).content).toBe(tagged)
  })
})

test('a model that loops in white space inside its thinking holds nothing back', () => {
  const pieces = Array.from({ length: 50_000 }, () => ' ')
  expect(streamed(['<think>a', ...pieces]).reasoning).toHaveLength(50_001)
})
