import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { Markdown } from '../../../../src-renderer/shared/markdown/Markdown.tsx'
import { tries } from '../../../helpers/effort.ts'

beforeAll(async () => {
  await i18n.use(initReactI18next).init({ lng: 'en', resources: { en }, initAsync: false })
})

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** The text that is drawn, without that of code, controls and finished formulas. A finished formula is `∎`, a finished image `▣`. */
function drawn(text: string, state: { growing?: boolean; isCut?: boolean } = { growing: true }): string {
  return renderToStaticMarkup(<Markdown text={text} {...state} />)
    .replace(/<span class="md-tex[^>]*><code[^>]*>[^<]*<\/code><\/span>/g, '∎')
    .replace(/<(button|span)[^>]* class="md-image".*?<\/\1>(?:<\/button>)?/gs, '▣')
    .replace(/<figure.*?<\/figure>|<button.*?<\/button>|<code.*?<\/code>/gs, '')
    .replace(/<\/p>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&([a-z]+|#x27);/g, (_, name: string) => entities[name] ?? '?')
    .trim()
}

const word = fc.constantFrom('harbour', 'winter', 'closed', 'nobody', 'goes', 'there', 'of', 'a')
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((list) => list.join(' '))
const tex = fc
  .array(
    fc.constantFrom(
      'x',
      'y_1',
      'a^2',
      '\\frac{a}{b}',
      '\\alpha',
      '+',
      '=',
      '\\text{if the wind is high}',
      '|z|',
      '\\{',
      '12',
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => `\\lim ${parts.join(' ')}`)
const inline = fc.oneof(
  words,
  fc.constantFrom('It costs $5', '$5 and', 'from $5,'),
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `~~${text}~~`),
  words.map((text) => `\`${text} | $x\``),
  words.map((text) => `[${text}](https://a.example/b_(c)?d=e "${text}")`),
  words.map((text) => `![${text}](https://a.example/${text.length}.png)`),
  words.map((text) => `[![${text}](https://a.example/b.svg)](https://a.example)`),
  tex.map((text) => `$${text}$`),
  tex.map((text) => `\\(${text}\\)`),
)
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '))
const cell = fc.oneof(
  words,
  fc.constant('$5'),
  tex.map((text) => `$${text}$`),
  words.map((text) => `![${text}](https://a.example/c.png)`),
)
const row = fc.tuple(cell, cell, cell).map((cells) => `| ${cells.join(' | ')} |`)
const table = fc
  .tuple(
    fc.tuple(words, words, words),
    fc.constantFrom('|---|---|---|', '| :--- | ---: | :-: |'),
    fc.array(row, { maxLength: 3 }),
  )
  .map(([header, rule, rows]) => [`| ${header.join(' | ')} |`, rule, ...rows].join('\n'))
const display = fc
  .tuple(fc.array(tex, { minLength: 1, maxLength: 3 }), fc.constantFrom(['$$', '$$'], ['\\[', '\\]']))
  .map(([lines, [begin, end]]) => `${begin}\n${lines.join('\n')}\n${end}`)
const inList = (text: string): string => `- ${text.replaceAll('\n', '\n  ')}`
const inQuote = (text: string): string => `> ${text.replaceAll('\n', '\n> ')}`
const block = fc
  .tuple(
    fc.oneof(
      line,
      line,
      table,
      display,
      line.map((text) => `## ${text}`),
      words.map((text) => `\`\`\`js\n${text}\n\`\`\``),
    ),
    fc.constantFrom(
      (text: string) => text,
      (text: string) => text,
      inList,
      inQuote,
    ),
  )
  .map(([text, place]) => place(text))
const document = fc.array(block, { minLength: 1, maxLength: 2 }).map((blocks) => `${blocks.join('\n\n')}\n`)

/** What a formula, a table and an image consist of. The words of the documents contain none of it, apart from prices. */
const mark = /\$(?!5)|[|\\![\]^_{}]|https?:|---/

describe('a growing text', () => {
  it('draws no mark of a formula, a table or an image, and never takes back what was drawn, wherever it ends', {
    timeout: 240_000,
  }, () => {
    fc.assert(
      fc.property(document, (text) => {
        let before = ''
        for (let end = 1; end <= text.length; end++) {
          const shown = drawn(text.slice(0, end))
          const letters = shown.replace(/\s+/g, '')
          if (mark.test(shown))
            expect.fail(`${JSON.stringify(text.slice(0, end))} is drawn as ${JSON.stringify(shown)}`)
          if (!letters.startsWith(before))
            expect.fail(`${JSON.stringify(text.slice(0, end))}: ${before}, then ${letters}`)
          before = letters
        }
      }),
      { numRuns: tries(3, 60) },
    )
  })

  it.each([
    ['It costs $5 and', 'It costs $5 and'],
    ['It costs $5, or US$7 in all', 'It costs $5, or US$7 in all'],
    ['Set $HOME to the', 'Set $HOME to the'],
    ['Set $user_name to the name of', 'Set $user_name to the name of'],
    ['Run kill $$ to end it', 'Run kill $$ to end it'],
    ['Hello! And', 'Hello! And'],
    ['| is a pipe\nand no table', '| is a pipe and no table'],
    ['one | two is\nno table', 'one | two is no table'],
    ['a | b is written in a long sentence, '.repeat(8), 'a | b is written in a long sentence, '.repeat(8).trim()],
    ['An array[0] and', 'An array[0] and'],
    ['a < b & c', 'a < b & c'],
    ['He said \\[citation needed\\] it', 'He said [citation needed] it'],
    ['\\(this is no formula at all', '(this is no formula at all'],
    ['| $5 | $6 |\n|---|---|\n| $5 | $6 |', '$5$6$5$6'],
  ])('draws what only looks like a mark: %s', (text, shown) => expect(drawn(text).replace('\n', ' ')).toBe(shown))

  it.each(['It costs $5', 'Is it $HOME', 'Hello!', 'So \\', 'A | b', 'One |', 'See [note', '| a | b |', 'Then **'])(
    'draws all of it when it has ended: %s',
    (text) => expect(drawn(text, {})).toBe(text),
  )
})

describe('a text that was stopped', () => {
  it.each([
    ['So $a^2 + b', 'So a^2 + b'],
    ['So $x', 'So x'],
    ['So \\(a + b', 'So a + b'],
    ['So\n\n$$\na + b\n= c', 'So a + b = c'],
    ['So\n\\[\na + b', 'So a + b'],
    ['- So $$a_1', 'So a_1'],
    ['It costs $5', 'It costs $5'],
    ['Set $user_name', 'Set $user_name'],
    ['So $x$', 'So ∎'],
    ['See ![a boat](https://a.exa', 'See a boat'],
    ['See [a boat](https://a.exa', 'See a boat'],
    ['| a | b |\n|--', '| a | b | |--'],
    ['Hello!', 'Hello!'],
  ])('shows an unfinished formula as text without its sign: %j', (text, shown) =>
    expect(drawn(text, { isCut: true }).replace(/\s+/g, ' ')).toBe(shown),
  )
})
