import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { speechPlaces, splitForSpeech } from '../../../../src-main/core/shared/text/speechSplit.ts'
import { tries } from '../../../helpers/effort.ts'

const bytesOf = (text: string): number => Buffer.byteLength(text)
const solid = (text: string): string => text.replace(/\s+/g, '')
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Start and end of each part in the text, found by walking the text. */
function places(text: string, parts: readonly string[]): [from: number, to: number][] {
  let at = 0
  return parts.map((part) => {
    const from = text.indexOf(part, at)
    at = from + part.length
    return [from, at]
  })
}

/** Text that is difficult to segment: letters of many scripts, marks, joiners, flags, emoji, Hangul, line ends, punctuation. */
const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'abcdefgh ,.!? \n\n'.split('')) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        'e\u0301',
        '👩‍👩‍👧‍👦',
        '👍🏽',
        '🇩🇪',
        '🇫🇷🇯🇵',
        '각',
        '\u1100\u1161\u11a8',
        'क्ष',
        'नि',
        'ที่',
        'あ。',
        '漢字',
        'ق',
        '\u0600١',
        '\u110bd😀',
        '\r\n',
        'ß',
        'İ',
        '\u200d',
        '\u0301',
        '1\ufe0f\u20e3',
        '؟ ',
        '」',
        '…',
      ],
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
)
const text = fc.array(unit, { maxLength: 150 }).map((units) => units.join(''))

test('[TTS-01] any text: parts within the limit, together the text, none split inside a character', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 300 }), (given, max) => {
      const parts = splitForSpeech(given, max)
      const well = given.toWellFormed()
      expect(solid(parts.join(''))).toBe(solid(well))
      // The only characters that are split: those longer than a part.
      const inside = new Set<number>()
      for (const { index, segment } of graphemes.segment(well)) {
        if (bytesOf(segment) <= max) for (let at = index + 1; at < index + segment.length; at++) inside.add(at)
      }
      for (const [from, to] of places(well, parts)) {
        expect(bytesOf(well.slice(from, to))).toBeLessThanOrEqual(max)
        expect(from).toBeGreaterThanOrEqual(0)
        expect(inside.has(from)).toBe(false)
        expect(inside.has(to)).toBe(false)
      }
    }),
    { numRuns: tries(1000, 10_000) },
  )
}, 120_000)

/**
 * Unicode's own test cases for characters as people see them, by code points: \u00f7 allows a split, \u00d7 forbids it. U+2701 is no longer a
 * pictograph in later versions of Unicode, which the engine uses.
 */
const unicodeCases = readFileSync(
  new URL('../../../fixtures/unicode/GraphemeBreakTest-15.0.0.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line.startsWith('\u00f7') && !line.includes('2701'))
  .map((line) => {
    const characters = line.split('\u00f7').map((one) => one.trim())
    return characters
      .filter((one) => one !== '')
      .map((one) =>
        String.fromCodePoint(...one.split('\u00d7').map((code) => Number.parseInt(code, 16))).toWellFormed(),
      )
  })

test('[TTS-01] never inside a character of Unicode\u2019s own test data, whatever surrounds it', () => {
  expect(unicodeCases.length).toBe(600)
  // A letter between two cases: the data does not define what they would be together.
  const joined = fc
    .array(fc.constantFrom(...unicodeCases), { minLength: 1, maxLength: 25 })
    .map((cases) => cases.flatMap((characters) => [...characters, 'x']))
  fc.assert(
    fc.property(joined, fc.integer({ min: 32, max: 80 }), (characters, max) => {
      const given = characters.join('')
      const allowed = new Set([0])
      let at = 0
      for (const character of characters) {
        at += character.length
        allowed.add(at)
      }
      let before = 0
      for (const { from, to, bytes } of speechPlaces(given, max)) {
        expect(allowed.has(from) && allowed.has(to)).toBe(true)
        expect(bytes).toBe(bytesOf(given.slice(from, to)))
        expect(bytes).toBeLessThanOrEqual(max)
        expect(solid(given.slice(before, from))).toBe('')
        before = to
      }
      expect(solid(given.slice(before))).toBe('')
    }),
    { numRuns: tries(1000, 10_000) },
  )
}, 120_000)

test('[TTS-01] long texts against the real limit of 4,096 bytes', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 20, maxLength: 40 }), (texts) => {
      const given = texts.join(' ')
      const parts = splitForSpeech(given)
      expect(solid(parts.join(''))).toBe(solid(given.toWellFormed()))
      for (const part of parts) expect(bytesOf(part)).toBeLessThanOrEqual(4096)
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('no word is split that fits into a part', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdeéßжя'.split('')), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), fc.integer({ min: 30, max: 120 }), (all, max) => {
      const given = all.join(' ')
      const inside = new Set<number>()
      for (const { index, segment } of words.segment(given)) {
        for (let at = index + 1; at < index + segment.length; at++) inside.add(at)
      }
      for (const [from, to] of places(given, splitForSpeech(given, max))) {
        expect(inside.has(from) || inside.has(to)).toBe(false)
      }
    }),
    { numRuns: tries(200, 1000) },
  )
})

describe('a text is split', () => {
  it('at the end of a paragraph, if that leaves the part at least half full', () => {
    const first = 'One sentence here. Another one there.'
    expect(splitForSpeech(`${first}\n\nThe second paragraph goes on. And on.`, 60)).toEqual([
      first,
      'The second paragraph goes on. And on.',
    ])
  })

  it('otherwise at the end of a sentence, or of a word', () => {
    expect(splitForSpeech('A short one. Then a longer sentence follows here.', 40)).toEqual([
      'A short one.',
      'Then a longer sentence follows here.',
    ])
    expect(splitForSpeech('no sentence ends in this text at all', 16)).toEqual([
      'no sentence ends',
      'in this text at',
      'all',
    ])
  })

  it('between characters in an unbroken word, and inside an endless character', () => {
    expect(splitForSpeech('x'.repeat(100), 40).map((part) => part.length)).toEqual([40, 40, 20])
    expect(splitForSpeech('👍🏽'.repeat(9), 20)).toEqual(['👍🏽👍🏽', '👍🏽👍🏽', '👍🏽👍🏽', '👍🏽👍🏽', '👍🏽'])
    const endless = `a${'\u0301'.repeat(5000)}`
    const parts = splitForSpeech(endless)
    expect(parts.join('')).toBe(endless)
    for (const part of parts) expect(bytesOf(part)).toBeLessThanOrEqual(4096)
  })

  it('an empty text has no parts, and lone surrogates do no harm', () => {
    expect(splitForSpeech(' \n\t ')).toEqual([])
    expect(splitForSpeech('a\ud83d b')).toEqual(['a\ufffd b'])
  })
})
