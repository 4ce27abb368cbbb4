import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { type Download, partBytes } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'

interface Offered {
  path: string
  bytes: number
  /** Opened by the first read. */
  handle: Promise<FileHandle> | null
  timer: NodeJS.Timeout
}

const maxOpen = 32

/** Files offered to a page. The list owns an offered file and deletes it with its entry. */
export function createDownloads(keptMs: number) {
  const all = new Map<string, Offered>()

  async function release(id: string): Promise<void> {
    const offered = all.get(id)
    if (!offered) return
    all.delete(id)
    clearTimeout(offered.timer)
    const handle = await offered.handle?.catch(() => null)
    await handle?.close()
    await rm(offered.path, { force: true })
  }

  return {
    /** @throws StudioError `busy` with too many pending downloads; the caller then still owns the file */
    offer({ path, name, mime, bytes }: { path: string; name: string; mime: string; bytes: number }): Download {
      if (all.size >= maxOpen)
        throw new StudioError('busy', 'Too many files are waiting to be saved. Save those first.')
      const downloadId = randomUUID()
      const timer = setTimeout(() => inBackground('A download could not be dropped', release(downloadId)), keptMs)
      timer.unref()
      all.set(downloadId, { path, bytes, handle: null, timer })
      return { downloadId, name, mime, bytes }
    },
    /** Reads the next part from offset `at`, base64; empty at the end. @throws StudioError `no_such_item`, `bad_input` */
    async read({ downloadId, at }: { downloadId: string; at: number }): Promise<{ data: string }> {
      const offered = all.get(downloadId)
      if (!offered) throw new StudioError('no_such_item', 'That file is no longer available. Request it again.')
      offered.timer.refresh()
      if (at < 0) throw new StudioError('bad_input', 'The offset must not be negative.')
      offered.handle ??= open(offered.path, 'r')
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(partBytes, offered.bytes - at)))
      if (buffer.length === 0) return { data: '' }
      const { bytesRead } = await (await offered.handle).read(buffer, 0, buffer.length, at)
      return { data: buffer.toString('base64', 0, bytesRead) }
    },
    release,
    async close(): Promise<void> {
      await Promise.all([...all.keys()].map(release))
    },
  }
}
