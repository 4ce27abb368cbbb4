import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { minContentKeyLength, Redactor } from '../../../src-main/core/upstream/redact/redactor.ts'
import { characterEscapes, encodings, keyIn } from '../../helpers/keyForms.ts'

const usual = 'sk-live-Zq3~bX9.Lm0_Vt7?Rw2/Kp5'

const keyCharacters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~+/=:?'.split('')
const key = fc
  .string({ unit: fc.constantFrom(...keyCharacters), minLength: 16, maxLength: 60 })
  .map((text) => `sk-${text}`)

/** A key in one of the encodings, or with its own escape for each character. */
const echoed = key.chain((text) =>
  fc
    .oneof(
      fc.constantFrom(...Object.values(encodings)).map((encode) => encode(text)),
      fc
        .array(fc.constantFrom(...Object.values(characterEscapes)), { minLength: text.length, maxLength: text.length })
        .map((escapes) => Array.from(text, (one, at) => escapes[at]?.(one) ?? one).join('')),
    )
    .map((form) => ({ key: text, form })),
)

const borders = fc.constantFrom('"', ' ', '\n', '", "next":"', '<b>')
const around = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), borders)
  .map(([text, border]) => text.replaceAll('\\', '') + border)

const cuts = fc.array(fc.nat(), { maxLength: 12 })
function pieces<T extends string | Buffer>(whole: T, places: number[], slice: (from: number, to: number) => T): T[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1))), whole.length].sort((a, b) => a - b)
  return ends.map((end, at) => slice(ends[at - 1] ?? 0, end))
}

function throughBody(redactor: Redactor, chunks: Uint8Array[]): Buffer {
  const body = redactor.forBody(true)
  const out = chunks.map((chunk) => body?.push(chunk) ?? null)
  out.push(body?.end() ?? null)
  return Buffer.concat(out.filter((chunk) => chunk !== null))
}

function throughPieces(redactor: Redactor, texts: string[]): string {
  const stream = redactor.forPieces()
  return texts.map((text) => stream?.push(text) ?? '').join('') + (stream?.end() ?? '')
}

describe('a body', () => {
  test('never contains the key, in any encoding and however it is split, and its length and other bytes are unchanged', () => {
    fc.assert(
      fc.property(echoed, around, around, cuts, ({ key: secret, form }, before, after, places) => {
        const whole = Buffer.from(before + form + after.split('').reverse().join(''))
        const out = throughBody(
          new Redactor(secret),
          pieces(whole, places, (from, to) => whole.subarray(from, to)),
        )
        expect(keyIn(out, secret)).toBeNull()
        expect(out.length).toBe(whole.length)
        const start = Buffer.from(before)
        expect(out.subarray(0, start.length)).toEqual(start)
      }),
      { numRuns: 2000 },
    )
  })

  test('never contains the key when it is split after each byte, in each encoding', () => {
    for (const [name, encode] of Object.entries(encodings)) {
      const whole = Buffer.from(`{"a":"${encode(usual)}","b":1}`)
      for (let at = 0; at <= whole.length; at++) {
        const out = throughBody(new Redactor(usual), [whole.subarray(0, at), whole.subarray(at)])
        expect([name, at, keyIn(out, usual)]).toEqual([name, at, null])
        expect(out.length).toBe(whole.length)
      }
      const bytewise = throughBody(
        new Redactor(usual),
        Array.from(whole, (byte) => Uint8Array.of(byte)),
      )
      expect([name, keyIn(bytewise, usual)]).toEqual([name, null])
    }
  })

  test('is still JSON when the key was a value, a name or a number', () => {
    fc.assert(
      fc.property(echoed, cuts, ({ key: secret, form }, places) => {
        // Also as JSON in JSON, which doubles the backslashes.
        for (const text of [form, JSON.stringify(form).slice(1, -1)]) {
          const whole = Buffer.from(`{"${text}":["${text}\\n${text}"],"n":"\\\\${text}\\""}`)
          const out = throughBody(
            new Redactor(secret),
            pieces(whole, places, (from, to) => whole.subarray(from, to)),
          )
          const value: unknown = JSON.parse(out.toString())
          expect(keyIn(JSON.stringify(value), secret)).toBeNull()
        }
      }),
      { numRuns: 500 },
    )
    const digits = '9081726354098172'
    expect(JSON.parse(throughBody(new Redactor(digits), [Buffer.from(`{"n":${digits}}`)]).toString())).toEqual({
      n: 1111111111111111,
    })
  })

  test('without the key passes as the same objects, unless their end could begin the key', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => {
        expect(throughBody(new Redactor(usual), chunks)).toEqual(Buffer.concat(chunks))
      }),
    )
    const body = new Redactor(usual).forBody(true)
    for (const text of ['data: {"choices":[{"delta":{"content":"tasks %20 \\n"}}]}\n\n', '{"ok":true}', 'sk-']) {
      const chunk = Buffer.from(text)
      expect(body?.push(chunk)).toStrictEqual(chunk)
      if (text !== 'sk-') expect(body?.push(chunk)).toBe(chunk)
    }
  })

  test('that breaks off inside the key does not reveal most of it, and passes a beginning that many words share', () => {
    const cut = (end: number): string =>
      throughBody(new Redactor(usual), [Buffer.from(`"${usual.slice(0, end)}`)]).toString()
    for (let end = Math.ceil(usual.length / 2); end < usual.length; end++)
      expect(cut(end)).not.toContain(usual.slice(0, 4))
    expect(cut(7)).toBe('"sk-live')
  })
})

