import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxDepth } from '../../../../src-main/core/upstream/json/jsonScan.ts'
import { parametersOf } from '../../../../src-main/core/upstream/request/chatParameters.ts'
import type { ChatRequest } from '../../../../src-main/core/upstream/types.ts'
import { readParameters } from '../helpers/wholeBody.ts'

const key = fc.oneof(
  fc.constantFrom('type', 'image_url', 'input_audio', 'file', 'text', 'role', 'content', '__proto__', 'tilø'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const text = fc.oneof(
  fc.constantFrom('image_url', 'input_audio', 'file', 'text', '"', '\\', '\n', '\u0001', '日本', '𝄞', ''),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 12, -0.5, 1e21),
    fc.array(tie('value'), { maxLength: 4 }),
    // As the parser builds it: `__proto__` is a member of its own.
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
    fc.tuple(key, text).map(([name, inside]) => ({ type: name, [name]: { url: inside } })),
  ),
}))
const count = fc.option(fc.integer({ min: 0, max: 2_000_000_000 }), { nil: undefined })
const request = fc
  .tuple(
    text,
    fc.boolean(),
    fc.array(value, { maxLength: 5 }),
    fc.option(fc.array(value), { nil: undefined }),
    value,
    count,
    count,
  )
  .map(([model, stream, messages, tools, response_format, max_tokens, max_completion_tokens]) => ({
    model,
    ...(stream && { stream, stream_options: { include_usage: true } }),
    messages,
    tools,
    response_format,
    max_tokens,
    max_completion_tokens,
    n: max_tokens,
    metadata: { a: 'not measured' },
  }))
const read = (chat: unknown): object => {
  const {
    modelAt: _at,
    usageEdit: _edit,
    adaptations: _changes,
    ...rest
  } = readParameters('chat', Buffer.from(JSON.stringify(chat)))
  return rest
}
const built = (chat: unknown): object => {
  const { modelAt, usageEdit, adaptations, ...rest } = parametersOf(chat as ChatRequest)
  expect([modelAt, usageEdit, adaptations]).toEqual([null, null, []])
  return rest
}

test('a built request has the parameters that are read from its bytes', () => {
  fc.assert(
    fc.property(request, (chat) => {
      expect(built(chat)).toEqual(read(chat))
    }),
  )
})

test('a model with a name that is too long to be read is as unknown as in the bytes', () => {
  for (const name of ['m'.repeat(65_534), 'm'.repeat(65_535), '\u0001'.repeat(10_922), '\u0001'.repeat(10_923)]) {
    const chat = { model: name, messages: [] }
    expect(built(chat), String(name.length)).toEqual(read(chat))
  }
})

test('a built request that is nested too deep is as unreadable as its bytes', () => {
  for (const depth of [maxDepth - 1, maxDepth, maxDepth + 1]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const inner = `${open.repeat(depth - 1)}1${close.repeat(depth - 1)}`
      for (const name of ['messages', 'metadata']) {
        const chat: unknown = JSON.parse(`{"model":"m","${name}":${inner}}`)
        expect(built(chat), `${depth} ${open}`).toEqual(read(chat))
      }
    }
  }
})
