import katex from 'katex'
// `\ce{…}` and `\pu{…}`.
import 'katex/contrib/mhchem'
import type { Definition, List, RootContent } from 'mdast'
import { safeAddress } from '../../../shared/markdown/address.ts'
import type { Block } from '../../../shared/markdown/blocks.ts'
import { type JoinedBlocks, partsOf } from '../../../shared/markdown/joinedBlocks.ts'
import { textOf } from '../../../shared/markdown/nodeText.ts'

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

/** Characters that are processed between two pauses. */
const stepChars = 32_000

/** Parts of a text that together are the text. No part ends between the halves of a character. */
export function* stepsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isBetweenHalves = /[\ud800-\udbff]/.test(text[at + stepChars - 1] ?? '')
    const end = at + stepChars - (isBetweenHalves ? 1 : 0)
    yield text.slice(at, end)
    at = end
  }
}

interface Place {
  depth: number
  definitions: ReadonlyMap<string, Definition>
  /** XHTML of the formulas of the block. */
  formulas: ReadonlyMap<RootContent, string>
}

/**
 * XHTML of blocks, in pieces that are quick to write. Text of a message is escaped everywhere; nothing of it becomes a tag, an attribute
 * name or a style.
 */
export function* markupOf(blocks: readonly Block[]): Generator<string> {
  for (const part of partsOf(blocks)) {
    if (part.block.kind === 'flow') yield* partMarkup(part)
    else yield* codeMarkup(part.block.pieces, part.block.language)
  }
}

function* partMarkup({ nodes, definitions, joint, goesOn }: JoinedBlocks): Generator<string> {
  const formulas = new Map<RootContent, string>()
  // KaTeX takes most of the time of a block with many formulas.
  for (const node of formulasIn(nodes)) {
    formulas.set(node, formula(node.tex, node.display))
    yield ''
  }
  const place = { depth: 1, definitions, formulas }
  yield nodes
    .map((node, at) => topMarkup(node, place, at === 0 ? joint : null, goesOn && at === nodes.length - 1))
    .join('')
}

/** @param joint when the node continues the one before; @param goesOn whether the next block continues the node */
function topMarkup(node: RootContent, place: Place, joint: string | null, goesOn: boolean): string {
  if (node.type === 'table') return table(node, place, joint !== null, goesOn)
  if (node.type !== 'paragraph') return markup(node, place)
  return `${joint ?? '<p dir="auto">'}${all(node.children, place)}${goesOn ? '' : '</p>'}`
}

/** All formulas that `markup` reaches. */
function formulasIn(nodes: readonly RootContent[]): Extract<RootContent, { type: 'formula' }>[] {
  const found: Extract<RootContent, { type: 'formula' }>[] = []
  const rest = nodes.map((node) => ({ node, depth: 1 }))
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { node, depth } = next
    if (node.type === 'formula') found.push(node)
    // One by one: a paragraph may have more children than a call may have arguments.
    if (depth <= deepest && 'children' in node)
      for (const child of node.children) rest.push({ node: child, depth: depth + 1 })
  }
  return found
}

const all = (nodes: readonly RootContent[], place: Place): string =>
  nodes.map((node) => markup(node, { ...place, depth: place.depth + 1 })).join('')

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
      return [...codeMarkup([node.value], node.lang ?? '')].join('')
    case 'formula':
      return place.formulas.get(node) ?? `<code>${escaped(node.value)}</code>`
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
    case 'plain':
      return `<p class="plain" dir="auto">${escaped(node.value)}</p>`
    case 'definition':
    case 'yaml':
      return ''
    default:
      return escaped(textOf(node))
  }
}

/** A block of code. `pieces` together are its text. */
export function* codeMarkup(pieces: Iterable<string>, language: string): Generator<string> {
  yield `<pre${language === '' ? '' : ` data-language="${escaped(language.slice(0, 40))}"`}><code>`
  for (const piece of pieces) yield escaped(piece)
  yield '</code></pre>'
}

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

type Table = Extract<RootContent, { type: 'table' }>

/** @param continues whether the rows belong to the table before; @param goesOn whether rows of the next block follow */
function table(node: Table, place: Place, continues = false, goesOn = false): string {
  const rows = node.children.map((row, at) => {
    const tag = at === 0 && !continues ? 'th' : 'td'
    const cells = row.children.map((cell, column) => {
      const align = node.align?.[column]
      return `<${tag}${align ? ` class="${align}"` : ''} dir="auto">${all(cell.children, place)}</${tag}>`
    })
    return `<tr>${cells.join('')}</tr>`
  })
  const head = continues ? '' : `<table><thead>${rows.shift() ?? ''}</thead><tbody>`
  return `${head}${rows.join('')}${goesOn ? '' : '</tbody></table>'}`
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
      displayMode: display,
      output: 'mathml',
      trust: false,
      strict: 'ignore',
      throwOnError: true,
      maxSize: 20,
      maxExpand: 1_000,
      macros: {},
    })
    return display ? `<div class="formula">${math}</div>` : math
  } catch {
    return `<code>${escaped(tex)}</code>`
  }
}
