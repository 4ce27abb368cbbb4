/** Elements whose text is not part of the message. */
const controls = 'button, header, figcaption, .md-more thead, .md-plain-note, [aria-hidden="true"], .sr-only'
const blocks = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, dd, div'

interface Piece {
  node: Text
  /** Offset in the whole text. */
  from: number
}

/** The first `limit` matches of the pattern within an element, as DOM ranges. None spans two blocks. */
export function rangesIn(element: Element, pattern: RegExp, limit = Number.POSITIVE_INFINITY): Range[] {
  const { text, pieces } = textOf(element)
  const ranges: Range[] = []
  for (const match of text.matchAll(pattern)) {
    if (ranges.length >= limit) break
    if (match[0] === '') continue
    const start = at(pieces, match.index)
    const end = at(pieces, match.index + match[0].length - 1)
    if (!start || !end) continue
    const range = new Range()
    range.setStart(start.node, match.index - start.from)
    range.setEnd(end.node, match.index + match[0].length - end.from)
    ranges.push(range)
  }
  return ranges
}

function textOf(element: Element): { text: string; pieces: Piece[] } {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const pieces: Piece[] = []
  let text = ''
  let block: Element | null = null
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text) || node.parentElement?.closest(controls)) continue
    const own = node.parentElement?.closest(blocks) ?? null
    if (block !== null && own !== block) text += '\n'
    block = own
    pieces.push({ node, from: text.length })
    text += node.data
  }
  return { text, pieces }
}

/** The piece that contains an offset, by binary search: a long message has thousands. */
function at(pieces: readonly Piece[], place: number): Piece | undefined {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pieces[middle]?.from ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return pieces[low]
}
