import { randomUUID } from 'node:crypto'
import { constants, createReadStream, mkdirSync } from 'node:fs'
import { copyFile, link, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import { soundHead, soundType } from '../../shared/mediaType/audio.ts'
import { readImageFile } from '../../shared/mediaType/image.ts'
import { isRealFile, realNamesIn } from '../../shared/ownFiles.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { asPicture, type MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import { asFileError, headOf, readKept, sha256Of, toDisk, uuid } from './files.ts'
import { growingFiles } from './growingFiles.ts'

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

/** Where it comes from: bytes, or a file of the data folder, which is moved, and stays where it was if it fails. */
export type MediaInput = { path: string } | { bytes: Uint8Array }

/** Writes what names the file, in the transaction of its row: neither is ever there without the other. */
export type Naming = (item: MediaItem) => void

export type Media = ReturnType<typeof createMedia>

type Facts = Pick<MediaItem, 'kind' | 'mime' | 'width' | 'height'>

/**
 * Pictures and sound on the disk, in `media/` of the data folder, each called by its id (0600), with a row in the store. The file is on the
 * disk before its row is written and its row is gone before the file is: whenever the process dies, what is left over is at most
 * a file without a row, which the next start takes away. Files that grow lie in `making/` (growing.ts).
 */
export function createMedia({ dataDir, store: { media: rows }, uploads }: MediaOptions) {
  const folder = join(dataDir, 'media')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = (id: string): string => join(folder, id)
  const growing = growingFiles(dataDir, (path, facts, then) => addSound({ path }, facts, then))
  /** One at a time by content: the same twice at once is kept once. */
  const keeping = new Map<string, Promise<unknown>>()
  /** Given out in this process without anything that names it yet: not swept before the next one. */
  const given = new Set<string>()
  const startedAt = new Date().toISOString()
  // What it could not take away, the next start takes; nothing may be kept from being stored because of that.
  const swept = sweep().catch((thrown: unknown) =>
    unexpected('Files that nothing names could not be taken away', thrown),
  )

  async function sweep(): Promise<void> {
    const known = rows.ids()
    // The names of now: what is added from here on is not looked at. Only names that are given here: others' files stay.
    const left = realNamesIn(folder).filter((name) => leftOver.test(name) && !known.has(name))
    const ownerless = growing.names().filter((name) => rows.ownerKind(growing.ownerOf(name) ?? '') === null)
    for (const name of left) if (isRealFile(fileOf(name))) await rm(fileOf(name), { force: true })
    for (const name of ownerless) await growing.discard(name)
    // What still has a second name is kept by its row: the process died before it took the first away.
    for (const name of growing.names()) {
      const file = await stat(growing.pathOf(name)).catch(() => null)
      if (file !== null && file.nlink > 1) await growing.discard(name)
    }
  }

  /** A file in the data folder for `work`, which moves it away. What is given as a file stays where it was when `work` fails. */
  async function onDisk<T>(source: MediaInput, work: (path: string) => Promise<T>): Promise<T> {
    const path = 'path' in source ? source.path : fileOf(`${randomUUID()}.part`)
    let mayGo = 'bytes' in source
    try {
      if ('bytes' in source) {
        await swept
        await writeFile(path, source.bytes, { flag: 'wx', mode: 0o600 })
      }
      const result = await work(path)
      mayGo = true
      return result
    } catch (thrown) {
      throw asFileError(thrown)
    } finally {
      if (mayGo) await rm(path, { force: true })
    }
  }

  async function keep(path: string, item: Omit<MediaItem, 'createdAt' | 'sha256'>, then?: Naming): Promise<MediaItem> {
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
      // Where both are names of one file, the first does nothing and the second takes the new name.
      await rename(to, path)
      await rm(to, { force: true })
      throw thrown
    }
    return item
  }

  const freeId = (id: string | undefined): string =>
    id !== undefined && uuid.test(id) && rows.find(id) === null ? id : randomUUID()

  /**
   * Keeps a picture: type and size are what its bytes say. Where the same is here already, that one's id is answered.
   * @throws StudioError `bad_input` for what is none, or too large
   */
  const addPicture = (
    source: MediaInput,
    { name, id }: { name: string | null; id?: string },
    then?: Naming,
  ): Promise<MediaItem> =>
    onDisk(source, async (path) => {
      const { bytes, ...facts } = await readImageFile(path)
      return keep(path, { id: freeId(id), kind: 'image', bytes, name: name?.slice(0, 300) ?? null, ...facts }, then)
    })

  /** Keeps sound, or whatever the person calls sound: nothing is refused, and its type is told by its bytes where they do (sound.ts). */
  const addSound = (
    source: MediaInput,
    { mime, name, id }: { mime: string; name: string | null; id?: string },
    then?: Naming,
  ): Promise<MediaItem> =>
    onDisk(source, async (path) => {
      const { size: bytes } = await stat(path)
      const type = soundType(await headOf(path, soundHead), mime)
      const facts: Facts = { kind: 'audio', mime: type, width: null, height: null }
      return keep(path, { id: freeId(id), bytes, name: name?.slice(0, 300) ?? null, ...facts }, then)
    })

  async function drop(ids: readonly string[]): Promise<void> {
    const gone = rows.removeUnnamed(ids.filter((id) => uuid.test(id)))
    for (const id of gone) await rm(fileOf(id), { force: true })
  }

  return {
    folder,
    addPicture,
    addSound,
    /** Files in `making/`; see growing.ts. */
    growing,
    /** Takes an uploaded file over, for a draft. @throws StudioError `bad_input` for what is no picture or too large, `no_such_item` */
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
     * For what is read in from an archive, under the id that its messages name. The answer's `mediaId` holds: it differs where the
     * same picture is here already, or another one has this id. @throws StudioError `bad_input`
     */
    importFile: async ({ bytes, ...named }: { bytes: Uint8Array; id: string; name: string | null }): Promise<Picture> =>
      asPicture(await addPicture({ bytes }, named)),
    /** @throws StudioError `no_such_item` */
    find: (id: string): Picture => rows.picture(id),
    /** A kept picture for a draft, which holds it from now on. @throws StudioError `no_such_item` */
    toDraft(id: string): Picture {
      const picture = rows.picture(id)
      rows.draft(id)
      return picture
    },
    /** The picture as a `data:` URL. @throws StudioError `no_such_item` */
    async imageUrl(id: string): Promise<string> {
      const { mime } = rows.picture(id)
      return `data:${mime};base64,${(await readKept(fileOf(id))).toString('base64')}`
    },
    /** The bytes of a picture, for an archive. @throws StudioError `no_such_item` */
    bytes: (id: string): Promise<Buffer> => readKept(fileOf(rows.picture(id).mediaId)),
    /** Where a kept file lies, to be read and never changed; null where nothing of that id is kept. */
    pathOf: (id: string): string | null => (uuid.test(id) && rows.find(id) ? fileOf(id) : null),
    /** A copy that may be given away: the kept file is nobody else's to change. @throws StudioError `no_such_item` */
    async copyTo(id: string, path: string): Promise<MediaItem> {
      const item = uuid.test(id) ? rows.find(id) : null
      if (!item) throw new StudioError('no_such_item', 'This file is not there any more.')
      // Shared blocks where the file system can: a copy costs nothing then.
      await copyFile(fileOf(id), path, constants.COPYFILE_FICLONE)
      return item
    },
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
    /** Erases those of them that nothing names any more: no message, draft, speech, recording or image. */
    drop,
    /** Erases what nothing names, of earlier processes: a row whose thing never came to be. */
    sweepOrphans: (): Promise<void> => drop(rows.orphans(startedAt).filter((id) => !given.has(id))),
    /** Resolves when what an earlier process left over is gone. */
    swept,
  }
}

/** An id, or an id that was being written. */
const leftOver = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.part)?$/

/**
 * A second name for a file until its row stands, so that whenever the process dies one of them is found: the new one by its row, or the old one where it
 * grew. File systems without such names have it moved.
 */
async function alsoAs(path: string, to: string): Promise<void> {
  try {
    await link(path, to)
  } catch {
    await rename(path, to)
  }
}
