import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { isSystemError } from '../../../shared/diskProblem.ts'
import { block, isZeros, notOurs, padding, readHead, type TarHead } from './layout.ts'

export interface TarEntry extends TarHead {
  /** The content. What was not read when the next entry is requested is skipped. */
  bytes(): AsyncGenerator<Uint8Array, undefined>
}

/** Reads bytes in order. */
interface Source {
  /** The next bytes: at least one, at most `most`. Null at the end. */
  next(most: number): Promise<Buffer | null>
  /** Skips this many bytes, also beyond the end. */
  skip(length: number): Promise<void>
  close(): void
}

const chunk = 1024 * 1024

/**
 * The entries of a tar, in order; the file may be compressed by gzip or zstd. The tar must end with two empty blocks and nothing after them.
 * Each size is checked against the size of a plain file, so that a truncated or forged tar never causes a read beyond the end. What a
 * compressed one expands to is known only while it is read: compare each entry's size with the space that is left before its bytes are read.
 * @param onRead called with the number of bytes of the file that were read. What it throws ends the reading
 * @throws StudioError `bad_input`
 */
export async function* readTar(
  file: FileHandle,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<TarEntry, undefined> {
  const compression = compressionOf(await firstBytes(file))
  const size = compression === null ? (await file.stat()).size : Number.POSITIVE_INFINITY
  const source = compression === null ? plain(file, onRead) : decompressed(file, compression, onRead)
  try {
    for (let at = 0; ; ) {
      const head = await readAll(source, block)
      if (isZeros(head)) break
      const entry = readHead(head)
      at += block + entry.size + padding(entry.size)
      if (!(at + 2 * block <= size)) throw notOurs('It ends too early.')
      const content = { left: entry.size }
      yield { ...entry, bytes: () => bytesOf(source, content) }
      await source.skip(content.left + padding(entry.size))
    }
    if (!isZeros(await readAll(source, block))) throw notOurs('It ends too early.')
    if ((await source.next(1)) !== null) throw notOurs('It continues after its end.')
  } finally {
    source.close()
  }
}

async function* bytesOf(source: Source, content: { left: number }): AsyncGenerator<Uint8Array, undefined> {
  while (content.left > 0) {
    const bytes = await source.next(Math.min(chunk, content.left))
    if (bytes === null) throw notOurs('It ends too early.')
    content.left -= bytes.length
    yield bytes
  }
}

async function readAll(source: Source, length: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let left = length; left > 0; ) {
    const bytes = await source.next(left)
    if (bytes === null) throw notOurs('It ends too early.')
    left -= bytes.length
    parts.push(bytes)
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

async function firstBytes(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return buffer.subarray(0, bytesRead)
}

/** By the first bytes (RFC 1952, RFC 8878). The name of the file says nothing. */
function compressionOf(first: Buffer): (() => Transform) | null {
  if (first.length === 4 && first.readUInt32LE() === 0xfd2fb528) return () => createZstdDecompress()
  return first[0] === 0x1f && first[1] === 0x8b ? () => createGunzip() : null
}

function plain(file: FileHandle, onRead: (bytes: number) => void): Source {
  let at = 0
  return {
    async next(most) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(most), 0, most, at)
      at += bytesRead
      onRead(bytesRead)
      return bytesRead === 0 ? null : buffer.subarray(0, bytesRead)
    },
    async skip(length) {
      at += length
    },
    close: () => undefined,
  }
}

function decompressed(file: FileHandle, decompressor: () => Transform, onRead: (bytes: number) => void): Source {
  const compressed = file.createReadStream({ start: 0, autoClose: false, highWaterMark: chunk })
  let unreported = 0
  compressed.on('data', (bytes) => {
    unreported += bytes.length
  })
  // The callback only marks the error as handled: the iterator throws it.
  const output = pipeline(compressed, decompressor(), () => undefined)
  const chunks: AsyncIterator<Buffer> = output[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function next(most: number): Promise<Buffer | null> {
    // Here and not in the listener, where an error of `onRead` would end the process.
    onRead(unreported)
    unreported = 0
    if (rest.length === 0) {
      const { value, done } = await chunks.next().catch((thrown: unknown) => {
        if (isSystemError(thrown)) throw thrown
        throw notOurs('Its compressed data is damaged or ends too early.')
      })
      if (done) return null
      rest = value
    }
    const bytes = rest.subarray(0, most)
    rest = rest.subarray(bytes.length)
    return bytes
  }
  return {
    next,
    async skip(length) {
      for (let left = length; left > 0; ) {
        const bytes = await next(left)
        if (bytes === null) return
        left -= bytes.length
      }
    },
    close: () => void output.destroy(),
  }
}
