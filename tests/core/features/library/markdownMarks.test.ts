import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markdownMarks } from '../../../../src-main/core/features/library/search/markdownMarks.ts'
import { snippet } from '../../../../src-main/core/features/library/search/snippet.ts'
import { readQuery } from '../../../../src-main/core/shared/text/query.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { seed } from '../../../helpers/random.ts'

const pieces = (text: string, typed: string, isMarkdown = true) => {
  const query = readQuery(typed)
  return query ? snippet(text, query, { isMarkdown }) : []
}
const shown = (text: string, typed: string) =>
  pieces(text, typed)
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join('')

test.each([
  ['## Ferry times\n\nThe **ferry** leaves at *seven*.', 'ferry', '[Ferry] times The [ferry] leaves at seven.'],
  ['- one\n- [ ] two `ferry` calls', 'ferry', 'one two [ferry] calls'],
  ['1. See [the ferry](https://example.org/a) now', 'ferry', 'See the [ferry] now'],
  ['> ~~old~~ ferry, __very big__', 'ferry', 'old [ferry], very big'],
  ['```ts\nconst ferry = a * b ** c\n```', 'ferry', ' const [ferry] = a * b ** c '],
  ['| ferry | time |\n| --- | --- |\n| one | 7 |', 'ferry', ' [ferry] | time one | 7 '],
])('%j is shown as plain text', (text, typed, expected) => {
  expect(shown(text, typed).trim()).toBe(expected.trim())
})

test('names and operators of code keep their characters, and an address that was found is shown', () => {
  expect(shown('def __init__(ferry): a*b', 'ferry')).toBe('def __init__([ferry]): a*b')
  expect(shown('See [this](https://ferry.example/)', 'ferry')).toContain('https://[ferry].example/')
  expect(pieces('# Title of a ferry', 'ferry', false)[0]?.text).toBe('# Title of a ')
})

test('in any text the marks are in order, within the part, and no hit is lost', () => {
  const bit = fc.constantFrom(
    '**',
    '*',
    '_',
    '`',
    '[',
    '](',
    ')',
    '|',
    '\n',
    '# ',
    '- ',
    ' ',
    'ferry',
    'a',
    '~~',
    '__',
    '```',
  )
  fc.assert(
    fc.property(fc.array(bit, { maxLength: 80 }), (bits) => {
      const text = bits.join('')
      let at = 2
      for (const { start, end } of markdownMarks(text, 2, text.length)) {
        expect(start).toBeGreaterThanOrEqual(at)
        expect(end).toBeGreaterThan(start)
        at = end
      }
      const hits = (isMarkdown: boolean) => pieces(text, 'ferry', isMarkdown).filter(({ hit }) => hit).length
      // Two hits with only a mark between them become one.
      expect(hits(true) > 0).toBe(hits(false) > 0)
    }),
    { seed },
  )
})

test('an excerpt of hostile text takes no time', () => {
  for (const bit of ['*', '[', '`', '_a', '|', '![', '**a']) {
    const cpuMs = cpuTime()
    markdownMarks(bit.repeat(400), 0, 400)
    expect(cpuMs()).toBeLessThan(100)
  }
})
