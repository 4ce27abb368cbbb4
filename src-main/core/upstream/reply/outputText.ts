import type { ChatStreamEvent } from './events.ts'
import { countTokens } from './tokens.ts'

/** Maximum number of bytes copied of one text. 16 KB are about 4,000 tokens. A longer text is sampled in evenly spread pieces. */
const maxKept = 16 * 1024
const pieceSize = 1024

/** Maximum number of characters of one step. At three bytes each they fit into a piece. */
const stepSize = Math.floor(pieceSize / 3)

/** Maximum number of separate texts. Further choices and calls share the last one. */
const maxTexts = 16
const bytesOfToken = 4

/**
 * The text of a reply, copied for a token count when the service reports no usage. Each choice and kind of text is separate, because no
 * token spans two of them.
 */
export class OutputText {
  readonly #texts = new Map<string, SampledText>()
  #last: SampledText | null = null
  /** Bytes of output that was too large to parse. */
  unread = 0

  add(event: ChatStreamEvent): void {
    if ('text' in event) this.#textOf(event.choice, event.type, 0).append(event.text)
    else if (event.type === 'tool_call') {
      const text = this.#textOf(event.choice, event.type, event.index)
      if (event.name !== null) text.append(event.name)
      text.append(event.arguments)
    }
  }

  tokens(): number {
    let tokens = Math.ceil(this.unread / bytesOfToken)
    for (const text of this.#texts.values()) tokens += text.tokens()
    return tokens
  }

  #textOf(choice: number, type: string, call: number): SampledText {
    const name = `${type} ${choice} ${call}`
    const known = this.#texts.get(name) ?? (this.#texts.size < maxTexts ? null : this.#last)
    if (known) return known
    const text = new SampledText()
    this.#texts.set(name, text)
    this.#last = text
    return text
  }
}

/** One text as UTF-8: complete up to `maxKept`, beyond that every second (fourth, eighth …) piece. */
class SampledText {
  #buffer: Buffer | null = null
  #kept = 0
  #all = 0
  #pieceFill = 0
  #piece = 0
  #stride = 1
  /** Offsets of the copied pieces. */
  #starts: number[] = [0]
  /** Result of the last count, and the text length it was for. */
  #counted = 0
  #countedOf = 0

  append(text: string): void {
    if (text.length <= stepSize) this.#step(text)
    else for (let at = 0; at < text.length; at += stepSize) this.#step(text.slice(at, at + stepSize))
  }

  tokens(): number {
    if (this.#countedOf === this.#all || this.#buffer === null || this.#kept === 0) return this.#counted
    const sample = countTokens(this.#buffer.toString('utf8', 0, this.#kept))
    this.#counted = this.#kept === this.#all ? sample : Math.round((sample * this.#all) / this.#kept)
    this.#countedOf = this.#all
    return this.#counted
  }

  #step(text: string): void {
    const size = Buffer.byteLength(text)
    this.#all += size
    if (this.#pieceFill + size > pieceSize) this.#nextPiece()
    this.#pieceFill += size
    if (this.#piece % this.#stride !== 0) return
    this.#kept += this.#capacity(size).write(text, this.#kept)
  }

  #nextPiece(): void {
    this.#piece++
    this.#pieceFill = 0
    if (this.#kept + pieceSize > maxKept) this.#thin()
    if (this.#piece % this.#stride === 0) this.#starts.push(this.#kept)
  }

  /** Drops every second copied piece, and halves the sampling rate from now on. */
  #thin(): void {
    const buffer = this.#buffer
    if (buffer === null) return
    const starts: number[] = []
    let kept = 0
    for (let i = 0; i < this.#starts.length; i += 2) {
      const from = this.#starts[i] ?? 0
      const to = this.#starts[i + 1] ?? this.#kept
      buffer.copyWithin(kept, from, to)
      starts.push(kept)
      kept += to - from
    }
    this.#starts = starts
    this.#kept = kept
    this.#stride *= 2
  }

  #capacity(size: number): Buffer {
    const needed = this.#kept + size
    let buffer = this.#buffer
    if (buffer === null || buffer.length < needed) {
      // Not from Node's pool: the buffer lives as long as the stream and would retain a slab with other data.
      buffer = Buffer.allocUnsafeSlow(Math.max(256, needed, (buffer?.length ?? 0) * 2))
      this.#buffer?.copy(buffer, 0, 0, this.#kept)
      this.#buffer = buffer
    }
    return buffer
  }
}
