import { expect, it } from 'vitest'
import { readContextError } from '../../../src-preload/contract/contextError.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { growth, linear } from '../../helpers/growth.ts'

const problem = (said: string, more: Partial<Problem> = {}): Problem => ({
  kind: 'invalid_request',
  message: said,
  status: 400,
  said,
  ...more,
})

// As services and inference servers write them.
const errors: [said: string, limit: number | null, requested: number | null][] = [
  [
    "This model's maximum context length is 8192 tokens. However, you requested 8500 tokens (7500 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    8192,
    8500,
  ],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130015 tokens.",
    128000,
    130015,
  ],
  [
    "This endpoint's maximum context length is 32,768 tokens. However, you requested about 40,000 tokens (39,000 of text input).",
    32768,
    40000,
  ],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens.',
    272000,
    300001,
  ],
  ['prompt is too long: 210000 tokens > 200000 maximum', 200000, 210000],
  ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length', 200000, null],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1048576, 1200000],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    32768,
    40000,
  ],
  ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 4096, 5000],
  ["The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096, 5000],
  ['the request exceeds the available context size (8192 tokens), try increasing it', 8192, null],
  ["This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 131072, 150000],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
    4096,
    5000,
  ],
  ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000', 4081, 5000],
  [
    'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.',
    4096,
    5000,
  ],
  ['the request exceeds the available context size. try increasing the context size', null, null],
  ['Your input exceeds the context window of this model. Please adjust your input and try again.', null, null],
  ['Please reduce the length of the messages or completion.', null, null],
  ['Input is too long for requested model.', null, null],
]

it.each(errors)('%s', (said, limit, requested) => {
  expect(readContextError(problem(said))).toEqual({ limit, requested })
})

it('the code alone names a full context, also in a stream and with 413', () => {
  for (const status of [200, 400, 413, 422])
    expect(readContextError(problem('No.', { status, code: 'context_length_exceeded' }))).toEqual({
      limit: null,
      requested: null,
    })
})

it.each([
  'The model does not support images.',
  'max_tokens is too large: 5000. This model supports at most 4096 completion tokens.',
  'Rate limit reached: 8192 tokens per minute.',
  'The context of the tool call is missing.',
  "'messages' must have at least one message",
  '',
])('another refusal is no full context: %s', (said) => {
  expect(readContextError(problem(said))).toBeNull()
})

it('only a refusal because of the content counts, and no absurd number is learned', () => {
  const said = "This model's maximum context length is 8192 tokens."
  for (const status of [401, 402, 403, 429, 500, 503]) expect(readContextError(problem(said, { status }))).toBeNull()
  const { status: _none, ...without } = problem(said)
  expect(readContextError(without)).toBeNull()
  for (const number of ['0', '7', '99999999999999999999', '-8192'])
    expect(
      readContextError(problem(`This model's maximum context length is ${number} tokens.`))?.limit ?? null,
    ).toBeNull()
})

it.each(['context length ', '1,1,1,1', 'exceed context limit: 1 + ', 'too many tokens '])(
  'a hostile error of any length is read without a search that grows faster than the text: %j',
  (part) => {
    expect(growth(6000, (length) => problem(part.repeat(length)), readContextError)).toBeLessThan(linear)
  },
)
