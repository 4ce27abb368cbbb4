import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { damaged } from './importNotes.ts'

/** An entry of a zip, as its directory tells. */
export interface ZipEntry {
  name: string
  size: number
  packed: number
  crc: number
  method: number
  offset: number
}

/** Bounds against files that were made to harm. */
const maxEntries = 200_000
const maxDirectory = 64 * 1024 * 1024
const maxEntryBytes = 1024 ** 3
const maxTotalBytes = 8 * 1024 ** 3
/** Larger entries that shrank to less than a three hundredth were made by nobody; deflate ends at 1,032. */
const suspectBytes = 16 * 1024 * 1024
const maxRatio = 300

const isDamaged = (): Error => damaged('The zip file is damaged or cut off.')
const isHostile = (): Error =>
  damaged('The zip file unpacks to far more than it could hold in good faith; it was not read.')

/**
 * A zip file read through its directory (APPNOTE 6.3, 4.3.12 to 4.3.16, with Zip64), entry by entry in any order; inflated by zlib on its own
 * threads. fflate's stream reader believes each local header and inflates on this thread. Names are never used as paths.
 */
export class ZipReader {
  readonly entries: ReadonlyMap<string, ZipEntry>
  readonly #file: FileHandle
  readonly #size: number
  #unpacked = 0

  private constructor(file: FileHandle, size: number, entries: ReadonlyMap<string, ZipEntry>) {
    this.#file = file
    this.#size = size
    this.entries = entries
  }

