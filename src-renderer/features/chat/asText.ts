import type { ListItem, PhrasingContent, RootContent } from 'mdast'
import { type Block, blocksInSteps } from '../../shared/markdown/blocks.ts'
import { parseBlock } from '../../shared/markdown/parse.ts'

/** Whether link addresses appear beside their text or not at all. */
type Addresses = 'beside' | 'hidden'

/** Converts Markdown to plain text, line by line. The address of a link follows its text in brackets. */
export const asText = (markdown: string): string => [...asTextInSteps(markdown)].join('')

/** The same in quick steps, whose texts together are the text. */
export function* asTextInSteps(markdown: string): Generator<string> {
  let isFirst = true
  for (const text of blockTexts(markdown, 'beside')) {
    yield text === '' || isFirst ? text : `\n\n${text}`
    if (text !== '') isFirst = false
  }
}

/** The text as visible on the screen, one line per block, so that no match spans two blocks. */
export const visibleText = (markdown: string): string =>
  [...blockTexts(markdown, 'hidden')].filter((text) => text !== '').join('\n')

/** The texts of all nodes, and empty ones between the steps of the work. */
function* blockTexts(markdown: string, addresses: Addresses): Generator<string> {
  for (const block of yield* blocksInSteps(markdown)) yield* ofBlock(block, addresses)
}

function ofBlock(block: Block, addresses: Addresses): string[] {
  if (block.kind !== 'flow') return [block.pieces.join('').trimEnd()]
  return parseBlock(block).map((node) => flow(node, addresses))
}

function flow(node: RootContent, addresses: Addresses): string {
  const inside = (nodes: readonly RootContent[], between: string): string =>
    nodes
      .map((one) => flow(one, addresses))
      .filter((text) => text !== '')
      .join(between)
  switch (node.type) {
    case 'paragraph':
    case 'heading':
      return phrase(node.children, addresses)
    case 'blockquote':
    case 'footnoteDefinition':
      return inside(node.children, '\n')
    case 'list':
      return node.children
        .map((item, at) => listItem(item, node.ordered ? `${(node.start ?? 1) + at}. ` : '- ', addresses))
        .join('\n')
    case 'table':
      return node.children
        .map((row) => row.children.map((cell) => phrase(cell.children, addresses)).join('\t'))
        .join('\n')
    default:
      return 'value' in node ? String(node.value) : ''
  }
}

function listItem(item: ListItem, mark: string, addresses: Addresses): string {
  const sign = addresses === 'hidden' ? '' : mark
  const done = typeof item.checked === 'boolean' && addresses === 'beside' ? (item.checked ? '[x] ' : '[ ] ') : ''
  const text = item.children.map((one) => flow(one, addresses)).join('\n')
  return `${sign}${done}${text.replaceAll('\n', `\n${' '.repeat(sign.length)}`)}`
}

function phrase(nodes: readonly PhrasingContent[], addresses: Addresses): string {
  return nodes.map((node) => word(node, addresses)).join('')
}

function word(node: PhrasingContent, addresses: Addresses): string {
  switch (node.type) {
    case 'break':
      return '\n'
    case 'image':
      return node.alt ?? ''
    case 'link': {
      const text = phrase(node.children, addresses)
      return addresses === 'hidden' || text === node.url ? text : `${text} (${node.url})`
    }
    case 'footnoteReference':
      return addresses === 'hidden' ? '' : `[${node.label ?? node.identifier}]`
    default:
      if ('children' in node) return phrase(node.children, addresses)
      return 'value' in node ? String(node.value) : ''
  }
}
