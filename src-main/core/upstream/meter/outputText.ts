import { countTokens } from './tokens.ts'

/** Text kept for one lane. 16 KB are some 4,000 tokens; of longer texts evenly spread pieces are kept. Bytes. */
const mostKept = 16 * 1024
const pieceSize = 1024

/** Characters that are taken at once: six bytes each at most (\uXXXX) stay below a piece. */
export const stepSize = Math.floor(pieceSize / 6)

/** Lanes told apart; a reply with more choices and calls than that shares the last one. */
const mostLanes = 16
const bytesOfToken = 4

export type LaneKind = 'content' | 'reasoning' | 'refusal' | 'call'

/**
 * What a reply said, kept only for the case that nobody tells its usage: one lane for each choice and kind of text, because
 * tokens don't reach across. Bytes are the inside of JSON strings as they stood in the reply, so that nothing is decoded early.
 */
export class OutputText {
  readonly #lanes = new Map<string, Lane>()
  #last: Lane | null = null
  /** Bytes of output that was too large to look into. */
  unread = 0

  lane(choice: number, kind: LaneKind, call = 0): Lane {
    const name = `${kind} ${choice} ${call}`
    let lane = this.#lanes.get(name)
    if (lane === undefined) {
      if (this.#last !== null && this.#lanes.size >= mostLanes) return this.#last
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

/** One text, whole up to `mostKept`; beyond, every second (fourth, eighth …) piece of it stands for all. */
export class Lane {
  #buffer: Buffer | null = null
  #kept = 0
  #all = 0
  #pieceFill = 0
  #piece = 0
  #stride = 1
  /** Where the kept pieces begin. */
  #starts: number[] = [0]
  /** The last count, and of how much text it was. */
  #counted = 0
  #countedOf = 0

  /** `bytes` from `from` to `to` are a whole number of characters of a valid JSON string, `stepSize` of them at most. */
  append(bytes: Uint8Array, from: number, to: number): void {
    const size = to - from
    this.#all += size
    if (this.#pieceFill + size > pieceSize) this.#nextPiece()
    this.#pieceFill += size
    if (this.#piece % this.#stride !== 0) return
    const buffer = this.#capacity(size)
    let at = this.#kept
    // A delta is a few bytes: the loop beats the call of a native copy.
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
    if (this.#kept + pieceSize > mostKept) this.#thin()
    if (this.#piece % this.#stride === 0) this.#starts.push(this.#kept)
  }

  /** Drops every second piece that is kept, and keeps half as many from now on. */
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
      // Not from Node's pool: it lives as long as the stream, and would keep a slab of others' bytes alive with it.
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
    // Bytes that were no UTF-8 after all: counted as they stand.
    return inside
  }
}
