import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'

/** The pages of a database file. Pages of its write-ahead log take precedence. Page numbers start at 1. */
export interface Pages {
  readonly count: number
  /** Bytes of a page that its content may use. */
  readonly usable: number
  page(no: number): Buffer
  close(): void
}

/** Page size of all our databases, SQLite's default. Not read from the header, which may be damaged. */
const size = 4096

/**
 * Opens a file for reading pages: https://sqlite.org/fileformat2.html, 1.3. SQLite itself cannot be used, because it rejects a whole file
 * for one page.
 */
export function openPages(path: string): Pages {
  const file = openSync(path, 'r')
  const log = readLog(`${path}-wal`)
  return {
    count: Math.max(Math.ceil(fstatSync(file).size / size), log.pages),
    usable: size,
    page(no) {
      const page = Buffer.alloc(size)
      const newer = log.frames.get(no)
      if (newer === undefined) readSync(file, page, 0, size, (no - 1) * size)
      else newer.copy(page)
      return page
    },
    close: () => closeSync(file),
  }
}

interface Log {
  frames: ReadonlyMap<number, Buffer>
  /** Number of pages of the database after the last transaction; 0 without one. */
  pages: number
}

/**
 * The pages of the write-ahead log up to its last complete transaction (https://sqlite.org/fileformat2.html, 4). As in SQLite, the checksum
 * of each frame covers all frames before it. Frames after a broken one were never part of a committed transaction.
 */
function readLog(path: string): Log {
  const frames = new Map<number, Buffer>()
  const bytes = readWhole(path)
  if (bytes.length < 32 || bytes.readUInt32BE(8) !== size) return { frames, pages: 0 }
  const kind = bytes.readUInt32BE(0)
  if (kind !== 0x377f0682 && kind !== 0x377f0683) return { frames, pages: 0 }
  const isBig = kind === 0x377f0683
  let sum = sumOf(bytes.subarray(0, 24), [0, 0], isBig)
  if (!isSum(bytes, 24, sum)) return { frames, pages: 0 }
  let pages = 0
  let pending: [number, Buffer][] = []
  for (let at = 32; at + 24 + size <= bytes.length; at += 24 + size) {
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) break
    sum = sumOf(bytes.subarray(at, at + 8), sum, isBig)
    sum = sumOf(bytes.subarray(at + 24, at + 24 + size), sum, isBig)
    if (!isSum(bytes, at + 16, sum)) break
    pending.push([bytes.readUInt32BE(at), bytes.subarray(at + 24, at + 24 + size)])
    const after = bytes.readUInt32BE(at + 4)
    if (after === 0) continue
    for (const [no, page] of pending) frames.set(no, page)
    pending = []
    pages = after
  }
  return { frames, pages }
}

function readWhole(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

type Sum = readonly [number, number]

/** The checksum of SQLite's log: two words; each pair of input words is added to both. */
function sumOf(bytes: Buffer, [first, second]: Sum, isBig: boolean): Sum {
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    const x = isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    const y = isBig ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
    a = (a + x + b) >>> 0
    b = (b + y + a) >>> 0
  }
  return [a, b]
}

const isSum = (bytes: Buffer, at: number, [a, b]: Sum): boolean =>
  bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b
