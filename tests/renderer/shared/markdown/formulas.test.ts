import fc from 'fast-check'
import type { RootContent } from 'mdast'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { drawFormula } from '../../../../src-renderer/shared/markdown/math/draw.ts'
import { elementsOf } from '../../../../src-renderer/shared/markdown/math/elements.tsx'
import type { TreeNode } from '../../../../src-renderer/shared/markdown/math/tree.ts'
import { parseBlock } from '../../../../src-renderer/shared/markdown/parse.ts'
import { tries } from '../../../helpers/effort.ts'

const nodesOf = (source: string, open = false): RootContent[] =>
  parseBlock({ kind: 'flow', source, continues: false, definitions: '', carries: false, open })

/** The TeX of all formulas of a text, read by the grammar. */
function texOf(source: string): string[] {
  const found: string[] = []
  const rest = [...nodesOf(source)].reverse()
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.type === 'formula') found.push(node.tex)
    if ('children' in node) rest.push(...[...node.children].reverse())
  }
  return found
}

describe('formulas in markdown', () => {
  it.each([
    ['The $x_1*y*z_2$ of it', ['x_1*y*z_2']],
    [String.raw`Both \(a\) and \[b = c\]`, ['a', 'b = c']],
    ['$$\n\\frac{a}{b}\n$$', [String.raw`\frac{a}{b}`]],
    ['> $$\n> a\n> + b\n> $$', ['a\n+ b']],
    ['- first $a$\n- $b$', ['a', 'b']],
    ['**$x$** and _$y$_', ['x', 'y']],
    ['| $|x|$ | $y$ |', ['|x|', 'y']],
    [String.raw`$\$5$ is a price in TeX`, [String.raw`\$5`]],
    ['$5$', ['5']],
    ['设$x$为实数，而$y$是整数。', ['x', 'y']],
    ['Text:\n$$\na\n- b\n= c\n# d\n$$\nmore', ['a\n- b\n= c\n# d']],
    ['1. a\n\n   \\[\n   x\n   > y\n   \\]', ['x\n> y']],
    ['| a |\n|---|\n| $|x|$ and `c` |', ['|x|']],
    [String.raw`Then \\$x$`, ['x']],
    ["Say $\\text{``it''}$", ["\\text{``it''}"]],
    ['It costs $5 and $x_1$ more.', ['x_1']],
    ['From $100 to $200, where $x = 3$ holds.', ['x = 3']],
    ['Price is $5. Let $x^2$ be.', ['x^2']],
    ['The $i$th row $a_i$', ['a_i']],
    [`set $FOO and $${'{BAR}'} and $BAZ_QUX$`, ['BAZ_QUX']],
    [String.raw`$x\$y$`, [String.raw`x\$y`]],
  ])('are found in %j', (source, expected) => expect(texOf(source)).toEqual(expected))

  it.each([
    'It costs $5 and $6.',
    'From $5-$10, or US$7.',
    'Between $1,000 or 2,000$ a year',
    'Run `echo $HOME` and `$PATH`',
    'PATH=$HOME/bin:$PATH',
    '```\n$a$\n```',
    '`` $a$ ` $b$ ``',
    'An open $x + y',
    'An open $$x + y',
    String.raw`An open \[x + y and \(z`,
    '$a\n\nb$',
    '$ a $',
    String.raw`Escaped \$a\$`,
    String.raw`A \[bracket\] and a \[link\](x)`,
    '$$$',
    '$$ $$',
    'https://a.example/?a=$1&b=$2',
    'Set `$HOME` first. The variables $HOME and $PATH are read, then `$("div")` runs.',
    'In C#: `$"Hello {name}"` and `$y` are strings.',
    'Price is $5 and `code $x` is here, then $6.',
    'The pid is $$, so `kill $$` or kill $$ now.',
    'Use $HOME, not the "$" sign.',
    'the $USER in /home/$ or more',
    '价格$5和$6元',
    '```sh\n$$\nx\n$$\n```',
    '    $$\n    x\n    $$',
    '| a | b |\n|---|---|\n| `$|` | $ |',
    '<https://a.example/$x$>',
    '$$\na\n\nb\n$$',
  ])('are not found in %j', (source) => expect(texOf(source)).toEqual([]))

  it('leave code, addresses and titles unchanged', () => {
    const list = nodesOf('- a\n\n  ~~~\n  $x$ $y$\n  ~~~\n- [b](https://e.example/$x$/ "$t$") ![$z$](u)')
    const text = JSON.stringify(list)
    expect(text).toContain('"value":"$x$ $y$"')
    expect(text).toContain('https://e.example/$x$/')
    expect(text).toContain('"title":"$t$"')
    expect(text).toContain('"alt":"$z$"')
    expect(text).not.toMatch(/[\ue000\ue001]/)
  })

  it('are open until they are complete', () => {
    expect(JSON.stringify(nodesOf('so $a^2 + b', true))).toContain('"display":false,"open":true')
    expect(JSON.stringify(nodesOf('so $a^2 + b$', true))).toContain('"tex":"a^2 + b","display":false,"open":false')
    expect(JSON.stringify(nodesOf('so $a^2 + b'))).not.toContain('formula')
  })

  it('lose no character of any text', () => {
    const part = fc.oneof(
      fc.constantFrom('$$', '\\(', '\\)', '\\[', '\\]', '``', ...'$`\na5>|'.split('')),
      fc.string({ unit: fc.constantFrom('a', 'b', '$', '5'), maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const source = `a${parts.join('')}`
        const rest = [...nodesOf(source)].reverse()
        let letters = ''
        for (let node = rest.pop(); node; node = rest.pop()) {
          if ('value' in node) letters += node.value
          if ('lang' in node)
            letters = `${letters.slice(0, -node.value.length || undefined)}${node.lang ?? ''}${node.value}`
          if ('children' in node) rest.push(...[...node.children].reverse())
        }
        expect(letters.replace(/[^ab5]/g, '')).toBe(source.replace(/[^ab5]/g, ''))
      }),
      { numRuns: tries(300, 3_000) },
    )
  })

  it.each([
    ['\\ce', String.raw`\ce{2H2 + O2 -> 2H2O}`],
    ['\\pu', String.raw`\pu{123 kJ/mol}`],
  ])('of chemistry are built: %s', (_, tex) => expect(drawFormula({ tex, display: false })).toHaveProperty('tree'))
})

