import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { type Block, BlockSplitter } from '../../../../src-renderer/shared/markdown/blocks.ts'
import { Markdown } from '../../../../src-renderer/shared/markdown/Markdown.tsx'
import { parseBlock } from '../../../../src-renderer/shared/markdown/parse.ts'
import { type AlignedRow, isSameRow } from '../../../../src-renderer/shared/markdown/sameRow.ts'

beforeAll(async () => {
  await i18n.use(initReactI18next).init({ lng: 'en', resources: { en }, initAsync: false })
})

const html = (text: string): string => renderToStaticMarkup(<Markdown text={text} />)
const count = (markup: string, part: string): number => markup.split(part).length - 1
const head = '| a | b |\n|---|--:|\n'
const rows = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `| r${from + n} | ${from + n} |\n`).join('')
const blocksOf = (text: string): Block[] => new BlockSplitter().update(text).flat()

describe('a long table', () => {
  it('is parsed in small parts, each of which repeats the header and continues the previous one', () => {
    const blocks = blocksOf(`${head}${rows(0, 500)}`)
    expect(blocks.length).toBeGreaterThan(15)
    for (const [at, block] of blocks.entries()) {
      expect(block).toMatchObject({ kind: 'flow', carries: at > 0 })
      expect(block.kind === 'flow' && block.source.startsWith(head)).toBe(true)
      expect(block.kind === 'flow' && block.source.split('\n').length).toBeLessThan(40)
    }
  })

  it('stays in one section while it grows, and only its last part changes', () => {
    const splitter = new BlockSplitter()
    const text = `${head}${rows(0, 500)}`
    const [before = []] = splitter.update(text)
    const sections = splitter.update(`${text}${rows(500, 503)}`)
    expect(sections).toHaveLength(1)
    for (const [at, block] of before.slice(0, -1).entries()) expect(sections[0]?.[at]).toBe(block)
  })

  it('is drawn as one table: every row once, one box, repeated headers for screen readers only', () => {
    // About as long as what is drawn at once.
    const markup = html(`Before.\n\n${head}${rows(0, 480)}\nAfter.`)
    expect(count(markup, 'class="md-table-box"')).toBe(1)
    expect(count(markup, '<td')).toBe(960)
    for (const n of [0, 23, 24, 25, 250, 479]) expect(count(markup, `>r${n}</td>`)).toBe(1)
    expect(count(markup, '<thead')).toBe(count(markup, 'md-more') + 1)
    expect(count(markup, '<p dir="auto">After.</p>')).toBe(1)
  })

  it('ends where the table ends: two tables, a quote directly after it, a short table', () => {
    expect(count(html(`${head}${rows(0, 60)}\n${head}${rows(60, 120)}`), 'class="md-table-box"')).toBe(2)
    const quoted = html(`${head}${rows(0, 60)}> said`)
    expect(count(quoted, 'class="md-table-box"')).toBe(1)
    expect(quoted.indexOf('<blockquote')).toBeGreaterThan(quoted.lastIndexOf('</table>'))
    expect(html(`${head}${rows(0, 3)}`)).not.toContain('md-more')
  })

  it('resolves its references by a later definition', () => {
    const markup = html(`${head}| [x] | 1 |\n${rows(0, 60)}\n[x]: https://e.example/\n`)
    expect(count(markup, 'title="https://e.example/"')).toBe(1)
    expect(count(markup, 'class="md-table-box"')).toBe(1)
  })
})

describe('a table that arrives in pieces', () => {
  const headerOf = (text: string): AlignedRow => {
    const [block] = blocksOf(text)
    const [table] = block?.kind === 'flow' ? parseBlock(block) : []
    const [row] = table?.type === 'table' ? table.children : []
    if (table?.type !== 'table' || !row) throw new Error(`No table: ${text}`)
    return { row, align: table.align }
  }

  it('draws its header again when the colon that aligns the last column arrives', () => {
    expect(isSameRow(headerOf('| a | b |\n|---|---'), headerOf('| a | b |\n|---|---:|'))).toBe(false)
  })

  it('does not draw its header again when a row arrives', () => {
    expect(isSameRow(headerOf(head), headerOf(`${head}| 1 | 2 |`))).toBe(true)
  })
})
