import { countTokens } from './tokens.ts'

/** Maximum number of bytes copied of one lane. 16 KB are about 4,000 tokens. A longer text is sampled in evenly spread pieces. */
const maxKept = 16 * 1024
const pieceSize = 1024

/** Maximum number of characters of one step. At six bytes each (\uXXXX) they fit into a piece. */
export const stepSize = Math.floor(pieceSize / 6)

/** Maximum number of separate lanes. Further choices and calls share the last one. */
const maxLanes = 16
const bytesOfToken = 4

/** Kinds of text in a reply, which are counted separately. */
export type LaneKind = 'content' | 'reasoning' | 'refusal' | 'call'

/**
 * The text of a reply, copied for a token count when the service reports no usage. There is one lane for each choice and kind of text,
 * because no token spans two of them. Bytes are the undecoded inside of JSON strings, so that nothing is decoded unless it is counted.
 */
export class OutputText {
  readonly #lanes = new Map<string, Lane>()
  #last: Lane | null = null
  /** Bytes of output that was too large to parse. */
  unread = 0

  lane(choice: number, kind: LaneKind, call = 0): Lane {
    const name = `${kind} ${choice} ${call}`
    let lane = this.#lanes.get(name)
    if (lane === undefined) {
      if (this.#last !== null && this.#lanes.size >= maxLanes) return this.#last
      lane = new Lane()
      this.#lanes.set(name, lane)
      this.#last = lane
    }
    return lane
  }

  tokens(): number {
    let tokens = Math.ceil(this.unread / bytesOfToken)
    for (const lane of this.#lanes.values()) tokens += lane.tokens()
    return tokens
  }
}

/** One text: complete up to `maxKept`, beyond that every second (fourth, eighth …) piece. */
export class Lane {
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

  /** Appends `bytes` from `from` to `to`: whole characters of a valid JSON string, at most `stepSize` of them. */
  append(bytes: Uint8Array, from: number, to: number): void {
    const size = to - from
    this.#all += size
    if (this.#pieceFill + size > pieceSize) this.#nextPiece()
    this.#pieceFill += size
    if (this.#piece % this.#stride !== 0) return
    const buffer = this.#capacity(size)
    let at = this.#kept
    // A delta has a few bytes, for which the loop is faster than a native copy.
    if (size < 64) for (let i = from; i < to; i++) buffer[at++] = bytes[i] ?? 0
    else buffer.set(bytes.subarray(from, to), at)
    this.#kept += size
  }

  appendText(text: string): void {
    for (let at = 0; at < text.length; at += stepSize) {
      const bytes = Buffer.from(JSON.stringify(text.slice(at, at + stepSize)))
      this.append(bytes, 1, bytes.length - 1)
    }
  }

  tokens(): number {
    if (this.#countedOf === this.#all || this.#buffer === null || this.#kept === 0) return this.#counted
    const sample = countTokens(unescaped(this.#buffer.toString('utf8', 0, this.#kept)))
    this.#counted = this.#kept === this.#all ? sample : Math.round((sample * this.#all) / this.#kept)
    this.#countedOf = this.#all
    return this.#counted
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

function unescaped(inside: string): string {
  try {
    return String(JSON.parse(`"${inside}"`))
  } catch {
    // The bytes were not UTF-8 after all, so the count uses them undecoded.
    return inside
  }
}
