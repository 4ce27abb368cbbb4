import { randomUUID } from 'node:crypto'
import { type Recording, recording } from '../../../../src-preload/contract/transcription.ts'
import { StudioError } from '../../errors.ts'
import { plainType } from '../../shared/audioFileTypes.ts'
import { Listeners } from '../../shared/events.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import { inBackground, unexpected } from '../../shared/unexpected.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { StoredRecording } from '../../store/recordings.ts'
import type { GrowingSound, TranscribeParts } from './dependencies.ts'
import { soundEnding } from './fileNames.ts'
import { recordedSeconds } from './recordedSeconds.ts'
import { paced } from './watcher.ts'

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** A running microphone recording. */
interface ActiveRecording {
  file: GrowingSound
  idle: NodeJS.Timeout
  progress: ReturnType<typeof paced>
  /** The file is being moved to the media folder and accepts no more bytes. */
  ending: boolean
  /** Connections of pages that record it; see `hold`. */
  holders: number
}

export type RecordingsOptions = Pick<TranscribeParts, 'store' | 'files' | 'log'> & { changed(id: string): void }

/** A recording without a call of its page for this long is marked `cut`, ms. A paused page calls every 30 s. A later piece continues it. */
export const idleMs = 120_000
/** How long a recording waits for its page after its connection ended, ms. A page that reloads or loses the connection returns with a piece. */
const returnMs = 3_000
const { cut, kept, recording: running } = recording.shape.state.enum

/**
 * Microphone recordings. Each piece is on disk before it is counted. A recording is `cut` if its page is gone or has sent nothing for a
 * while, or if the process ended during it. If the page returns with the next piece, the recording continues.
 */
export class Recordings {
  readonly #parts: RecordingsOptions
  readonly #active = new Map<string, ActiveRecording>()
  /** Serializes start, append and finish for each recording. */
  readonly #turns = new Map<string, Promise<unknown>>()

  readonly #closing = new AbortController()

  constructor(parts: RecordingsOptions) {
    this.#parts = parts
  }

  /** A recording began or ended. */
  readonly runningChanges = new Listeners()

  /** Number of running recordings. */
  get running(): number {
    return this.#active.size
  }

