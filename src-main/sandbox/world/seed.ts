import { createHash } from 'node:crypto'

/** One day, ms. */
export const DAY = 86_400_000

/** Random numbers that depend only on their seed, so that equal starts give equal state. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number
  pick<T>(list: readonly [T, ...T[]]): T
  chance(probability: number): boolean
}

const digest = (parts: readonly string[]) => createHash('sha256').update(parts.join('\0')).digest()

/** sfc32 seeded with SHA-256 of the parts: fast, and the same on every machine. */
export function seededRandom(...parts: string[]): Random {
  const seed = digest(parts)
  let a = seed.readUInt32LE(0)
  let b = seed.readUInt32LE(4)
  let c = seed.readUInt32LE(8)
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    int,
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0],
    chance: (probability) => next() < probability,
  }
}

/** A UUID in the format of version 4 (RFC 9562), derived from the parts. */
export function seededUuid(...parts: string[]): string {
  const bytes = digest(['uuid', ...parts]).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** `length` hexadecimal characters derived from the parts; at most 64. */
export const seededHex = (length: number, ...parts: string[]) =>
  digest(['hex', ...parts])
    .toString('hex')
    .slice(0, length)
