import { type Cut, packetSplitter, type Splitter } from './livePackets.ts'

/** Splits streamed FLAC (RFC 9639) into frames. A frame header has no length: the frame ends where the next one starts. */
export function flacSplitter(): Splitter {
  let config: AudioDecoderConfig | null = null
  let looked = 0
  const ends = new FrameEnds()
  const cut = (received: Uint8Array<ArrayBuffer>, last: boolean): Cut => {
    const packets: Uint8Array[] = []
    let held = received
    if (config === null) {
      const head = flacHead(held)
      if (head === null) return { packets, rest: held }
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
    ends.move(-from)
    looked = Math.max(1, held.length - from - longestFrameHead)
    return { packets, rest: held.slice(from) }
  }
  return packetSplitter(() => config, cut)
}

/** Maximum header length, bytes: 2 sync, 2 codes, up to 7 frame number, 2 block size, 2 sample rate, 1 checksum. */
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
 * The running CRC-16 of a frame that may start at `at` (RFC 9639, 9.3). A header's checksum is only one byte, so sound data looks like a
 * header once in some megabytes. Only the CRC-16 identifies the end of a frame.
 */
export class FrameSum {
  at: number
  #sum = 0
  #until: number

  constructor(at: number) {
    this.at = at
    this.#until = at
  }

  /** Whether the bytes up to `end` are a complete frame. `end` must increase with each call, so that each byte is read once. */
  isWhole(file: Uint8Array, end: number): boolean {
    let sum = this.#sum
    for (let at = this.#until; at < end; at++) sum = ((sum << 8) & 0xffff) ^ (sums[(sum >> 8) ^ (file[at] ?? 0)] ?? 0)
    this.#sum = sum
    this.#until = end
    return sum === 0
  }

  /** Shifts all offsets after the buffer has moved. */
  move(by: number): void {
    this.at += by
    this.#until += by
  }
}

/** Limit of candidate frame starts. Sound data contains about one false header in some hundred frames. */
const mostStarts = 8

/** Finds the ends of frames in a stream: a frame ends at a header that follows a complete frame. */
class FrameEnds {
  /** Candidate frame starts: the first byte, and each later position that looks like a header. */
  #starts = [new FrameSum(0)]

  /** Processes a possible header at `at`. Returns the offsets at which to split the bytes before it. Empty when it may be sound data. */
  cutsAt(bytes: Uint8Array, at: number): number[] {
    const first = this.#starts[0]?.at ?? 0
    const whole = this.#starts.find((start) => start.isWhole(bytes, at))
    if (whole) {
      this.#starts = [new FrameSum(at)]
      // The bytes before the complete frame are damaged. They are passed to the decoder as they are.
      return whole.at > first ? [whole.at, at] : [at]
    }
    this.#starts.push(new FrameSum(at))
    if (this.#starts.length <= mostStarts) return []
    // This many headers without a complete frame between any two of them also mean damage.
    this.#starts.shift()
    return this.#starts.slice(0, 1).map((start) => start.at)
  }

  /** Shifts all offsets after the buffer has moved. */
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
