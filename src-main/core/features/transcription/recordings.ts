import { randomUUID } from 'node:crypto'
import { type Recording, recording } from '../../../../src-preload/contract/transcription.ts'
import { StudioError } from '../../errors.ts'
import { plainType } from '../../shared/audioFileTypes.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import { inBackground, unexpected } from '../../shared/unexpected.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { StoredRecording } from '../../store/recordings.ts'
import type { GrowingSound, TranscribeParts } from './dependencies.ts'
import { soundEnding } from './fileNames.ts'
import { paced } from './watcher.ts'

/** A microphone that runs, as the core knows it: pieces come, or have not come for a while. */
interface Take {
  file: GrowingSound
  idle: NodeJS.Timeout
  progress: ReturnType<typeof paced>
  /** It is being moved to where it stays, and takes no more. */
  ending: boolean
}

export type RecordingsOptions = Pick<TranscribeParts, 'store' | 'files' | 'log'> & { changed(id: string): void }

/** Longer than most pauses; what comes after a longer one goes on all the same. */
export const idleMs = 900_000
const { cut, kept, recording: running } = recording.shape.state.enum

/**
 * Recordings of the microphone. Each piece is on the disk before it is counted. A recording whose page went away is `cut` after a while, as one that
 * was under way when the process died; when its page comes back all the same, with the piece that is due, it goes on where it was.
 */
export class Recordings {
  readonly #parts: RecordingsOptions
  readonly #takes = new Map<string, Take>()
  /** Beginnings, endings and goings-on of one recording go one after another. */
  readonly #turns = new Map<string, Promise<unknown>>()

  readonly #closing = new AbortController()

  constructor(parts: RecordingsOptions) {
    this.#parts = parts
  }

  /** Bytes that have come; null where nobody records it now. */
  bytes(id: string): number | null {
    return this.#takes.get(id)?.file.bytes ?? null
  }

  async begin({ name, mime }: { name: string; mime: string }): Promise<string> {
    const { store, files } = this.#parts
    const id = randomUUID()
    const called = name.trim() === '' ? 'Recording' : name.trim()
    store.recordings.insert({
      id,
      createdAt: new Date().toISOString(),
      name: called,
      search: searchable(called),
      source: 'microphone',
      state: running,
      mime: plainType(mime),
      bytes: 0,
      seconds: null,
      mediaId: null,
      fromId: null,
    })
    try {
      this.#open(id, await files.growing.grow(id))
    } catch (thrown) {
      store.recordings.erase(id)
      throw thrown
    }
    this.#parts.changed(id)
    return id
  }

  /** @throws StudioError `bad_input` where bytes before `at` are missing or it ended, `no_such_item` */
  async append({ id, at, data }: { id: string; at: number; data: string }): Promise<{ bytes: number }> {
    const now = this.#takes.get(id)
    const take = now && !now.ending ? now : await this.#inTurn(id, () => this.#goOn(id))
    take.idle.refresh()
    const bytes = await take.file.append(Buffer.from(data, 'base64'), at)
    take.progress.call()
    return { bytes }
  }