  /** @throws StudioError `bad_input` for what is cut, hostile, encrypted or in several volumes */
  static async open(path: string): Promise<ZipReader> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      return new ZipReader(file, size, await readDirectory(file, size))
    } catch (thrown) {
      await file.close()
      throw thrown
    }
  }

  close = (): Promise<void> => this.#file.close()

  /** A whole entry in memory. @throws StudioError `bad_input`, also where it has more than `most` bytes or its checksum differs */
  async read(entry: ZipEntry, most: number): Promise<Buffer> {
    if (entry.size > most) throw damaged('An entry of the zip file is larger than it may be.')
    const chunks: Buffer[] = []
    await this.unpack(entry, new Transform({ transform: (chunk: Buffer, _, done) => done(void chunks.push(chunk)) }))
    return Buffer.concat(chunks)
  }

  /** Streams an entry into `to`; answers the SHA-256 of what came, in hex. */
  async unpack(entry: ZipEntry, to: NodeJS.WritableStream): Promise<string> {
    if (entry.size > maxEntryBytes) throw isHostile()
    if (entry.size > suspectBytes && entry.size / Math.max(1, entry.packed) > maxRatio) throw isHostile()
    const hash = createHash('sha256')
    let crc = 0
    let bytes = 0
    const watch = new Transform({
      transform: (chunk: Buffer, _, done) => {
        bytes += chunk.length
        this.#unpacked += chunk.length
        if (bytes > entry.size) return done(isDamaged())
        if (this.#unpacked > maxTotalBytes) return done(isHostile())
        crc = crc32(chunk, crc)
        hash.update(chunk)
        done(null, chunk)
      },
    })
    try {
      const from = await this.#packed(entry)
      if (entry.method === 0) await pipeline(from, watch, to)
      else if (entry.method === 8) await pipeline(from, createInflateRaw(), watch, to)
      else throw damaged('The zip file is packed in a way that is not known here.')
    } catch (thrown) {
      throw thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_') ? isDamaged() : thrown
    }
    if (bytes !== entry.size || crc !== entry.crc) throw isDamaged()
    return hash.digest('hex')
  }

  async #packed({ offset, packed }: ZipEntry): Promise<Readable> {
    const head = await readAt(this.#file, offset, 30, this.#size)
    if (head.readUInt32LE(0) !== 0x04034b50) throw isDamaged()
    const start = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
    if (start + packed > this.#size) throw isDamaged()
    return Readable.from(chunks(this.#file, start, start + packed), { objectMode: false })
  }
}

/** `FileHandle.createReadStream` would leave a listener on the handle for each entry. */
async function* chunks(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer, undefined> {
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(64 * 1024, end - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) throw isDamaged()
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

async function readAt(file: FileHandle, at: number, length: number, size: number): Promise<Buffer> {
  if (at < 0 || length < 0 || at + length > size) throw isDamaged()
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, at)
  if (bytesRead !== length) throw isDamaged()
  return buffer
}

interface Directory {
  at: number
  length: number
  count: number
}

async function findDirectory(file: FileHandle, size: number): Promise<Directory> {
  const from = Math.max(0, size - 65_557)
  const tail = await readAt(file, from, size - from, size)
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== 0x06054b50 || tail.readUInt16LE(at + 20) !== tail.length - at - 22) continue
    const found = {
      count: tail.readUInt16LE(at + 10),
      length: tail.readUInt32LE(at + 12),
      at: tail.readUInt32LE(at + 16),
    }
    if (tail.readUInt16LE(at + 4) !== 0 && tail.readUInt16LE(at + 4) !== 0xffff) break
    const isLarge = found.count === 0xffff || found.length === 0xffffffff || found.at === 0xffffffff
    if (!isLarge || at < 20 || tail.readUInt32LE(at - 20) !== 0x07064b50) return found
    const large = await readAt(file, safe(tail.readBigUInt64LE(at - 12)), 56, size)
    if (large.readUInt32LE(0) !== 0x06064b50) throw isDamaged()
    return {
      count: safe(large.readBigUInt64LE(32)),
      length: safe(large.readBigUInt64LE(40)),
      at: safe(large.readBigUInt64LE(48)),
    }
  }
  throw isDamaged()
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw isDamaged()
  return Number(value)
}

async function readDirectory(file: FileHandle, size: number): Promise<Map<string, ZipEntry>> {
  const directory = await findDirectory(file, size)
  if (directory.count > maxEntries || directory.length > maxDirectory) throw isHostile()
  const bytes = await readAt(file, directory.at, directory.length, size)
  const entries = new Map<string, ZipEntry>()
  let at = 0
  for (let index = 0; index < directory.count; index += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw isDamaged()
    const lengths = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32)]
    const [name = 0, extra = 0, comment = 0] = lengths
    const end = at + 46 + name + extra + comment
    if (end > bytes.length) throw isDamaged()
    if (bytes.readUInt16LE(at + 8) & 1) throw damaged('The zip file is encrypted; unpack it first.')
    const entry = large(bytes.subarray(at + 46 + name, at + 46 + name + extra), {
      name: nameOf(bytes.subarray(at + 46, at + 46 + name)),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    })
    if (entries.has(entry.name)) throw damaged('The zip file has two entries of the same name.')
    if (!entry.name.endsWith('/')) entries.set(entry.name, entry)
    at = end
  }
  return entries
}

/** Sizes that need more than 32 bits stand in an extra field (APPNOTE 4.5.3), those alone that are full. */
function large(extra: Buffer, entry: ZipEntry): ZipEntry {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    const end = Math.min(extra.length, next + extra.readUInt16LE(at + 2))
    const take = (value: number): number => {
      if (value !== 0xffffffff) return value
      if (next + 8 > end) throw isDamaged()
      next += 8
      return safe(extra.readBigUInt64LE(next - 8))
    }
    const size = take(entry.size)
    const packed = take(entry.packed)
    return { ...entry, size, packed, offset: take(entry.offset) }
  }
  return entry
}

/** Names are keys here and nothing else; one that would lead out of a folder still says that the file means no good. */
function nameOf(bytes: Buffer): string {
  const name = bytes.toString('utf8')
  const parts = name.split('/')
  if (name === '' || name.startsWith('/') || /[\\\0]|^[A-Za-z]:/.test(name) || parts.includes('..')) {
    throw damaged('The zip file has an entry whose name leads out of it; it was not read.')
  }
  return name
}
