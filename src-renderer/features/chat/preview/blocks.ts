import type { RootContent } from 'mdast'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { type Block, BlockSplitter, ended } from '../../../shared/markdown/blocks.ts'
import { parseBlock } from '../../../shared/markdown/parse.ts'
import { isRunning } from '../../../stores/openChat.ts'
import type { PreviewKind } from '../../../stores/preview.ts'
import { kindOf, titleOf } from './kinds.ts'

/** A code block of a message that can be previewed. */
export interface PreviewBlock {
  kind: PreviewKind
  text: string
  title: string
  /** Whether the block may still grow. */
  open: boolean
}

/** Splitters of running replies, by message id, which read only what was added. */
const splitters = new Map<string, BlockSplitter>()
/** A reply that ends while no preview is open leaves its splitter behind. */
const maxSplitters = 8
const settled = new WeakMap<Message, readonly PreviewBlock[]>()

/** The previewable blocks of a message, in order. */
export function blocksOf(message: Message): readonly PreviewBlock[] {
  const known = settled.get(message)
  if (known) return known
  const growing = isRunning(message)
  const splitter = splitters.get(message.id) ?? new BlockSplitter()
  const found = splitter
    .update(growing ? message.text : ended(message.text), Number.POSITIVE_INFINITY, !growing)
    .flat()
    .flatMap((block) => fencesOf(block))
    .flatMap(({ language, text, open }) => {
      const kind = kindOf(language, text)
      if (kind === null) return []
      const bare = text.replace(/\n$/, '')
      return [{ kind, text: bare, title: titleOf(kind, bare), open: open && growing }]
    })
  splitters.delete(message.id)
  if (growing) splitters.set(message.id, splitter)
  for (const oldest of splitters.keys()) {
    if (splitters.size <= maxSplitters) break
    splitters.delete(oldest)
  }
  settled.set(message, found)
  return found
}

interface FoundFence {
  language: string
  text: string
  open: boolean
}

function fencesOf(block: Block): FoundFence[] {
  if (block.kind === 'code') return [{ language: block.language, text: block.pieces.join(''), open: block.open }]
  // A fence inside a list or a quote is a part of its block.
  if (block.kind !== 'flow' || !/```|~~~/.test(block.source)) return []
  const found: FoundFence[] = []
  const rest: RootContent[] = [...parseBlock(block)].reverse()
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.type === 'code') found.push({ language: node.lang ?? '', text: node.value, open: block.open })
    else if ('children' in node) for (const child of node.children.toReversed()) rest.push(child)
  }
  return found
}
