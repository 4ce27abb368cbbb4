import { randomInt } from 'node:crypto'
import type { Joiner, Sound } from './joiner.ts'

interface Opus {
  head: Buffer
  packets: Buffer[]
  /** All samples of the packets, and the audible ones, at 48,000 Hz. */
  decoded: number
  audible: number
  preSkip: number
}

/** Opus always counts at this rate, Hz (RFC 7845, 4). */
const rate = 48_000

/** The packets of the first stream (RFC 3533, 6). Drops a truncated last page. */
function* packetsOf(bytes: Buffer): Generator<{ packet: Buffer; granule: bigint }, undefined> {
  let serial: number | null = null
  let pending: Buffer[] = []
  for (let at = 0; at + 27 <= bytes.length; ) {
    if (bytes.toString('latin1', at, at + 4) !== 'OggS') {
      at += 1
      continue
    }
    const segments = bytes.readUInt8(at + 26)
    const lacing = bytes.subarray(at + 27, at + 27 + segments)
    const length = lacing.reduce((sum, value) => sum + value, 0)
    let place = at + 27 + segments
    if (place + length > bytes.length) return
    serial ??= bytes.readUInt32LE(at + 14)
    const ours = bytes.readUInt32LE(at + 14) === serial
    const granule = bytes.readBigInt64LE(at + 6)
    if (ours && (bytes.readUInt8(at + 5) & 1) === 0) pending = []
    let begun = place
    for (const value of lacing) {
      place += value
      if (value === 255 || !ours) continue
      const end = bytes.subarray(begun, place)
      const packet = pending.length === 0 ? end : Buffer.concat([...pending, end])
      pending = []
      begun = place
      yield { packet, granule }
    }
    if (ours && begun < place) pending.push(bytes.subarray(begun, place))
    at = place
  }
}

/** Samples that a packet decodes to at 48,000 Hz; 0 for an empty packet (RFC 6716, 3.1). */
function samplesOf(packet: Buffer): number {
  const [toc, count = 0] = packet
  if (toc === undefined) return 0
  const config = toc >> 3
  const size =
    config < 12 ? ([480, 960, 1920, 2880][config & 3] ?? 0) : config < 16 ? 480 << (config & 1) : 120 << (config & 3)
  const frames = (toc & 3) === 0 ? 1 : (toc & 3) < 3 ? 2 : count & 63
  return size * frames
}

/** Reads an Opus file (RFC 7845). `whole`: the last page is present and states the audible length. */
function readOpus(bytes: Buffer, whole: boolean): Opus | null {
  const [head, tags, ...rest] = [...packetsOf(bytes)]
  if (!head || !tags || head.packet.length < 19 || head.packet.toString('latin1', 0, 8) !== 'OpusHead') return null
  const sound = rest.filter(({ packet }) => samplesOf(packet) > 0)
  const decoded = sound.reduce((sum, { packet }) => sum + samplesOf(packet), 0)
  const preSkip = head.packet.readUInt16LE(10)
  const last = Number(sound.at(-1)?.granule ?? 0n)
  // A last page with fewer samples than its packets trims the end. A larger number is invalid and ignored.
  const end = whole && last > 0 ? Math.min(last, decoded) : decoded
  const packets = sound.map(({ packet }) => packet)
  return { head: head.packet, packets, decoded, audible: Math.max(0, end - preSkip), preSkip }
}

export function opusSound(bytes: Buffer): Sound | null {
  const opus = readOpus(bytes, true)
  if (!opus || opus.packets.length === 0) return null
  return { format: 'opus', seconds: opus.audible / rate, like: likeOf(opus) }
}

/** Channels, channel mapping and gain. All parts must share them, because the joined file has one header. */
const likeOf = ({ head }: Opus): string =>
  `opus (${head.readUInt8(9)} channels, gain ${head.readInt16LE(16)}, layout ${head.toString('hex', 18)})`

/** Packets at the end of a part that may still be dropped when the next part arrives. */
const maxPendingPackets = 16
const pageSamples = rate

