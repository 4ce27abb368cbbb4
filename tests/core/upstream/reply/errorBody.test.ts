import { expect, test } from 'vitest'
import { readReplyError } from '../../../../src-main/core/upstream/reply/errorBody.ts'

const message = (body: unknown) => readReplyError(typeof body === 'string' ? body : JSON.stringify(body)).message

test.each([
  [{ error: { message: 'Words.' } }, 'Words.'],
  [{ error: 'Words.' }, 'Words.'],
  [{ message: 'Words.' }, 'Words.'],
  [{ detail: 'Not Found' }, 'Not Found'],
  [{ detail: { message: 'No such model' } }, 'No such model'],
  [
    { detail: [{ type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required', input: {} }] },
    'Field required: body.messages.0.content',
  ],
  [
    { detail: [{ msg: 'Too long', loc: ['body'] }, { msg: 'Too late' }, 'Why', 0, null] },
    'Too long: body; Too late; Why; 0',
  ],
  [[{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }], 'API key not valid.'],
  [
    { error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"Overloaded."}}' } } },
    'Provider returned error: Overloaded.',
  ],
  [{ error: { message: 'Provider error.', metadata: { raw: 'no capacity' } } }, 'Provider error: no capacity'],
  [{ error: { message: 'Provider error.', metadata: { raw: '<html>no</html>' } } }, 'Provider error.'],
  [
    'upstream connect error or disconnect/reset before headers\r\n',
    'upstream connect error or disconnect/reset before headers',
  ],
  ['"Unauthorized"', 'Unauthorized'],
  ['<!DOCTYPE html><h1>502</h1>', null],
  ['{"error": {"message": "cut o', null],
  ['x'.repeat(2001), null],
  ['\u001f\ufffd\u0008\u0000', null],
  ['', null],
  ['[[[{}]]]', null],
  ['null', null],
])('[ERR-01] of an error body %j, the service’s own words are %j', (body, expected) => {
  expect(message(body)).toBe(expected)
})

test('[ERR-01] the words of an error are bounded', () => {
  const entry = { msg: 'x'.repeat(3000), loc: Array(20).fill('y'.repeat(100)) }
  expect(message({ detail: Array(50).fill(entry) })).toHaveLength(2000)
})
