import type { Root, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import remend from 'remend'
import type { FlowBlock } from './blocks.ts'
import { placeFormulas } from './math/place.ts'
import { takeFormulas } from './math/scan.ts'

// Raw HTML is no construct here at all: `<script>` is seven letters and two signs, also inside other constructs.
const noHtml = { disable: { null: ['htmlFlow', 'htmlText'] } }
const options = {
  extensions: [gfm({ singleTilde: false }), noHtml],
  mdastExtensions: [gfmFromMarkdown()],
}

/** Closes what a growing block has opened (`**bo` shows as bold), so that marks don't flicker while they arrive. */
const completing = { linkMode: 'text-only', htmlTags: false, comparisonOperators: false, katex: false } as const

/** Stands before a piece of a paragraph so that nothing in it starts a block; taken off again after parsing. */
const wordJoiner = '\u2060'

/** Quicker to find for blocks that are still held than by their text. */
const ofBlock = new WeakMap<FlowBlock, RootContent[]>()
const kept = new Map<string, RootContent[]>()
const cacheMaxChars = 2_000_000
let keptChars = 0

/** The nodes of one block. Those of finished blocks are remembered, so that scrolling back parses nothing again. */
export function parseBlock(block: FlowBlock): RootContent[] {
  if (block.source === '') return []
  const before = block.open ? undefined : ofBlock.get(block)
  if (before) return before
  const nodes = parseAnew(block)
  if (!block.open) ofBlock.set(block, nodes)
  return nodes
}

function parseAnew(block: FlowBlock): RootContent[] {
  const key = `${block.continues ? wordJoiner : ''}${block.source}\n\n${block.definitions}`
  const known = block.open ? undefined : kept.get(key)
  if (known) return known
  // A formula that is not finished yet stays text.
  const { text: bare, formulas } = takeFormulas(block.source)
  // Completing costs the square of the marks as well: what stays text is not completed.
  const completed = block.open && !isCostly(bare) ? remend(bare, completing) : bare
  const text = (block.continues ? wordJoiner : '') + completed
  const children = parse(block.definitions === '' ? text : `${text}\n\n${block.definitions}`, bare)
  if (block.continues) takeOffJoiner(children)
  placeFormulas(children, formulas)
  if (!block.open) keep(key, children)
  return children
}

/** A line that opens this many quotes and lists costs the parser the square of it. */
const deepNesting = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){32}/m
/** So many marks with hardly a word between them: the parser pairs each with each. */
const maxMarks = 500
const widestGap = 4

/** One pass, where a regular expression would try every way to share the marks out. */
function hasDenseMarks(source: string): boolean {
  let marks = 0
  let gap = 0
  for (let at = 0; at < source.length; at++) {
    if ('*_~[]!`'.includes(source.charAt(at))) {
      gap = 0
      if (++marks > maxMarks) return true
    } else if (++gap > widestGap) marks = 0
  }
  return false
}

const isCostly = (source: string): boolean => deepNesting.test(source) || hasDenseMarks(source)

/** Blocks that cost far more than their size, or exhaust the stack, are hostile or broken: they stay text. */
function parse(source: string, shown: string): RootContent[] {
  if (isCostly(source)) return asText(shown)
  try {
    const root: Root = fromMarkdown(source, options)
    return root.children
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return asText(shown)
  }
}

function asText(shown: string): RootContent[] {
  return [{ type: 'paragraph', children: [{ type: 'text', value: shown }] }]
}

function keep(source: string, nodes: RootContent[]): void {
  keptChars += source.length
  kept.set(source, nodes)
  for (const oldest of kept.keys()) {
    if (keptChars <= cacheMaxChars) return
    kept.delete(oldest)
    keptChars -= oldest.length
  }
}

function takeOffJoiner(nodes: RootContent[]): void {
  let node: RootContent | undefined = nodes[0]
  while (node && 'children' in node) node = node.children[0]
  if (node?.type === 'text' && node.value.startsWith(wordJoiner)) node.value = node.value.slice(1)
}
