import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../../../src-renderer/features/transcription/diff.ts'
import { cueAt, hitsIn } from '../../../../src-renderer/features/transcription/find.ts'
import { growth, linear } from '../../../helpers/growth.ts'

const marked = (pieces: { text: string; differs: boolean }[]): string[] =>
  pieces.filter(({ differs }) => differs).map(({ text }) => text.trim())

describe('finding in a transcript', () => {
  test('returns the offsets of matches regardless of case, and treats signs literally', () => {
    expect(hitsIn('The ferry. THE FERRY (at 7)?', 'ferry')).toEqual([
      [4, 9],
      [15, 20],
    ])
    expect(hitsIn('what (at 7)? what', '(at 7)?')).toEqual([[5, 12]])
    expect(hitsIn('two\n words', 'two words')).toEqual([[0, 10]])
    expect(hitsIn('anything', '  ')).toEqual([])
  })

  test('finds any text in itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (needle) => {
        fc.pre(needle.trim() !== '')
        const text = `before ${needle} after`
        expect(hitsIn(text, needle).length).toBeGreaterThan(0)
      }),
    )
  })

  test('returns the last line that has started', () => {
    const cues = [{ from: 1 }, { from: 2.5 }, { from: 2.5 }, { from: 9 }]
    expect([0, 1, 2.49, 2.5, 8.9, 100].map((time) => cueAt(cues, time))).toEqual([-1, 0, 2, 2, 2, 3])
    expect(cueAt([], 5)).toBe(-1)
    const times = fc.array(fc.double({ min: 0, max: 1e4, noNaN: true })).map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(times, fc.double({ min: 0, max: 1e4, noNaN: true }), (list, time) => {
        const sorted = list.map((from) => ({ from }))
        expect(cueAt(sorted, time)).toBe(sorted.findLastIndex(({ from }) => from <= time + 0.02))
      }),
    )
  })
})

describe('comparing two transcripts', () => {
  test('marks words that the other text lacks, regardless of case, spaces and punctuation', () => {
    const { left, right, words } = difference(
      'Good morning. The ferry leaves at seven.',
      'good morning the  boat leaves, at seven',
    )
    expect(marked(left)).toEqual(['ferry'])
    expect(marked(right)).toEqual(['boat'])
    expect(words).toBe(1)
    expect(difference('One, two.', 'one two').words).toBe(0)
    expect(marked(difference('', 'all of it').right)).toEqual(['all', 'of', 'it'])
  })

  test('marks words, not lines, in scripts without spaces', () => {
    const { left, right } = difference('東京へ行きます', '京都へ行きます', 'ja')
    expect(marked(left).join('')).not.toContain('行')
    expect(marked(left).length + marked(right).length).toBeGreaterThan(0)
  })

  test('loses no text, and unmarked words are the same in both', () => {
    const text = fc.array(fc.constantFrom('the', 'ferry', 'boat', 'at', 'seven,', 'eight.'), { maxLength: 30 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [a.join(' '), b.join(' ')]
        const { left, right } = difference(one, other)
        expect(left.map((piece) => piece.text).join('')).toBe(one)
        expect(right.map((piece) => piece.text).join('')).toBe(other)
        const same = (pieces: typeof left) =>
          pieces.filter(({ differs }) => !differs).map((piece) => piece.text.replace(/\P{L}/gu, ''))
        expect(same(left)).toEqual(same(right))
      }),
      { numRuns: 500 },
    )
  })

  test('gives up on two texts that have almost nothing in common', { tags: 'long' }, () => {
    const many = (word: string, length: number) => Array.from({ length }, (_, at) => `${word}${at}`).join(' ')
    const compare = ([left, right]: [string, string]) => expect(difference(left, right).words).toBeNull()
    expect(growth(2_000, (length): [string, string] => [many('a', length), many('b', length)], compare)).toBeLessThan(
      linear,
    )
  })
})
