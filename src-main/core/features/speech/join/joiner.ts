import type { SpeechFormat } from '../../../../../src-preload/contract/speech.ts'

/** What a file of sound says of itself. */
export interface Sound {
  format: SpeechFormat
  seconds: number
  /** What must be the same in all parts of one file, in words. */
  like: string
}

/**
 * Makes one file of several, part by part, without decoding any. What `add` answers is written; `end` answers what is still held back, and the
 * head that takes the place of the first bytes, which are only known now.
 */
export interface Joiner {
  /** Bytes that are kept free for the head. */
  headBytes: number
  /** `whole`: false for a part that was cut: what is whole of it is taken. */
  add(part: Buffer, whole: boolean): Iterable<Uint8Array>
  end(): { rest: Uint8Array[]; head: Uint8Array; seconds: number }
}

/** Where the tag that may stand before frames ends: ID3v2, 3.1, as often as it stands there. */
export function skipId3(bytes: Uint8Array): number {
  let at = 0
  while (at + 10 <= bytes.length && bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10)
    const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10
    at += 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127) + footer
  }
  return Math.min(at, bytes.length)
}
