import type { Joiner, Sound } from './joiner.ts'

interface StreamInfo {
  rate: number
  channels: number
  bits: number
}

interface FlacFrame {
  bytes: Buffer
  /** Samples per channel. */
  samples: number
  /** Position of the coded number, and end of the header without its checksum, in bytes from the start of the frame. */
  number: { at: number; length: number }
  headerEnd: number
}

const table = (bits: number, polynomial: number): Uint16Array => {
  const top = 1 << (bits - 1)
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (bits - 8)
    for (let bit = 0; bit < 8; bit++) crc = (crc & top ? (crc << 1) ^ polynomial : crc << 1) & (2 * top - 1)
    return crc
  })
}
/** Checksum tables (RFC 9639, 9.1.8 and 9.3). */
const crc8Table = table(8, 0x07)
const crc16Table = table(16, 0x8005)

function crc8(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) crc = crc8Table[crc ^ byte] ?? 0
  return crc
}

const crc16Step = (crc: number, byte: number): number => ((crc << 8) & 0xffff) ^ (crc16Table[(crc >> 8) ^ byte] ?? 0)

/** Reads STREAMINFO (RFC 9639, 8.2). Null for other formats. */
function readHead(bytes: Buffer): { info: StreamInfo; at: number } | null {
  if (bytes.length < 42 || bytes.toString('latin1', 0, 4) !== 'fLaC' || ((bytes[4] ?? 0) & 127) !== 0) return null
  const packed = bytes.readUInt32BE(18)
  const info = { rate: packed >>> 12, channels: ((packed >>> 9) & 7) + 1, bits: ((packed >>> 4) & 31) + 1 }
  let at = 4
  for (let last = false; !last && at + 4 <= bytes.length; ) {
    last = ((bytes[at] ?? 0) & 128) !== 0
    at += 4 + bytes.readUIntBE(at + 1, 3)
  }
  return info.rate === 0 ? null : { info, at }
}

/** Reads a frame header (RFC 9639, 9.1). Null without a header with a valid checksum. */
function headerAt(bytes: Buffer, at: number): Omit<FlacFrame, 'bytes'> | null {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xfe) !== 0xf8) return null
  const third = bytes[at + 2] ?? 0
  const size = third >> 4
  const rate = third & 15
  const lead = bytes[at + 4] ?? 0
  // Coded like UTF-8, in up to seven bytes. The number of leading ones is the length.
  const ones = Math.clz32(~(lead << 24))
  const length = lead < 0x80 ? 1 : ones
  if (size === 0 || rate === 15 || ones === 1 || ones > 7) return null
  const sizeBytes = size === 6 ? 1 : size === 7 ? 2 : 0
  const rateBytes = rate === 12 ? 1 : rate === 13 || rate === 14 ? 2 : 0
  const sizeAt = at + 4 + length
  const end = sizeAt + sizeBytes + rateBytes
  if (end >= bytes.length || crc8(bytes.subarray(at, end)) !== bytes[end]) return null
  const samples = sizeBytes > 0 ? bytes.readUIntBE(sizeAt, sizeBytes) + 1 : usualSize(size)
  return { samples, number: { at: 4, length }, headerEnd: end - at }
}

/** Block size in samples for a code (RFC 9639, 9.1.1). */
const usualSize = (code: number): number => (code === 1 ? 192 : code < 6 ? 576 << (code - 2) : 256 << (code - 8))

/**
 * The frames with valid checksums. A frame does not contain its length: it ends where the next one begins and where the checksum over all
 * of it is zero.
 */
function* framesOf(bytes: Buffer, from: number): Generator<FlacFrame, undefined> {
  let at = from
  while (at < bytes.length) {
    const header = headerAt(bytes, at)
    const end = header === null ? null : frameEnd(bytes, at)
    if (header === null || end === null) at += 1
    else {
      yield { ...header, bytes: bytes.subarray(at, end) }
      at = end
    }
  }
}

/** Longer than any frame, even uncompressed. Limits the search for an end that does not exist. */
const mostFrame = 1024 * 1024

