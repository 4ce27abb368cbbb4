import type { Literal, RootContent } from 'mdast'
import type { FlowBlock } from './blocks.ts'
import { complete } from './complete.ts'
import { readMarkdown } from './grammar/grammar.ts'

/** Text that is not read as Markdown, because reading it would take too long. */
export interface PlainNode extends Literal {
  type: 'plain'
  value: string
}
declare module 'mdast' {
  interface RootContentMap {
    plain: PlainNode
  }
}

/** Precedes a continued paragraph so that its text starts no block. Removed after parsing. */
const wordJoiner = '\u2060'

/** Nodes of blocks that still exist. Faster than the lookup by text. */
const ofBlock = new WeakMap<FlowBlock, RootContent[]>()
const cachedNodes = new Map<string, RootContent[]>()
const cacheMaxChars = 2_000_000
let cachedChars = 0

/** The nodes of one block. Those of finished blocks are cached, so that scrolling back parses nothing again. */
export function parseBlock(block: FlowBlock): RootContent[] {
  if (block.source === '') return []
  const before = block.open ? undefined : ofBlock.get(block)
  if (before) return before
  const nodes = parseAnew(block)
  if (!block.open) ofBlock.set(block, nodes)
  return nodes
}

function parseAnew(block: FlowBlock): RootContent[] {
  const key = `${block.isCut ? 'cut' : ''}\n${block.continues ? wordJoiner : ''}${block.source}\n\n${block.definitions}`
  const known = block.open ? undefined : cachedNodes.get(key)
  if (known) return known
  const text = (block.continues ? wordJoiner : '') + block.source
  const children = parse(block.definitions === '' ? text : `${text}\n\n${block.definitions}`, block)
  if (block.continues) takeOffJoiner(children)
  if (!block.open) cacheNodes(key, children)
  return children
}

/** The parser is quadratic in the number of quotes and lists that one line opens. */
const deepNesting = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){32}/m
/** Upper limit of marks with few words between them: the parser pairs each with each. */
const maxMarks = 500
const widestGap = 4

/** One pass. A regular expression would try all ways to distribute the marks. */
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
function parse(text: string, { source, definitions, open, isCut = false }: FlowBlock): RootContent[] {
  if (isCostly(text)) return [{ type: 'plain', value: source }]
  // Definitions follow the text. Those of notes are placeholders, because another block contains the note.
  const own = definitions === '' ? text : text.slice(0, -definitions.length - 2)
  const isOwn = (node: RootContent): boolean => (node.position?.start.offset ?? 0) < own.length
  try {
    const read = readMarkdown(text, open || isCut ? endOf(own) : undefined)
    const nodes = read.filter(isOwn)
    if (open || isCut) complete(nodes, own, isCut)
    return [...nodes, ...read.filter((node) => !isOwn(node) && node.type !== 'footnoteDefinition')]
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return [{ type: 'plain', value: source }]
  }
}

/** Offset of the end of a text, without a line that has nothing but marks of quotes. */
function endOf(text: string): number {
  const line = text.search(/\n[\s>]*$/)
  return text.slice(0, line < 0 ? undefined : line).trimEnd().length
}

function cacheNodes(source: string, nodes: RootContent[]): void {
  cachedChars += source.length
  cachedNodes.set(source, nodes)
  for (const oldest of cachedNodes.keys()) {
    if (cachedChars <= cacheMaxChars) return
    cachedNodes.delete(oldest)
    cachedChars -= oldest.length
  }
}

function takeOffJoiner(nodes: RootContent[]): void {
  let node: RootContent | undefined = nodes[0]
  while (node && 'children' in node) node = node.children[0]
  if (node?.type === 'text' && node.value.startsWith(wordJoiner)) node.value = node.value.slice(1)
}
