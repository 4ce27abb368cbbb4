import type { Heading, Paragraph, PhrasingContent, RootContent, TableCell, Text } from 'mdast'
import { isDelimiterRow } from './lines.ts'
import { isFormula, textOfOpen } from './math/scan.ts'

/**
 * Completes what a growing block has opened (`**bo` appears bold), and removes its end while that may become something else: a formula, a
 * table, an image or a link that has no end yet, or half a mark. So no mark is drawn that disappears again. Works on parsed nodes: marks
 * in code, formulas and addresses are no text any more.
 * @param source the text of the block
 * @param isCut whether the text ends before the block was complete. Then all of it is drawn, a formula without its opening sign.
 */
export function complete(nodes: RootContent[], source: string, isCut: boolean): void {
  const last = nodes.at(-1)
  if (last?.type === 'formula') {
    if (isCut && last.open) nodes.splice(-1, 1, { type: 'paragraph', children: [withoutSign(last)] })
  } else if (last?.type === 'paragraph' || last?.type === 'heading' || last?.type === 'tableCell') {
    if (last.type === 'tableCell' && isRowEnd.test(source)) return
    completeText(last, source, isCut)
    if (last.type === 'paragraph' && last.children.length === 0) nodes.pop()
  } else if (last && 'children' in last) {
    // The header of a table is complete when its delimiter row arrives.
    if (last.type !== 'table' || last.children.length > 1) complete(last.children as RootContent[], source, isCut)
  }
}

const isRowEnd = /(?:[^\\]\||\n)[ \t]*$/

function completeText(container: Paragraph | Heading | TableCell, source: string, isCut: boolean): void {
  const children = container.children
  const isUnderlined = container.type === 'heading' && source[offsetOf(container)] !== '#'
  // A line with one or two `-` under a paragraph is more often the start of a list than an underline. Below a `|`, any line may become one
  // of a table.
  if (
    isUnderlined &&
    (/\n[ \t>]*(?:--?|==?)\s*$/.test(source) || (textWith(children).includes('|') && !source.endsWith('\n')))
  )
    Object.assign(container, { type: 'paragraph' })
  if (!isCut && container.type === 'paragraph') remove(children, startOfTable(textWith(children), source, isUnderlined))
  // Again for the link around an image.
  while (completeLink(children, isCut));
  const last = children.at(-1)
  if (isCut && last?.type === 'formula') children.splice(-1, 1, withoutSign(last))
  else if (!isCut) remove(children, textWith(children).search(halfMark))
  children.splice(0, children.length, ...completed(children, source))
}

const offsetOf = (node: RootContent): number => node.position?.start.offset ?? 0

/** Stands for a node that is no text. */
const object = '\ufffc'

/** The text of inline nodes, with one character for each node that is none. */
const textWith = (children: readonly PhrasingContent[]): string =>
  children.map((node) => (node.type === 'text' ? node.value : node.type === 'break' ? '\n' : object)).join('')

/** Removes a part of the text of inline nodes, by its offsets in `textWith`. Removes nothing before a negative offset. */
function remove(children: PhrasingContent[], from: number, to = Number.POSITIVE_INFINITY): void {
  if (from < 0) return
  const kept: PhrasingContent[] = []
  let at = 0
  for (const node of children) {
    const value = node.type === 'text' ? node.value : object
    const end = at + value.length
    if (end <= from || at >= to) kept.push(node)
    else if (node.type === 'text') kept.push(...slice(node, 0, from - at), ...slice(node, to - at))
    at = end
  }
  children.splice(0, children.length, ...kept)
}

/** A part of a text node. That of a text with escaped characters has no position, so that `completed` finds no marks in it. */
function slice(node: Text, from: number, to?: number): Text[] {
  const value = node.value.slice(from, to === undefined ? undefined : Math.max(0, to))
  const isSource = (node.position?.end.offset ?? 0) - offsetOf(node) === node.value.length
  if (value === '' || isSource) return textNode(value, offsetOf(node) + from)
  return [{ type: 'text', value }]
}

