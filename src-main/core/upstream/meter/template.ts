import { isUtf8 } from 'node:buffer'
import { type Lane, stepSize } from './outputText.ts'
import type { LonePiece } from './replyReader.ts'

/** Longer events are always parsed. Bytes. */
const maxFrameBytes = 4096

/**
 * The chunks of a stream differ in only one string. Once an event was parsed, the bytes before and after that string are a pattern. An
 * event that equals them, with a valid JSON string between, needs neither decoding nor JSON.parse.
 */
export class EventTemplate {
  readonly #before: Buffer
  readonly #after: Buffer
  readonly #lane: Lane

  private constructor(before: Buffer, after: Buffer, lane: Lane) {
    this.#before = before
    this.#after = after
    this.#lane = lane
  }

  /** Creates a template from a parsed event (`from` to `to`, blank line included). Null when the place of the string is not certain. */
  static learn(bytes: Buffer, from: number, to: number, piece: LonePiece): EventTemplate | null {
    if (piece.key === '' || to - from > maxFrameBytes) return null
    const event = bytes.subarray(from, to)
    // These bytes can't be inside a string, where the quotes would be escaped. So they are a key, and its only occurrence.
    const key = `"${piece.key}":`
    const keyAt = event.indexOf(key)
    if (keyAt === -1 || event.indexOf(key, keyAt + 1) !== -1) return null
    let textAt = keyAt + key.length
    while (event[textAt] === 0x20) textAt++
    if (event[textAt] !== 0x22) return null
    textAt++
    const textEnd = endOfText(event, textAt)
    // Without a backslash outside the text, every key is spelled as it looks.
    if (textEnd === -1 || event.lastIndexOf(0x5c, textAt - 1) !== -1 || event.indexOf(0x5c, textEnd) !== -1) return null
    // A copy that is not from Node's pool, because it lives as long as the stream.
    const copy = Buffer.allocUnsafeSlow(event.length)
    event.copy(copy)
    return new EventTemplate(copy.subarray(0, textAt), copy.subarray(textEnd), piece.lane)
  }

  /** Appends the text of the event at `at` to its lane and returns the event's end. -1 for another event or an incomplete one. */
  take(bytes: Buffer, at: number): number {
    const before = this.#before
    const after = this.#after
    const textAt = at + before.length
    if (textAt + after.length >= bytes.length + 1) return -1
    if (before.compare(bytes, at, textAt) !== 0) return -1
    const textEnd = endOfText(bytes, textAt)
    if (textEnd === -1 || textEnd === textAt) return -1
    const end = textEnd + after.length
    if (end > bytes.length || after.compare(bytes, textEnd, end) !== 0) return -1
    this.#lane.append(bytes, textAt, textEnd)
    return end
  }
}

/**
 * The offset of the quote that ends the string whose content begins at `from`. -1 when the string is too long for one step or invalid. Also
 * -1 when it is spelled differently than by JSON.stringify (\u and \/), because a reading must not depend on how an event was read.
 */
function endOfText(bytes: Buffer, from: number): number {
  const end = Math.min(bytes.length, from + stepSize + 1)
  let ascii = true
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x22) return ascii || isUtf8(bytes.subarray(from, at)) ? at : -1
    if (byte < 0x20) return -1
    if (byte >= 0x80) ascii = false
    if (byte === 0x5c && !shortEscapes.has(bytes[++at] ?? 0)) return -1
  }
  return -1
}

/** " \\ b f n r t */
const shortEscapes: ReadonlySet<number> = new Set([0x22, 0x5c, 0x62, 0x66, 0x6e, 0x72, 0x74])
