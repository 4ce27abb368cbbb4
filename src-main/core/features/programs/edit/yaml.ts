import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import {
  cannotEdit,
  cannotParse,
  type Format,
  lineEnd,
  lineStart,
  type Plain,
  type Splice,
  type ValuePlace,
  withLine,
} from './format.ts'

/**
 * YAML 1.2 with one document. Positions come from yaml's document model; the text is edited in place, because writing the model again
 * would format the whole file.
 */
export const yaml: Format = {
  parse(text) {
    const parsed = parse(text)
    try {
      return parsed.toJS() ?? {}
    } catch {
      // More aliases than any configuration has.
      throw cannotEdit()
    }
  },
  source(text, at) {
    const { start, end } = valueRange(text, at)
    return text.slice(start, end)
  },
  replace: (text, at, source) => [{ ...valueRange(text, at), text: source }],
  add(text, at, existing, value) {
    const document = parse(text)
    const wrapped = at
      .slice(existing + 1)
      .reduceRight<Plain>((inner, step) => (typeof step === 'string' ? { [step]: inner } : [inner]), value)
    const step = at[existing]
    const item: Plain = typeof step === 'string' ? { [step]: wrapped } : [wrapped]
    if (document.contents === null) {
      const end = text.length
      return [{ start: end, end, text: `${text === '' || text.endsWith('\n') ? '' : '\n'}${block(item, '')}\n` }]
    }
    const container = nodeAt(document, at.slice(0, existing))
    if (container.flow) return addToFlow(container, item)
    const last = container.items.at(-1)
    const first = startOf(container.items[0])
    if (!last || first === null) throw cannotEdit()
    // The dash of a list is before its items.
    const from = isSeq(container) ? text.lastIndexOf('-', first) : first
    const indent = text.slice(lineStart(text, from), from)
    if (indent.trim() !== '') throw cannotEdit()
    const end = lineAfter(text, endOf(last))
    const added = block(item, indent)
    if (end === text.length && !text.endsWith('\n')) return [{ start: end, end, text: `\n${added}` }]
    return [{ start: end, end, text: `${added}\n` }]
  },
  remove(text, at) {
    const document = parse(text)
    const container = nodeAt(document, at.slice(0, -1))
    const step = at.at(-1)
    const index = typeof step === 'number' ? step : container.items.findIndex((item) => keyOf(item) === step)
    const item = container.items[index]
    const start = startOf(item)
    if (!item || start === null) throw cannotEdit()
    const end = endOf(item)
    if (container.flow) return removeFromFlow(container, index, start, end)
    if (container.items.length === 1 && at.length > 1) return emptied(text, document, at.slice(0, -1), end)
    const from = isSeq(container) ? text.lastIndexOf('-', start) : start
    const last = text[end - 1] === '\n' ? end - 1 : end
    return [{ ...withLine(text, from, last), text: '' }]
  },
  write: (value) => JSON.stringify(value),
}

type Collection = YAMLMap | YAMLSeq

function parse(text: string): Document.Parsed {
  const document = parseDocument(text, { prettyErrors: false })
  const [error] = document.errors
  if (error) throw cannotParse('YAML', error.message.replace(/\.$/, ''))
  return document
}

function nodeAt(document: Document.Parsed, at: ValuePlace): Collection {
  const node = at.length === 0 ? document.contents : document.getIn(at, true)
  if (!isMap(node) && !isSeq(node)) throw cannotEdit()
  return node
}

function valueRange(text: string, at: ValuePlace): { start: number; end: number } {
  const node = parse(text).getIn(at, true)
  if (!isNode(node) || !node.range) throw cannotEdit()
  const [start] = node.range
  // The range of a block ends with its last line end, which stays.
  const end = endOf(node)
  return { start, end: start + text.slice(start, end).trimEnd().length }
}

const isPair = (item: unknown): item is Pair =>
  typeof item === 'object' && item !== null && 'key' in item && 'value' in item

const keyOf = (item: unknown): unknown => (isPair(item) && isScalar(item.key) ? item.key.value : undefined)

function startOf(item: unknown): number | null {
  const node = isPair(item) ? item.key : item
  return isNode(node) && node.range ? node.range[0] : null
}

function endOf(item: unknown): number {
  const node = isPair(item) ? (item.value ?? item.key) : item
  if (!isNode(node) || !node.range) throw cannotEdit()
  // The end of a collection includes comments behind it.
  if ((isMap(node) || isSeq(node)) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1))
  return node.range[1]
}

/** Start of the line after a position, which may already be one. */
const lineAfter = (text: string, at: number): number => {
  if (text[at - 1] === '\n') return at
  const end = text.indexOf('\n', lineEnd(text, at))
  return end < 0 ? text.length : end + 1
}

/** A value in YAML's block style, with its indentation, without the last line end. */
function block(value: Plain, indent: string): string {
  const lines = stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' })
    .trimEnd()
    .split('\n')
  return lines.map((line) => (line === '' ? line : indent + line)).join('\n')
}

/** Replaces a map or list in lines of its own, whose last item is removed, by an empty one. Without its items it would be null. */
function emptied(text: string, document: Document.Parsed, at: ValuePlace, end: number): Splice[] {
  const parent = nodeAt(document, at.slice(0, -1))
  const pair = parent.items.find((item) => keyOf(item) === at.at(-1))
  if (!isPair(pair) || !isNode(pair.key) || !pair.key.range) throw cannotEdit()
  const colon = text.indexOf(':', pair.key.range[1])
  const to = text[end - 1] === '\n' ? end - 1 : end
  return [{ start: colon + 1, end: to, text: isSeq(pair.value) ? ' []' : ' {}' }]
}

function addToFlow(container: Collection, item: Plain): Splice[] {
  if (!container.range) throw cannotEdit()
  const [start, end] = container.range
  const inner = JSON.stringify(item).slice(1, -1)
  const last = container.items.at(-1)
  if (!last) return [{ start: start + 1, end: end - 1, text: inner }]
  const at = endOf(last)
  return [{ start: at, end: at, text: `, ${inner}` }]
}

function removeFromFlow(container: Collection, index: number, start: number, end: number): Splice[] {
  const next = startOf(container.items[index + 1])
  if (next !== null) return [{ start, end: next, text: '' }]
  const previous = container.items[index - 1]
  return [{ start: previous === undefined ? start : endOf(previous), end, text: '' }]
}
