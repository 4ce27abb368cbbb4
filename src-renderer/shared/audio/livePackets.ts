/** The playable parts of a chunk: packets for a decoder, or samples that need no decoder. */
export interface Split {
  packets: Uint8Array[]
  /** Per channel. */
  samples: Float32Array<ArrayBuffer>[]
}

/** Divides the bytes of one format into packets for a decoder. */
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

/** The packets at the start of the received bytes, and the bytes after them. */
export interface Cut {
  packets: Uint8Array[]
  rest: Uint8Array<ArrayBuffer>
}

/**
 * A splitter for packets that need a decoder and have no encoder delay.
 * @param cut takes the bytes that were received and not yet cut. `last`: no more bytes will come
 */
export function packetSplitter(
  config: Splitter['config'],
  cut: (held: Uint8Array<ArrayBuffer>, last: boolean) => Cut,
): Splitter {
  let held: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  const split = (last: boolean): Split => {
    const { packets, rest } = cut(held, last)
    held = rest
    return { packets, samples: [] }
  }
  return {
    config,
    rate: () => null,
    skip: () => 0,
    push(bytes) {
      held = append(held, bytes)
      return split(false)
    },
    end: () => split(true),
  }
}

/** The result while no packet is complete. */
export const nothing = (): Split => ({ packets: [], samples: [] })

export function append(a: Uint8Array, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
