/** Splits text into pieces of limited size, at line ends where possible. The browser lays out only visible pieces of a long text. */
export function textPieces(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const newline = text.lastIndexOf('\n', at + 4_000)
    const end = text.length - at <= 4_000 ? text.length : newline > at ? newline + 1 : at + 4_000
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}
