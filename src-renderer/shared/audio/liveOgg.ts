import { append, nothing, type Splitter } from './livePackets.ts'

/** Opus always decodes to this rate (RFC 7845, 5.1). */
const opusRate = 48_000

/** Splits streamed Ogg Opus (RFC 3533, RFC 7845) into packets. Reads the two header packets but does not return them. */
export function oggSplitter(): Splitter {
  let held = new Uint8Array(0)
  let open: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  let config: AudioDecoderConfig | null = null
  let skip = 0
  let heads = 0
  const packet = (data: Uint8Array<ArrayBuffer>, packets: Uint8Array[]): void => {
    heads++
    if (heads === 1) {
      if (textAt(data, 0, 8) !== 'OpusHead') throw new Error('The received data is not Opus.')
      skip = (data[10] ?? 0) | ((data[11] ?? 0) << 8)
      config = { codec: 'opus', sampleRate: opusRate, numberOfChannels: data[9] ?? 1 }
    } else if (heads > 2) packets.push(data)
  }
  return {
    config: () => config,
    rate: () => null,
    skip: () => skip,
    push(bytes) {
      held = append(held, bytes)
      const { packets } = nothing()
      let at = 0
      while (at + 27 <= held.length) {
        if (textAt(held, at, 4) !== 'OggS') {
          at++
          continue
        }
        const segments = held[at + 26] ?? 0
        const table = held.subarray(at + 27, at + 27 + segments)
        const size = table.reduce((sum, length) => sum + length, 0)
        const body = at + 27 + segments
        if (table.length < segments || body + size > held.length) break
        let from = body
        let to = body
        for (const length of table) {
          to += length
          // 255 means that the packet continues, possibly on the next page.
          if (length === 255) continue
          packet(append(open, held.slice(from, to)), packets)
          open = new Uint8Array(0)
          from = to
        }
        open = append(open, held.slice(from, to))
        at = to
      }
      held = held.slice(at)
      return { packets, samples: [] }
    },
    end: nothing,
  }
}

const textAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))
