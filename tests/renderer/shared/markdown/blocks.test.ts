import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, BlockSplitter, hardLimit, softLimit } from '../../../../src-renderer/shared/markdown/blocks.ts'

const all = (text: string): Block[] => new BlockSplitter().update(text).flat()

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    '',
    'some words',
    '# title',
    '- item',
    '  more of it',
    '1. one',
    '   ```js',
    '```',
    '~~~~',
    '````md',
    '> quote',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    '    indented',
    '[x]: https://example.com',
    '[^1]: note',
    'see [x] and [^1]',
    '\tcode',
  ),
  fc.string({ maxLength: 30 }),
  fc.nat(3).map((n) => 'word '.repeat(1 + n * 900)),
)
const document = fc
  .array(line, { maxLength: 40 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)))

describe('the block splitter', () => {
  it('depends on the text only, however it arrived', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
        const splitter = new BlockSplitter()
        const ends = cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b)
        for (const end of ends) splitter.update(text.slice(0, end))
        expect(splitter.update(text).flat()).toEqual(all(text))
      }),
      { numRuns: 300 },
    )
  })

  it('loses no character outside of fence lines and blank lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('alpha', 'beta gamma', '- item', '', '> quote', '# head'), { maxLength: 60 }),
        (lines) => {
          const shown = all(lines.join('\n')).map((block) =>
            block.kind === 'flow' ? block.source : block.pieces.join(''),
          )
          expect(shown.join('\n').split('\n').filter(Boolean)).toEqual(lines.filter(Boolean))
        },
      ),
    )
  })

  it('preserves finished blocks: the same objects, section by section', () => {
    const splitter = new BlockSplitter()
    const text = Array.from({ length: 800 }, (_, n) => `Paragraph ${n}.\n\n`).join('')
    const before = splitter.update(text)
    const after = splitter.update(`${text}And one more`)
    expect(before.length).toBeGreaterThan(3)
    for (const [at, section] of before.slice(0, -1).entries()) expect(after[at]).toBe(section)
    expect(after.at(-1)?.[0]).toBe(before.at(-1)?.[0])
  })

  it('never returns a piece beyond the limits, even without a place to split', () => {
    const unbroken = [
      'x'.repeat(300_000),
      'word '.repeat(60_000),
      `\`\`\`\n${'y'.repeat(300_000)}`,
      `- ${'item '.repeat(60_000)}`,
      `> ${'quote '.repeat(50_000)}`,
      Array.from({ length: 20_000 }, (_, n) => `- item ${n}`).join('\n'),
      `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(30_000)}`,
      `1. step\n   \`\`\`\n${'   code in a list\n'.repeat(15_000)}`,
      '    indented\n'.repeat(20_000),
    ]
    for (const text of unbroken) {
      for (const block of all(text)) {
        const sizes = block.kind === 'flow' ? [block.source.length] : block.pieces.map((piece) => piece.length)
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(block.kind === 'flow' ? hardLimit + softLimit : 2 * softLimit)
      }
    }
  })

  it('joins the pieces of a code block to exactly the code', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '  b', '', '# not a title', '- no list', 'z'.repeat(5_000)), { maxLength: 30 }),
        (lines) => {
          const code = lines.map((each) => `${each}\n`).join('')
          const [block, ...rest] = all(`\`\`\`ts title\n${code}\`\`\`\n`)
          expect(rest).toEqual([])
          expect(block).toMatchObject({ kind: 'code', language: 'ts title', open: false })
          expect(block?.kind === 'code' && block.pieces.join('')).toBe(code)
        },
      ),
    )
  })

  it('gives a definition to the blocks that refer to it, also to finished ones', () => {
    const splitter = new BlockSplitter()
    const text = `See [the guide].\n\n${'Other.\n\n'.repeat(100)}`
    splitter.update(text)
    const [first] = splitter.update(`${text}[The Guide]: https://example.com\n`).flat()
    expect(first).toMatchObject({ kind: 'flow', definitions: '[The Guide]: https://example.com' })
  })

  it('closes the last block of a text that no longer grows, and continues it when the text grows again', () => {
    const splitter = new BlockSplitter()
    const openOf = (text: string, isEnded: boolean) =>
      splitter
        .update(text, Number.POSITIVE_INFINITY, isEnded)
        .flat()
        .map(({ open }) => open)
    expect(openOf('One.\n\nCall f(*args', false)).toEqual([false, true])
    expect(openOf('One.\n\nCall f(*args\n', true)).toEqual([false, false])
    expect(openOf('One.\n\nCall f(*args\nmore', false)).toEqual([false, true])
  })

  it('keeps long code in a list item, whose lines cost the parser less', () => {
    const code = '   x\n'.repeat(420)
    const [list, ...rest] = all(`1. Run:\n\n   \`\`\`js\n${code}   \`\`\`\n2. Done\n`)
    expect(rest.map(({ kind }) => kind)).toEqual(['flow'])
    expect(list?.kind === 'flow' && list.source.split('   x\n')).toHaveLength(421)
  })

  it('ends an underlined heading, and nothing else', () => {
    const sources = (text: string): string[] => all(text).map((block) => (block.kind === 'flow' ? block.source : ''))
    expect(sources('one\ntwo\n===\nthree\n-\nfour')).toEqual(['one\ntwo\n===\n', 'three\n-\n', 'four'])
    for (const whole of [
      '***\n===\nfoo',
      '===\nfoo',
      'text\n- item\n===\nfoo',
      '[a]: b\n===\nfoo',
      'a\n= b\nc',
      '> a\n===\nb',
    ])
      expect(sources(whole)).toEqual([whole])
  })
})
