/** Elements whose text is not part of the message. */
const controls = 'button, header, figcaption, .md-more thead, .md-plain-note, [aria-hidden="true"], .sr-only'
const blocks = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, dd, div'

interface Piece {
  node: Text
  /** Offset in the whole text. */
  from: number
}

/**
 * The first `limit` matches of the pattern within an element. None spans two blocks. Static, because the browser updates each live range
 * at each change of the page, and a long message has 100,000 matches.
 */
export function rangesIn(element: Element, pattern: RegExp, limit = Number.POSITIVE_INFINITY): StaticRange[] {
  const { text, pieces } = textOf(element)
  const ranges: StaticRange[] = []
  for (const match of text.matchAll(pattern)) {
    if (ranges.length >= limit) break
    if (match[0] === '') continue
    const start = at(pieces, match.index)
    const end = at(pieces, match.index + match[0].length - 1)
    if (!start || !end) continue
    ranges.push(
      new StaticRange({
        startContainer: start.node,
        startOffset: match.index - start.from,
        endContainer: end.node,
        endOffset: match.index + match[0].length - end.from,
      }),
    )
  }
  return ranges
}

/** The same range, live: it has a place on the screen. The text may have become shorter since the search. */
export function liveRange({ startContainer, startOffset, endContainer, endOffset }: StaticRange): Range {
  const range = new Range()
  range.setStart(startContainer, Math.min(startOffset, lengthOf(startContainer)))
  range.setEnd(endContainer, Math.min(endOffset, lengthOf(endContainer)))
  return range
}

const lengthOf = (node: Node): number => node.textContent?.length ?? 0

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