function frameEnd(bytes: Buffer, at: number): number | null {
  let crc = 0
  const most = Math.min(bytes.length, at + mostFrame)
  for (let place = at; place < most; place++) {
    if (crc === 0 && place > at + 6 && bytes[place] === 0xff && headerAt(bytes, place) !== null) return place
    crc = crc16Step(crc, bytes[place] ?? 0)
  }
  return crc === 0 && most === bytes.length ? most : null
}

export function flacSound(bytes: Buffer): Sound | null {
  const head = readHead(bytes)
  if (!head) return null
  let samples = 0
  for (const frame of framesOf(bytes, head.at)) samples += frame.samples
  const { rate, channels, bits } = head.info
  if (samples === 0) return null
  return { format: 'flac', seconds: samples / rate, like: `flac (${rate} Hz, ${channels} × ${bits} bits)` }
}

const headBytes = 42

/**
 * Copies frame after frame. Numbers each frame by its first sample in the joined file, because the last block of a part is shorter and
 * blocks then differ in size. Metadata of the parts is dropped. The MD5 of the samples is left empty, as the format allows.
 */
export function flacJoiner(): Joiner {
  let info: StreamInfo = { rate: 1, channels: 1, bits: 16 }
  let samples = 0
  let least = 65_535
  let most = 16
  let shortest = 0xff_ffff
  let longest = 0
  return {
    headBytes,
    *add(part) {
      const head = readHead(part)
      if (!head) return
      if (samples === 0) info = head.info
      for (const frame of framesOf(part, head.at)) {
        const renumbered = renumber(frame, samples)
        samples += frame.samples
        least = Math.min(least, frame.samples)
        most = Math.max(most, frame.samples)
        shortest = Math.min(shortest, renumbered.length)
        longest = Math.max(longest, renumbered.length)
        yield renumbered
      }
    },
    end() {
      const head = Buffer.alloc(headBytes)
      head.write('fLaC', 0, 'latin1')
      head.writeUInt32BE(0x8000_0022, 4)
      head.writeUInt16BE(Math.max(16, least), 8)
      head.writeUInt16BE(most, 10)
      head.writeUIntBE(shortest, 12, 3)
      head.writeUIntBE(longest, 15, 3)
      head.writeUInt32BE(((info.rate << 12) | ((info.channels - 1) << 9) | ((info.bits - 1) << 4)) >>> 0, 18)
      // 36 bits, of which the upper four share a byte with the bit depth.
      head.writeUInt8((head.readUInt8(21) & 0xf0) | (Math.floor(samples / 2 ** 32) & 15), 21)
      head.writeUInt32BE(samples >>> 0, 22)
      return { rest: [], head, seconds: samples / info.rate }
    },
  }
}

/** Numbers a frame by its first sample, as RFC 9639, 9.1.5 requires for variable block sizes. */
function renumber({ bytes, number, headerEnd }: FlacFrame, sample: number): Buffer {
  const coded = codedNumber(sample)
  const head = Buffer.concat([
    bytes.subarray(0, number.at),
    coded,
    bytes.subarray(number.at + number.length, headerEnd),
  ])
  head.writeUInt8(0xf9, 1)
  const body = bytes.subarray(headerEnd + 1, bytes.length - 2)
  const frame = Buffer.concat([head, Buffer.from([crc8(head)]), body, Buffer.alloc(2)])
  let crc = 0
  for (let at = 0; at < frame.length - 2; at++) crc = crc16Step(crc, frame[at] ?? 0)
  frame.writeUInt16BE(crc, frame.length - 2)
  return frame
}

/** Encodes a number of up to 36 bits like UTF-8. */
export function codedNumber(value: number): Buffer {
  if (value < 0x80) return Buffer.from([value])
  let rest = value
  const tail: number[] = []
  // The lead byte of a number in n bytes has 7 - n bits for the number.
  while (tail.length === 0 || rest >= 2 ** (6 - tail.length)) {
    tail.unshift(0x80 | (rest % 64))
    rest = Math.floor(rest / 64)
  }
  const lead = (0xff00 >> (tail.length + 1)) & 0xff
  return Buffer.from([lead | rest, ...tail])
}
