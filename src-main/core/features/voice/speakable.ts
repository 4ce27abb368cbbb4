import type { Nodes, Parents } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/**
 * Maximum length of text that is parsed at once, in UTF-16 units. The parser's work grows with the square of a paragraph's markup, and it
 * runs on the core's main thread.
 */
const maxParsed = 8_000

/**
 * Converts Markdown to text for reading aloud. Drops markup, and replaces links and images with their text. Tables are read cell by cell,
 * formulas stay as written, and code blocks are announced but not read. Raw HTML is dropped, as in the window. A text longer than 8,000
 * units is parsed in pieces, so a reference link whose definition is in another piece is read with its brackets.
 */
export function speakable(markdown: string): string {
  const { text, formulas } = putFormulasAside(markdown)
  const spoken = pieces(text)
    .flatMap((piece) => blocks(fromMarkdown(piece, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })))
    .join('\n\n')
  return spoken.replace(/\uE000(\d+)\uE001/g, (_, index: string) => formulas[Number(index)] ?? '').trim()
}

const fence = /^ {0,3}(`{3,}|~{3,})/

/**
 * Splits text into pieces of about `maxParsed`: at a blank line, or in a longer paragraph between lines or words. Never inside a fenced
 * code block, whose cost is linear.
 */
function pieces(text: string): string[] {
  if (text.length <= maxParsed) return [text]
  const found: string[] = []
  let piece = ''
  let open: string | undefined
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1]
    const full = piece.length + line.length > maxParsed
    if (open === undefined && (full || (line.trim() === '' && piece.length > maxParsed / 2))) {
      found.push(piece)
      piece = ''
    }
    if (open === undefined) open = mark
    else if (mark?.startsWith(open) && line.trim() === mark) open = undefined
    if (open === undefined && line.length > maxParsed) found.push(...(line.match(/.{1,8000}(?=\s|$)|.{1,8000}/g) ?? []))
    else piece += `${line}\n`
  }
  return [...found, piece]
}

/** `$$…$$`, `\(…\)`, `\[…\]` and `$…$` without spaces at its ends. Markdown would interpret their characters. */
const formula =
  /\$\$[^$]{1,4000}\$\$|\\\([^\n]{1,2000}?\\\)|\\\[[\s\S]{1,4000}?\\\]|\$(?=\S)[^$\n]{1,1000}?(?<=\S)\$(?!\d)/g

/** Replaces formulas with private-use characters, which Markdown passes through. Removes such characters from the text itself. */
function putFormulasAside(markdown: string): { text: string; formulas: string[] } {
  const formulas: string[] = []
  const text = markdown.replace(/[\uE000\uE001]/g, '').replace(formula, (found) => {
    formulas.push(found)
    return `\uE000${formulas.length - 1}\uE001`
  })
  return { text, formulas }
}

/** The texts of a node's blocks. */
function blocks(node: Parents): string[] {
  return node.children.map((child) => block(child)).filter((text) => text !== '')
}

function block(node: Nodes): string {
  switch (node.type) {
    case 'code': {
      const language = /^[\w+#-]{1,30}/.exec(node.lang ?? '')?.[0]
      return language ? `Code block, ${language}.` : 'Code block.'
    }
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
    case 'html':
    case 'thematicBreak':
      return ''
    default:
      return inline(node).trim()
  }
}

function inline(node: Nodes): string {
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return node.value
    case 'break':
      return '\n'
    case 'image':
    case 'imageReference':
      return node.alt ?? ''
    case 'html':
    case 'footnoteReference':
      return ''
    default:
      return 'children' in node ? node.children.map((child) => inline(child)).join('') : ''
  }
}

/** Adds a full stop to text without final punctuation, so that the voice pauses. */
const ended = (text: string): string => (text === '' || /[\p{P}]$/u.test(text) ? text : `${text}.`)