/** The end of a text that may be a part of a mark: `**`, `!`, `\`, `<br`, `&am`, or the number of an item of a list. */
const halfMark = /(?:[\\!<]|<br?|<br\s?\/|&#?\w{0,8}|[*_~`]+|(?<![^\n])\d{1,9})$/i

/** The longest first line of a table that is recognized, characters: with a pipe at its start, or only between words. */
const [longestHeader, longestOpenHeader] = [1_000, 200]

/** Where the text of a paragraph begins to be the header of a table whose delimiter row has not arrived. -1: nowhere. */
function startOfTable(text: string, source: string, isUnderlined: boolean): number {
  const begin = text.lastIndexOf('\n') + 1
  const line = text.slice(begin)
  const isDelimiter = begin > 0 && line !== '' && /^[\s|:-]*$/.test(line)
  if (!isDelimiter || isUnderlined || (isDelimiterRow(line) && source.endsWith('\n'))) return headerIn(line, begin)
  const before = text.lastIndexOf('\n', begin - 2) + 1
  const header = headerIn(text.slice(before, begin - 1), before)
  return header < 0 ? headerIn(line, begin) : header
}

function headerIn(line: string, begin: number): number {
  // Without the line break before it.
  if (/^\s*\|/.test(line)) return line.length <= longestHeader ? Math.max(0, begin - 1) : -1
  return line.length <= longestOpenHeader ? offsetIn(line.search(/\s\|(?:\s|$)/), begin) : -1
}

const offsetIn = (at: number, begin: number): number => (at < 0 ? -1 : begin + at)

/** The longest label whose bracket is not drawn while it is open, characters: in text, a bracket may have another meaning. */
const [longestAlt, longestLabel] = [1_000, 80]

/** Shows only the text of `[text](https://a.exa`, and nothing of a label or of an image that is not complete. Whether there was one. */
function completeLink(children: PhrasingContent[], isCut: boolean): boolean {
  const text = textWith(children)
  const link = openLink(text)
  if (!link) {
    // `<https://a.exa`: the parser has found the address.
    if (text.endsWith(`<${object}`) && children.at(-1)?.type === 'link')
      remove(children, text.length - 2, text.length - 1)
    return false
  }
  const { from, label, end } = link
  const isHidden = end === null || label - from > 1
  if (end === null && isCut) return false
  if (isHidden && !isCut) remove(children, from)
  else if (end !== null) {
    remove(children, end)
    remove(children, from, label)
  }
  return true
}

/** The link at the end of a text: offsets of its mark, of its label and of the label's end, which is null when no address follows. */
function openLink(text: string): { from: number; label: number; end: number | null } | null {
  const address = text.lastIndexOf('](')
  const isAddressed = address >= 0 && isOpenAddress(text.slice(address + 2))
  const end = isAddressed ? address : text.endsWith(']') ? text.length - 1 : text.length
  let depth = 1
  let at = end - 1
  for (; at >= 0 && end - at <= longestAlt; at--) {
    if (text.charAt(at) === ']') depth++
    else if (text.charAt(at) === '[' && --depth === 0) break
  }
  if (depth > 0) return null
  const isImage = text.charAt(at - 1) === '!'
  if (!isAddressed && !isImage && end - at > longestLabel) return null
  return { from: isImage ? at - 1 : at, label: at + 1, end: isAddressed ? end : null }
}

/** Whether `https://a.exa` or `https://a.example "tit`, the text after `](`, has no closing bracket. */
function isOpenAddress(text: string): boolean {
  const address = /^\S*/.exec(text)?.[0] ?? ''
  let depth = 0
  for (const char of address) {
    if (char === '(') depth++
    else if (char === ')' && --depth < 0) return false
  }
  return /^(?:\s+(?:"[^"]*"?|'[^']*'?|\([^)]*)?\s*)?$/.test(text.slice(address.length))
}

function withoutSign(formula: PhrasingContent): PhrasingContent {
  if (formula.type !== 'formula' || !formula.open) return formula
  return isFormula(formula.value) ? { ...formula, open: false } : { type: 'text', value: textOfOpen(formula.value) }
}

type Mark = '`' | '*' | '_' | '~'

/** The nodes with the first mark that is not closed wrapped around all that follow it. */
function completed(children: readonly PhrasingContent[], source: string): PhrasingContent[] {
  const half = halfClosed(children)
  if (half) return half
  for (const [at, node] of children.entries()) {
    // Escaped characters are no marks. Their node differs from its source.
    if (node.type !== 'text' || source.slice(offsetOf(node), node.position?.end.offset) !== node.value) continue
    for (const match of node.value.matchAll(/`+|\*+|_+|~+/g)) {
      const rest = node.value.slice(match.index + match[0].length)
      const following = children.slice(at + 1)
      if (!opens(node.value, match.index, match[0], rest === '' && following.length > 0)) continue
      const from = offsetOf(node) + match.index + match[0].length
      const inside = match[0].startsWith('`')
        ? codeSpan(source.slice(from))
        : wrapped(match[0], completed([...textNode(rest, from), ...following], source))
      if (inside === null) continue
      return [...children.slice(0, at), ...textNode(node.value.slice(0, match.index), offsetOf(node)), inside]
    }
  }
  return [...children]
}

const isSpace = (char: string): boolean => char === '' || /\s/.test(char)
const isWord = (char: string): boolean => /[\p{L}\p{N}]/u.test(char)

/** @param continues whether a node follows the mark, such as code in bold text */
function opens(text: string, at: number, mark: string, continues: boolean): boolean {
  const char = mark.charAt(0) as Mark
  if (!continues && isSpace(text.charAt(at + mark.length))) return false
  if (char === '`') return true
  if (char === '~') return mark.length === 2
  if (mark.length > 3) return false
  return mark === '**' || !isWord(text.charAt(at - 1))
}

function wrapped(mark: string, children: PhrasingContent[]): PhrasingContent {
  if (mark === '~~') return { type: 'delete', children }
  if (mark.length === 1) return { type: 'emphasis', children }
  if (mark.length === 2) return { type: 'strong', children }
  return { type: 'emphasis', children: [{ type: 'strong', children }] }
}

/** A code span that has begun on the last line. On an earlier line, the backtick has no partner. */
function codeSpan(text: string): PhrasingContent | null {
  return text.includes('\n') ? null : { type: 'inlineCode', value: text.replace(/`+$/, '') }
}

/** `**bold*`: the second half of the closing mark is missing. */
function halfClosed(children: readonly PhrasingContent[]): PhrasingContent[] | null {
  const [text, last] = children.slice(-2)
  if (text?.type !== 'text' || last?.type !== 'emphasis' || !/(?<![*_])[*_]$/.test(text.value)) return null
  return [...children.slice(0, -2), { ...text, value: text.value.slice(0, -1) }, { ...last, type: 'strong' }]
}

function textNode(value: string, offset: number): Text[] {
  if (value === '') return []
  const point = (at: number) => ({ line: 0, column: 0, offset: at })
  return [{ type: 'text', value, position: { start: point(offset), end: point(offset + value.length) } }]
}
