import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markupOf, stepsOf } from '../../../../../src-renderer/features/chat/export/markup.ts'
import { BlockSplitter, blocksInSteps, ended } from '../../../../../src-renderer/shared/markdown/blocks.ts'
import { tries } from '../../../../helpers/effort.ts'

const blocksOf = (text: string) => {
  const splitting = blocksInSteps(text)
  for (;;) {
    const { done, value } = splitting.next()
    if (done) return value
  }
}
const markupOfText = (text: string): string => [...markupOf(blocksOf(text))].join('')

const blockTags = ['p', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'hr', 'ul', 'ol', 'li', 'aside', 'div']
const tableTags = ['table', 'thead', 'tbody', 'tr', 'th', 'td']
const inlineTags = ['strong', 'em', 'del', 'code', 'br', 'a', 'sup', 'span']
const allowed = new Set([...blockTags, ...tableTags, ...inlineTags])
const attributes = new Set(['dir', 'class', 'href', 'rel', 'start', 'data-language'])

/** Markdown and HTML that would be markup, a link or an image if a step passed it on unread. */
const hostile = fc.constantFrom(
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](http://a.b/"onclick="1)',
  '![x](http://a.b/c.png)',
  '```"><script>\ncode\n```',
  '| a | b |\n|--|:-:|\n| <b> | `</td>` |',
  '> '.repeat(60),
  '- '.repeat(40),
  '[^1]\n\n[^1]: note',
  '[x][y]\n\n[y]: data:text/html,1',
  '<a href="http://a.b">x</a>',
  ']]>',
  '<!--',
  '&#x3c;script&#x3e;',
  '\u0000\u0008\ud800',
)

/** Every tag of XHTML without formulas. Throws where the tags are not nested. */
function tagsOf(markup: string): { tag: string; names: string[]; href: string | null }[] {
  const open: string[] = []
  const tags = [...markup.matchAll(/<(\/?)([a-z\d]+)((?: [a-z-]+="[^"<>]*")*)(\/?)>/g)]
  const found = tags.flatMap(([, end, tag = '', given = '', alone]) => {
    if (end) {
      if (open.pop() !== tag) throw new Error(`</${tag}> closes nothing in ${markup}`)
      return []
    }
    if (!alone) open.push(tag)
    const names = [...given.matchAll(/ ([a-z-]+)="/g)].map(([, name = '']) => name)
    return { tag, names, href: / href="([^"]*)"/.exec(given)?.[1] ?? null }
  })
  if (open.length > 0) throw new Error(`Not closed: ${open.join()} in ${markup}`)
  // What is left after the tags has no angle bracket: nothing else is markup.
  expect(markup.replaceAll(/<\/?[a-z\d]+(?: [a-z-]+="[^"<>]*")*\/?>/g, '')).not.toMatch(/[<>]/)
  return found
}

describe('the markup of exported documents', () => {
  it('has only known tags and attributes, whatever a reply contains', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 40 })), { maxLength: 12 }),
        (parts) => {
          const text = parts.join('\n').replaceAll('$', '')
          for (const { tag, names, href } of tagsOf(markupOfText(text))) {
            expect(allowed).toContain(tag)
            for (const name of names) expect(attributes).toContain(name)
            if (href !== null) expect(href).toMatch(/^(?:https?|mailto):/)
          }
        },
      ),
      { numRuns: tries(80, 5000) },
    )
  })

  it('writes headings, lists, tables, code, links and formulas', () => {
    const markup = markupOfText(
      '# One\n\n3. a\n4. b\n\n- [x] done\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n[site](https://a.b/?x=1&y=2) $x^2$\n\n```js\na < b\n```',
    )
    for (const part of [
      '<h3 dir="auto">One</h3>',
      '<ol start="3"><li dir="auto">a</li>',
      '<li dir="auto" class="task">☑ done</li>',
      '<th class="right" dir="auto">b</th>',
      '<a href="https://a.b/?x=1&amp;y=2" rel="noopener noreferrer">site</a>',
      '<math xmlns="http://www.w3.org/1998/Math/MathML">',
      '<pre data-language="js"><code>a &lt; b',
    ])
      expect(markup).toContain(part)
  })

  it('writes a long table as one table, and a long paragraph as one paragraph', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `| ${n} | x |\n`).join('')
    const markup = markupOfText(`| a | b |\n|---|---|\n${rows}\nAfter.`)
    expect([...markup.matchAll(/<table>|<th /g)]).toHaveLength(3)
    expect([...markup.matchAll(/<tr>/g)]).toHaveLength(61)
    const words = 'word and more. '.repeat(1_000).trim()
    expect(markupOfText(words)).toBe(`<p dir="auto">${words}</p>`)
  })

  it('names linked images, and never loads them', () => {
    expect(markupOfText('![a map](http://a.b/map.png)')).toBe(
      '<p dir="auto"><span class="picture">a map (http://a.b/map.png)</span></p>',
    )
  })

  it('is the same in steps as at once, and no step splits a character', () => {
    const long = fc.array(
      fc.oneof(hostile, fc.constantFrom('😀'.repeat(20_001), `x${'😀'.repeat(20_000)}`, 'word '.repeat(9_000))),
      {
        maxLength: 6,
      },
    )
    fc.assert(
      fc.property(long, (parts) => {
        const text = parts.join('\n\n')
        expect([...stepsOf(text)].join('')).toBe(text)
        for (const step of stepsOf(text.toWellFormed())) expect(step.isWellFormed()).toBe(true)
        expect(blocksOf(text)).toEqual(new BlockSplitter().update(ended(text), Number.POSITIVE_INFINITY, true).flat())
      }),
      { numRuns: tries(20, 500) },
    )
  })
})