/**
 * Copies packet after packet. Each part begins with pre-skip samples and ends with samples that its last page would trim. In the middle
 * of a file both would be audible. Drops as many packets at the end of a part as bring the next part nearest to its position. Positions
 * count from the start of the file, so that errors do not add up: at most half a packet (10 ms).
 */
export function opusJoiner(): Joiner {
  let first: Opus | null = null
  let audible = 0
  /** Samples of all packets, written and pending. */
  let decoded = 0
  const pending: Buffer[] = []
  const pages = pageWriter()

  return {
    headBytes: 0,
    *add(part, whole) {
      const opus = readOpus(part, whole)
      if (!opus) return
      if (first === null) {
        first = opus
        yield pages.write([opus.head], 0, 'begin')
        yield pages.write([emptyTags()], 0, 'middle')
      } else {
        // Samples by which the next part's audio would begin too late.
        for (;;) {
          const late = decoded + opus.preSkip - (first.preSkip + audible)
          const last = samplesOf(pending.at(-1) ?? Buffer.alloc(0))
          if (last === 0 || late * 2 <= last) break
          pending.pop()
          decoded -= last
        }
      }
      audible += opus.audible
      for (const packet of opus.packets) {
        pending.push(packet)
        decoded += samplesOf(packet)
        if (pending.length > maxPendingPackets) yield* pages.add(pending.shift() ?? packet)
      }
    },
    end() {
      const rest: Uint8Array[] = []
      for (const packet of pending) rest.push(...pages.add(packet))
      const granule = Math.min(decoded, (first?.preSkip ?? 0) + audible)
      rest.push(pages.end(granule))
      return { rest, head: Buffer.alloc(0), seconds: Math.max(0, granule - (first?.preSkip ?? 0)) / rate }
    },
  }
}

/** The comment header (RFC 7845, 5.2). Drops the tags of the parts, because each set describes only its part. */
function emptyTags(): Buffer {
  const vendor = Buffer.from('Inference Studio')
  const tags = Buffer.alloc(8 + 4 + vendor.length + 4)
  tags.write('OpusTags', 0, 'latin1')
  tags.writeUInt32LE(vendor.length, 8)
  vendor.copy(tags, 12)
  return tags
}

function pageWriter() {
  const serial = randomInt(2 ** 32)
  let sequence = 0
  let granule = 0
  let waiting: Buffer[] = []
  let segments = 0
  let samples = 0

  function write(packets: readonly Buffer[], at: number, kind: 'begin' | 'middle' | 'end'): Buffer {
    const lacing = packets.flatMap(({ length }) => [
      ...Array.from({ length: Math.floor(length / 255) }, () => 255),
      length % 255,
    ])
    const head = Buffer.alloc(27)
    head.write('OggS', 0, 'latin1')
    head.writeUInt8({ begin: 2, middle: 0, end: 4 }[kind], 5)
    head.writeBigInt64LE(BigInt(at), 6)
    head.writeUInt32LE(serial, 14)
    head.writeUInt32LE(sequence++, 18)
    head.writeUInt8(lacing.length, 26)
    const page = Buffer.concat([head, Buffer.from(lacing), ...packets])
    page.writeUInt32LE(oggCrc(page), 22)
    return page
  }

  function flush(): Buffer {
    const page = write(waiting, granule, 'middle')
    waiting = []
    segments = 0
    samples = 0
    return page
  }

  return {
    write,
    /** Adds a packet. Yields the current page when it has a second of packets or is full. */
    *add(packet: Buffer): Generator<Buffer, undefined> {
      const needs = Math.floor(packet.length / 255) + 1
      if (waiting.length > 0 && (segments + needs > 255 || samples >= pageSamples)) yield flush()
      waiting.push(packet)
      segments += needs
      samples += samplesOf(packet)
      granule += samplesOf(packet)
    },
    /** The last page, which states where the audio ends. */
    end: (at: number): Buffer => write(waiting, at, 'end'),
  }
}

/** RFC 3533, 6: CRC-32 with the polynomial 0x04c11db7, initial value 0, no reflection. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc >>> 0
})

function oggCrc(page: Uint8Array): number {
  let crc = 0
  for (const byte of page) crc = ((crc << 8) ^ (crcTable[(crc >>> 24) ^ byte] ?? 0)) >>> 0
  return crc
}
