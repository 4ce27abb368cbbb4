/**
 * Text that grows at its end. Appending and reading the tail take time proportional to the piece, not to the whole text.
 */
export class TextBuffer {
  readonly #pieces: string[] = []
  #length = 0

  /** Length in UTF-16 units. */
  get length(): number {
    return this.#length
  }

  append(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
  }

  /** Text from offset `at` on, UTF-16 units. */
  since(at: number): string {
    if (at >= this.#length) return ''
    let first = this.#pieces.length
    let from = this.#length
    while (from > at) {
      first -= 1
      from -= this.#pieces[first]?.length ?? 0
    }
    return this.#pieces
      .slice(first)
      .join('')
      .slice(at - from)
  }

  toString(): string {
    return this.since(0)
  }
}
