import { colon, cr, lf } from '../json/ascii.ts'

/**
 * Finds where the events of a stream end. Knows line ends (LF, CR, CR LF) and nothing else of the format, except that a comment line before
 * an event is no part of it.
 */
export class EventSplitter {
  #isLineEmpty = true
  #isInComment = false
  /** Whether the unfinished event has had nothing but comments, and the last finished one. */
  isBlank = true
  wasBlank = true
  /** The last byte was CR, so a following LF belongs to the same line end. */
  #isAfterCr = false

  /** The offset of the bytes of this chunk that do not belong to the last line end: 1 for the LF of a CR LF that was split, else 0. */
  start(bytes: Buffer): number {
    const isLate = this.#isAfterCr && bytes[0] === lf
    if (bytes.length > 0) this.#isAfterCr = false
    return isLate ? 1 : 0
  }

  /** The offset after the blank line that ends the event, or after a comment line before the event. -1 when it has not arrived. */
  end(bytes: Buffer, from: number): number {
    let isEmpty = this.#isLineEmpty
    for (let at = from; at < bytes.length; ) {
      const byte = bytes[at++] ?? 0
      if (byte !== lf && byte !== cr) {
        if (isEmpty) this.#beginLine(byte)
        isEmpty = false
        continue
      }
      if (byte === cr) at = this.#afterCr(bytes, at)
      if (isEmpty || (this.#isInComment && this.isBlank)) {
        this.#isLineEmpty = true
        this.#isInComment = false
        this.wasBlank = this.isBlank
        this.isBlank = true
        return at
      }
      isEmpty = true
    }
    this.#isLineEmpty = isEmpty
    return -1
  }

  #beginLine(first: number): void {
    this.#isInComment = first === colon
    if (first !== colon) this.isBlank = false
  }

  #afterCr(bytes: Buffer, at: number): number {
    if (at === bytes.length) this.#isAfterCr = true
    return bytes[at] === lf ? at + 1 : at
  }
}
