/** A piece ends at the last line end within this length, characters. */
const usual = 4_000
/** A longer line is divided, characters. A division is visible, because each piece starts a new line. */
const most = 20_000

/** Splits text into pieces of limited size, at line ends where possible. The browser lays out only visible pieces of a long text. */
export function textPieces(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

function endOfPiece(text: string, at: number): number {
  if (text.length - at <= usual) return text.length
  // Not `lastIndexOf` in the whole text, which reads up to its beginning where there is none.
  const head = text.slice(at, at + usual)
  const before = head.lastIndexOf('\n')
  if (before >= 0) return at + before + 1
  // Once a line is divided, its pieces have the usual length, so that a view of them is laid out quickly.
  if (at === 0 || text.charAt(at - 1) === '\n') {
    const after = text.slice(at + usual, at + most).indexOf('\n')
    if (after >= 0) return at + usual + after + 1
    if (text.length - at <= most) return text.length
  }
  const space = head.lastIndexOf(' ')
  if (space >= usual / 2) return at + space + 1
  // A character of two units stays whole.
  const code = text.charCodeAt(at + usual)
  return code >= 0xdc00 && code <= 0xdfff ? at + usual - 1 : at + usual
}
