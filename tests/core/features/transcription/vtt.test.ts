import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSrt, readSrt } from '../../../../src-main/core/features/transcription/srt.ts'
import { readVtt } from '../../../../src-main/core/features/transcription/vtt.ts'
import { firstCases, tries } from '../../../helpers/effort.ts'
import { growth, linear } from '../../../helpers/growth.ts'

const cue = (from: number, to: number, text: string) => ({ from, to, text })

describe('WebVTT of real services', () => {
  it('is read with header, notes, styles, regions, ids, settings and short times', () => {
    const file = [
      '\ufeffWEBVTT - a title',
      'X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0',
      '',
      'NOTE',
      'a note of two lines',
      '',
      'STYLE',
      '::cue { color: red }',
      '',
      'REGION',
      'id:fred',
      '',
      'intro',
      '00:01.500 --> 00:03.000 align:start position:0%',
      'Hello,',
      'there.',
      '',
      '01:00:00.000 --> 01:00:02.250',
      'An hour later.',
    ]
    for (const end of ['\n', '\r\n', '\r']) {
      expect(readVtt(file.join(end))).toEqual([cue(1.5, 3, 'Hello,\nthere.'), cue(3600, 3602.25, 'An hour later.')])
    }
  })

  it('loses its tags, keeps speakers, and keeps text that only resembles a tag', () => {
    const say = (text: string) => readVtt(`WEBVTT\n\n00:00.000 --> 00:01.000\n${text}`)?.[0]?.text
    expect(say('<v.loud Roger Bingham>We are in <i>New York</i> City')).toBe('Roger Bingham: We are in New York City')
    expect(say('<c.yellow.bg_blue>Yes</c> <00:00:00.500><lang en-GB>indeed</lang>')).toBe('Yes indeed')
    expect(say('<ruby>漢<rt>kan</rt></ruby>')).toBe('漢kan')
    expect(say('if a < b and c > d, <script>alert(1)</script>')).toBe('if a < b and c > d, <script>alert(1)</script>')
    expect(say('&lt;b&gt; &amp;amp; R&amp;D &nbsp;x&#65;&#x42; &copy; &#0;')).toBe('<b> &amp; R&D \u00a0xAB &copy;')
    expect(say('<b')).toBe('<b')
  })

  it('is read past damaged blocks', () => {
    const file = [
      'WEBVTT',
      '',
      '00:00:xx.000 --> 00:00:02.000',
      'lost',
      '',
      '00:04.000 --> 00:05.000',
      'kept',
      '00:06.000 --> 00:07.000',
      'no empty line before',
      '',
      '00:09.000 --> 00:08.000',
      'ends before it begins',
      '',
      '99999999:59:59.999 --> 99999999:59:59.999',
      'in ten thousand years',
      '',
      '00:01.000 --> 00:02.000',
      'out of order',
    ]
    expect(readVtt(file.join('\n'))).toEqual([
      cue(1, 2, 'out of order'),
      cue(4, 5, 'kept'),
      cue(6, 7, 'no empty line before'),
      cue(9, 9.001, 'ends before it begins'),
    ])
  })

  it('is distinguished from a text that only begins like it', () => {
    for (const text of ['', 'WEBVTTX', 'webvtt', ' WEBVTT', 'Words. WEBVTT']) expect(readVtt(text)).toBeNull()
    expect(readVtt('WEBVTT')).toEqual([])
    expect(readVtt('WEBVTT\n\n00:00.000 --> 00:01.000\n\n')).toEqual([])
  })
})

describe('hostile files', () => {
  const cueOf = (text: string): string => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}`
  const attacks: Record<string, (length: number) => string> = {
    'open tags': (length) => cueOf('<v '.repeat(length / 3)),
    'open references': (length) => cueOf('&amp'.repeat(length / 4)),
    'one long timing line': (length) => `WEBVTT\n\n${'0'.repeat(length)}:00.000 --> 00:01.000\nx`,
    'a line of spaces': (length) => `WEBVTT\n\n00:00.000${' '.repeat(length)}-->${' '.repeat(length)}00:01.000\nx`,
    'arrows alone': (length) => `WEBVTT\n\n${'-->\n'.repeat(length / 4)}`,
    'empty lines alone': (length) => `WEBVTT${'\n'.repeat(length)}`,
    'a cue a line': (length) => `WEBVTT\n\n${'0:00.000-->0:01.000\n'.repeat(length / 20)}`,
    'one endless line': (length) => cueOf('a'.repeat(length)),
    'tags of tags': (length) => cueOf(`${'<c.'.repeat(length / 6)}${'>'.repeat(length / 6)}`),
    'digits before what looks like SubRip': (length) => `WEBVTT\n\n${' '.repeat(length)}1${'\n'.repeat(length)}`,
  }
  it.each(firstCases(3, Object.entries(attacks)))('%s: the work grows linearly', (_, make) => {
    const read = (file: string): void => {
      expect(readVtt(file)).not.toBeNull()
      readSrt(file)
      isSrt(file)
    }
    expect(growth(24_000, make, read)).toBeLessThan(linear)
  })

  it('any input gives cues or null', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'WEBVTT',
        '\n\n',
        '00:00.000',
        ' --> ',
        '-->',
        'NOTE',
        '9'.repeat(30),
        ...'\n<>&;#\0:.'.split(''),
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const { from, to, text } of readVtt(`WEBVTT\n${pieces.join('')}`) ?? []) {
          expect(to).toBeGreaterThan(from)
          expect(text).not.toBe('')
        }
        readSrt(pieces.join(''))
      }),
      { numRuns: tries(500, 3000) },
    )
  })
})

it('SubRip is recognised by its beginning and read with commas or points', () => {
  const file =
    '1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\nthere\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n<i>you</i>\r\n'
  expect(isSrt(file)).toBe(true)
  expect(readSrt(file)).toEqual([cue(1, 2.5, 'Hello\nthere'), cue(3, 4, '<i>you</i>')])
  expect(isSrt('1\nA list item, 00:00:01,000 --> is written so')).toBe(false)
})
