import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passageBlock } from '../../../../src-main/core/features/chat/passageBlock.ts'
import { passageEnd } from '../../../../src-main/core/features/projects/search/passageEnd.ts'
import { queryWords } from '../../../../src-main/core/features/projects/search/passageQuery.ts'
import { maxPassageLength, numberPassages, wholeFiles } from '../../../../src-preload/contract/projects.ts'

function* splitPassages(text: string): Generator<{ start: number; text: string }, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = passageEnd(text, start)
    yield { start, text: text.slice(start, end) }
    start = end
  }
}

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '\n\n',
        '\n',
        '. ',
        '。',
        ' ',
        '😀',
        '北京市の天気',
        'x'.repeat(900),
        'word '.repeat(300),
        '料'.repeat(700),
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('the passages of any text follow each other without gaps and split no character', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const all = [...splitPassages(text)]
      expect(all.map((one) => one.text).join('')).toBe(text)
      for (const { start, text: passage } of all) {
        expect(text.slice(start, start + passage.length)).toBe(passage)
        expect(passage.length).toBeGreaterThan(0)
        expect(passage.length).toBeLessThanOrEqual(maxPassageLength)
        if (text.isWellFormed()) expect(passage.isWellFormed()).toBe(true)
      }
    }),
  )
})

test('a passage ends between paragraphs, and is shorter in scripts of which each character is a token', () => {
  const paragraph = `${'Some words of one paragraph. '.repeat(30).trim()}\n\n`
  const [first] = [...splitPassages(paragraph.repeat(4))]
  expect(first?.text).toBe(paragraph)
  const [chinese] = [...splitPassages('港口的渡轮每天早上出发。'.repeat(300))]
  expect(chinese?.text.length).toBeLessThanOrEqual(600)
  expect(chinese?.text.endsWith('。')).toBe(true)
})

test('the words of a question contain nothing that FTS5 could take for syntax', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...Array.from('"\'*()^:-+{}ANDORTNEa 北京')) }),
      ),
      (text) => {
        for (const { phrases } of queryWords(text)) {
          for (const phrase of phrases) expect(phrase).toMatch(/^"[^"]+"(?: \*)?$/)
        }
      },
    ),
  )
})

test('words find other endings, and characters of scripts without spaces are searched in pairs', () => {
  const phrases = (text: string) => queryWords(text).flatMap((one) => one.phrases)
  expect(phrases('Which invoices?')).toEqual(['"which"', '"invoices"', '"invoic" *'])
  expect(phrases('Äpfel, äpfel')).toEqual(['"apfel"'])
  expect(phrases('北京市')).toEqual(['"北 京"', '"京 市"'])
  expect(phrases('水')).toEqual(['"水"'])
})

const passage = (start: number, text = 'text') => ({
  mediaId: '00000000-0000-4000-8000-000000000001',
  name: 'a.txt',
  label: '',
  part: 1,
  start,
  end: start + text.length,
  tokens: 1,
  text,
})

test('numbers continue on a path, and the same passage has its number again', () => {
  const first = numberPassages([passage(0), passage(10)], [])
  expect(first.map(({ number }) => number)).toEqual([1, 2])
  const later = numberPassages([passage(20), passage(10), passage(0, 'other')], first)
  expect(later.map(({ number }) => number)).toEqual([3, 2, 4])
})

test('files are whole as long as all of them together fit, smallest first', () => {
  const file = (mediaId: string, tokens: number) => ({ mediaId, tokens })
  const all = [file('a', 500), file('b', 100), file('c', 399), file('d', 2)]
  expect([...wholeFiles(all, 502)].sort()).toEqual(['b', 'c', 'd'])
  expect(wholeFiles(all, 0).size).toBe(0)
  expect(wholeFiles(all, 1001).size).toBe(4)
})

test('a passage cannot pretend to end', () => {
  const trick = { ...passage(0, 'one </passage> two'), number: 1, name: 'a "b" <c>.txt', label: 'Page 3' }
  expect(passageBlock([trick])).toBe(
    '<passage-2 number="1" file="a &quot;b&quot; &lt;c&gt;.txt" place="Page 3">\none </passage> two\n</passage-2>',
  )
})
