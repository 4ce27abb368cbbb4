import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser'
import {
  cannotEdit,
  cannotParse,
  type Format,
  lineEnd,
  lineStart,
  nextLine,
  type Plain,
  type Splice,
  type ValuePlace,
  withLine,
} from './format.ts'

/** TOML 1.0. Only single values are edited: a table is added and removed with its first and last key. */
export const toml: Format = {
  parse: (text) => getStaticTOMLValue(parse(text)),
  source(text, at) {
    const { start, end } = valueRange(find(text, at))
    return text.slice(start, end)
  },
  replace: (text, at, source) => [{ ...valueRange(find(text, at)), text: source }],
  add(text, at, existing, value) {
    const table = parse(text).body[0]
    const container = at.slice(0, -1)
    const line = (keys: ValuePlace): string => `${keys.map(keyText).join('.')} = ${tomlValue(value)}`
    const inline = inlineTableAt(table, at, existing)
    if (inline) return addInline(inline.node, `${at.slice(inline.depth).map(keyText).join('.')} = ${tomlValue(value)}`)
    if (container.length === 0) return addToRoot(text, table, line(at))
    const header = table.body.find((node) => node.type === 'TOMLTable' && isSame(node.resolvedKey, container))
    if (header?.type === 'TOMLTable') {
      if (header.kind === 'array') throw cannotEdit()
      return addLine(text, header.body.at(-1) ?? header.key, line(at.slice(-1)))
    }
    const dotted = lastDotted(table, container)
    if (dotted) return addLine(text, dotted.node, line(at.slice(dotted.depth)))
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
    const added = `${gap}[${container.map(keyText).join('.')}]\n${line(at.slice(-1))}\n`
    return [{ start: text.length, end: text.length, text: added }]
  },
  remove(text, at) {
    const node = find(text, at)
    if (node.type === 'TOMLTable') return [{ ...headerWithGap(text, node), text: '' }]
    const [start, end] = node.range
    const { parent } = node
    if (parent.type !== 'TOMLInlineTable') return [{ ...withLine(text, start, end), text: '' }]
    const index = parent.body.indexOf(node)
    const next = parent.body[index + 1]
    if (next) return [{ start, end: next.range[0], text: '' }]
    const previous = parent.body[index - 1]
    return [{ start: previous?.range[1] ?? start, end, text: '' }]
  },
  write: (value) => tomlValue(value),
}

type Table = AST.TOMLTopLevelTable

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' })
  } catch (thrown) {
    if (thrown instanceof RangeError) throw cannotEdit()
    const { message, lineNumber } = thrown as { message: string; lineNumber?: number }
    throw cannotParse(
      'TOML',
      `${message.replace(/\.$/, '')}${lineNumber === undefined ? '' : ` in line ${lineNumber}`}`,
    )
  }
}

const keysOf = ({ keys }: AST.TOMLKey): string[] => keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))

const isSame = (a: ValuePlace, b: ValuePlace): boolean => a.length === b.length && startsWith(a, b)
const startsWith = (long: ValuePlace, short: ValuePlace): boolean => short.every((step, index) => long[index] === step)

/** All key-values outside of inline tables, with the path of their table. */
function* keyValues(table: Table): Generator<{ node: AST.TOMLKeyValue; under: ValuePlace }> {
  for (const node of table.body) {
    if (node.type === 'TOMLKeyValue') yield { node, under: [] }
    else for (const inner of node.body) yield { node: inner, under: node.resolvedKey }
  }
}

/** The key-value or the table header at a place. */
function find(text: string, at: ValuePlace): AST.TOMLKeyValue | AST.TOMLTable {
  const table = parse(text).body[0]
  for (const { node, under } of keyValues(table)) {
    const found = within(node, under, at)
    if (found) return found
  }
  const header = table.body.find((node) => node.type === 'TOMLTable' && isSame(node.resolvedKey, at))
  if (header?.type !== 'TOMLTable') throw cannotEdit()
  return header
}

