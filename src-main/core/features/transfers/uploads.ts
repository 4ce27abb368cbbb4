import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { maxUploadBytes, partBytes } from '../../../../src-preload/contract/transfers.ts'
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

/** Maximum number of uploads. A page uploads one file at a time, so this allows several pages and stops a faulty page. */
const maxOpen = 32

const gone = (): StudioError => new StudioError('no_such_item', 'That upload no longer exists. Send the file again.')

/** Files that pages upload. A file cannot exceed its announced size, and is deleted when unused for `keptMs`. */
export function createUploads(folder: string, keptMs: number) {
  const all = new Map<string, Upload>()

  function get(id: string): Upload {
    const upload = all.get(id)
    if (!upload) throw gone()
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

  /** Writes the bytes of a part as they arrive. After an interrupted part, the bytes that arrived stay. */
  async function writePart(upload: Upload, at: number, body: Readable): Promise<number> {
    if (at > upload.received) throw new StudioError('bad_input', 'An earlier part of the file is missing.')
    addAbortSignal(upload.dropped.signal, body)
    let next = at
    try {
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        if (next + chunk.length - at > partBytes) throw new StudioError('bad_input', 'This part is too large.')
        await write(upload, next, chunk)
        next += chunk.length
        upload.timer.refresh()
      }
    } catch (thrown) {
      throw upload.dropped.signal.aborted ? gone() : thrown
    }
    return upload.received
  }

  async function write(upload: Upload, at: number, bytes: Buffer): Promise<void> {
    if (at + bytes.length > upload.bytes) throw new StudioError('bad_input', 'The file is larger than announced.')
    // Skips stored bytes, because a page that lost a reply sends them again.
    const fresh = bytes.subarray(upload.received - at)
    const { handle } = upload
    if (fresh.length === 0 || handle === null) return
    await handle.write(fresh, 0, fresh.length, upload.received)
    upload.received += fresh.length
    if (upload.received < upload.bytes) return
    upload.handle = null
    await handle.close()
  }

  function take(id: string): { path: string; name: string; bytes: number; dropped: AbortSignal } {
    const { path, name, bytes, received, dropped } = get(id)
    if (received !== bytes) throw new StudioError('bad_input', 'The file is not complete.')
    return { path, name, bytes, dropped: dropped.signal }
  }

  return {
    /** @throws StudioError `bad_input` above `maxUploadBytes`, `busy` with too many running uploads */
    async begin({ name, bytes }: { name: string; bytes: number }): Promise<{ uploadId: string }> {
      if (bytes > maxUploadBytes) throw new StudioError('bad_input', 'A file may have at most 8 GiB.')
      const total = [...all.values()].reduce((sum, upload) => sum + upload.bytes, 0)
      if (all.size >= maxOpen || total + bytes > maxUploadBytes) {
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
    /**
     * Stores a part that starts at offset `at`. Ignores bytes that are already stored.
     * @throws StudioError `bad_input` if an earlier part is missing or the part exceeds the announced size, `no_such_item`
     */
    async part({ uploadId, at, body }: { uploadId: string; at: number; body: Readable }): Promise<number> {
      const upload = get(uploadId)
      const written = upload.writing.then(() => writePart(upload, at, body))
      upload.writing = written.catch(() => undefined)
      return written
    },
    drop,
    /** Returns a complete upload. @throws StudioError `no_such_item`, `bad_input` if parts are missing */
    take,
    /** Path of a complete upload. The file stays until `done`, for at most an hour. @throws as `take` */
    path: (id: string): string => take(id).path,
    /** Deletes an upload. Call when its file is no longer needed, or was moved away. */
    done: drop,
    async close(): Promise<void> {
      await Promise.all([...all.keys()].map(drop))
    },
  }
}
