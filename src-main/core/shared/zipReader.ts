import { createHash } from 'node:crypto'
import { read } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { maxUploadBytes } from '../../../src-preload/contract/transfers.ts'
import { StudioError } from '../errors.ts'
import { badInput, note } from './notes.ts'

/** One file in a zip, as the central directory describes it. Sizes in bytes. */
export interface ZipEntry {
  name: string
  size: number
  packedSize: number
  record: Entry
}

/** Limits against archives that were made to exhaust memory or disk. */
export interface ZipBounds {
  maxEntries: number
  /** Central directory, bytes. */
  maxDirectoryBytes: number
  maxEntryBytes: number
  /** Everything that one reader unpacks, bytes. */
  maxTotalBytes: number
  /** Unpacked size divided by packed size, for entries above `suspectBytes`. Deflate reaches 1,032 at most. */
  maxRatio: number
  suspectBytes: number
}

/** Limits for imported files. */
export const importBounds: ZipBounds = {
  maxEntries: 200_000,
  maxDirectoryBytes: 64 * 1024 * 1024,
  maxEntryBytes: 1024 ** 3,
  maxTotalBytes: maxUploadBytes,
  maxRatio: 300,
  suspectBytes: 16 * 1024 * 1024,
}

const damagedZip = (cause?: unknown): StudioError => badInput(note('file.broken'), cause)
const hostileZip = (): StudioError => badInput(note('file.unsafe'))
const encryptedZip = (): StudioError => badInput(note('file.encrypted'))

/**
 * Reads a zip through its central directory, entries in any order. yauzl parses the structure (with Zip64); zlib inflates on its own
 * threads. Checks what yauzl leaves to its caller: checksums, sizes and `ZipBounds`. Entry names are keys and never file paths.
 */
export class ZipReader {
  readonly entries: ReadonlyMap<string, ZipEntry>
  readonly #file: FileHandle
  readonly #zip: ZipFile
  readonly #bounds: ZipBounds
  #unpackedBytes = 0

  private constructor(file: FileHandle, zip: ZipFile, entries: ReadonlyMap<string, ZipEntry>, bounds: ZipBounds) {
    this.#file = file
    this.#zip = zip
    this.entries = entries
    this.#bounds = bounds
  }

  /** @throws StudioError `bad_input` for a zip that is cut off, hostile, encrypted or split into volumes */
  static async open(path: string, bounds: ZipBounds = importBounds): Promise<ZipReader> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const options = { autoClose: false, lazyEntries: true, decodeStrings: false }
      const zip = await fromRandomAccessReaderPromise(new FileReader(file, size), size, options)
      return new ZipReader(file, zip, await readDirectory(zip, bounds), bounds)
    } catch (thrown) {
      await file.close()
      throw asBadInput(thrown)
    }
  }

  close = (): Promise<void> => this.#file.close()

  /** Reads a whole entry into memory. @throws StudioError `bad_input` if it exceeds `maxBytes` or its checksum is wrong */
  async read(entry: ZipEntry, maxBytes: number): Promise<Buffer> {
    if (entry.size > maxBytes) throw badInput(note('file.largeEntry'))
    const parts: Buffer[] = []
    await this.unpack(entry, new Transform({ transform: (chunk: Buffer, _, done) => done(void parts.push(chunk)) }))
    return Buffer.concat(parts)
  }

  /** Streams an entry into `to`. Returns the SHA-256 of the unpacked bytes, in hex. @throws StudioError `bad_input` */
  async unpack(entry: ZipEntry, to: NodeJS.WritableStream): Promise<string> {
    const { maxEntryBytes, maxTotalBytes, suspectBytes, maxRatio } = this.#bounds
    const { size, packedSize, record } = entry
    if (size > maxEntryBytes) throw hostileZip()
    if (size > suspectBytes && size / Math.max(1, packedSize) > maxRatio) throw hostileZip()
    const hash = createHash('sha256')
    let checksum = 0
    let bytes = 0
    const check = new Transform({
      transform: (chunk: Buffer, _, done) => {
        bytes += chunk.length
        this.#unpackedBytes += chunk.length
        if (bytes > size) return done(damagedZip())
        if (this.#unpackedBytes > maxTotalBytes) return done(hostileZip())
        checksum = crc32(chunk, checksum)
        hash.update(chunk)
        done(null, chunk)
      },
    })
    try {
      const { fileDataStart: start } = await this.#zip.readLocalFileHeaderPromise(record, { minimal: true })
      const packed = Readable.from(readRange(this.#file, start, start + packedSize), { objectMode: false })
      if (record.compressionMethod === 0) await pipeline(packed, check, to)
      else if (record.compressionMethod === 8) await pipeline(packed, createInflateRaw(), check, to)
      else throw badInput(note('file.compression'))
    } catch (thrown) {
      throw asBadInput(thrown)
    }
    if (bytes !== size || checksum !== record.crc32) throw damagedZip()
    return hash.digest('hex')
  }
}

/** Converts an error of the zip to `bad_input`. Returns disk errors, which have an errno code, unchanged. */
function asBadInput(thrown: unknown): unknown {
  if (thrown instanceof StudioError || !(thrown instanceof Error)) return thrown
  if ('code' in thrown && !String(thrown.code).startsWith('Z_')) return thrown
  return thrown.message.includes('encryption') ? encryptedZip() : damagedZip(thrown)
}

async function readDirectory(zip: ZipFile, bounds: ZipBounds): Promise<Map<string, ZipEntry>> {
  if (zip.entryCount > bounds.maxEntries) throw hostileZip()
  const entries = new Map<string, ZipEntry>()
  let directoryBytes = 0
  for await (const record of zip.eachEntry()) {
    directoryBytes += 46 + record.fileNameLength + record.extraFieldLength + record.fileCommentLength
    if (directoryBytes > bounds.maxDirectoryBytes) throw hostileZip()
    if (record.isEncrypted()) throw encryptedZip()
    const name = decodeName(record.fileNameRaw)
    if (entries.has(name)) throw badInput(note('file.sameName'))
    if (name.endsWith('/')) continue
    entries.set(name, { name, size: record.uncompressedSize, packedSize: record.compressedSize, record })
  }
  return entries
}

/**
 * Decodes an entry name. Some programs of Windows separate folders by `\` (against APPNOTE.TXT, 4.4.17.1), which becomes `/`.
 * @throws StudioError `bad_input` for a name that would escape a folder, which shows that the file is hostile
 */
function decodeName(bytes: Buffer): string {
  const name = bytes.toString('utf8').replaceAll('\\', '/')
  const parts = name.split('/')
  if (name === '' || name.startsWith('/') || /\0|^[A-Za-z]:/.test(name) || parts.includes('..')) {
    throw badInput(note('file.outside'))
  }
  return name
}

/** Replaces yauzl's reader, which passes any 64-bit offset to `fs.read`. For a too large offset, `fs.read` throws outside every promise. */
class FileReader extends RandomAccessReader {
  readonly #file: FileHandle
  readonly #size: number

  constructor(file: FileHandle, size: number) {
    super()
    this.#file = file
    this.#size = size
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (position + length > this.#size) setImmediate(callback, damagedZip())
    else read(this.#file.fd, buffer, offset, length, position, callback)
  }
}

/** `FileHandle.createReadStream` would add one listener to the handle for each entry. */
async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer, undefined> {
  for (let position = start; position < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(64 * 1024, end - position))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) throw damagedZip()
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
