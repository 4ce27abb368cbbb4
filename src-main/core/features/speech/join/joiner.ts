import type { SpeechFormat } from '../../../../../src-preload/contract/speech.ts'

/** Format and length of audio data, from its own headers. */
export interface Sound {
  format: SpeechFormat
  seconds: number
  /** Parameters that all parts of one file must share, as text for messages. */
  like: string
}

/**
 * Joins parts of one format without decoding. The caller writes the bytes that `add` yields. `end` returns the remaining bytes, and the
 * header that replaces the first `headBytes`, because its contents are only known at the end.
 */
export interface Joiner {
  /** Bytes reserved for the header. */
  headBytes: number
  /** `whole` is false for a truncated part, whose complete frames are used. */
  add(part: Buffer, whole: boolean): Iterable<Uint8Array>
  end(): { rest: Uint8Array[]; head: Uint8Array; seconds: number }
}

/** End of the ID3v2 tags before the first frame (ID3v2.4, 3.1), in bytes. A file may have several tags. */
export function skipId3(bytes: Uint8Array): number {
  let at = 0
  while (at + 10 <= bytes.length && bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10)
    const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10
    at += 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127) + footer
  }
  return Math.min(at, bytes.length)
}
