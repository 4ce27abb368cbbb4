import { createReadStream, mkdirSync } from 'node:fs'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StudioError } from '../../errors.ts'
import { isRealFile, realNamesIn } from '../../shared/ownFiles.ts'
import { SerialQueue } from '../../shared/serialQueue.ts'
import { toDisk } from '../../shared/toDisk.ts'
import type { MediaItem } from '../../store/media.ts'
import { asFileError, uuid } from './files.ts'

/** A file in `making/` that is being written. It has one writer, and appended bytes survive the death of the process. */
export interface Growing {
  readonly name: string
  /** Current length. */
  readonly bytes: number
  /**
   * Appends bytes and resolves when they are on disk. With `durable: false` they survive the death of this process, and `sync` makes them
   * survive a power failure. With the offset `at`, bytes that are already there are not appended twice.
   * @throws StudioError `bad_input` if bytes before `at` are missing, and as `diskProblem`
   */
  append(bytes: Uint8Array, at?: number): Promise<number>
  sync(): Promise<void>
  /** Reads bytes `start` to `end`, both included. */
  read(start: number, end: number): Readable
  /** Turns the file into a media file. `then` runs in the transaction of its row. Afterwards the file in `making/` is gone. */
  finish(facts: { mime: string; name: string | null }, then: (item: MediaItem) => void): Promise<MediaItem>
  /** Ends writing. The file stays in `making/`. */
  close(): Promise<void>
  /** Deletes the file. */
  discard(): Promise<void>
}

/** `ID`, or `ID.suffix` for an item with several files. */
const growingName = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:\.[a-z\d-]{1,40})?$/

/** Moves a complete file into the media folder. `then` runs in the transaction that writes its row. */
export type Adopt = (
  path: string,
  facts: { mime: string; name: string | null },
  then: (item: MediaItem) => void,
) => Promise<MediaItem>

/** The files in `making/` of the data folder (0700, files 0600), named by the id of their item. */
export function growingFiles(dataDir: string, adopt: Adopt) {
  const folder = join(dataDir, 'making')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const open_ = new Set<string>()
  const pathOf = (name: string): string => {
    const [, id = ''] = growingName.exec(name) ?? []
    if (!uuid.test(id)) throw new StudioError('bug', 'The name of a growing file must begin with an id.')
    return join(folder, name)
  }

  return {
    /** Names of all current growing files. Ignores other files and symbolic links. */
    names: (): string[] =>
      realNamesIn(folder).filter((name) => growingName.test(name) && isRealFile(join(folder, name))),
    ownerOf: (name: string): string | null => growingName.exec(name)?.[1] ?? null,
    /** Opens the file that an earlier process left, or creates it. @throws StudioError `busy` if it is already open */
    async grow(name: string, { durable = true }: { durable?: boolean } = {}): Promise<Growing> {
      const path = pathOf(name)
      if (open_.has(name)) throw new StudioError('busy', 'This file is already being written.')
      open_.add(name)
      try {
        const handle = await open(path, 'a', 0o600)
        const { size } = await handle.stat()
        if (size === 0) await toDisk(folder, 'r')
        return growing({ name, path, handle, size, durable })
      } catch (thrown) {
        open_.delete(name)
        throw asFileError(thrown)
      }
    },
    /** Non-empty files of an item that an earlier process left: `ID` and `ID.suffix`. */
    async left(id: string): Promise<{ name: string; bytes: number }[]> {
      const names = (await readdir(folder)).filter((name) => growingName.exec(name)?.[1] === id)
      return Promise.all(names.sort().map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })))
    },
    /** Path of a file, which need not exist. */
    pathOf,
    /** Deletes all files of an item: `ID` and `ID.suffix`. */
    async discardAll(id: string): Promise<void> {
      const names = (await readdir(folder)).filter((name) => growingName.exec(name)?.[1] === id)
      await Promise.all(names.map((name) => rm(join(folder, name), { force: true })))
    },
    discard: (name: string): Promise<void> => rm(pathOf(name), { force: true }),
  }

  function growing(file: { name: string; path: string; handle: FileHandle; size: number; durable: boolean }): Growing {
    const { name, path, handle, durable } = file
    let { size } = file
    let ended = false
    const queue = new SerialQueue()
    async function write(bytes: Uint8Array, at: number | undefined): Promise<number> {
      if (ended) throw new StudioError('bad_input', 'Nothing can be added to this file any more.')
      if (at !== undefined && at > size) throw new StudioError('bad_input', 'An earlier piece is missing.')
      const fresh = bytes.subarray(at === undefined ? 0 : Math.min(bytes.length, size - at))
      if (fresh.length === 0) return size
      try {
        await handle.appendFile(fresh)
        if (durable) await handle.datasync()
      } catch (thrown) {
        // Removes a partly written piece, because the file must not contain uncounted bytes.
        await handle.truncate(size).catch(() => undefined)
        throw asFileError(thrown)
      }
      size += fresh.length
      return size
    }
    async function end(): Promise<void> {
      if (ended) return
      ended = true
      open_.delete(name)
      await handle.close()
    }
    return {
      name,
      get bytes() {
        return size
      },
      append: (bytes, at) => queue.run(() => write(bytes, at)),
      sync: () => queue.run(() => handle.datasync()),
      read: (start, to) => createReadStream(path, { start, end: to }),
      finish: (facts, then) =>
        queue.run(async () => {
          await end()
          return adopt(path, facts, then)
        }),
      close: () => queue.run(end),
      discard: () =>
        queue.run(async () => {
          await end()
          await rm(path, { force: true })
        }),
    }
  }
}
