import { readFileSync } from 'node:fs'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { asTextInSteps } from '../../../../src-renderer/features/chat/asText.ts'
import { markupOf } from '../../../../src-renderer/features/chat/export/markup.ts'
import { speakable } from '../../../../src-renderer/features/chat/voice/speakable.ts'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { BlockSplitter, ended } from '../../../../src-renderer/shared/markdown/blocks.ts'
import { Markdown } from '../../../../src-renderer/shared/markdown/Markdown.tsx'
import { parseBlock } from '../../../../src-renderer/shared/markdown/parse.ts'
import { bigMessage, constructs } from '../../../helpers/bigMessages.ts'
import { growth, linear } from '../../../helpers/growth.ts'

beforeAll(async () => {
  await i18n.use(initReactI18next).init({ lng: 'en', resources: { en }, initAsync: false })
})

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/markdown/${name}.md`, import.meta.url), 'utf8')
const html = (text: string, growing = false): string =>
  renderToStaticMarkup(<Markdown text={text} growing={growing} />).replace(
    / (?:dir|class|role|tabindex|title)="[^"]*"/g,
    '',
  )
const exported = (text: string): string =>
  [...markupOf(new BlockSplitter().update(ended(text), Number.POSITIVE_INFINITY, true).flat())].join('')

/** The page, the exports (also print and PDF), the plain copy and speech. */
const outputs: Record<string, (text: string) => string> = {
  page: html,
  export: exported,
  copy: (text) => [...asTextInSteps(text)].join(''),
  speech: speakable,
}

describe.each(Object.entries(outputs))('a text reads the same: %s', (name, read) => {
  const isMarkup = name === 'page' || name === 'export'
  const tagged = (tag: string, text: string): string => (isMarkup ? `<${tag}>${text}</${tag}>` : text)

  it('shell variables and prices beside code', () => {
    const text = read(fixture('md-shell'))
    expect(text).toContain('The variables $HOME and $PATH are read, then')
    expect(text).toContain(tagged('code', isMarkup ? '$(&quot;div&quot;)' : '$("div")'))
    expect(text).toContain(`Price is $5 and ${tagged('code', 'code $x')} is here, then $6.`)
    expect(text).not.toMatch(/data-tex|<math/)
  })

  it('marks and addresses beside Chinese and Japanese text', () => {
    const text = read(fixture('md-cjk'))
    expect(text).toContain(`${tagged('strong', '先说结论。')}后面是理由。`)
    expect(text).toContain(`${tagged('strong', '尺寸（大号）：')}先量房间。`)
    expect(text).toContain(`名为${tagged('strong', '「北港」')}的小镇。`)
    expect(text).toContain(`${tagged('strong', '注意（必読）。')}次の文も`)
    expect(text).toContain(`${tagged('del', '旧的说法。')}新的说法。`)
    expect(text).toContain('温度18~24度，距离3~5公里。')
    expect(text).toContain('(~120 files) and a rewrite (~45 files)')
    expect(text).toMatch(
      isMarkup ? />https:\/\/example\.com\/a<\/(?:span|a)>。请先读/ : /https:\/\/example\.com\/a。请先读/,
    )
    expect(text).toMatch(
      isMarkup ? />https:\/\/example\.com\/b<\/(?:span|a)>）附录/ : /https:\/\/example\.com\/b）附录/,
    )
  })

  it('line breaks in cells and in prose, and no other tag', () => {
    const text = read('| a |\n|---|\n| one<br>two<br/>three<BR /> |\n\nfour<br>five\n')
    const end = isMarkup ? '<br/>' : '\n'
    expect(text).toContain(`one${end}two${end}three`)
    expect(text).toContain(`four${end}five`)
    if (isMarkup) expect(read('a<br onload=x>b <b>c</b>')).not.toMatch(/<br|<b>/)
  })

  it('a note that another block has, once', () => {
    const text = read('See [^1] here.\n\nMore text.\n\n[^1]: The note.')
    expect(text.split('The note.')).toHaveLength(2)
    expect(text.replace(/<[^>]*>/g, '')).not.toMatch(/(?:^|\s|\d)\.\s*(?:$|More)/)
  })

  it('definitions at the end of a text without a line break', () => {
    expect(read('See [the guide].\n\n[the guide]: https://a.example/x')).not.toContain('[the guide]')
  })
})

describe('the grammar', () => {
  it('closes fences as CommonMark does', () => {
    const text = html(fixture('md-fence'))
    expect(text.split('<figure').length - 1).toBe(3)
    expect(text).toContain('<p>Then use it:</p>')
  })

  it.each([
    ['见：www.a.example，后面', 'www.a.example'],
    ['[：https://a.example/x。**后**面', 'https://a.example/x'],
    ['在https://a.example/x.请', 'https://a.example/x'],
    ['“https://a.example”后', 'https://a.example'],
    ['https://a.example/한국', 'https://a.example/'],
  ])('ends an address before CJK text: %s', (text, address) => expect(html(text)).toContain(`>${address}</span>`))

  it.each([
    ['so **bo', '<strong>bo</strong>'],
    ['see `a*b` and *ital', '<em>ital</em>'],
    ['`const a', '<code>const a</code>'],
    ['**bold*', '<strong>bold</strong>'],
    ['~~old', '<del>old</del>'],
    ['**a `b', '<strong>a <code>b</code></strong>'],
    ['a [label](https://exa', '<p>a label</p>'],
    ['- item\n- **bo', '<strong>bo</strong>'],
    ['A line\n-', '<p>A line</p>'],
  ])('completes what a growing text has opened: %s', (text, expected) => expect(html(text, true)).toContain(expected))

  it.each(['2 * 3', 'snake_case_name', String.raw`\*\*no`, 'so $a*b$ and on', 'https://a.example/a_b', '`a*` x'])(
    'completes nothing in %s',
    (text) => expect(html(text, true)).not.toMatch(/<em>|<strong>/),
  )
})

/** Splits and parses a message, as the page does. */
function read(text: string): void {
  for (const block of new BlockSplitter().update(text).flat()) if (block.kind === 'flow') parseBlock(block)
}

describe('the work for a message', () => {
  // The work for definitions grew with the square of their number.
  it('grows with its length: splitting definitions', () => {
    const make = (length: number): string => bigMessage('references and definitions', length)
    expect(growth(20_000, make, (text) => new BlockSplitter().update(text))).toBeLessThan(linear)
  })

  it.each(constructs)('grows with its length: %s', { tags: 'long' }, (construct) => {
    let unique = 0
    const make = (length: number): string => bigMessage(construct, length)
    // Another beginning each time, because finished blocks are cached.
    expect(growth(5_000, make, (text) => read(`${unique++}\n\n${text}`))).toBeLessThan(linear)
  })

  it('is bounded for one block: no block costs many times an ordinary one', { tags: 'long' }, () => {
    const cpu = (run: () => void): number => {
      const before = process.threadCpuUsage()
      run()
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    }
    const longest = (text: string): number =>
      Math.max(
        ...new BlockSplitter()
          .update(text)
          .flat()
          .map((block) => (block.kind === 'flow' ? cpu(() => parseBlock(block)) : 0)),
      )
    for (const start of ['', '- ', '> ']) read(start + bigMessage('prose', 50_000))
    const ordinary = Math.max(2, longest(`x ${bigMessage('links', 50_000)}`))
    for (const construct of constructs) {
      for (const start of ['', '- ', '> '])
        expect(longest(start + bigMessage(construct, 50_000)), `${start}${construct}`).toBeLessThan(40 * ordinary)
    }
  })
})
