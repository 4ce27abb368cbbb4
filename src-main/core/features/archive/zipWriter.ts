import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { crc32, createDeflateRaw } from 'node:zlib'
// Its build for Node declares a `require` of its own, which a bundle has already; nothing of its threads is used.
import { Zip, type ZipInputFile } from 'fflate/browser'
import { StudioError } from '../../errors.ts'

export interface ZipWrittenEntry {
  name: string
  bytes: number
  sha256: string
}

/** What a zip file without Zip64 can hold. */
const maxEntries = 65_535
const maxBytes = 0xffff_ffff
const tooMuch = (): StudioError =>
  new StudioError(
    'bad_input',
    'This is more than one archive can hold (4 GB or 65,535 files). Export some conversations one by one.',
  )

/** Always the same: the same conversations make the same bytes. */
const mtime = '1980-01-01T00:00:00'

/**
 * A zip that is written as it comes. fflate lays out the file; deflating is done by zlib, on its own threads. What waits to be written stays
 * bounded: `add` reads on only when the disk has taken what came before.
 */
export class ZipWriter {
  readonly entries: ZipWrittenEntry[] = []
  readonly #zip: Zip
  readonly #file: WriteStream
  #bytes = 0
  #failed: Error | null = null

  /** The file must not be there yet; it is readable by its owner alone. */
  constructor(path: string) {
    this.#file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    this.#file.on('error', (error) => (this.#failed ??= error))
    this.#zip = new Zip((error, chunk, final) => {
      if (error) this.#failed ??= error
      else {
        this.#bytes += chunk.length
        this.#file.write(chunk)
        if (final) this.#file.end()
      }
    })
  }

  /** @throws StudioError `bad_input` beyond what a zip can hold */
  async add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ZipWrittenEntry> {
    if (this.entries.length >= maxEntries) throw tooMuch()
    const hash = createHash('sha256')
    const deflate = createDeflateRaw({ level: 6 })
    // fflate reads these when `final` comes, for the descriptor behind the data.
    const entry: ZipInputFile & { crc: number; size: number } = {
      filename: name,
      mtime,
      compression: 8,
      flag: 0,
      crc: 0,
      size: 0,
    }
    this.#zip.add(entry)
    const put = (chunk: Uint8Array<ArrayBuffer>, final: boolean): void => entry.ondata?.(null, chunk, final)
    const written = (async () => {
      for await (const chunk of deflate) {
        if (chunk instanceof Uint8Array) put(new Uint8Array(chunk), false)
        await this.#drained()
      }
      put(new Uint8Array(0), true)
    })()
    // Awaited below; until then a failure would count as one that nobody handles.
    written.catch(() => undefined)
    try {
      for await (const chunk of content) {
        entry.size += chunk.length
        entry.crc = crc32(chunk, entry.crc)
        hash.update(chunk)
        if (!deflate.write(chunk)) await Promise.race([once(deflate, 'drain'), written])
        if (this.#bytes + entry.size > maxBytes) throw tooMuch()
        if (this.#failed) throw this.#failed
      }
      deflate.end()
      await written
    } catch (thrown) {
      deflate.destroy()
      await written.catch(() => undefined)
      throw thrown
    }
    const done = { name, bytes: entry.size, sha256: hash.digest('hex') }
    this.entries.push(done)
    return done
  }

  /** Resolves with the file's length when all of it is written. */
  async end(): Promise<number> {
    // A file that failed is closed already, and says so only once.
    if (this.#failed) throw this.#failed
    const closed = once(this.#file, 'close')
    this.#zip.end()
    await closed
    if (this.#failed) throw this.#failed
    return this.#bytes
  }

  async abandon(): Promise<void> {
    if (this.#file.closed) return
    await new Promise<void>((resolve) => {
      this.#file.once('close', resolve).destroy()
    })
  }

  async #drained(): Promise<void> {
    if (this.#failed) throw this.#failed
    if (this.#file.writableNeedDrain) await Promise.race([once(this.#file, 'drain'), once(this.#file, 'close')])
  }
}
