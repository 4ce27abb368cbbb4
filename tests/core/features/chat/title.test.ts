import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { titleOf, titleOfReply } from '../../../../src-main/core/features/chat/title.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { tries } from '../../../helpers/effort.ts'

describe('the title of a chat', () => {
  it.each([
    ['How tall is the Eiffel Tower?', 'How tall is the Eiffel Tower?'],
    ['Explain bridges. Then explain tunnels, in detail.', 'Explain bridges'],
    ['Hello! Please fix my code', 'Hello! Please fix my code'],
    ['## Release notes\n\nWrite them for version 2.', 'Release notes'],
    ['## Release notes\nWrite them for version 2.', 'Release notes'],
    ['**Bold** and _soft_ and `code` words', 'Bold and soft and code words'],
    ['- first point\n- second point', 'first point'],
    ['1. [ ] buy milk\n2. bread', 'buy milk'],
    ['> quoted words\n\nWhat is this?', 'quoted words'],
    ['See [the guide](https://example.com/a?b=c) please', 'See the guide please'],
    ['![A cat](cat.png) Who is this?', 'A cat Who is this?'],
    ['Summarize https://www.example.com/a', 'Summarize example.com/a'],
    ['```ts\nconst a = 1\n```\nWhy does this fail?', 'Why does this fail?'],
    ['```ts\nconst answer = 42\n```', 'const answer = 42'],
    ['Fix this:\n```\nx = \n', 'Fix this'],
    ['snake_case_names and 2*3*4 stay', 'snake_case_names and 2*3*4 stay'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b 1 2'],
    ['Wait...', 'Wait'],
    ['東京の三日間の旅程を考えて。予算は五万円です。', '東京の三日間の旅程を考えて'],
    // A short sentence of Japanese says as much as one of twice the letters.
    ['東京の天気は？明日はどう？', '東京の天気は？'],
    ['你好！请帮我修改这段代码。谢谢。', '你好！请帮我修改这段代码'],
    ['ما هو الطقس اليوم؟ وماذا عن الغد؟', 'ما هو الطقس اليوم؟'],
    ['قارن بين الطريقتين التاليتين،', 'قارن بين الطريقتين التاليتين'],
    ['Erkläre die Straßenverkehrsordnung! Mit Beispielen.', 'Erkläre die Straßenverkehrsordnung!'],
    ['Cafe\u0301 in Zürich 👩‍🍳 finden', 'Cafe\u0301 in Zürich 👩‍🍳 finden'],
  ])('%j becomes %j', (text, title) => expect(titleOf(text)).toBe(title))

  it('of any white space is found in linear time', () => {
    const spent = cpuTime()
    for (let turn = 0; turn < 20; turn += 1) {
      for (const blank of ['\n', ' \n', '\u00a0'])
        expect(titleOf(`${blank.repeat(3_900 / blank.length)}Words`)).toBe('Words')
    }
    // 20 times as much without the limit of white space.
    expect(spent()).toBeLessThan(1_000)
  })

  it('is the whole first sentence, not its first words', () => {
    const sentence = 'Compare the three most common ways to brew coffee at home without a machine'
    expect(titleOf(`${sentence}. Use a table.`)).toBe(sentence)
  })

  it('has at most 120 characters and ends at the end of a word', () => {
    expect(titleOf(`Compare ${'the ways to brew coffee '.repeat(10)}`)).toBe(
      `Compare ${'the ways to brew coffee '.repeat(4)}the ways to…`,
    )
  })

  it('a word without an end, and emoji, are cut between characters', () => {
    expect(titleOf('x'.repeat(300))).toBe(`${'x'.repeat(120)}…`)
    expect(titleOf('👩‍👩‍👧‍👦'.repeat(60))).toBeNull()
    expect(titleOf(`a${'👩‍👩‍👧‍👦'.repeat(200)}`)).toBe(`a${'👩‍👩‍👧‍👦'.repeat(119)}…`)
  })

  it.each(['', '   \n', '---', '```\n```', '**', '![](x.png)'])('%j has no title', (text) => {
    expect(titleOf(text)).toBeNull()
  })

  it('comes from the first words of a reply, when the question has none', () => {
    expect(titleOfReply('---\n\n# A cat on a mat\n\nIt sleeps.')).toBe('A cat on a mat')
    expect(titleOfReply('42')).toBeNull()
  })

  it('is one short line for any text, and found in no time', () => {
    const anything = fc.oneof(
      fc.string({ maxLength: 5000, unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('`', '*', '_', '#', '[', ']', '(', ')', '|', '\n', ' ', 'word', '.', '~~~', '>'), {
          maxLength: 2000,
        })
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const title = titleOf(text)
        if (title === null) return
        expect([...new Intl.Segmenter().segment(title)].length).toBeLessThanOrEqual(122)
        expect(title).not.toMatch(/[\n\r\t]/)
        expect(title).toBe(title.trim())
        expect(title).toMatch(/[\p{L}\p{N}]/u)
      }),
      { numRuns: tries(300, 5000) },
    )
  })
})
