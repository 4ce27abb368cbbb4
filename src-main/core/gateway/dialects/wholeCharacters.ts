/**
 * Splits a piece of a text so that no surrogate pair is cut: half of a pair at its end waits for the next piece, because clients in other
 * languages can't read halves. A half without the other becomes U+FFFD.
 */
export function wholeCharacters(piece: string): { text: string; half: string } {
  const isCut = (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800
  if (!isCut) return { text: piece.toWellFormed(), half: '' }
  return { text: piece.slice(0, -1).toWellFormed(), half: piece.slice(-1) }
}
