import type { Definition, RootContent } from 'mdast'
import type { Block, FlowBlock } from './blocks.ts'
import { parseBlock } from './parse.ts'
import { isTableAlone, visibleNodes } from './tables.ts'

/** The nodes of a block, and how it belongs to its neighbours: a long table or paragraph consists of several blocks. */
export interface JoinedBlocks {
  block: Block
  /** Without definitions. Empty for plain text and code. A table that continues another one has no header. */
  nodes: readonly RootContent[]
  definitions: ReadonlyMap<string, Definition>
  /** Text between the last node of the part before and the first node, which continues it. Null: it continues nothing. */
  joint: string | null
  /** Whether the next part continues the last node. */
  goesOn: boolean
}

/** The parts of all blocks of a text, for outputs that write a long table or paragraph as one. */
export function* partsOf(blocks: readonly Block[]): Generator<JoinedBlocks> {
  let joint: string | null = null
  for (const [at, block] of blocks.entries()) {
    const next = jointBefore(blocks, at + 1)
    if (block.kind !== 'flow') yield { block, nodes: [], definitions: new Map(), joint, goesOn: false }
    else {
      const nodes = visibleNodes(parseBlock(block))
      const shown = joint === null ? nodes : nodes.map(withoutHeader)
      yield { block, nodes: shown, definitions: definitionsIn(parseBlock(block)), joint, goesOn: next !== null }
    }
    joint = next
  }
}

export function definitionsIn(nodes: readonly RootContent[]): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>()
  for (const node of nodes)
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node)
  return found
}

/** Whether a block continues the table before it. Such a block contains only a table. */
export function carriesOn(blocks: readonly Block[], at: number): boolean {
  const [before, block] = [blocks[at - 1], blocks[at]]
  return block?.kind === 'flow' && block.carries && before?.kind === 'flow' && isTableAlone(parseBlock(before))
}

function jointBefore(blocks: readonly Block[], at: number): string | null {
  const [before, block] = [blocks[at - 1], blocks[at]]
  if (before?.kind !== 'flow' || block?.kind !== 'flow') return null
  if (carriesOn(blocks, at)) return firstType(block) === 'table' ? '\n' : null
  if (!block.continues || firstType(block) !== 'paragraph') return null
  if (visibleNodes(parseBlock(before)).at(-1)?.type !== 'paragraph') return null
  // The parser drops white space at the ends of a paragraph.
  const space = /\s+$/.exec(before.source)?.[0] ?? ''
  return space === '' ? '' : space.includes('\n') ? '\n' : ' '
}

const firstType = (block: FlowBlock): string | undefined => visibleNodes(parseBlock(block))[0]?.type

const withoutHeader = (node: RootContent, at: number): RootContent =>
  at === 0 && node.type === 'table' ? { ...node, children: node.children.slice(1) } : node
