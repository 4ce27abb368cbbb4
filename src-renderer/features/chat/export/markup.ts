import katex from 'katex'
import type { Definition, List, RootContent } from 'mdast'
import { safeAddress } from '../../../shared/markdown/address.ts'
import { type Block, BlockSplitter } from '../../../shared/markdown/blocks.ts'
import { parseBlock } from '../../../shared/markdown/parse.ts'
import { joinTables } from '../../../shared/markdown/tables.ts'

/** Deeper nesting is written as text: a reply with ten thousand `>` must not exhaust the stack. */
const deepest = 24
/** Longer formulas are written as TeX: KaTeX works on this thread, and can't be interrupted. */
const maxTexChars = 2_000

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    // Not allowed in XML, which the PNG needs, even as a reference.
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')

/** Blocks of a Markdown text. Each is small enough to be written at once. */
export const blocksOf = (text: string): Block[] => new BlockSplitter().update(text).flat()

/** The nodes of a block. */
export const nodesOf = (block: Block): readonly RootContent[] =>
  block.kind === 'flow'
    ? joinTables([parseBlock(block)])
    : [{ type: 'code', lang: block.language, value: block.pieces.join('') }]

interface Place {
  depth: number
  definitions: ReadonlyMap<string, Definition>
}

/** XHTML of one block. Text of a message is escaped everywhere; nothing of it becomes a tag, an attribute name or a style. */
export function markupOf(block: Block): string {
  const nodes = nodesOf(block)
  return all(nodes, { depth: 0, definitions: definitionsIn(nodes) })
}

export function definitionsIn(nodes: readonly RootContent[]): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>()
  for (const node of nodes)
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node)
  return found
}

const all = (nodes: readonly RootContent[], { depth, definitions }: Place): string =>
  nodes.map((node) => markup(node, { depth: depth + 1, definitions })).join('')

function markup(node: RootContent, place: Place): string {
  if (place.depth > deepest) return escaped(textOf(node))
  const inside = (tag: string, attributes = ''): string =>
    `<${tag}${attributes}>${'children' in node ? all(node.children, place) : ''}</${tag}>`
  switch (node.type) {
    case 'paragraph':
      return inside('p', ' dir="auto"')
    case 'heading':
      return inside(`h${Math.min(6, node.depth + 2)}`, ' dir="auto"')
    case 'strong':
      return inside('strong')
    case 'emphasis':
      return inside('em')
    case 'delete':
      return inside('del')
    case 'blockquote':
      return inside('blockquote', ' dir="auto"')
    case 'inlineCode':
      return `<code>${escaped(node.value)}</code>`
    case 'break':
      return '<br/>'
    case 'thematicBreak':
      return '<hr/>'
    case 'code':
      return codeMarkup(node.value, node.lang ?? '')
    case 'formula':
      return formula(node.value, node.display)
    case 'list':
      return list(node, place)
    case 'table':
      return table(node, place)
    case 'link':
      return link(node.url, all(node.children, place))
    case 'linkReference':
      return link(place.definitions.get(node.identifier)?.url ?? '', all(node.children, place))
    case 'image':
      return picturePlace(node.alt ?? '', node.url)
    case 'imageReference':
      return picturePlace(node.alt ?? '', place.definitions.get(node.identifier)?.url ?? '')
    case 'footnoteReference':
      return `<sup>${escaped(node.label ?? node.identifier)}</sup>`
    case 'footnoteDefinition':
      return `<aside><sup>${escaped(node.label ?? node.identifier)}</sup> ${all(node.children, place)}</aside>`
    case 'definition':
    case 'yaml':
      return ''
    default:
      return escaped(textOf(node))
  }
}

export const codeMarkup = (code: string, language: string): string =>
  `<pre${language === '' ? '' : ` data-language="${escaped(language.slice(0, 40))}"`}><code>${escaped(code)}</code></pre>`

function list({ ordered, start, children, spread }: List, place: Place): string {
  const tag = ordered ? 'ol' : 'ul'
  const items = children.map((item) => {
    const mark = typeof item.checked === 'boolean' ? `${item.checked ? '☑' : '☐'} ` : ''
    const isTight = spread !== true && item.spread !== true
    const content = item.children.map((node) =>
      isTight && node.type === 'paragraph'
        ? all(node.children, place)
        : markup(node, { ...place, depth: place.depth + 1 }),
    )
    return `<li dir="auto"${mark === '' ? '' : ' class="task"'}>${mark}${content.join('')}</li>`
  })
  const first = ordered && Number.isSafeInteger(start) && start !== 1 ? ` start="${start}"` : ''
  return `<${tag}${first}>${items.join('')}</${tag}>`
}

function table(node: Extract<RootContent, { type: 'table' }>, place: Place): string {
  const rows = node.children.map((row, at) => {
    const cells = row.children.map((cell, column) => {
      const align = node.align?.[column]
      return `<${at === 0 ? 'th' : 'td'}${align ? ` class="${align}"` : ''} dir="auto">${all(cell.children, place)}</${at === 0 ? 'th' : 'td'}>`
    })
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table><thead>${rows[0] ?? ''}</thead><tbody>${rows.slice(1).join('')}</tbody></table>`
}

function link(url: string, content: string): string {
  const address = safeAddress(url)
  return address === null ? content : `<a href="${escaped(address)}" rel="noopener noreferrer">${content}</a>`
}

/** Images of other computers are never loaded, neither now nor when the file is opened. */
const picturePlace = (alt: string, url: string): string =>
  `<span class="picture">${escaped(alt === '' ? url : alt)}${alt === '' || url === '' ? '' : ` (${escaped(url.slice(0, 300))})`}</span>`

function formula(tex: string, display: boolean): string {
  if (tex.length > maxTexChars) return `<code>${escaped(tex)}</code>`
  try {
    const math = katex.renderToString(tex, {
      ...{ displayMode: display, output: 'mathml', trust: false, strict: 'ignore', throwOnError: true },
      ...{ maxSize: 20, maxExpand: 1_000, macros: {} },
    })
    return display ? `<div class="formula">${math}</div>` : math
  } catch {
    return `<code>${escaped(tex)}</code>`
  }
}

/** All text of a node, without recursion. */
export function textOf(node: RootContent): string {
  let text = ''
  const rest: RootContent[] = [node]
  for (let next = rest.pop(); next; next = rest.pop()) {
    if ('value' in next) text += next.value
    if ('children' in next) rest.push(...[...next.children].reverse())
  }
  return text
}
