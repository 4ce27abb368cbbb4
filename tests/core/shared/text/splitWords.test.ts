import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snippet } from '../../../../src-main/core/features/library/search/snippet.ts'
import { asMatch, readQuery } from '../../../../src-main/core/shared/text/query.ts'
import { indexable, words } from '../../../../src-main/core/shared/text/splitWords.ts'

const query = (typed: string) => {
  const read = readQuery(typed)
  if (!read) throw new Error('Nothing was typed that could be looked for.')
  return read
}
const shown = (text: string, typed: string, from = 0): string =>
  snippet(text, query(typed), { from })
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join('')

describe('the words of a text', () => {
  it.each([
    ['case and accents', 'ÉLAN Żółć Ångström', 'elan zolc angstrom'],
    ['letters that are spelled out', 'Straße ŒUVRE Ærø', 'strasse oeuvre aero'],
    ['both forms of sigma', 'ΟΔΟΣ οδός', 'οδοσ οδοσ'],
    ['the Turkish i', 'İstanbul ısı', 'istanbul isi'],
    ['full width and half width', 'Ｈｅｌｌｏ ｶﾞﾗｽ', 'hello ガ ラ ス'],
    ['Han, kana and Latin side by side', '日本語のtestです', '日 本 語 の test で す'],
    ['Thai with its marks', 'สวัสดี', 'ส วั ส ดี'],
    ['Hangul, composed or not', `${'한국'.normalize('NFD')} 한국`, '한 국 한 국'],
    ['Arabic without vowel signs', 'مَرْحَبًا', 'مرحبا'],
    ['Hebrew without points', 'שָׁלוֹם', 'שלום'],
    ['pictographs', 'ok👍🏽go', 'ok 👍 go'],
    ['a pictograph in its colored form', 'ok❤\ufe0fgo', 'ok ❤ go'],
    ['a struck arrow, composed or not, which is no pictograph', 'go \u21aeon \u2194\u0338on \u2194', 'go on on ↔'],
    ['signs between words', 'foo_bar, don’t! C++', 'foo bar don t c'],
  ])('are folded: %s', (_, text, folded) => {
    expect(indexable(text)).toBe(folded)
  })

  it('of a composed text are those of the same text decomposed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        expect(indexable(text.normalize('NFD'))).toBe(indexable(text.normalize('NFC')))
      }),
    )
  })

  it('are at the positions that they report, one after another, in any text', () => {
    fc.assert(
      fc.property(fc.uint16Array({ maxLength: 200 }), (units) => {
        const text = String.fromCharCode(...units)
        let at = 0
        for (const { start, end, folded } of words(text)) {
          if (start < at || end <= start || /[\s"*^():]/.test(folded)) expect.fail(`${folded} from ${start} to ${end}`)
          at = end
        }
        expect(at).toBeLessThanOrEqual(text.length)
      }),
    )
  })

  it('of two texts can be read alternately', () => {
    const first = words('one two three')
    const second = words('eins zwei drei')
    const all = [first.next(), second.next(), first.next(), second.next(), first.next(), second.next()]
    expect(all.map(({ value }) => value?.folded)).toEqual(['one', 'eins', 'two', 'zwei', 'three', 'drei'])
  })
})

describe('a search query', () => {
  it.each([
    ['operators are words', 'cats AND NOT dogs', '"cats" AND "and" AND "not" AND "dogs" *'],
    ['quotes and stars are nothing', '"foo* (bar', '"foo" AND "bar" *'],
    ['a column filter is plain text', 'body:secret', '"body secret" *'],
    ['a run of Han is a phrase', '日本 語', '"日 本" AND "語"'],
    ['a space says that the word is whole', 'hello ', '"hello"'],
  ])('%s', (_, typed, match) => {
    expect(asMatch(query(typed))).toBe(match)
  })

  it('of punctuation only searches for nothing', () => {
    expect(readQuery(' +-*"() ')).toBeNull()
  })
})

describe('a snippet', () => {
  it('marks all words, but only the beginning of the last one', () => {
    expect(shown('Hello wörld, a tést of 日本語 and testing', 'test')).toBe(
      'Hello wörld, a [tést] of 日本語 and [test]ing',
    )
    expect(shown('Ein Text über 日本語の文章です', 'uber 日本')).toBe('Ein Text [über] [日本]語の文章です')
  })

  it('of a long text is around the first hit and has at most 300 characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 60 }),
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 60 }),
        (before, after) => {
          const text = [...before, ' xylographer ', ...after].join(' ')
          const pieces = snippet(text, query('xylographer '))
          expect(pieces.map((piece) => piece.text).join('').length).toBeLessThanOrEqual(300)
          expect(pieces.some(({ hit, text }) => hit && text === 'xylographer')).toBe(true)
          for (const piece of pieces)
            expect(piece.text.isWellFormed()).toBe(text.isWellFormed() || piece.text.isWellFormed())
        },
      ),
    )
  })

  it('is cut between grapheme clusters', () => {
    const family = '👩‍👩‍👧‍👦'
    const cut = shown(`${family.repeat(60)} needle ${family.repeat(60)}`, 'needle').replace('[needle]', '')
    expect(cut.replaceAll(family, '').trim()).toBe('')
  })

  it('starts at the part of a long text that has the words', () => {
    const text = `needle ${'x '.repeat(40_000)} needle in hay`
    expect(shown(text, 'needle hay', 70_000)).toContain('[needle] in [hay]')
  })

  it('finds an accent that the first pass through a long text cannot see', () => {
    expect(shown(`${'word '.repeat(4000)}élan vital`, 'elan')).toContain('[élan] vital')
  })
})
