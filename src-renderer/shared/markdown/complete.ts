import type { PhrasingContent, RootContent, Text } from 'mdast'

/**
 * Completes what a growing block has opened (`**bo` appears bold), so that marks do not flicker. Works on parsed nodes: marks in code,
 * formulas and addresses are no text any more. @param source the text that was parsed
 */
export function complete(nodes: readonly RootContent[], source: string): void {
  let node = nodes.at(-1)
  while (
    node &&
    'children' in node &&
    node.type !== 'paragraph' &&
    node.type !== 'heading' &&
    node.type !== 'tableCell'
  )
    node = node.children.at(-1)
  if (!node || !('children' in node)) return
  // A line with one or two `-` under a paragraph is more often the start of a list than an underline.
  if (node.type === 'heading' && /\n[ \t>]*(?:--?|==?)\s*$/.test(source) && source[offsetOf(node)] !== '#')
    Object.assign(node, { type: 'paragraph' })
  const children: PhrasingContent[] = node.children as PhrasingContent[]
  completeLink(children)
  children.splice(0, children.length, ...completed(children, source))
}

const offsetOf = (node: RootContent): number => node.position?.start.offset ?? 0

/** `[text](https://a.exa` shows its text only. */
function completeLink(children: PhrasingContent[]): void {
  const last = children.at(-1)
  const text = last?.type === 'link' ? children.at(-2) : last
  if (text?.type !== 'text') return
  const open = last === text ? /!?\[([^[\]]*)\]\([^()\s]*$/ : /!?\[([^[\]]*)\]\($/
  // Only the last label can be unfinished.
  const from = Math.max(0, text.value.lastIndexOf('[') - 1)
  const match = open.exec(text.value.slice(from))
  if (!match) return
  text.value = text.value.slice(0, from + match.index) + (match[1] ?? '')
  if (last !== text) children.pop()
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
