import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import {
  cannotEdit,
  cannotParse,
  type Format,
  indentUnit,
  isBlank,
  lineEnd,
  lineStart,
  type Plain,
  type Splice,
  type ValuePlace,
  withLine,
} from './format.ts'

/**
 * JSON with comments and trailing commas. Edits are our own splices: those of jsonc-parser format whole lines again, which rewrites a
 * file of one line, and move a comment behind the last property to the added one.
 */
export const json: Format = {
  // jsonc-parser's maps have no prototype.
  parse: (text) => (isBlankText(text) ? {} : structuredClone(getNodeValue(rootOf(text)))),
  source: (text, at) => sourceOf(text, nodeAt(text, at)),
  replace(text, at, source) {
    const { offset, length } = nodeAt(text, at)
    return [{ start: offset, end: offset + length, text: source }]
  },
  add(text, at, existing, value) {
    const wrapped = at
      .slice(existing + 1)
      .reduceRight<Plain>((inner, step) => (typeof step === 'string' ? { [step]: inner } : [inner]), value)
    if (isBlankText(text))
      return [{ start: 0, end: text.length, text: `${JSON.stringify({ [String(at[0])]: wrapped }, null, 2)}\n` }]
    return insert(text, nodeAt(text, at.slice(0, existing)), at[existing], wrapped)
  },
  remove(text, at) {
    const node = nodeAt(text, at)
    return removeChild(text, typeof at.at(-1) === 'string' ? parentOf(node) : node)
  },
  write: (value) => JSON.stringify(value),
}

const isBlankText = (text: string): boolean => text.trim() === ''

function rootOf(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length
    throw cannotParse('JSON', `${inWords(first.error)} in line ${line}`)
  }
  if (!root) throw cannotParse('JSON', 'it has no value')
  return root
}

/** What the parser expects, by the name of its error. */
const expected: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name',
  ValueExpected: 'a value',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma',
  CloseBraceExpected: 'a closing brace',
  CloseBracketExpected: 'a closing bracket',
  EndOfFileExpected: 'the end of the file',
}

/** An error of the parser in words. All other names begin with "Invalid" or "Unexpected". */
function inWords(error: ParseError['error']): string {
  const name = printParseErrorCode(error)
  const what = expected[name]
  if (what !== undefined) return `${what} is expected`
  return `there is an ${name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
}

const sourceOf = (text: string, { offset, length }: Node): string => text.slice(offset, offset + length)

function nodeAt(text: string, at: ValuePlace): Node {
  const node = findNodeAtLocation(rootOf(text), [...at])
  if (!node) throw cannotEdit()
  return node
}

function parentOf(node: Node): Node {
  if (!node.parent) throw cannotEdit()
  return node.parent
}

/** @param key name of a property, or an index */
function insert(text: string, container: Node, key: string | number | undefined, value: Plain): Splice[] {
  if (container.type !== 'object' && container.type !== 'array') throw cannotEdit()
  const children = container.children ?? []
  const [first] = children
  const last = children.at(-1)
  const open = container.offset
  const close = container.offset + container.length - 1
  const name = typeof key === 'string' ? `${JSON.stringify(key)}: ` : ''
  const outer = /^[ \t]*/.exec(text.slice(lineStart(text, open)))?.[0] ?? ''
  const unit = indentUnit(text)
  const item = (indent: string): string =>
    `\n${indent}${name}${JSON.stringify(value, null, unit).replaceAll('\n', `\n${indent}`)}`
  if (!first || !last) {
    const hasComments = text.slice(open + 1, close).trim() !== ''
    // An empty map in a file of one line stays in that line.
    if (container.parent && !hasComments && !text.trim().includes('\n')) {
      return [{ start: open + 1, end: close, text: name + JSON.stringify(value) }]
    }
    // Comments stay, behind the new value.
    return [{ start: open + 1, end: hasComments ? open + 1 : close, text: `${item(outer + unit)}\n${outer}` }]
  }
  const end = last.offset + last.length
  if (!text.slice(open, close).includes('\n')) {
    return [{ start: end, end, text: `, ${name}${JSON.stringify(value)}` }]
  }
  const before = text.slice(lineStart(text, first.offset), first.offset)
  return appendLine(text, { end, close }, item(isBlank(before) ? before : outer + unit))
}

/** Adds lines after the last child, which ends at `end`, and after a comment behind it. Keeps the style of trailing commas. */
function appendLine(text: string, { end, close }: { end: number; close: number }, added: string): Splice[] {
  const comma = commaAfter(text, end, close)
  if (comma !== null) {
    const after = trailingComment(text, comma + 1, close)
    return [{ start: after, end: after, text: `${added},` }]
  }
  const after = trailingComment(text, end, close)
  if (after === end) return [{ start: end, end, text: `,${added}` }]
  return [
    { start: end, end, text: ',' },
    { start: after, end: after, text: added },
  ]
}

function removeChild(text: string, child: Node): Splice[] {
  const container = parentOf(child)
  const siblings = container.children ?? []
  const start = child.offset
  const end = start + child.length
  const next = commaAfter(text, end, container.offset + container.length - 1)
  if (next !== null) return [{ ...withLine(text, start, next + 1), text: '' }]
  const previous = siblings[siblings.indexOf(child) - 1]
  const own = { ...withLine(text, start, end), text: '' }
  if (!previous) return [own]
  const comma = commaAfter(text, previous.offset + previous.length, start)
  if (comma === null) throw cannotEdit()
  // The comma may be within the removed range, as the first character of a line.
  if (comma >= own.start) return [{ ...own, start: comma }]
  return [{ start: comma, end: comma + 1, text: '' }, own]
}

/** The comma after a value, before `limit`; null when there is none. Skips comments. */
function commaAfter(text: string, from: number, limit: number): number | null {
  let at = from
  while (at < limit) {
    if (text.startsWith('//', at)) at = lineEnd(text, at)
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 2
    else if (text[at] === ',') return at
    else if (/\s/.test(text[at] ?? '')) at += 1
    else return null
  }
  return null
}

/** End of the comments that follow on the same line, else `from`. */
function trailingComment(text: string, from: number, limit: number): number {
  const rest = text.slice(from, Math.min(limit, lineEnd(text, from)))
  const found = /^[ \t]*(?:\/\/.*|(?:\/\*(?:(?!\*\/).)*\*\/[ \t]*)+)$/.exec(rest)
  return found ? from + rest.trimEnd().length : from
}