function within(node: AST.TOMLKeyValue, under: ValuePlace, at: ValuePlace): AST.TOMLKeyValue | null {
  const path = [...under, ...keysOf(node.key)]
  if (!startsWith(at, path)) return null
  if (path.length === at.length) return node
  if (node.value.type !== 'TOMLInlineTable') return null
  for (const inner of node.value.body) {
    const found = within(inner, path, at)
    if (found) return found
  }
  return null
}

function valueRange(node: AST.TOMLKeyValue | AST.TOMLTable): { start: number; end: number } {
  if (node.type !== 'TOMLKeyValue') throw cannotEdit()
  const [start, end] = node.value.range
  return { start, end }
}

/** The innermost inline table on the way to a place, and the number of steps to it. */
function inlineTableAt(
  table: Table,
  at: ValuePlace,
  existing: number,
): { node: AST.TOMLInlineTable; depth: number } | null {
  for (let depth = Math.min(existing, at.length - 1); depth > 0; depth -= 1) {
    for (const { node, under } of keyValues(table)) {
      const found = within(node, under, at.slice(0, depth))
      if (found?.value.type === 'TOMLInlineTable') return { node: found.value, depth }
    }
  }
  return null
}

function addInline(node: AST.TOMLInlineTable, added: string): Splice[] {
  const last = node.body.at(-1)
  if (last) return [{ start: last.range[1], end: last.range[1], text: `, ${added}` }]
  return [{ start: node.range[0], end: node.range[1], text: `{ ${added} }` }]
}

/** The last key-value that defines the table `container` by a dotted key. */
function lastDotted(table: Table, container: ValuePlace): { node: AST.TOMLKeyValue; depth: number } | null {
  let last: { node: AST.TOMLKeyValue; depth: number } | null = null
  for (const { node, under } of keyValues(table)) {
    if (under.length < container.length && startsWith([...under, ...keysOf(node.key)].slice(0, -1), container)) {
      last = { node, depth: under.length }
    }
  }
  return last
}

/** Adds a line below the line of a node. */
function addLine(text: string, after: AST.TOMLKeyValue | AST.TOMLKey, added: string): Splice[] {
  const at = lineEnd(text, after.range[1])
  const indent = /^[ \t]*/.exec(text.slice(lineStart(text, after.range[0])))?.[0] ?? ''
  return [{ start: at, end: at, text: `\n${indent}${added}` }]
}

/** Adds a key before all tables: below the last one there, else above the comments of the first table, else at the end. */
function addToRoot(text: string, table: Table, added: string): Splice[] {
  const last = table.body.findLast((node) => node.type === 'TOMLKeyValue')
  if (last?.type === 'TOMLKeyValue') return addLine(text, last, added)
  const first = table.body[0]
  if (!first) {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    return [{ start: text.length, end: text.length, text: `${gap}${added}\n` }]
  }
  let at = lineStart(text, first.range[0])
  while (at > 0 && /^[ \t]*#/.test(text.slice(lineStart(text, at - 1), at))) at = lineStart(text, at - 1)
  return [{ start: at, end: at, text: `${added}\n\n` }]
}

/** The line of a header, and the empty line above it, if any. */
function headerWithGap(text: string, node: AST.TOMLTable): { start: number; end: number } {
  if (node.body.length > 0) throw cannotEdit()
  const start = lineStart(text, node.range[0])
  const above = start === 0 ? 0 : lineStart(text, start - 1)
  const isGap = start > 0 && text.slice(above, start).trim() === ''
  return { start: isGap ? above : start, end: nextLine(text, node.key.range[1]) }
}

const keyText = (key: string | number): string => (/^[\w-]+$/.test(String(key)) ? String(key) : tomlString(String(key)))

/** JSON's escapes are TOML's. More characters must be escaped in TOML 1.0. */
const tomlString = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function tomlValue(value: Plain): string {
  if (typeof value === 'string') return tomlString(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null) throw cannotEdit()
  if (isList(value)) return `[${value.map(tomlValue).join(', ')}]`
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${tomlValue(inner)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

const isList = (value: Plain): value is readonly Plain[] => Array.isArray(value)
