import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinCues, tidyCues } from '../../../../src-main/core/features/transcription/cues.ts'
import { isSrt, readSrt, writeSrt } from '../../../../src-main/core/features/transcription/srt.ts'
import { readVtt, writeVtt } from '../../../../src-main/core/features/transcription/vtt.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { tries } from '../../../helpers/effort.ts'

/** Text that is difficult for cue files: arrows, tags, entities, line ends, numbers, notes, direction marks, lone surrogates. */
const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '-->',
          '00:00:01.000 --> 00:00:02.000',
          '<b>',
          '</b>',
          '<v Bob>',
          '<c.x>',
          '&amp;',
          '&lt;',
          '&#65;',
          '&',
          '<',
          '>',
        ],
        ...[
          '\n',
          '\r\n',
          '\r',
          '\n\n',
          ' ',
          '\t',
          '1',
          '2\n',
          'WEBVTT',
          'NOTE',
          'STYLE',
          '\u200f',
          '\u202e',
          '\u2028',
          '\u0085',
          '\ufeff',
        ],
        ...['\0', '\x1b', '\ud83d', '😀', '漢字。', 'مرحبا', 'é', 'word', '5', '{\\an8}'],
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))
const time = fc.oneof(
  fc.double({ min: 0, max: 20_000, noNaN: true }),
  fc.constantFrom(0, 0.0004, 0.9996, 59.9999, 3599.9996, 359_999.9995, 99_999_999),
)
const cues = fc.array(fc.record({ from: time, to: time, text: words }), { maxLength: 12 })

it('cues written as WebVTT or SubRip and parsed again are the same cues', () => {
  fc.assert(
    fc.property(cues, (given) => {
      const tidy = tidyCues(given)
      const vtt = writeVtt(tidy)
      const srt = writeSrt(tidy)
      expect(readVtt(vtt)).toEqual(tidy)
      expect(readSrt(srt)).toEqual(tidy)
      expect(isSrt(srt)).toBe(tidy.length > 0)
      // A second pass changes nothing.
      expect(tidyCues(tidy)).toEqual(tidy)
    }),
    { numRuns: tries(1000, 10_000) },
  )
}, 120_000)

it('normalized cues are sorted, last at least a millisecond, and contain no empty line and no control character', () => {
  fc.assert(
    fc.property(cues, (given) => {
      let last = 0
      for (const { from, to, text } of tidyCues(given)) {
        expect(from).toBeGreaterThanOrEqual(last)
        expect(to).toBeGreaterThan(from)
        expect(text).not.toMatch(/\n\n|^\n|\n$|^$|(?!\n|\t)\p{Cc}/u)
        expect(text.isWellFormed()).toBe(true)
        last = from
      }
    }),
    { numRuns: tries(300, 2000) },
  )
})

it('a cue with an invalid time is dropped, and nothing else', () => {
  const good = { from: 1, to: 2, text: 'stays' }
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
    expect(tidyCues([{ from: bad, to: 3, text: 'x' }, good, { from: 0, to: bad, text: 'x' }])).toEqual([good])
  }
  expect(tidyCues([{ from: -5, to: -2, text: 'early' }])).toEqual([{ from: 0, to: 0.001, text: 'early' }])
})

it('texts of cues are joined with a space, but not in scripts without spaces', () => {
  const join = (...texts: string[]) => joinCues(texts.map((text) => ({ text })))
  expect(join('one', 'two\nthree')).toBe('one two three')
  expect(join('今日は', '晴れです。', '明日も')).toBe('今日は晴れです。明日も')
  expect(join('한국어', '띄어쓰기')).toBe('한국어 띄어쓰기')
  expect(join('漢字', 'and words')).toBe('漢字 and words')
  expect(join('', '𠮷野', '𠮷野')).toBe('𠮷野𠮷野')
})

it('a text of spaces is joined in linear time', () => {
  const spent = cpuTime()
  expect(joinCues([{ text: `a${' '.repeat(400_000)}b` }])).toHaveLength(400_002)
  expect(spent()).toBeLessThan(2_000)
})
