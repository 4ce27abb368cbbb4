import type { Definition, ListItem, PhrasingContent, RootContent } from 'mdast'
import { blocksInSteps } from '../../shared/markdown/blocks.ts'
import { type JoinedBlocks, partsOf } from '../../shared/markdown/joinedBlocks.ts'

interface Place {
  /** Whether link addresses appear beside their text or not at all. */
  addresses: 'beside' | 'hidden'
  definitions: ReadonlyMap<string, Definition>
}

/**
 * Converts Markdown to plain text, line by line, in quick steps whose texts together are the text. The address of a link follows its text in
 * brackets.
 */
export function* asTextInSteps(markdown: string): Generator<string> {
  let isFirst = true
  for (const { text, joint } of partTexts(markdown, 'beside')) {
    yield text === '' || isFirst ? text : `${joint ?? '\n\n'}${text}`
    if (text !== '') isFirst = false
  }
}

/** The text as visible on the screen, one line per block, so that no match spans two blocks. */
export const visibleText = (markdown: string): string =>
  [...partTexts(markdown, 'hidden')]
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n')

interface PartText {
  text: string
  joint: string | null
}

/** The texts of all nodes, and empty ones between the steps of the work. */
function* partTexts(markdown: string, addresses: Place['addresses']): Generator<PartText> {
  const splitting = blocksInSteps(markdown)
  let step = splitting.next()
  for (; !step.done; step = splitting.next()) yield { text: '', joint: null }
  for (const part of partsOf(step.value)) yield* textsOf(part, addresses)
}

function textsOf({ block, nodes, definitions, joint }: JoinedBlocks, addresses: Place['addresses']): PartText[] {
  if (block.kind !== 'flow') return [{ text: block.pieces.join('').trimEnd(), joint: null }]
  const place = { addresses, definitions }
  return nodes.map((node, at) => ({ text: flow(node, place), joint: at === 0 ? joint : null }))
}

function flow(node: RootContent, place: Place): string {
  const inside = (nodes: readonly RootContent[], between: string): string =>
    nodes
      .map((one) => flow(one, place))
      .filter((text) => text !== '')
      .join(between)
  switch (node.type) {
    case 'paragraph':
    case 'heading':
      return phrase(node.children, place)
    case 'blockquote':
    case 'footnoteDefinition':
      return inside(node.children, '\n')
    case 'list':
      return node.children
        .map((item, at) => listItem(item, node.ordered ? `${(node.start ?? 1) + at}. ` : '- ', place))
        .join('\n')
    case 'table':
      return node.children.map((row) => row.children.map((cell) => phrase(cell.children, place)).join('\t')).join('\n')
    default:
      return 'value' in node ? String(node.value) : ''
  }
}

function listItem(item: ListItem, mark: string, place: Place): string {
  const sign = place.addresses === 'hidden' ? '' : mark
  const done = typeof item.checked === 'boolean' && place.addresses === 'beside' ? (item.checked ? '[x] ' : '[ ] ') : ''
  const text = item.children.map((one) => flow(one, place)).join('\n')
  return `${sign}${done}${text.replaceAll('\n', `\n${' '.repeat(sign.length)}`)}`
}

function phrase(nodes: readonly PhrasingContent[], place: Place): string {
  return nodes.map((node) => word(node, place)).join('')
}

function word(node: PhrasingContent, place: Place): string {
  switch (node.type) {
    case 'break':
      return '\n'
    case 'image':
    case 'imageReference':
      return node.alt ?? ''
    case 'link':
      return link(node.url, node.children, place)
    case 'linkReference':
      return link(place.definitions.get(node.identifier)?.url ?? '', node.children, place)
    case 'footnoteReference':
      return place.addresses === 'hidden' ? '' : `[${node.label ?? node.identifier}]`
    default:
      if ('children' in node) return phrase(node.children, place)
      return 'value' in node ? String(node.value) : ''
  }
}

function link(url: string, children: readonly PhrasingContent[], place: Place): string {
  const text = phrase(children, place)
  return place.addresses === 'hidden' || url === '' || text === url ? text : `${text} (${url})`
}