  /** Bytes received so far; null if the recording is not running. */
  bytes(id: string): number | null {
    return this.#active.get(id)?.file.bytes ?? null
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

  /**
   * Stores a piece at byte offset `at`. Returns the number of stored bytes.
   * @throws StudioError `bad_input` if bytes before `at` are missing or the recording has ended, `no_such_item`
   */
  async append({ id, at, data }: { id: string; at: number; data: Uint8Array }): Promise<number> {
    const now = this.#active.get(id)
    const recording = now && !now.ending ? now : await this.#inTurn(id, () => this.#continue(id))
    recording.idle.refresh()
    const bytes = await recording.file.append(data, at)
    recording.progress.call()
    return bytes
  }

  /**
   * Waits for the end of the connection of a page that records. If the page does not return, the recording is cut at once, so that other
   * pages can play it. Resolves when `signal` aborts.
   */
  async hold(id: string, signal: AbortSignal): Promise<void> {
    const recording = this.#active.get(id)
    if (!recording) return
    recording.holders += 1
    await aborted(signal)
    recording.holders -= 1
    if (recording.holders > 0 || this.#active.get(id) !== recording) return
    const { bytes } = recording.file
    const timer = setTimeout(() => {
      const isBack = recording.holders > 0 || recording.file.bytes !== bytes
      if (!isBack && this.#active.get(id) === recording) this.#cutIdle(id)
    }, returnMs)
    timer.unref()
  }

  /** Ends a recording. Without `seconds`, its length is read from the file. @throws StudioError `bad_input` if it is empty, `no_such_item` */
  finish({ id, seconds }: { id: string; seconds: number | null }): Promise<void> {
    return this.#inTurn(id, async () => {
      const { store } = this.#parts
      const row = store.recordings.get(id)
      if (row.source !== 'microphone' || row.state === kept) {
        // The page lost the reply and calls again.
        if (seconds !== null && row.seconds === null) store.recordings.setSeconds(id, seconds)
      } else if (row.mediaId === null) {
        const recording = this.#active.get(id) ?? (await this.#continue(id))
        await this.#end(row, recording, { state: kept, seconds })
      } else store.recordings.settle({ ...row, state: kept, seconds: seconds ?? row.seconds })
      this.#parts.changed(id)
    })
  }

  /** Deletes a running or cut recording. @throws StudioError `bad_input` for a finished one, `no_such_item` */
  discard(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const row = this.#parts.store.recordings.get(id)
      if (row.state === kept) {
        throw new StudioError('bad_input', 'This recording is finished. Delete it instead.')
      }
      await this.#drop(row)
      this.#parts.changed(id)
    })
  }

  /** Ends a recording as cut with the received bytes. Does nothing if it is not running. */
  cut(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const recording = this.#active.get(id)
      const row = this.#parts.store.recordings.find(id)
      if (!recording || !row) return
      await this.#end(row, recording, { state: cut, seconds: null })
      this.#parts.changed(id)
    })
  }

  /**
   * At start: turns recordings of an earlier process into media files, marked `cut`. After a failure the file stays for the next start.
   * Returns the number of recovered recordings.
   */
  async recover(): Promise<number> {
    let found = 0
    for (const row of this.#parts.store.recordings.loose()) {
      try {
        await this.#inTurn(row.id, () => this.#recoverOne(row))
        found += 1
      } catch (thrown) {
        this.#parts.log('error', `A recording could not be recovered: ${String(thrown)}`)
      }
      this.#parts.changed(row.id)
    }
    return found
  }

  /** Call at the end of the program: ends running recordings as `cut`. */
  async close(): Promise<void> {
    this.#closing.abort()
    // After a failure the file stays for the next start.
    const cut = await Promise.allSettled([...this.#active.keys()].map((id) => this.cut(id)))
    for (const one of cut) if (one.status === 'rejected') unexpected('A recording could not be ended', one.reason)
    await Promise.all(this.#turns.values())
  }

  async #recoverOne(row: StoredRecording): Promise<void> {
    // The page has already continued the recording.
    if (this.#active.has(row.id)) return
    const { files } = this.#parts
    const left = await files.growing.left(row.id)
    if (left.every(({ bytes }) => bytes === 0)) await this.#drop(row)
    else await this.#end(row, { file: await files.growing.grow(row.id) }, { state: cut, seconds: row.seconds })
  }

  async #drop(row: StoredRecording): Promise<void> {
    const { store, files } = this.#parts
    const recording = this.#forget(row.id)
    // Deletes the row first: an unreferenced file is deleted later, but a row without a file cannot be repaired.
    store.recordings.erase(row.id)
    await recording?.file.discard()
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
    const recording = this.#active.get(row.id)
    if (recording) recording.ending = true
    const name = `${row.name}.${soundEnding('', row.mime)}`
    try {
      const measured = seconds ?? (await recordedSeconds(this.#parts.files.growing.pathOf(row.id)))
      const finish = () =>
        file.finish({ mime: row.mime, name }, ({ id: mediaId, bytes }) =>
          store.recordings.settle({ id: row.id, state, bytes, seconds: measured, mediaId }),
        )
      await untilWritten('A recording', finish, this.#closing.signal)
    } finally {
      // Not earlier, because without its entry the recording would be shown as `cut`.
      this.#forget(row.id)
    }
  }

  /** Continues a cut recording whose page has returned. Copies its bytes back to a growing file. */
  async #continue(id: string): Promise<ActiveRecording> {
    const { store, files } = this.#parts
    const active = this.#active.get(id)
    if (active) return active
    const row = store.recordings.get(id)
    if (row.source !== 'microphone' || row.state === kept) {
      throw new StudioError('bad_input', 'This recording has ended. Nothing can be added to it.')
    }
    if (row.mediaId !== null) {
      await files.growing.discardAll(id)
      await files.copyTo(row.mediaId, files.growing.pathOf(id))
    }
    const recording = this.#open(id, await files.growing.grow(id))
    store.recordings.settle({ ...row, state: running, mediaId: null })
    if (row.mediaId !== null) await files.drop([row.mediaId])
    return recording
  }

  #open(id: string, file: GrowingSound): ActiveRecording {
    const idle = setTimeout(() => this.#cutIdle(id), idleMs)
    idle.unref()
    const progress = paced(() => this.#parts.changed(id))
    const recording: ActiveRecording = { file, idle, progress, ending: false, holders: 0 }
    this.#active.set(id, recording)
    this.runningChanges.notify()
    return recording
  }

  #cutIdle(id: string): void {
    this.cut(id).catch((thrown: unknown) =>
      this.#parts.log('error', `A recording could not be ended: ${String(thrown)}`),
    )
  }

  #forget(id: string): ActiveRecording | undefined {
    const recording = this.#active.get(id)
    this.#active.delete(id)
    clearTimeout(recording?.idle)
    recording?.progress.stop()
    this.runningChanges.notify()
    return recording
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
