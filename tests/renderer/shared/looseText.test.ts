import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { containsWords, folded, looseSource } from '../../../src-renderer/shared/looseText.ts'
import { tries } from '../../helpers/effort.ts'
import { seed } from '../../helpers/random.ts'

const finds = (text: string, typed: string): string[] =>
  [...text.matchAll(new RegExp(looseSource(typed), 'giu'))].map(([hit]) => hit)

describe('a search in a text', () => {
  it.each([
    ['German', 'Die Straße und die STRASSE', 'strasse', ['Straße', 'STRASSE']],
    ['German, typed with ß', 'Strasse, Straße', 'Straße', ['Strasse', 'Straße']],
    ['German compounds', 'Straßenverkehrsordnung', 'verkehr', ['verkehr']],
    ['accents, composed or not', 'Café, Cafe\u0301, cafe', 'café', ['Café', 'Cafe\u0301', 'cafe']],
    ['Arabic vowel signs and hamza', 'مَرْحَبًا ومرحبا', 'مرحبا', ['مَرْحَبًا', 'مرحبا']],
    ['Arabic letters with hamza', 'أحمد واحمد', 'احمد', ['أحمد', 'احمد']],
    ['Japanese', '東京の天気がよい', '天気', ['天気']],
    ['kana with voice marks, which are other letters', 'かき、がき', 'がき', ['がき']],
    ['emoji', 'a 👩‍👧 b', '👩‍👧', ['👩‍👧']],
    ['signs', 'x * (y-1) = [z]', '(y-1) = [z]', ['(y-1) = [z]']],
  ])('finds %s', (_name, text, typed, hits) => expect(finds(text, typed)).toEqual(hits))

  it('does not go over a line break', () => {
    expect(finds('one two\none\ntwo', 'one  two')).toEqual(['one two'])
  })

  it('finds every text in itself, and never matches an empty text', () => {
    const letter = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.integer({ min: 0x20, max: 0x2100 }).map((code) => String.fromCodePoint(code)),
      fc.constantFrom('\u0301', '\u064e', '豈', 'ß', 'ss', '\u037e', '\u0958', ' '),
    )
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 20 }), (given) => {
        const typed = given.join('')
        fc.pre(typed.trim() !== '' && !typed.includes('\n'))
        const pattern = new RegExp(looseSource(typed), 'iu')
        expect(pattern.test(`before ${typed} after`)).toBe(true)
        expect(pattern.test('')).toBe(false)
      }),
      { seed, numRuns: tries(300, 10_000) },
    )
  })
})

describe('a list', () => {
  it('is filtered by words in any order, regardless of case, accents and spelling', () => {
    expect(containsWords('Straßenverkehr in Zürich', 'zurich STRASSEN')).toBe(true)
    expect(containsWords('مَرْحَبًا بك', 'مرحبا')).toBe(true)
    expect(containsWords('東京の天気', '天気 東京')).toBe(true)
    expect(containsWords('Zürich', 'bern')).toBe(false)
    expect(folded('ΟΔΟΣ')).toBe(folded('οδός'))
  })
})