  /** @throws StudioError `bad_input` where nothing came, `no_such_item` */
  finish({ id, seconds }: { id: string; seconds: number | null }): Promise<void> {
    return this.#inTurn(id, async () => {
      const { store } = this.#parts
      const row = store.recordings.get(id)
      if (row.source !== 'microphone' || row.state === kept) {
        // The page lost the answer and asks again.
        if (seconds !== null && row.seconds === null) store.recordings.setSeconds(id, seconds)
      } else if (row.mediaId === null) {
        const take = this.#takes.get(id) ?? (await this.#goOn(id))
        await this.#end(row, take, { state: kept, seconds })
      } else store.recordings.settle({ ...row, state: kept, seconds })
      this.#parts.changed(id)
    })
  }

  /** Throws away what was recorded, also what was cut. @throws StudioError `bad_input` for what is kept, `no_such_item` */
  discard(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const row = this.#parts.store.recordings.get(id)
      if (row.state === kept) {
        throw new StudioError('bad_input', 'This recording is kept; delete it instead.')
      }
      await this.#drop(row)
      this.#parts.changed(id)
    })
  }

  /** Ends it as cut, with what came; nothing where nobody records it. */
  cut(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const take = this.#takes.get(id)
      const row = this.#parts.store.recordings.find(id)
      if (!take || !row) return
      await this.#end(row, take, { state: cut, seconds: null })
      this.#parts.changed(id)
    })
  }

  /** At start: what an earlier process left becomes media, marked `cut`. One that fails stays where it is, for the next start. */
  async recover(): Promise<number> {
    let found = 0
    for (const row of this.#parts.store.recordings.loose()) {
      try {
        await this.#inTurn(row.id, () => this.#recoverOne(row))
        found += 1
      } catch (thrown) {
        this.#parts.log('error', `A recording could not be brought back: ${String(thrown)}`)
      }
      this.#parts.changed(row.id)
    }
    return found
  }

  /** The program ends. */
  async close(): Promise<void> {
    this.#closing.abort()
    // One that can't be written now stays where it is, for the next start.
    const cut = await Promise.allSettled([...this.#takes.keys()].map((id) => this.cut(id)))
    for (const one of cut) if (one.status === 'rejected') unexpected('A recording could not be ended', one.reason)
    await Promise.all(this.#turns.values())
  }

  async #recoverOne(row: StoredRecording): Promise<void> {
    // The page was quicker, and goes on.
    if (this.#takes.has(row.id)) return
    const { files } = this.#parts
    const left = await files.growing.left(row.id)
    if (left.every(({ bytes }) => bytes === 0)) await this.#drop(row)
    else await this.#end(row, { file: await files.growing.grow(row.id) }, { state: cut, seconds: row.seconds })
  }

  async #drop(row: StoredRecording): Promise<void> {
    const { store, files } = this.#parts
    const take = this.#forget(row.id)
    // The row first: a file that nothing names is swept, a row without a file is not mended.
    store.recordings.erase(row.id)
    await take?.file.discard()
    await files.growing.discardAll(row.id)
    if (row.mediaId !== null) await files.drop([row.mediaId])
  }

  async #end(
    row: StoredRecording,
    { file }: { file: GrowingSound },
    { state, seconds }: Pick<Recording, 'state' | 'seconds'>,
  ): Promise<void> {
    const { store } = this.#parts
    if (file.bytes === 0) {
      await this.#drop(row)
      if (state === kept) throw new StudioError('bad_input', 'Nothing was recorded.')
      return
    }
    const take = this.#takes.get(row.id)
    if (take) take.ending = true
    const name = `${row.name}.${soundEnding('', row.mime)}`
    try {
      const finish = () =>
        file.finish({ mime: row.mime, name }, ({ id: mediaId, bytes }) =>
          store.recordings.settle({ id: row.id, state, bytes, seconds, mediaId }),
        )
      await untilWritten('A recording', finish, this.#closing.signal)
    } finally {
      // Until then it is shown as it was, not as something that nobody looks after.
      this.#forget(row.id)
    }
  }

  /** The page is there again: the bytes go back to where they grow. */
  async #goOn(id: string): Promise<Take> {
    const { store, files } = this.#parts
    const already = this.#takes.get(id)
    if (already) return already
    const row = store.recordings.get(id)
    if (row.source !== 'microphone' || row.state === kept) {
      throw new StudioError('bad_input', 'This recording has ended; nothing can be added to it.')
    }
    if (row.mediaId !== null) {
      await files.growing.discardAll(id)
      await files.copyTo(row.mediaId, files.growing.pathOf(id))
    }
    const take = this.#open(id, await files.growing.grow(id))
    store.recordings.settle({ ...row, state: running, mediaId: null })
    if (row.mediaId !== null) await files.drop([row.mediaId])
    return take
  }

  #open(id: string, file: GrowingSound): Take {
    const idle = setTimeout(() => {
      this.cut(id).catch((thrown: unknown) =>
        this.#parts.log('error', `A recording could not be ended: ${String(thrown)}`),
      )
    }, idleMs)
    idle.unref()
    const take = { file, idle, progress: paced(() => this.#parts.changed(id)), ending: false }
    this.#takes.set(id, take)
    return take
  }

  #forget(id: string): Take | undefined {
    const take = this.#takes.get(id)
    this.#takes.delete(id)
    clearTimeout(take?.idle)
    take?.progress.stop()
    return take
  }

  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work)
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    this.#turns.set(id, settled)
    const left = settled.then(() => {
      if (this.#turns.get(id) === settled) this.#turns.delete(id)
    })
    inBackground('A recording could not be changed', left)
    return turn
  }
}
