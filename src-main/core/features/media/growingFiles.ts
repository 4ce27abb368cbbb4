import { createReadStream, mkdirSync } from 'node:fs'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StudioError } from '../../errors.ts'
import { isRealFile, realNamesIn } from '../../shared/ownFiles.ts'
import type { MediaItem } from '../../store/media.ts'
import { asFileError, toDisk, uuid } from './files.ts'

/** A file that grows, in `making/`. One writer; what was appended is there for the next process. */
export interface Growing {
  readonly name: string
  /** How long it is. */
  readonly bytes: number
  /**
   * Adds to its end; on the disk when this resolves, unless it was opened with `durable: false` (then it survives the death of this process,
   * and `sync` makes it survive a power cut). With `at`, an offset: what is there already is not taken twice.
   * @throws StudioError `bad_input` where bytes before `at` are missing, and as `diskProblem`
   */
  append(bytes: Uint8Array, at?: number): Promise<number>
  sync(): Promise<void>
  /** Bytes `start` to `end`, both included, of what is there. */
  read(start: number, end: number): Readable
  /** Becomes a media file of its own; `then` runs in the transaction of its row. The file in `making/` is gone afterwards. */
  finish(facts: { mime: string; name: string | null }, then: (item: MediaItem) => void): Promise<MediaItem>
  /** Nothing more comes now; the file stays. */
  close(): Promise<void>
  /** Thrown away. */
  discard(): Promise<void>
}

/** `ID`, or `ID.what` where one thing has several. */
const growingName = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:\.[a-z\d-]{1,40})?$/

export type Adopt = (
  path: string,
  facts: { mime: string; name: string | null },
  then: (item: MediaItem) => void,
) => Promise<MediaItem>

/** The files in `making/` of the data folder (0700, files 0600), called by the id of what they are for. */
export function growingFiles(dataDir: string, adopt: Adopt) {
  const folder = join(dataDir, 'making')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const open_ = new Set<string>()
  const pathOf = (name: string): string => {
    const [, id = ''] = growingName.exec(name) ?? []
    if (!uuid.test(id)) throw new StudioError('bug', 'A growing file is called by an id.')
    return join(folder, name)
  }

  return {
    /** The growing files of now. What others put there is left out, and so is everything behind a symbolic link. */
    names: (): string[] =>
      realNamesIn(folder).filter((name) => growingName.test(name) && isRealFile(join(folder, name))),
    ownerOf: (name: string): string | null => growingName.exec(name)?.[1] ?? null,
    /** Opens it where an earlier process left it, or makes it. @throws StudioError `busy` where it is open already */
    async grow(name: string, { durable = true }: { durable?: boolean } = {}): Promise<Growing> {
      const path = pathOf(name)
      if (open_.has(name)) throw new StudioError('busy', 'This is being written already.')
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
    /** What an earlier process left of this thing, with bytes: `ID` and `ID.what`. */
    async left(id: string): Promise<{ name: string; bytes: number }[]> {
      const names = (await readdir(folder)).filter((name) => growingName.exec(name)?.[1] === id)
      return Promise.all(names.sort().map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })))
    },
    /** The path of one, to be read whole. It need not be there. */
    pathOf,
    /** Takes all of a thing away: `ID` and `ID.what`. */
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
    let last: Promise<unknown> = Promise.resolve()
    /** One after another, whatever order they are asked in. */
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const done = last.then(work)
      last = done.catch(() => undefined)
      return done
    }
    async function write(bytes: Uint8Array, at: number | undefined): Promise<number> {
      if (ended) throw new StudioError('bad_input', 'Nothing can be added to this any more.')
      if (at !== undefined && at > size) throw new StudioError('bad_input', 'A piece before this one is missing.')
      const fresh = bytes.subarray(at === undefined ? 0 : Math.min(bytes.length, size - at))
      if (fresh.length === 0) return size
      try {
        await handle.appendFile(fresh)
        if (durable) await handle.datasync()
      } catch (thrown) {
        // Half a piece may stand there: what is not counted is not there.
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
      append: (bytes, at) => inTurn(() => write(bytes, at)),
      sync: () => inTurn(() => handle.datasync()),
      read: (start, to) => createReadStream(path, { start, end: to }),
      finish: (facts, then) =>
        inTurn(async () => {
          await end()
          return adopt(path, facts, then)
        }),
      close: () => inTurn(end),
      discard: () =>
        inTurn(async () => {
          await end()
          await rm(path, { force: true })
        }),
    }
  }
}
