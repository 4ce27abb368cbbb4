import { open } from 'node:fs/promises'

/** Bytes from the end that are examined. A cluster lasts at most 33 s (its blocks count milliseconds in 16 bits), which is about 130 kB. */
const tailBytes = 2 * 1024 * 1024
/** Sound that browsers put into one block, s. The last block starts that long before the end. */
const blockSeconds = 0.06

/**
 * The length of an interrupted microphone recording, s. Browsers write no length while they record, and players guess a wrong one.
 * Reads the last time in the file: of WebM (RFC 9559) or Ogg (RFC 3533 and 7845). Null for other formats and for damaged files.
 */
export async function recordedSeconds(path: string): Promise<number | null> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const bytes = Buffer.alloc(Math.min(size, tailBytes))
    await file.read(bytes, 0, bytes.length, size - bytes.length)
    return lastOggTime(bytes) ?? lastWebmTime(bytes)
  } finally {
    await file.close()
  }
}

const clusterId = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
const timestampId = 0xe7
const simpleBlockId = 0xa3

function lastWebmTime(bytes: Buffer): number | null {
  for (let at = bytes.lastIndexOf(clusterId); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(clusterId, at - 1)) {
    const time = timeOfCluster(bytes, at + clusterId.length)
    if (time !== null) return time
  }
  return null
}

/** The time after the last block of a cluster, s; null for the same four bytes elsewhere, and for a cluster without a block. */
function timeOfCluster(bytes: Buffer, from: number): number | null {
  const size = lengthAt(bytes, from)
  let at = from + (size?.width ?? 0)
  let base: number | null = null
  let last: number | null = null
  while (size && at < bytes.length) {
    const id = bytes[at]
    const length = lengthAt(bytes, at + 1)
    if (!length || length.value === null) break
    const start = at + 1 + length.width
    if (id === timestampId && length.value <= 6 && start + length.value <= bytes.length && base === null) {
      base = length.value === 0 ? 0 : bytes.readUIntBE(start, length.value)
    } else if (id === simpleBlockId && base !== null && start + 4 <= bytes.length) {
      // The track number takes one byte, because a recording has one track.
      last = base + bytes.readInt16BE(start + 1)
    } else break
    at = start + length.value
  }
  // Browsers keep the default unit, one millisecond.
  return last === null ? null : last / 1000 + blockSeconds
}

/** A variable-length integer (RFC 8794, section 4). `value` is null for the unknown length, which live recordings have. */
function lengthAt(bytes: Buffer, at: number): { value: number | null; width: number } | null {
  const first = bytes[at] ?? 0
  const width = Math.clz32(first) - 23
  if (first === 0 || width > 8 || at + width > bytes.length) return null
  let value = first & (0xff >> width)
  let isUnknown = value === 0xff >> width
  for (let next = at + 1; next < at + width; next += 1) {
    const byte = bytes[next] ?? 0
    isUnknown &&= byte === 0xff
    value = value * 256 + byte
  }
  return { value: isUnknown ? null : value, width }
}

/** RFC 7845, section 4: the granule position counts samples at 48 kHz. All ones: no packet ends on the page. */
function lastOggTime(bytes: Buffer): number | null {
  for (let at = bytes.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf('OggS', at - 1)) {
    if (at + 14 > bytes.length || bytes[at + 4] !== 0) continue
    const samples = bytes.readBigInt64LE(at + 6)
    if (samples > 0n && samples < 48_000n * 3600n * 1000n) return Number(samples) / 48_000
  }
  return null
}