describe('text in pieces', () => {
  test('never contains the key when the pieces are joined, and is otherwise unchanged', () => {
    fc.assert(
      fc.property(echoed, around, around, cuts, ({ key: secret, form }, before, after, places) => {
        const whole = `${before}${form}"${after}`
        const texts = pieces(whole, places, (from, to) => whole.slice(from, to))
        const out = throughPieces(new Redactor(secret), texts)
        expect(keyIn(out, secret)).toBeNull()
        expect(out.startsWith(before)).toBe(true)
        expect(out.endsWith(`"${after}`)).toBe(true)
        expect(out).toContain('[key]')
      }),
      { numRuns: 2000 },
    )
  })

  test('is unchanged without the key, also with split characters', () => {
    const text = fc.string({
      unit: fc.constantFrom('s', 'k', '-', 'é', '日', '\ud83d', '\ude00', '\\', '%', '&', 'u0'),
    })
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        expect(throughPieces(new Redactor(usual), texts)).toBe(texts.join(''))
      }),
    )
  })
})

describe('short texts', () => {
  test.each(Object.entries(encodings))('%s is masked in a text and found in a header’s name', (_, encode) => {
    const redactor = new Redactor(usual)
    expect(redactor.text(`a ${encode(usual)} b`)).toMatch(/^a .*\[key\].* b$/)
    expect(redactor.isInName(`x-${encode(usual)}`)).toBe(true)
  })

  test('a header’s name is compared in any case', () => {
    expect(new Redactor(usual).isInName(`X-${usual.toUpperCase()}`)).toBe(true)
    expect(new Redactor(usual).isInName('x-request-id-of-a-usual-length-or-more')).toBe(false)
  })

  test('a key that could be a word is masked in errors and heads, and not in content', () => {
    const redactor = new Redactor('lm-studio')
    expect(redactor.text('Bad key lm-studio')).toBe('Bad key [key]')
    expect(redactor.forBody(true)).toBeNull()
    expect(redactor.forPieces()).toBeNull()
    expect(redactor.forBody(false)?.push(Buffer.from('"lm-studio"'))?.toString()).toBe('"[key]****"')
    expect(new Redactor('x'.repeat(minContentKeyLength)).forBody(true)).not.toBeNull()
  })

  test('keys of any characters are masked in their JSON and URL encodings', () => {
    // A key that looks escaped itself is recognised only if it is long enough without those escapes.
    const escaped = /%[0-7][\da-f]|&#?\w+;|\\[ux][\da-f]/i
    const printable = fc
      .string({
        unit: fc.constantFrom(...Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at))),
        minLength: 8,
        maxLength: 60,
      })
      .filter((text) => !escaped.test(text))
    fc.assert(
      fc.property(printable, (secret) => {
        const redactor = new Redactor(secret)
        const json = JSON.stringify(secret).slice(1, -1)
        const forms = [
          secret,
          json,
          JSON.stringify(json).slice(1, -1),
          encodeURIComponent(secret),
          encodeURIComponent(json),
        ]
        // A backslash at the end of the key could escape the next character, which is then masked too.
        for (const form of forms) expect(redactor.text(`a ${form} b`)).toMatch(/^a \[key\] ?b$/)
      }),
      { numRuns: 2000 },
    )
  })
})