describe('a built formula', () => {
  const tags = (node: TreeNode): string[] =>
    typeof node === 'string' ? [] : [node.tag, ...node.children.flatMap(tags)]
  const build = (tex: string) => drawFormula({ tex, display: true })

  it('has its elements, its MathML and its TeX', () => {
    const answer = build(String.raw`\sqrt{\frac{a}{b}}`)
    expect('tree' in answer && new Set(tags(answer.tree))).toEqual(
      new Set(['span', 'math', 'semantics', 'mrow', 'msqrt', 'mfrac', 'mi', 'annotation', 'svg', 'path']),
    )
    expect(JSON.stringify(answer)).toContain(String.raw`\\sqrt{\\frac{a}{b}}`)
  })

  it.each([
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\url{https://evil.example}`,
    String.raw`\includegraphics[height=1em]{https://evil.example/p.png}`,
    String.raw`\htmlData{a=b}{x}`,
    String.raw`\htmlId{root}{x}`,
    String.raw`\htmlClass{chat-composer}{x}`,
    String.raw`\htmlStyle{position:fixed}{x}`,
  ])('has no link and no reference to the page: %s', (tex) => {
    const answer = build(tex)
    expect('tree' in answer && tags(answer.tree).filter((tag) => tag === 'a' || tag === 'img')).toEqual([])
    expect(JSON.stringify(answer)).not.toMatch(/"(?:href|src|id|data-\w+)":|"class":"[^"]*chat|"position":"fixed/)
  })

  it.each([
    ['a macro that doubles itself', String.raw`\def\a{x\a\a}\a`],
    ['a macro that never ends', String.raw`\def\a{\a}\a`],
    ['braces without end', '{'.repeat(3_000)],
    ['an unknown command', String.raw`\nonsense`],
  ])('reports why it cannot be built: %s', (_, tex) => expect(build(tex)).toEqual({ reason: expect.any(String) }))

  it("shows a refused command in the theme's colour, not in KaTeX's red", () => {
    const answer = build(String.raw`\url{https://evil.example}`)
    expect(JSON.stringify(answer)).not.toMatch(/#cc0000/i)
    const drawn = 'tree' in answer ? renderToStaticMarkup(elementsOf(answer.tree)) : ''
    expect(drawn).toContain('style="color:var(--bad)"')
  })

  it('has a limited number of elements', () => {
    expect(JSON.stringify(build(String.raw`\rule{9999em}{9999em}`))).not.toMatch(/:"9999em/)
    expect(build('x^y'.repeat(1_900))).toEqual({ reason: 'Too many elements.' })
  })
})
