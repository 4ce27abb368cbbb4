import type { Nodes, Parents } from 'mdast'
import { i18n } from '../../../i18n/index.ts'
import { blocksInSteps } from '../../../shared/markdown/blocks.ts'
import { type JoinedBlocks, partsOf } from '../../../shared/markdown/joinedBlocks.ts'

/**
 * Converts Markdown to text for reading aloud, as the page reads it. Drops markup, and replaces links and images with their text. Tables
 * are read cell by cell, formulas stay as written, and code blocks are announced but not read. Tags of HTML are dropped.
 */
export const speakable = (markdown: string): string => [...speakableInSteps(markdown)].join('').trim()

/** The same in quick steps, whose texts together are the text. */
export function* speakableInSteps(markdown: string): Generator<string> {
  let isFirst = true
  for (const part of partsOf(yield* blocksInSteps(markdown))) {
    const text = ofPart(part)
    if (text === '') continue
    const between = isFirst ? '' : (part.joint ?? '\n\n')
    isFirst = false
    yield between + text
  }
}

function ofPart({ block, nodes }: JoinedBlocks): string {
  if (block.kind !== 'flow') return block.kind === 'code' ? codeBlock(block.language) : block.pieces.join('').trim()
  return texts(nodes).join('\n\n')
}

/** The texts of the blocks of a node. */
const blocks = (node: Parents): string[] => texts(node.children)
const texts = (nodes: readonly Nodes[]): string[] => nodes.map((node) => block(node)).filter((text) => text !== '')

function codeBlock(info: string): string {
  const language = /^[\w+#-]{1,30}/.exec(info)?.[0]
  return language ? i18n.t('composer:spokenCodeIn', { language }) : i18n.t('composer:spokenCode')
}

function block(node: Nodes): string {
  switch (node.type) {
    case 'code':
      return codeBlock(node.lang ?? '')
    case 'table':
      return node.children
        .map(({ children }) =>
          children
            .map((cell) => inline(cell).trim())
            .filter(Boolean)
            .join(', '),
        )
        .filter(Boolean)
        .map(ended)
        .join('\n')
    case 'heading':
      return ended(inline(node).trim())
    case 'list':
      return node.children
        .map((item, index) => {
          const spoken = blocks(item).join('\n')
          return spoken !== '' && node.ordered ? `${(node.start ?? 1) + index}. ${spoken}` : spoken
        })
        .filter(Boolean)
        .join('\n')
    case 'blockquote':
    case 'footnoteDefinition':
      return blocks(node).join('\n\n')
    case 'definition':
    case 'thematicBreak':
      return ''
    default:
      return inline(node).trim()
  }
}

const tags = /<\/?[a-z][^<>]*>/gi

function inline(node: Nodes): string {
  switch (node.type) {
    case 'text':
      return node.value.replace(tags, '')
    case 'inlineCode':
    case 'formula':
    case 'plain':
      return node.value
    case 'break':
      return '\n'
    case 'image':
    case 'imageReference':
      return node.alt ?? ''
    case 'footnoteReference':
      return ''
    default:
      return 'children' in node ? node.children.map((child) => inline(child)).join('') : ''
  }
}

/** Adds a full stop to text without final punctuation, so that the voice pauses. */
export const ended = (text: string): string => (text === '' || /[\p{P}]$/u.test(text) ? text : `${text}.`)
