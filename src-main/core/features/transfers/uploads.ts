import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { partBytes } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'

interface Upload {
  path: string
  name: string
  /** Announced size. */
  bytes: number
  received: number
  handle: FileHandle | null
  /** Resolves after the last part is written. Parts are written one after another, in the order of their calls. */
  writing: Promise<unknown>
  timer: NodeJS.Timeout
  /** Aborted when the upload is dropped. */
  dropped: AbortController
}

/** A page uploads one file at a time. This limit allows several pages and stops a faulty one. */
const maxOpen = 32
const maxTotal = 4 * 1024 ** 3

/** Files that pages upload. A file cannot exceed its announced size, and is deleted when unused for `keptMs`. */
export function createUploads(folder: string, keptMs: number) {
  const all = new Map<string, Upload>()

  function get(id: string): Upload {
    const upload = all.get(id)
    if (!upload) throw new StudioError('no_such_item', 'That upload no longer exists. Send the file again.')
    upload.timer.refresh()
    return upload
  }

  async function drop(id: string): Promise<void> {
    const upload = all.get(id)
    if (!upload) return
    all.delete(id)
    clearTimeout(upload.timer)
    upload.dropped.abort()
    await upload.writing.catch(() => undefined)
    await upload.handle?.close()
    await rm(upload.path, { force: true })
  }

  async function write(upload: Upload, at: number, bytes: Buffer): Promise<number> {
    // The page lost the reply to a part and sends it again.
    if (at < upload.received && at + bytes.length <= upload.received) return upload.received
    if (at !== upload.received) throw new StudioError('bad_input', 'An earlier part of the file is missing.')
    if (at + bytes.length > upload.bytes) {
      throw new StudioError('bad_input', 'The file is larger than announced.')
    }
    if (bytes.length > partBytes) throw new StudioError('bad_input', 'This part is too large.')
    const { handle } = upload
    if (handle === null) throw new StudioError('bad_input', 'This file is already complete.')
    await handle.write(bytes, 0, bytes.length, at)
    upload.received += bytes.length
    if (upload.received === upload.bytes) {
      upload.handle = null
      await handle.close()
    }
    return upload.received
  }

  function take(id: string): { path: string; name: string; bytes: number; dropped: AbortSignal } {
    const { path, name, bytes, received, dropped } = get(id)
    if (received !== bytes) throw new StudioError('bad_input', 'The file is not complete.')
    return { path, name, bytes, dropped: dropped.signal }
  }

  return {
    /** @throws StudioError `busy` with too many running uploads */
    async begin({ name, bytes }: { name: string; bytes: number }): Promise<{ uploadId: string }> {
      const total = [...all.values()].reduce((sum, upload) => sum + upload.bytes, 0)
      if (all.size >= maxOpen || total + bytes > maxTotal) {
        throw new StudioError('busy', 'Too many files are being uploaded. Wait until some are complete.')
      }
      const uploadId = randomUUID()
      const path = join(folder, uploadId)
      const timer = setTimeout(() => inBackground('An upload could not be dropped', drop(uploadId)), keptMs)
      timer.unref()
      // Registered before the file exists, so that the limits hold for concurrent calls.
      const start = { received: 0, handle: null, writing: Promise.resolve(), dropped: new AbortController() }
      const upload: Upload = { path, name, bytes, timer, ...start }
      all.set(uploadId, upload)
      const made = open(path, 'wx', 0o600)
      upload.writing = made
      try {
        const handle = await made
        if (bytes === 0) await handle.close()
        else upload.handle = handle
      } catch (thrown) {
        await drop(uploadId)
        throw thrown
      }
      return { uploadId }
    },
    /** @throws StudioError `bad_input` (out of order, too much), `no_such_item` */
    async part(input: { uploadId: string; at: number; data: string }): Promise<{ received: number }> {
      const upload = get(input.uploadId)
      const bytes = Buffer.from(input.data, 'base64')
      const written = upload.writing.then(() => write(upload, input.at, bytes))
      upload.writing = written.catch(() => undefined)
      return { received: await written }
    },
    drop,
    /** A complete upload. @throws StudioError `no_such_item`, `bad_input` if parts are missing */
    take,
    /** Path of a complete upload. The file stays until `done`, for an hour. @throws as `take` */
    path: (id: string): string => take(id).path,
    /** Call when the file is no longer needed, or was moved away. */
    done: drop,
    async close(): Promise<void> {
      await Promise.all([...all.keys()].map(drop))
    },
  }
}
