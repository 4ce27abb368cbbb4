import { skipId3 } from './joiner.ts'

/** One frame of MPEG audio layer III (ISO/IEC 11172-3, 2.4; 13818-3 for the lower rates). */
export interface Mp3Frame {
  bytes: Buffer
  /** MPEG-1; false for the lower sampling rates. */
  mpeg1: boolean
  rate: number
  mono: boolean
  /** Bytes before the main data: header, checksum and side information. */
  head: number
  /** Samples per channel. */
  samples: number
}

export interface Mp3 {
  frames: Mp3Frame[]
  /** Samples that the encoder added before and after the audio; null if unknown. */
  delay: number | null
  padding: number
}

/** Samples that every decoder's filter bank adds to the encoder's delay. */
export const decoderDelay = 529

const rates = [44_100, 48_000, 32_000]
const kbits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const kbits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** Length of a frame with this bit rate index, in bytes. */
export function lengthOf({ mpeg1, rate }: Pick<Mp3Frame, 'mpeg1' | 'rate'>, index: number, padded: boolean): number {
  const kbits = (mpeg1 ? kbits1 : kbits2)[index] ?? 0
  return Math.floor(((mpeg1 ? 144_000 : 72_000) * kbits) / rate) + (padded ? 1 : 0)
}

function headerAt(bytes: Buffer, at: number): (Omit<Mp3Frame, 'bytes'> & { length: number }) | null {
  const [first, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4)
  // Sync word, a valid version, layer III.
  if (first !== 0xff || (second & 0xe6) !== 0xe2 || (second & 0x18) === 0x08) return null
  const version = (second >> 3) & 3
  const full = rates[(third >> 2) & 3]
  const index = third >> 4
  if (full === undefined || index === 0 || index === 15) return null
  const mpeg1 = version === 3
  const rate = version === 3 ? full : version === 2 ? full / 2 : full / 4
  const mono = fourth >> 6 === 3
  const length = lengthOf({ mpeg1, rate }, index, (third & 2) !== 0)
  const side = mpeg1 ? (mono ? 17 : 32) : mono ? 9 : 17
  const head = 4 + ((second & 1) === 0 ? 2 : 0) + side
  return length < head ? null : { mpeg1, rate, mono, head, samples: mpeg1 ? 1152 : 576, length }
}

/** The frames of a file in order, without tags. Drops a truncated last frame. Null for a file without frames. */
export function readMp3(bytes: Buffer): Mp3 | null {
  const frames: Mp3Frame[] = []
  let gaps: Pick<Mp3, 'delay' | 'padding'> = { delay: null, padding: 0 }
  for (let at = skipId3(bytes); at + 4 <= bytes.length; ) {
    const header = headerAt(bytes, at)
    const end = at + (header?.length ?? 0)
    // Requires a second header or the end of the file, because audio and tags may look like a header by chance.
    if (header === null || end > bytes.length || !(frames.length > 0 || endsWell(bytes, end))) {
      at += 1
      continue
    }
    const { length: _, ...facts } = header
    const frame = { ...facts, bytes: bytes.subarray(at, end) }
    const tag = frames.length === 0 ? readTag(frame) : null
    if (tag) gaps = tag
    else frames.push(frame)
    at = end
  }
  return frames.length === 0 ? null : { frames, ...gaps }
}

const endsWell = (bytes: Buffer, end: number): boolean => end + 4 > bytes.length || headerAt(bytes, end) !== null

/** Reads a silent first frame with information about the file: Xing with LAME's extension, or Fraunhofer's VBRI. */
function readTag({ bytes, head, mpeg1, mono }: Mp3Frame): Pick<Mp3, 'delay' | 'padding'> | null {
  const unknown = { delay: null, padding: 0 }
  if (bytes.toString('latin1', 36, 40) === 'VBRI') return unknown
  // The tag begins where the side information of a frame without a checksum would end.
  const at = Math.min(head, 4 + (mpeg1 ? (mono ? 17 : 32) : mono ? 9 : 17))
  if (!['Xing', 'Info'].includes(bytes.toString('latin1', at, at + 4))) return null
  const flags = bytes.readUInt32BE(at + 4)
  const lame = at + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  if (lame + 24 > bytes.length || !/^(LAME|Lav[fc])/.test(bytes.toString('latin1', lame, lame + 4))) return unknown
  const both = bytes.readUIntBE(lame + 21, 3)
  return { delay: both >> 12, padding: both & 4095 }
}

/** Distance in bytes from the start of the frame back to its main data (bit reservoir). */
export function reachesBack({ bytes, head, mpeg1, mono }: Mp3Frame): number {
  const at = head - (mpeg1 ? (mono ? 17 : 32) : mono ? 9 : 17)
  const first = bytes[at] ?? 0
  return mpeg1 ? (first << 1) | ((bytes[at + 1] ?? 0) >> 7) : first
}

/** The same frame with `extra` appended to its main data, at a higher bit rate that fits; null if none does. */
export function enlarge(frame: Mp3Frame, extra: Buffer): Mp3Frame | null {
  if (extra.length === 0) return frame
  const third = frame.bytes[2] ?? 0
  for (let index = (third >> 4) + 1; index < 15; index++) {
    const length = lengthOf(frame, index, (third & 2) !== 0)
    if (length < frame.bytes.length + extra.length) continue
    const bytes = Buffer.alloc(length)
    frame.bytes.copy(bytes)
    extra.copy(bytes, length - extra.length)
    bytes.writeUInt8((index << 4) | (third & 15), 2)
    if (((bytes[1] ?? 0) & 1) === 0) bytes.writeUInt16BE(headCrc(bytes, frame.head), 4)
    return { ...frame, bytes }
  }
  return null
}

/** Checksum over the header's last two bytes and the side information (ISO/IEC 11172-3, 2.4.3.1). */
function headCrc(bytes: Buffer, head: number): number {
  let crc = 0xffff
  for (const byte of [...bytes.subarray(2, 4), ...bytes.subarray(6, head)]) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x8005 : crc << 1) & 0xffff
  }
  return crc
}
