import { append, nothing, type Split, type Splitter } from './livePackets.ts'

/** Splits streamed FLAC (RFC 9639) into frames. A frame header has no length: the frame ends where the next one starts. */
export function flacSplitter(): Splitter {
  let held = new Uint8Array(0)
  let config: AudioDecoderConfig | null = null
  let looked = 0
  const cut = (last: boolean): Split => {
    const { packets } = nothing()
    if (config === null) {
      const head = flacHead(held)
      if (head === null) return nothing()
      config = head.config
      held = held.slice(head.bytes)
    }
    let from = 0
    for (let at = Math.max(1, looked); at + longestFrameHead <= held.length; at++) {
      if (!isFrame(held, at)) continue
      packets.push(held.slice(from, at))
      from = at
    }
    if (last && from < held.length) {
      packets.push(held.slice(from))
      from = held.length
    }
    held = held.slice(from)
    looked = Math.max(1, held.length - longestFrameHead)
    return { packets, samples: [] }
  }
  return {
    config: () => config,
    rate: () => null,
    skip: () => 0,
    push(bytes) {
      held = append(held, bytes)
      return cut(false)
    },
    end: () => cut(true),
  }
}

/** Bytes: two of sync, two of codes, up to seven of the number, two each of block size and rate, one checksum. */
const longestFrameHead = 16

/** Reads the marker and all metadata blocks (RFC 9639, 8). Null while they are incomplete. */
export function flacHead(file: Uint8Array): { config: AudioDecoderConfig; bytes: number } | null {
  if (file.length < 42) return null
  if (String.fromCharCode(...file.subarray(0, 4)) !== 'fLaC') throw new Error('The received data is not FLAC.')
  let at = 4
  for (let last = false; !last; ) {
    if (at + 4 > file.length) return null
    const [kind = 0, a = 0, b = 0, c = 0] = file.subarray(at, at + 4)
    last = kind >= 128
    at += 4 + ((a << 16) | (b << 8) | c)
  }
  if (at > file.length) return null
  const [a = 0, b = 0, c = 0] = file.subarray(18, 21)
  const description = file.slice(0, 42)
  // Marks STREAMINFO as the last metadata block.
  description[4] = 0x80
  const sampleRate = (a << 12) | (b << 4) | (c >> 4)
  return { config: { codec: 'flac', sampleRate, numberOfChannels: ((c >> 1) & 7) + 1, description }, bytes: at }
}

/** RFC 9639, 9.1: checks the sync code, the reserved codes and the header checksum. */
export function isFrame(file: Uint8Array, at: number): boolean {
  if (file[at] !== 0xff || ((file[at + 1] ?? 0) & 0xfe) !== 0xf8) return false
  const [size, rate] = [(file[at + 2] ?? 0) >> 4, (file[at + 2] ?? 0) & 15]
  const codes = file[at + 3] ?? 0
  if (size === 0 || rate === 15 || codes >> 4 > 10 || (codes & 1) === 1) return false
  const first = file[at + 4] ?? 0
  const number = first < 0x80 ? 1 : Math.clz32(~(first << 24))
  const end = at + 4 + number + (size === 6 ? 1 : size === 7 ? 2 : 0) + (rate === 12 ? 1 : rate >= 13 ? 2 : 0)
  return end < file.length && check(file, at, end) === file[end]
}

/** CRC-8, polynomial x^8 + x^2 + x + 1. */
function check(file: Uint8Array, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at++) {
    sum ^= file[at] ?? 0
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80 ? ((sum << 1) ^ 0x07) & 0xff : (sum << 1) & 0xff
  }
  return sum
}
