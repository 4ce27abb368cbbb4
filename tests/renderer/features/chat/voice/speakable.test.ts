import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { speakable } from '../../../../../src-renderer/features/chat/voice/speakable.ts'
import { en } from '../../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../../src-renderer/i18n/index.ts'
import { tries } from '../../../../helpers/effort.ts'
import { growth, linear } from '../../../../helpers/growth.ts'

beforeAll(() => i18n.init({ lng: 'en', resources: { en }, initAsync: false }))

test('markup is dropped, words stay', () => {
  expect(speakable('# A *heading*\n\nSome **bold**, `code` and ~~struck~~ text.\nSame paragraph.')).toBe(
    'A heading.\n\nSome bold, code and struck text.\nSame paragraph.',
  )
})

test('code blocks are announced and not read', () => {
  expect(speakable('Look:\n\n```python\nrm = 1\n```\n\nand\n\n```\nx\n```')).toBe(
    'Look:\n\nCode block, python.\n\nand\n\nCode block.',
  )
  expect(speakable('```"><script>\nx\n```')).toBe('Code block.')
})

test('links and images become their text, tags of HTML are dropped', () => {
  expect(speakable('See [the docs](https://a.example/x?y=1) and ![a harbour](data:image/png;base64,AAAA).')).toBe(
    'See the docs and a harbour.',
  )
  expect(speakable('[one][1] <b>two</b>\n\n<i></i>\n\n[1]: https://a.example')).toBe('one two')
})

test('tables are read cell by cell, row by row', () => {
  expect(speakable('| name | size |\n|---|---|\n| a | 1 |\n| b |  |')).toBe('name, size.\na, 1.\nb.')
})

test('lists keep their numbers, quotes and footnotes their words', () => {
  expect(speakable('3. three\n4. four\n\n- plain\n  - inner')).toBe('3. three\n4. four\n\nplain\ninner')
  expect(speakable('> quoted[^1]\n\n[^1]: the note')).toBe('quoted\n\nthe note')
})

test('formulas stay as written', () => {
  for (const formula of ['$a_1 * b_2 * c$', '$$\\sum_{i=1}^n *x* _y_$$', '\\(a_b_c\\)', '\\[x^* y^*\\]']) {
    expect(speakable(`Here ${formula} it **is**.`)).toBe(`Here ${formula} it is.`)
  }
  expect(speakable('It costs $5 and *then* $6.')).toBe('It costs $5 and then $6.')
})

test('any text gives a result, and nothing that it does not contain', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab*_`#[]()!|>-\n $\\~<&;\uE000\uE0010'.split('')), maxLength: 80 }),
      (given) => {
        // Marks and addresses are dropped. Nothing is added but the words for code, and the numbers of a list.
        const said = speakable(given)
          .replaceAll(/Code block(?:, [^.]*)?\./g, '')
          .replace(/[^ab]/g, '')
        expect(given).toMatch(new RegExp(Array.from(said).join('.*'), 's'))
      },
    ),
    { numRuns: tries(400, 2000) },
  )
})

test('a text longer than one piece loses nothing, and its code is still not read', { tags: 'long' }, () => {
  const lines = Array.from({ length: 900 }, (_, index) => `Line *${index}* of many.`)
  const words = lines.map((line) => line.replaceAll('*', ''))
  expect(speakable(lines.join('\n\n'))).toBe(words.join('\n\n'))
  expect(speakable(lines.join('\n')).replaceAll(/\s+/g, ' ')).toBe(words.join(' '))
  expect(speakable(lines.join(' ')).replaceAll(/\s+/g, ' ')).toBe(words.join(' '))
  const code = `\`\`\`\`js\n${'x()\n\n```\n'.repeat(3000)}\`\`\`\``
  expect(speakable(`Before.\n\n${code}\n\nAfter *it*.`)).toBe('Before.\n\nCode block, js.\n\nAfter it.')
})

test('the time for a long text grows linearly', { tags: 'long' }, () => {
  expect(growth(400, (length) => 'word *and* '.repeat(length), speakable)).toBeLessThan(linear)
})
