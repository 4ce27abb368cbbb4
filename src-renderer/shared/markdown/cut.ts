/**
 * Where to split a block of at most `text.length` characters: after the last sentence outside of inline marks, otherwise at the last white
 * space, otherwise at the end. Never inside a surrogate pair.
 */
export function cutPoint(text: string): number {
  const least = Math.floor(text.length / 2)
  let candidates = 0
  for (let at = text.length - 1; at > least && candidates < 24; at--) {
    if (!isSpace(text.charCodeAt(at)) || !/[.!?:;。]/.test(text.charAt(at - 1))) continue
    candidates++
    if (isBalanced(text.slice(0, at))) return at + 1
  }
  for (let at = text.length - 1; at > least; at--) if (isSpace(text.charCodeAt(at))) return at + 1
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last < 0xdc00 ? text.length - 1 : text.length
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9
}

/** Approximation: whether code spans, emphasis, links and formulas that start here also end here. */
function isBalanced(text: string): boolean {
  let ticks = 0
  let stars = 0
  let brackets = 0
  let dollars = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 96) ticks++
    else if (char === 42 || char === 126) stars++
    else if (char === 91) brackets++
    else if (char === 93) brackets--
    else if (char === 36) dollars++
  }
  return ticks % 2 === 0 && stars % 2 === 0 && brackets === 0 && dollars % 2 === 0
}
