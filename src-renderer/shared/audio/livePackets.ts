/** The playable parts of a chunk: packets for a decoder, or samples that need no decoder. */
export interface Split {
  packets: Uint8Array[]
  /** Per channel. */
  samples: Float32Array<ArrayBuffer>[]
}

export interface Splitter {
  /** Null until the header has arrived. */
  config(): AudioDecoderConfig | null
  /** The rate of samples that need no decoder. Null for other formats, and until the header has arrived. */
  rate(): number | null
  /** Number of samples at the start that are encoder delay, not sound. */
  skip(): number
  push(bytes: Uint8Array<ArrayBuffer>): Split
  /** Ends the stream and returns the data that was held back because its end was unknown. */
  end(): Split
}

/** A splitter whose whole state is in these functions. Its packets need a decoder, and have no encoder delay. */
export const packetSplitter = (config: Splitter['config'], push: Splitter['push'], end: Splitter['end']): Splitter => ({
  config,
  rate: () => null,
  skip: () => 0,
  push,
  end,
})

export const nothing = (): Split => ({ packets: [], samples: [] })

export function append(a: Uint8Array, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
