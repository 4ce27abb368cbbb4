import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'

interface Offered {
  path: string
  name: string
  mime: string
  bytes: number
  /** Number of running reads. The file stays while this is not 0. */
  readers: number
  /** A read has reached the end of the file. */
  isRead: boolean
  timer: NodeJS.Timeout
}

const maxOpen = 32
/** Bytes per read from disk. At most two chunks wait for a slow client. */
const chunkBytes = 64 * 1024

/** Files offered to a page. Owns each offered file, and deletes it after it was read, or after `keptMs` without a reader. */
export function createDownloads(keptMs: number) {
  const all = new Map<string, Offered>()

  async function release(id: string): Promise<void> {
    const offered = all.get(id)
    if (!offered) return
    all.delete(id)
    clearTimeout(offered.timer)
    await rm(offered.path, { force: true })
  }

  function expire(id: string, offered: Offered): void {
    if (offered.readers > 0) offered.timer.refresh()
    else inBackground('A download could not be dropped', release(id))
  }

  async function* chunksOf(id: string, offered: Offered): AsyncGenerator<Uint8Array, void, void> {
    offered.readers++
    let file: FileHandle | null = null
    try {
      file = await open(offered.path, 'r')
      for (let at = 0; at < offered.bytes; ) {
        const size = Math.min(chunkBytes, offered.bytes - at)
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, at)
        if (bytesRead === 0) throw new StudioError('no_such_item', 'The end of the file is missing.')
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
      offered.isRead = true
    } finally {
      await file?.close()
      offered.readers--
      if (offered.isRead && offered.readers === 0) await release(id)
    }
  }

  return {
    /** @throws StudioError `busy` with too many pending downloads; the caller then still owns the file */
    offer({ path, name, mime, bytes }: { path: string; name: string; mime: string; bytes: number }): Download {
      if (all.size >= maxOpen)
        throw new StudioError('busy', 'Too many files are waiting to be saved. Save those first.')
      const downloadId = randomUUID()
      const timer = setTimeout(() => expire(downloadId, offered), keptMs)
      timer.unref()
      const offered: Offered = { path, name, mime, bytes, readers: 0, isRead: false, timer }
      all.set(downloadId, offered)
      return { downloadId, name, mime, bytes }
    },
    /** An offered file; null for an unknown id. `read` streams the file at the pace of its reader. */
    find(id: string): (Pick<Offered, 'name' | 'mime' | 'bytes'> & { read(): Readable }) | null {
      const offered = all.get(id)
      if (!offered) return null
      const { name, mime, bytes, timer } = offered
      timer.refresh()
      const read = (): Readable =>
        Readable.from(chunksOf(id, offered), { objectMode: false, highWaterMark: chunkBytes })
      return { name, mime, bytes, read }
    },
    release,
    async close(): Promise<void> {
      await Promise.all([...all.keys()].map(release))
    },
  }
}
