import { randomUUID } from 'node:crypto'
import { constants, createReadStream, mkdirSync } from 'node:fs'
import { copyFile, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import { type ImageHeader, readImageHeader } from '../../../../src-preload/contract/imageHeader.ts'
import { StudioError } from '../../errors.ts'
import { soundHead, soundType } from '../../shared/mediaType/audio.ts'
import { maxImageBytes, refusalOfImage } from '../../shared/mediaType/imageLimits.ts'
import { isRealFile, realNamesIn } from '../../shared/ownFiles.ts'
import { toDisk } from '../../shared/toDisk.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { asPicture, type MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import { asFileError, headOf, readStored, sha256Of, uuid } from './files.ts'
import { growingFiles } from './growingFiles.ts'

/** An image as an attachment, without the `detail` that a message adds. */
export type Picture = Omit<Attachment, 'detail'>

/** A stored file for hosts to serve. */
export interface MediaFile {
  mime: string
  bytes: number
  /** Reads bytes `start` to `end`, both included. */
  read(start: number, end: number): Readable
}

export interface MediaOptions {
  dataDir: string
  store: Pick<Store, 'media'>
  /** Files that a page uploaded. */
  uploads: {
    take(uploadId: string): { path: string; name: string }
    done(uploadId: string): Promise<void>
  }
}

/** Source of a new file: bytes, or a file in the data folder, which is moved, and stays in place on failure. */
export type MediaInput = { path: string } | { bytes: Uint8Array | readonly Uint8Array[] }

/** Writes the reference to the file, in the transaction of its row, so that neither exists without the other. */
export type Naming = (item: MediaItem) => void

export type Media = ReturnType<typeof createMedia>

type Facts = Pick<MediaItem, 'kind' | 'mime' | 'width' | 'height'>

/**
 * Images and audio in `media/` of the data folder, each named by its id (0600), with a row in the store. The file is on disk before its row
 * is written, and the row is deleted before the file. If the process dies between, a file without a row remains, which the next start
 * deletes. Growing files are in `making/` (`growingFiles.ts`).
 */
export function createMedia({ dataDir, store: { media: rows }, uploads }: MediaOptions) {
  const folder = join(dataDir, 'media')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = (id: string): string => join(folder, id)
  const growing = growingFiles(dataDir, (path, facts, then) => addSound({ path }, facts, then))
  /** Serializes calls per content, so that the same content arriving twice at once is stored once. */
  const keeping = new Map<string, Promise<unknown>>()
  /** Media returned by this process that nothing refers to yet. Not deleted before the next start. */
  const given = new Set<string>()
  const startedAt = new Date().toISOString()
  // After a failure, the next start tries again. A failure must not prevent new files from being stored.
  const swept = sweep().catch((thrown: unknown) => unexpected('Unreferenced files could not be deleted', thrown))

  async function sweep(): Promise<void> {
    const known = rows.ids()
    // Reads the names once, so that files added later are not considered. Deletes only names in this program's format.
    const left = realNamesIn(folder).filter((name) => leftoverName.test(name) && !known.has(name))
    const ownerless = growing.names().filter((name) => rows.ownerKind(growing.ownerOf(name) ?? '') === null)
    for (const name of left) if (isRealFile(fileOf(name))) await rm(fileOf(name), { force: true })
    for (const name of ownerless) await growing.discard(name)
    // A file with two names has a row: the process died before it could delete the name in `making/`.
    for (const name of growing.names()) {
      const file = await stat(growing.pathOf(name)).catch(() => null)
      if (file !== null && file.nlink > 1) await growing.discard(name)
    }
  }

  /** Puts bytes into a file in the data folder for `work`, which moves it away. A source file stays in place if `work` fails. */
  async function onDisk<T>(source: MediaInput, work: (path: string) => Promise<T>): Promise<T> {
    const path = 'path' in source ? source.path : fileOf(`${randomUUID()}.part`)
    let isTemporary = 'bytes' in source
    try {
      if ('bytes' in source) {
        await swept
        await writeFile(path, source.bytes, { flag: 'wx', mode: 0o600 })
      }
      const result = await work(path)
      isTemporary = true
      return result
    } catch (thrown) {
      throw asFileError(thrown)
    } finally {
      if (isTemporary) await rm(path, { force: true })
    }
  }

  async function storeFile(
    path: string,
    item: Omit<MediaItem, 'createdAt' | 'sha256'>,
    then?: Naming,
  ): Promise<MediaItem> {
    const sha256 = await sha256Of(path)
    const key = `${sha256} ${item.mime}`
    const before = keeping.get(key)
    const work = Promise.resolve(before)
      .catch(() => undefined)
      .then(() => store(path, { ...item, sha256, createdAt: new Date().toISOString() }, then))
    keeping.set(key, work)
    try {
      return await work
    } finally {
      if (keeping.get(key) === work) keeping.delete(key)
    }
  }

  async function store(path: string, item: MediaItem, then?: Naming): Promise<MediaItem> {
    const name: Naming = then ?? (({ id }) => void given.add(id))
    const known = rows.findByHash(item.sha256, item.mime, name)
    if (known) return known
    await swept
    const to = fileOf(item.id)
    await alsoAs(path, to)
    try {
      await toDisk(to, 'r+')
      await toDisk(folder, 'r')
      rows.insert(item, name)
    } catch (thrown) {
      // If both are names of one file, `rename` does nothing, and `rm` deletes the new name. Otherwise `rename` moves the file back.
      await rename(to, path)
      await rm(to, { force: true })
      throw thrown
    }
    return item
  }

  const freeId = (id: string | undefined): string =>
    id !== undefined && uuid.test(id) && rows.find(id) === null ? id : randomUUID()

  /**
   * Stores an image. Type and size are read from its bytes. If the same content is already stored, returns the existing item.
   * @throws StudioError `bad_input` if the file is not an image or is too large
   */
  const addPicture = (
    source: MediaInput,
    { name, id }: { name: string | null; id?: string },
    then?: Naming,
  ): Promise<MediaItem> =>
    onDisk(source, async (path) => {
      const { bytes, ...facts } = await readImageFile(path)
      return storeFile(
        path,
        { id: freeId(id), kind: 'image', bytes, name: name?.slice(0, 300) ?? null, ...facts },
        then,
      )
    })

  /** Stores audio, or any file that the caller declares to be audio. Rejects nothing. The type is read from the bytes if possible. */
  const addSound = (
    source: MediaInput,
    { mime, name, id }: { mime: string; name: string | null; id?: string },
    then?: Naming,
  ): Promise<MediaItem> =>
    onDisk(source, async (path) => {
      const { size: bytes } = await stat(path)
      const type = soundType(await headOf(path, soundHead), mime)
      const facts: Facts = { kind: 'audio', mime: type, width: null, height: null }
      return storeFile(path, { id: freeId(id), bytes, name: name?.slice(0, 300) ?? null, ...facts }, then)
    })

  /**
   * Stores a document, of any type and size. The stored type is always `application/octet-stream`, so that no host serves a page or
   * script of a stranger. The table `documents` has the real type.
   */
  const addDocument = (
    source: MediaInput,
    { name, id }: { name: string | null; id?: string },
    then?: Naming,
  ): Promise<MediaItem> =>
    onDisk(source, async (path) => {
      const { size: bytes } = await stat(path)
      const facts: Facts = { kind: 'document', mime: 'application/octet-stream', width: null, height: null }
      return storeFile(path, { id: freeId(id), bytes, name: name?.slice(0, 300) ?? null, ...facts }, then)
    })

  async function drop(ids: readonly string[]): Promise<void> {
    const gone = rows.removeUnnamed(ids.filter((id) => uuid.test(id)))
    for (const id of gone) await rm(fileOf(id), { force: true })
  }

  return {
    folder,
    addPicture,
    addSound,
    addDocument,
    /** Files in `making/`; see `growingFiles.ts`. */
    growing,
    /**
     * Stores an uploaded image for a draft.
     * @throws StudioError `bad_input` if the file is not an image or is too large, `no_such_item`
     */
    async addImage({ uploadId }: { uploadId: string }): Promise<Picture> {
      const { path, name } = uploads.take(uploadId)
      try {
        const named = { name: name === '' ? null : name }
        return asPicture(await addPicture({ path }, named, ({ id }) => rows.draft(id)))
      } finally {
        await uploads.done(uploadId)
      }
    },
    /**
     * Imports an image from an archive under the id that its messages use. The returned `mediaId` differs if the same content is already
     * stored, or if another image has this id.
     * @throws StudioError `bad_input`
     */
    importFile: async ({ bytes, ...named }: { bytes: Uint8Array; id: string; name: string | null }): Promise<Picture> =>
      asPicture(await addPicture({ bytes }, named)),
    /** @throws StudioError `no_such_item` */
    find: (id: string): Picture => rows.picture(id),
    /** Returns a stored image for a draft, and protects it from deletion. @throws StudioError `no_such_item` */
    toDraft(id: string): Picture {
      const picture = rows.picture(id)
      rows.draft(id)
      return picture
    },
    /** The image as a `data:` URL. @throws StudioError `no_such_item` */
    async imageUrl(id: string): Promise<string> {
      const { mime } = rows.picture(id)
      return `data:${mime};base64,${(await readStored(fileOf(id))).toString('base64')}`
    },
    /** The bytes of an image or document, for an archive. @throws StudioError `no_such_item` */
    async bytes(id: string): Promise<Buffer> {
      const item = rows.find(id)
      if (!item || item.kind === 'audio') throw new StudioError('no_such_item', 'This file no longer exists.')
      return readStored(fileOf(id))
    },
    /** Path of a stored file, which callers must only read; null for an unknown id. */
    pathOf: (id: string): string | null => (uuid.test(id) && rows.find(id) ? fileOf(id) : null),
    /** Copies a stored file to `path`, so that the caller owns the copy. @throws StudioError `no_such_item` */
    async copyTo(id: string, path: string): Promise<MediaItem> {
      const item = uuid.test(id) ? rows.find(id) : null
      if (!item) throw new StudioError('no_such_item', 'This file no longer exists.')
      // If the file system supports it, the copy shares blocks with the original and needs no space.
      await copyFile(fileOf(id), path, constants.COPYFILE_FICLONE)
      return item
    },
    /** Opens a stored file for the hosts; null for an unknown id. */
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
    /** Ends the protection of a file that no draft refers to any more, and deletes the file when nothing else refers to it. */
    async release(id: string): Promise<void> {
      rows.endDraft(id)
      await drop([id])
    },
    /** Deletes the given files, except files that a message, draft, speech, recording or image refers to. */
    drop,
    /** Deletes unreferenced media of earlier processes, whose item was never created. */
    sweepOrphans: (): Promise<void> => drop(rows.orphans(startedAt).filter((id) => !given.has(id))),
    /** Resolves when leftovers of an earlier process are deleted. */
    swept,
  }
}

/** An id, or `ID.part`: a file that was being written. */
const leftoverName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.part)?$/

/**
 * Gives a file a second name until its row is written. If the process dies, the next start finds one of the two: the new name through its
 * row, or the old name in `making/`. On file systems without hard links, moves the file instead.
 */
async function alsoAs(path: string, to: string): Promise<void> {
  try {
    await link(path, to)
  } catch {
    await rename(path, to)
  }
}

/** Type, size and length of an image file that can be stored. @throws StudioError `bad_input` */
async function readImageFile(path: string): Promise<ImageHeader & { bytes: number }> {
  const { size: bytes } = await stat(path)
  const header = bytes > maxImageBytes ? null : readImageHeader(await readFile(path))
  const refusal = refusalOfImage(bytes, header)
  if (header === null || refusal !== null) throw new StudioError('bad_input', refusal ?? '')
  return { ...header, bytes }
}
