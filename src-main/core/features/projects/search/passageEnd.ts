/** Shortest and longest passage, UTF-16 units. A passage has about 300 tokens. */
const usual = { least: 700, most: 1500 }
/** For scripts of which each character is about one token. */
const dense = { least: 250, most: 600 }
/** Share of dense characters from which a text counts as dense. */
const denseShare = 0.3

/** Where a passage may end, best first: before a paragraph, a line, a sentence, a word. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?…](?=\s)|[。！？]/g, /\s/g] as const

/**
 * The end of the passage that begins at `start`. Passages follow each other without gaps. They end between paragraphs, lines or sentences
 * where possible, and never inside of a surrogate pair.
 */
export function passageEnd(text: string, start: number): number {
  const window = text.slice(start, start + usual.most)
  const { least, most } = isDense(window) ? dense : usual
  if (text.length - start <= most) return text.length
  const candidates = window.slice(0, most)
  for (const end of ends) {
    const found = lastEnd(candidates, end, least)
    if (found !== null) return start + found
  }
  const cut = start + most
  return isLowSurrogate(text, cut) ? cut - 1 : cut
}

function lastEnd(window: string, end: RegExp, least: number): number | null {
  let last: number | null = null
  for (const match of window.matchAll(end)) {
    const at = match.index + match[0].length
    if (at >= least) last = at
  }
  return last
}

function isDense(window: string): boolean {
  let count = 0
  for (let at = 0; at < window.length; at += 1) if (window.charCodeAt(at) >= 0x2e80) count += 1
  return count > window.length * denseShare
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
