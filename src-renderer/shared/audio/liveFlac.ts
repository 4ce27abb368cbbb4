import { append, nothing, type Split, type Splitter } from './livePackets.ts'

/** Splits streamed FLAC (RFC 9639) into frames. A frame header has no length: the frame ends where the next one starts. */
export function flacSplitter(): Splitter {
  let held = new Uint8Array(0)
  let config: AudioDecoderConfig | null = null
  let looked = 0
  const ends = new FrameEnds()
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
      for (const end of ends.cutsAt(held, at)) {
        packets.push(held.slice(from, end))
        from = end
      }
    }
    if (last && from < held.length) {
      packets.push(held.slice(from))
      from = held.length
    }
    held = held.slice(from)
    ends.move(-from)
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

/** CRC-16, polynomial x^16 + x^15 + x^2 + 1, of each byte. */
const sums = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000 ? (sum << 1) ^ 0x8005 : sum << 1
  return sum
})

/**
 * The check over a frame that may begin at `at` (RFC 9639, 9.3). Sound looks like a head once in some megabytes, since the check of a head
 * is one byte: only this says where a frame ends.
 */
export class FrameSum {
  at: number
  #sum = 0
  #until: number

  constructor(at: number) {
    this.at = at
    this.#until = at
  }

  /** Whether the bytes up to `end` are a frame. Each end is after the one before: no byte is read twice. */
  isWhole(file: Uint8Array, end: number): boolean {
    let sum = this.#sum
    for (let at = this.#until; at < end; at++) sum = ((sum << 8) & 0xffff) ^ (sums[(sum >> 8) ^ (file[at] ?? 0)] ?? 0)
    this.#sum = sum
    this.#until = end
    return sum === 0
  }

  /** The bytes are elsewhere now. */
  move(by: number): void {
    this.at += by
    this.#until += by
  }
}

/** Heads that are kept in mind as beginnings: sound has one that is none in some hundred frames. */
const mostStarts = 8

/** Where frames end in a stream of them: at a head before which a whole frame lies. */
class FrameEnds {
  /** Where frames may begin: the first byte, and each place since that looks like a head. */
  #starts = [new FrameSum(0)]

  /** There is a head at `at`. Returns the places at which the bytes before it are to be cut; none where it may be sound. */
  cutsAt(bytes: Uint8Array, at: number): number[] {
    const first = this.#starts[0]?.at ?? 0
    const whole = this.#starts.find((start) => start.isWhole(bytes, at))
    if (whole) {
      this.#starts = [new FrameSum(at)]
      // What lies before it is damaged: the decoder may make of it what it can.
      return whole.at > first ? [whole.at, at] : [at]
    }
    this.#starts.push(new FrameSum(at))
    if (this.#starts.length <= mostStarts) return []
    // So many heads without a frame between any two of them are damage as well.
    this.#starts.shift()
    return this.#starts.slice(0, 1).map((start) => start.at)
  }

  /** The bytes are elsewhere now. */
  move(by: number): void {
    for (const start of this.#starts) start.move(by)
  }
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
