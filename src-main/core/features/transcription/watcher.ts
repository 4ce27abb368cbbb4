import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Recording, Transcript, TranscriptionChange } from '../../../../src-preload/contract/transcription.ts'
import { type FeedSource, Listeners } from '../../shared/events.ts'
import { guarded } from '../../shared/unexpected.ts'
import type { Store } from '../../store/store.ts'

/** State of running work that is not in the database. */
export interface RunningWork {
  /** Bytes received of a recording; null if it is not running. */
  recorded(id: string): number | null
  /** Bytes of the file uploaded so far; null if the transcription is not running. */
  uploaded(transcriptId: string): number | null
}

export type Changed = { what: 'recording' | 'transcript'; id: string }

interface Page {
  /** The last id of the previous page. */
  before: string | null
  limit: number
}

const snapshotLength = 200
/** Maximum time that a search may occupy the thread, ms. */
const sliceMs = 8

/** Recordings and transcripts as shown: stored rows, combined with running work. */
export class TranscribeView {
  readonly changes = new Listeners<[Changed]>()
  readonly #store: Pick<Store, 'recordings' | 'transcripts'>
  readonly #underWay: RunningWork

  constructor(store: Pick<Store, 'recordings' | 'transcripts'>, underWay: RunningWork) {
    this.#store = store
    this.#underWay = underWay
  }

  /** @throws StudioError `no_such_item` */
  recording(id: string): Recording {
    return this.#show(this.#store.recordings.get(id))
  }

  /** @throws StudioError `no_such_item` */
  transcript(id: string): Transcript {
    return this.#overlay(this.#store.transcripts.get(id))
  }

  transcripts(recordingId: string): Transcript[] {
    return this.#store.transcripts.of(recordingId).map((one) => this.#overlay(one))
  }

  page(asked: Page): { recordings: Recording[]; total: number } {
    const { recordings, total } = this.#store.recordings.page(asked)
    return { recordings: recordings.map((one) => this.#show(one)), total }
  }

  /** Like `page`, for matching recordings. Reads every transcript and yields to other work in between. */
  async search(
    needles: readonly string[],
    { before, limit }: Page,
  ): Promise<{ recordings: Recording[]; total: number }> {
    const all: string[] = []
    let since = performance.now()
    for (const ids of this.#store.recordings.matching(needles)) {
      all.push(...ids)
      if (performance.now() - since < sliceMs) continue
      await nextTurn()
      since = performance.now()
    }
    const from = before === null ? 0 : all.indexOf(before) + 1
    const ids = before !== null && from === 0 ? [] : all.slice(from, from + limit)
    const found = ids.flatMap((id) => this.#store.recordings.find(id) ?? []).filter(({ removed }) => !removed)
    return { recordings: found.map((one) => this.#show(one)), total: all.length }
  }

  notify(what: Changed['what'], id: string): void {
    this.changes.notify({ what, id })
  }

  /** The change for a watcher; null if there is nothing to report. */
  changed({ what, id }: Changed): TranscriptionChange | null {
    if (what === 'recording') {
      const recording = this.#store.recordings.find(id)
      return !recording || recording.removed
        ? { type: 'gone', id }
        : { type: 'recording', recording: this.#show(recording) }
    }
    const transcript = this.#store.transcripts.find(id)
    return transcript && { type: 'transcript', transcript: this.#overlay(transcript) }
  }

  #show({ removed: _, ...recording }: Recording & { removed: boolean }): Recording {
    const bytes = this.#underWay.recorded(recording.id)
    if (bytes !== null) return { ...recording, bytes }
    // The recording is not running: an earlier process ended during it, and its recovery is in progress.
    return recording.state === 'recording' ? { ...recording, state: 'cut' } : recording
  }

  #overlay(transcript: Transcript): Transcript {
    const sentBytes = transcript.state === 'making' ? this.#underWay.uploaded(transcript.id) : null
    return sentBytes === null ? transcript : { ...transcript, sentBytes }
  }
}

/** One watcher and its pending changes. Repeated changes of one item are combined. */
export class TranscribeWatcher implements FeedSource<TranscriptionChange> {
  readonly #view: TranscribeView
  readonly #stale = new Map<string, Changed>()
  #snapshotDue = true

  constructor(view: TranscribeView) {
    this.#view = view
  }

  subscribe(wake: () => void): () => void {
    return this.#view.changes.add((changed) => {
      this.#stale.set(changed.id, changed)
      wake()
    })
  }

  take(): TranscriptionChange | null {
    if (this.#snapshotDue) {
      this.#snapshotDue = false
      this.#stale.clear()
      return { type: 'snapshot', ...this.#view.page({ before: null, limit: snapshotLength }) }
    }
    for (const [id, changed] of this.#stale) {
      this.#stale.delete(id)
      const event = this.#view.changed(changed)
      if (event) return event
    }
    return null
  }
}

/** Calls `notify` at once, then at most every `everyMs`. The last call is never lost. */
export function paced(notify: () => void, everyMs = 100) {
  let last = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null
  const now = guarded('Running work could not be reported', () => {
    timer = null
    last = performance.now()
    notify()
  })
  return {
    call(): void {
      if (timer) return
      const wait = last + everyMs - performance.now()
      if (wait <= 0) now()
      else timer = setTimeout(now, wait)
    },
    stop(): void {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}
