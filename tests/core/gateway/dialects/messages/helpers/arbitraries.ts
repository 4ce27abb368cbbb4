import fc from 'fast-check'
import type { JsonObject } from '../../../../../../src-main/core/gateway/dialects/types.ts'

/** Text with characters of one to four bytes. */
export const anyText = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
/** A JSON object as a parser returns it. */
export const anyObject = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)))

/** A text in pieces. */
const cut = (text: string): fc.Arbitrary<string[]> =>
  fc.array(fc.nat({ max: text.length }), { maxLength: 4 }).map((places) => {
    const ends = [...new Set([...places, text.length])].sort((a, b) => a - b)
    let from = 0
    return ends.map((to) => {
      const piece = text.slice(from, to)
      from = to
      return piece
    })
  })

/** A reply of the service: as a whole, and as the deltas of a stream. */
export interface ServiceReply {
  whole: JsonObject
  deltas: JsonObject[]
  finish: string
  usage: JsonObject | null
}

const anyCall = fc
  .record({
    id: fc.oneof(fc.uuid(), anyText),
    name: fc.stringMatching(/^[a-z_]{1,10}$/),
    input: anyObject,
  })
  .chain(({ id, name, input }) =>
    fc.record({ id: fc.constant(id), name: fc.constant(name), pieces: cut(JSON.stringify(input)) }),
  )

const anyUsage = fc.option(
  fc
    .record({ prompt: fc.nat(5_000), completion: fc.nat(5_000), cached: fc.option(fc.nat(6_000)) })
    .map(({ prompt, completion, cached }) => ({
      prompt_tokens: prompt,
      completion_tokens: completion,
      ...(cached === null ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    })),
)

/** Replies in the order in which services send them: reasoning, text, refusal, then one tool call after the other. */
export const anyReply: fc.Arbitrary<ServiceReply> = fc
  .record({
    reasoning: fc.array(anyText, { maxLength: 3 }),
    field: fc.constantFrom('reasoning', 'reasoning_content'),
    content: fc.array(anyText, { maxLength: 4 }),
    refusal: fc.array(anyText, { maxLength: 1 }),
    calls: fc.array(anyCall, { maxLength: 3 }),
    finish: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'unheard_of'),
    usage: anyUsage,
  })
  .map(({ reasoning, field, content, refusal, calls, finish, usage }) => ({
    whole: {
      id: 'chatcmpl-1',
      model: 'served',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            [field]: reasoning.join(''),
            content: content.join(''),
            refusal: refusal.join(''),
            tool_calls: calls.map(({ id, name, pieces }) => ({
              id,
              type: 'function',
              function: { name, arguments: pieces.join('') },
            })),
          },
          finish_reason: finish,
        },
      ],
      ...(usage === null ? {} : { usage }),
    },
    deltas: [
      ...reasoning.map((text) => ({ [field]: text })),
      ...content.map((text) => ({ content: text })),
      ...refusal.map((text) => ({ refusal: text })),
      ...calls.flatMap(({ id, name, pieces }, index) => [
        { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
        ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ],
    finish,
    usage,
  }))

/** The deltas of several texts and calls, mixed in any order that keeps each call's own pieces in order. */
export const mixedDeltas: fc.Arbitrary<JsonObject[]> = fc
  .record({
    calls: fc.array(anyCall, { minLength: 2, maxLength: 4 }),
    texts: fc.array(anyText, { maxLength: 4 }),
    picks: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  })
  .map(({ calls, texts, picks }) => {
    const lanes: JsonObject[][] = calls.map(({ id, name, pieces }, index) => [
      { tool_calls: [{ index, id, function: { name, arguments: pieces[0] } }] },
      ...pieces.slice(1).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ])
    lanes.push(texts.map((text) => ({ content: text })))
    const mixed: JsonObject[] = []
    for (const pick of picks) {
      const left = lanes.filter((lane) => lane.length > 0)
      const next = left[pick % Math.max(1, left.length)]?.shift()
      if (next === undefined) break
      mixed.push(next)
    }
    return mixed
  })
