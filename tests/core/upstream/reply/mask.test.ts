import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Mask, minContentKeyLength } from '../../../../src-main/core/upstream/reply/mask.ts'

const usual = 'sk-live-Zq3~bX9.Lm0_Vt7?Rw2/Kp5'

const key = fc
  .string({ unit: fc.constantFrom(...'sk-abAB01_.~+/=:?'.split('')), minLength: 16, maxLength: 60 })
  .map((text) => `sk-${text}`)
/** Texts around the key, also with beginnings of it. */
const around = fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constantFrom('sk-', 's', 'sk-a')))

function through(secret: string, chunks: readonly Uint8Array[]): Buffer {
  const body = new Mask(secret).forBody(true)
  const out = [...chunks.map((chunk) => body?.push(chunk)), body?.end()]
  return Buffer.concat(out.filter((chunk) => chunk != null))
}

function cutAt(whole: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1))), whole.length].sort((a, b) => a - b)
  return ends.map((end, at) => whole.subarray(ends[at - 1] ?? 0, end))
}

describe('a body', () => {
  test('never contains the key, however it is split, and its length and other bytes are unchanged', () => {
    fc.assert(
      fc.property(key, around, around, fc.array(fc.nat(), { maxLength: 12 }), (secret, before, after, places) => {
        const [start, end] = [Buffer.from(before.join('')), Buffer.from(after.join(''))]
        const whole = Buffer.concat([start, Buffer.from(secret), end])
        const out = through(secret, cutAt(whole, places))
        expect(out.includes(secret)).toBe(false)
        expect(out.length).toBe(whole.length)
        // A beginning before the key could be a part of it.
        if (!start.includes('sk-')) expect(out.subarray(0, start.length)).toEqual(start)
        expect(out.includes('[key]')).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('never contains the key when it is split after any byte, or arrives byte by byte', () => {
    const whole = Buffer.from(`{"a":"${usual}","b":1}`)
    const masked = through(usual, [whole])
    expect(JSON.parse(masked.toString())).toEqual({ a: `[key]${'*'.repeat(usual.length - 5)}`, b: 1 })
    for (let at = 0; at <= whole.length; at++) expect(through(usual, cutAt(whole, [at]))).toEqual(masked)
    expect(through(usual, cutAt(whole, [...whole.keys()]))).toEqual(masked)
  })

  test('is still JSON when the key was a number', () => {
    const digits = '9081726354098172'
    expect(JSON.parse(through(digits, [Buffer.from(`{"n":${digits}}`)]).toString())).toEqual({ n: 1111111111111111 })
  })

  test('without the key passes as the same objects, unless their end could begin the key', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => {
        expect(through(usual, chunks)).toEqual(Buffer.concat(chunks))
      }),
    )
    const body = new Mask(usual).forBody(true)
    for (const text of ['data: {"choices":[{"delta":{"content":"tasks sk-"}}]}\n\n', '{"ok":true}', 'sk-live']) {
      const chunk = Buffer.from(text)
      if (text !== 'sk-live') expect(body?.push(chunk)).toBe(chunk)
      else expect(body?.push(chunk)).toBeNull()
    }
    expect(body?.end()?.toString()).toBe('sk-live')
  })

  test('that breaks off inside the key does not reveal most of it', () => {
    const cut = (end: number): string => through(usual, [Buffer.from(`"${usual.slice(0, end)}`)]).toString()
    for (let end = Math.ceil(usual.length / 2); end < usual.length; end++)
      expect(cut(end)).not.toContain(usual.slice(0, 4))
    expect(cut(7)).toBe('"sk-live')
  })

  test('does not change the memory of the chunks that it receives', () => {
    const chunk = Buffer.from(` ${usual} sk-`)
    const before = Buffer.from(chunk)
    through(usual, [chunk])
    expect(chunk).toEqual(before)
  })
})

describe('short texts', () => {
  test('the key is masked in a text, and found in a header’s name in any case', () => {
    const mask = new Mask(usual)
    expect(mask.text(`a ${usual}${usual} b`)).toBe('a [key][key] b')
    expect(mask.isInName(`X-${usual.toUpperCase()}`)).toBe(true)
    expect(mask.isInName('x-request-id-of-a-usual-length-or-more')).toBe(false)
  })

  test('a key that could be a word is masked in errors and heads, and not in content', () => {
    const mask = new Mask('lm-studio')
    expect(mask.text('Bad key lm-studio')).toBe('Bad key [key]')
    expect(mask.forBody(true)).toBeNull()
    expect(mask.forBody(false)?.push(Buffer.from('"lm-studio"'))?.toString()).toBe('"[key]****"')
    expect(new Mask('x'.repeat(minContentKeyLength)).forBody(true)).not.toBeNull()
  })
})
