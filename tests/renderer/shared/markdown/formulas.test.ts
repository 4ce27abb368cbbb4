import fc from 'fast-check'
import type { RootContent } from 'mdast'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { drawFormula } from '../../../../src-renderer/shared/markdown/math/draw.ts'
import { elementsOf } from '../../../../src-renderer/shared/markdown/math/elements.tsx'
import { restored, takeFormulas } from '../../../../src-renderer/shared/markdown/math/scan.ts'
import type { TreeNode } from '../../../../src-renderer/shared/markdown/math/tree.ts'
import { parseBlock } from '../../../../src-renderer/shared/markdown/parse.ts'

const texOf = (source: string): string[] => takeFormulas(source).formulas.map(({ tex }) => tex)
const nodesOf = (source: string, open = false): RootContent[] =>
  parseBlock({ kind: 'flow', source, continues: false, definitions: '', carries: false, open })

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

  it('stay text until they are complete', () => {
    expect(JSON.stringify(nodesOf('so $a^2 + b', true))).not.toContain('formula')
    expect(JSON.stringify(nodesOf('so $a^2 + b$', true))).toContain('"formula","value":"a^2 + b"')
  })

  it('restore any text exactly', () => {
    const part = fc.oneof(
      fc.constantFrom('$$', '\\(', '\\)', '\\[', '\\]', '``', '\n\n', '\ue0010', ...'$`\\\n a5>|\ue000'.split('')),
      fc.string({ maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const source = parts.join('')
        const { text, formulas } = takeFormulas(source)
        expect(formulas.length === 0 ? text : restored(text, formulas)).toBe(source)
      }),
      { numRuns: 500 },
    )
  })

  it('are found in a time proportional to the length of the text', () => {
    for (const unit of ['$a ', '$', '`$', '\\(', '\\[', '$$ ', '`a``b```', '$\\']) {
      // CPU time of this thread, µs, so that a busy machine does not matter.
      const before = process.threadCpuUsage()
      takeFormulas(unit.repeat(Math.ceil(12_000 / unit.length)))
      const { user, system } = process.threadCpuUsage(before)
      expect(user + system).toBeLessThan(1_500_000)
    }
  })
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
