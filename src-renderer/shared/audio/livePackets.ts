/** What bytes of a sound become: packets for a decoder, or samples that need none. */
export interface Split {
  packets: Uint8Array[]
  /** Of each channel. */
  samples: Float32Array<ArrayBuffer>[]
}

export interface Splitter {
  /** Known once the head has come. */
  config(): AudioDecoderConfig | null
  /** Of samples that need no decoder; null else, and before the head has come. */
  rate(): number | null
  /** Samples at the start of which the decoder makes something and which are not sound. */
  skip(): number
  push(bytes: Uint8Array<ArrayBuffer>): Split
  /** The stream is at its end: what was held back, because its end was not seen. */
  end(): Split
}

export const nothing = (): Split => ({ packets: [], samples: [] })

export function append(a: Uint8Array, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
