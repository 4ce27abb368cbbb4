import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync, readdirSync } from 'node:fs'
import { open as openFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Attachment } from '../../../src-preload/contract/chat.ts'
import { StudioError } from '../errors.ts'
import { asPicture, type MediaItem } from '../store/media.ts'
import type { Store } from '../store/store.ts'
import { type PictureFacts, readPicture } from './picture.ts'

/** A picture as a message shows it, without the closeness that the message asks for. */
export type Picture = Omit<Attachment, 'detail'>

/** What the hosts need to serve a file of the media folder. */
export interface MediaFile {
  mime: string
  bytes: number
  /** Bytes `start` to `end`, both included. */
  read(start: number, end: number): Readable
}

export interface MediaOptions {
  dataDir: string
  store: Pick<Store, 'media'>
  /** Files that came up from a page. */
  uploads: {
    take(uploadId: string): { path: string; name: string }
    done(uploadId: string): Promise<void>
  }
}

/** What the service of today takes at most, with room: 20 MB; what Chromium decodes without trouble: 16,384 px a side. */
const maxBytes = 20 * 1024 * 1024
const maxSide = 16_384
const maxPixels = 100_000_000
const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

export type Media = ReturnType<typeof createMedia>

/**
 * Pictures on the disk, in `media/` of the data folder, each called by its id (0600), with a row in the store. The file is on the disk
 * before its row is written and its row is gone before the file is: whenever the process dies, what is left over is at most
 * a file without a row, which the next start takes away.
 */
export function createMedia({ dataDir, store: { media: rows }, uploads }: MediaOptions) {
  const folder = join(dataDir, 'media')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = (id: string): string => join(folder, id)
  /** One at a time by content: the same picture twice at once is kept once. */
  const keeping = new Map<string, Promise<MediaItem>>()
  const swept = sweep()

  async function sweep(): Promise<void> {
    const known = rows.ids()
    // The names of now: what is added from here on is not looked at.
    const left = readdirSync(folder).filter((name) => !known.has(name))
    for (const name of left) await rm(join(folder, name), { recursive: true, force: true })
  }

  async function add(path: string, wantedId: string, name: string | null): Promise<Picture> {
    const { facts, sha256, bytes } = await look(path)
    const under = keeping.get(sha256) ?? store(path, { id: wantedId, facts, sha256, bytes, name })
    keeping.set(sha256, under)
    try {
      return asPicture(await under)
    } finally {
      keeping.delete(sha256)
    }
  }

  async function store(path: string, picture: Kept): Promise<MediaItem> {
    const { facts, name, ...rest } = picture
    const known = rows.findByHash(rest.sha256)
    if (known) return known
    const item: MediaItem = { ...rest, ...facts, kind: 'image', name, createdAt: new Date().toISOString() }
    await swept
    const to = fileOf(item.id)
    await rename(path, to)
    try {
      await toDisk(to, 'r+')
      await toDisk(folder, 'r')
      rows.insert(item)
    } catch (thrown) {
      await rm(to, { force: true })
      throw thrown
    }
    return item
  }

  return {
    /** Takes an uploaded file over. @throws StudioError `bad_input` for what is no picture or too large, `no_such_item` */
    async addImage({ uploadId }: { uploadId: string }): Promise<Picture> {
      const { path, name } = uploads.take(uploadId)
      try {
        return await add(path, randomUUID(), name === '' ? null : name)
      } finally {
        await uploads.done(uploadId)
      }
    },
    /**
     * For what is read in from an archive, under the id that its messages name. The answer's `mediaId` holds: it differs where the
     * same picture is here already, or another one has this id. @throws StudioError `bad_input`
     */
    async importFile(file: { bytes: Uint8Array; id: string; name: string | null }): Promise<Picture> {
      const free = uuid.test(file.id) && rows.find(file.id) === null
      await swept
      const path = fileOf(`${randomUUID()}.part`)
      try {
        await writeFile(path, file.bytes, { flag: 'wx', mode: 0o600 })
        return await add(path, free ? file.id : randomUUID(), file.name?.slice(0, 300) ?? null)
      } finally {
        await rm(path, { force: true })
      }
    },
    /** @throws StudioError `no_such_item` */
    find: (id: string): Picture => rows.picture(id),
    /** The picture as a `data:` URL. @throws StudioError `no_such_item` */
    async imageUrl(id: string): Promise<string> {
      const { mime } = rows.picture(id)
      return `data:${mime};base64,${(await read(fileOf(id))).toString('base64')}`
    },
    /** The bytes of a picture, for an archive. @throws StudioError `no_such_item` */
    bytes: (id: string): Promise<Buffer> => read(fileOf(rows.picture(id).mediaId)),
    /** For the hosts; null where nothing of that id is kept. */
    async open(id: string): Promise<MediaFile | null> {
      const item = uuid.test(id) ? rows.find(id) : null
      if (!item) return null
      const file = await stat(fileOf(id)).catch(() => null)
      if (file === null) return null
      return {
        mime: item.mime,
        bytes: file.size,
        read: (start, end) => createReadStream(fileOf(id), { start, end }),
      }
    },
    /** Erases pictures for good; the caller knows that no message names them any more. */
    async drop(ids: readonly string[]): Promise<void> {
      for (const id of ids) {
        if (!uuid.test(id)) continue
        rows.remove(id)
        await rm(fileOf(id), { force: true })
      }
    },
    /** Resolves when what an earlier process left over is gone. */
    swept,
  }
}

interface Kept {
  id: string
  facts: PictureFacts
  sha256: string
  bytes: number
  name: string | null
}

/** @throws StudioError `bad_input` */
async function look(path: string): Promise<Pick<Kept, 'facts' | 'sha256' | 'bytes'>> {
  const { size: bytes } = await stat(path)
  if (bytes > maxBytes) throw new StudioError('bad_input', 'A picture may have at most 20 MB.')
  const facts = readPicture(await readFile(path))
  if (facts === null) {
    throw new StudioError('bad_input', 'This is no picture that can be sent: PNG, JPEG, GIF and WebP can.')
  }
  const { width, height } = facts
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    const limits = 'at most 16,384 pixels a side and 100 million in all'
    throw new StudioError('bad_input', `This picture has ${width} × ${height} pixels; ${limits} can be taken.`)
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
  return { facts, bytes, sha256: hash.digest('hex') }
}

async function read(path: string): Promise<Buffer> {
  return readFile(path).catch((thrown: unknown) => {
    throw new StudioError('no_such_item', 'The file of this picture is not there any more.', {}, { cause: thrown })
  })
}

/** Past the operating system's memory, also for a folder (the name of a new file in it). */
async function toDisk(path: string, flags: 'r' | 'r+'): Promise<void> {
  // Windows opens no folder; its file systems journal names by themselves.
  if (process.platform === 'win32' && flags === 'r') return
  const handle = await openFile(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
