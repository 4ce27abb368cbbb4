import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyBody } from '../../../../src-main/core/upstream/sending/copy.ts'

const key = 'sk-canary-0123456789-abcdefghijklmnopqrstuvwxyz'
const clean = (text: string): string => text.replaceAll(key, '[key]')

function copy(text: string | Uint8Array, limit: number, step = 7919) {
  const body = copyBody(limit)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += step) body.push(bytes.subarray(at, at + step))
  return body.done(clean)
}

test('a body below the limit is copied whole, a larger one in its first bytes', () => {
  expect(copy('hällo', 100)).toEqual({ text: 'hällo', bytes: 6, capped: false })
  expect(copy('', 100)).toEqual({ text: '', bytes: 0, capped: false })
  expect(copy('x'.repeat(100), 100)).toEqual({ text: 'x'.repeat(100), bytes: 100, capped: false })
  expect(copy('x'.repeat(101), 100)).toEqual({ text: 'x'.repeat(100), bytes: 101, capped: true })
  expect(copy('x'.repeat(50_000), 100)).toEqual({ text: 'x'.repeat(100), bytes: 50_000, capped: true })
})

test('the copy ends after a whole character', () => {
  for (const limit of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    const { text } = copy('a𝄞é日'.repeat(4000), limit)
    expect('a𝄞é日'.repeat(4000).startsWith(text ?? 'none')).toBe(true)
    expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(limit)
    expect(Buffer.byteLength(text ?? '')).toBeGreaterThanOrEqual(limit - 3)
  }
})

test('of bytes that are no text only the size is recorded', () => {
  expect(copy(Buffer.from([0xff, 0xd8, 0xff]), 100)).toEqual({ text: null, bytes: 3, capped: false })
  expect(copy('a\u0000b', 100).text).toBeNull()
  expect(copy(Buffer.from('é').subarray(0, 1), 100).text).toBeNull()
})

test('no piece of 8 characters of a key remains, wherever it is', () => {
  const leftovers = Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8))
  const limit = 1000
  const places = [0, 1, 960, 980, 999, 1000, 1001, 9100, 9150, 9180, 9190, 9191, 9192, 9193, 9200, 9238, 9240, 9300]
  for (const keysBefore of [0, 1, 20, 150, 194, 195]) {
    for (const place of places) {
      const before = key.repeat(keysBefore).padEnd(place, '.')
      const { text } = copy(`${before}${key}${'.'.repeat(20_000)}`, limit)
      for (const piece of leftovers) expect(text, `${keysBefore} keys, one at ${place}`).not.toContain(piece)
    }
  }
})

test('the copy is the same at every split', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.nat(200),
      fc.integer({ min: 1, max: 40 }),
      (text, limit, step) => {
        const odd = text.replaceAll('\u0000', '')
        // When its parts arrive is not the copy’s business.
        expect({ ...copy(odd, limit, step), times: null }).toEqual({ ...copy(odd, limit), times: null })
      },
    ),
  )
})
