import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** A written entry. */
export interface ZipWrittenEntry {
  name: string
  /** Unpacked size, bytes. */
  bytes: number
  /** SHA-256 of the unpacked bytes, in hex. */
  sha256: string
}

/** Constant metadata, so that the same content produces the same bytes. */
const metadata = { mtime: new Date(1980, 0, 1), mode: 0o100_644, forceDosTimestamp: true }

/** yazl searches `entries` from the start for each new entry, so n entries cost n² steps. Its types omit `entries`. */
type ZipFileWithEntries = ZipFile & { entries: unknown[] }

/**
 * Writes a zip entry by entry, with Zip64 above 4 GB or 65,535 entries. yazl lays out the file; zlib deflates on its own threads.
 * `add` reads its content only as fast as the disk accepts the output, so memory stays bounded.
 */
export class ZipWriter {
  readonly entries: ZipWrittenEntry[] = []
  readonly #zip = new ZipFile() as ZipFileWithEntries
  readonly #file: WriteStream
  /** Finished entries, removed from yazl's list until `end`. */
  readonly #finished: unknown[] = []
  /** Rejects at the first disk error; never resolves. */
  readonly #failure: Promise<never>

  /** Creates the file with mode 0600; it must not exist yet. */
  constructor(path: string) {
    this.#file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    this.#failure = new Promise((_, reject) => {
      this.#file.on('error', reject)
      this.#zip.on('error', reject)
    })
    this.#failure.catch(() => undefined)
    this.#zip.outputStream.pipe(this.#file)
  }

  /** Call again only after the returned promise has resolved. @throws the first error of `content` or of the disk */
  async add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ZipWrittenEntry> {
    const hash = createHash('sha256')
    let bytes = 0
    async function* measured(): AsyncGenerator<Uint8Array, undefined> {
      for await (const chunk of content) {
        bytes += chunk.length
        hash.update(chunk)
        yield chunk
      }
    }
    const source = Readable.from(measured(), { objectMode: false })
    const read = finished(source)
    read.catch(() => undefined)
    this.#zip.addReadStreamLazy(name, metadata, (start) => {
      // yazl starts an entry when all earlier entries are finished.
      this.#finished.push(...this.#zip.entries.splice(0, this.#zip.entries.length - 1))
      start(null, source)
    })
    try {
      await Promise.race([read, this.#failure])
    } catch (thrown) {
      source.destroy()
      throw thrown
    }
    const entry = { name, bytes, sha256: hash.digest('hex') }
    this.entries.push(entry)
    return entry
  }

  /** Writes the directory. Resolves with the file's size in bytes once the file is closed. @throws the first disk error */
  async end(): Promise<number> {
    const closed = once(this.#file, 'close')
    closed.catch(() => undefined)
    this.#zip.entries = [...this.#finished, ...this.#zip.entries]
    this.#zip.end()
    await Promise.race([closed, this.#failure])
    return this.#file.bytesWritten
  }

  /** Closes the unfinished file. The caller deletes it. */
  async abandon(): Promise<void> {
    if (this.#file.closed) return
    await new Promise<void>((resolve) => {
      this.#file.once('close', resolve).destroy()
    })
  }
}
