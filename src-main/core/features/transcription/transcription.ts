import { randomUUID } from 'node:crypto'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  Cue,
  Recording,
  Transcript,
  TranscriptionChange,
  TranscriptRequest,
} from '../../../../src-preload/contract/transcription.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { mayHaveLeft, StudioError } from '../../errors.ts'
import { typeByName } from '../../shared/audioFileTypes.ts'
import { counted } from '../../shared/counted.ts'
import { type Feed, feed } from '../../shared/events.ts'
import { needles, readQuery } from '../../shared/text/query.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { joinCues, tidyCues } from './cues.ts'
import type { TranscribeParts } from './dependencies.ts'
import { saveName, soundEnding, uploadName } from './fileNames.ts'
import { parseTranscript } from './parseReply.ts'
import { Recordings } from './recordings.ts'
import { writeSrt } from './srt.ts'
import { programEnded, searchOf, TranscriptRuns } from './transcriptRuns.ts'
import { writeVtt } from './vtt.ts'
import { TranscribeView, TranscribeWatcher } from './watcher.ts'

export type TranscriptionFeature = ReturnType<typeof createTranscription>

/** How long the end of a transcript may wait for the database before it counts as still running, ms. */
const writtenMs = 10_000

const savedAs = {
  txt: { mime: 'text/plain', write: ({ text }: Transcript) => `${text}\n` },
  vtt: { mime: 'text/vtt', write: ({ cues }: Transcript) => writeVtt(cues) },
  srt: { mime: 'application/x-subrip', write: ({ cues }: Transcript) => writeSrt(cues) },
} as const

/** What a search finds a recording by, besides its transcripts. */
const searchOfRow = ({ name, app = '' }: Pick<Recording, 'name' | 'app'>): string => searchable(`${name}\n${app}`)

/** Recordings, files and their transcripts: all procedures of `contract/transcription.ts`. */
export function createTranscription(parts: TranscribeParts) {
  const { store, files, transfers } = parts
  const { recordings, transcripts } = store
  const microphone = new Recordings({ ...parts, changed: (id) => view.notify('recording', id) })
  const runs = new TranscriptRuns({
    ...parts,
    changed(id, what) {
      view.notify('transcript', id)
      const recordingId = what === 'end' ? transcripts.find(id)?.recordingId : undefined
      if (recordingId !== undefined) view.notify('recording', recordingId)
    },
  })
  const view = new TranscribeView(store, {
    recorded: (id) => microphone.bytes(id),
    uploaded: (id) => runs.sentBytes(id),
  })
  markCut(parts, (row) => runs.costOf(row))
  /** Recovers recordings of an earlier process. Every procedure about a single recording waits for it. */
  const recovered = microphone.recover().then(
    (found) => {
      if (found > 0)
        parts.log('warn', `Cut off when the program last ended, stored and marked: ${counted(found, 'recording')}.`)
    },
    (thrown: unknown) => unexpected('Recordings of an earlier process could not be recovered', thrown),
  )

  /** Writes text and cues of a transcript, edited or as received. */
  function reword(id: string, { text, cues, edited }: Pick<Transcript, 'text' | 'cues' | 'edited'>): Transcript {
    store.transaction(() => transcripts.setWords({ id, text, cues, edited, search: searchOf(text, cues) }))
    const changed = view.transcript(id)
    view.notify('transcript', id)
    view.notify('recording', changed.recordingId)
    return changed
  }

  function add(row: Omit<Recording, 'id' | 'createdAt' | 'state' | 'transcript' | 'transcripts'>): string {
    const id = randomUUID()
    recordings.insert({
      ...row,
      id,
      createdAt: new Date().toISOString(),
      state: 'kept',
      search: searchOfRow(row),
    })
    return id
  }

  async function moveIn({ path, name: given, bytes, ...row }: NewFile): Promise<Recording> {
    if (bytes === 0) throw new StudioError('bad_input', 'This file is empty.')
    const name = given.trim() === '' ? 'File' : given.trim()
    let id = ''
    await files.addSound({ path }, { mime: typeByName(name), name }, ({ id: mediaId, mime }) => {
      id = add({ ...row, name, source: 'file', mime, bytes, seconds: null, mediaId })
    })
    return shown(id)
  }

  function shown(id: string): Recording {
    view.notify('recording', id)
    return view.recording(id)
  }

  async function offer(path: string, name: string, mime: string): Promise<Download> {
    const { size: bytes } = await stat(path)
    return transfers.downloads.offer({ path, name, mime, bytes })
  }

  return {
    /** Number of running recordings. */
    running: (): number => microphone.running,
    runningChanges: microphone.runningChanges,
    watch: (signal?: AbortSignal): Feed<TranscriptionChange> => feed(new TranscribeWatcher(view), signal),
    async find({ search, ...page }: { search: string; before: string | null; limit: number }) {
      const query = readQuery(search)
      return query ? view.search(needles(query), page) : view.page(page)
    },
    /** @throws StudioError `no_such_item` */
    async get({ id }: { id: string }): Promise<{ recording: Recording; transcripts: Transcript[] }> {
      await recovered
      return { recording: view.recording(id), transcripts: view.transcripts(id) }
    },

    async begin(input: { name: string; mime: string }): Promise<Recording> {
      return view.recording(await microphone.begin(input))
    },
    /** Stores a piece of a recording. Returns the number of stored bytes. @throws StudioError `bad_input` if an earlier piece is missing */
    async append(input: { id: string; at: number; data: Uint8Array }): Promise<number> {
      await recovered
      return microphone.append(input)
    },
    /** A feed without events, which ends with `signal`; see `Recordings.hold`. */
    async *hold({ id }: { id: string }, signal: AbortSignal): AsyncGenerator<never, undefined> {
      await recovered
      await microphone.hold(id, signal)
      yield* noEvents
      return undefined
    },
    async finish(input: { id: string; seconds: number | null }): Promise<Recording> {
      await recovered
      await microphone.finish(input)
      return view.recording(input.id)
    },
    async discard({ id }: { id: string }): Promise<void> {
      await recovered
      await microphone.discard(id)
    },
    /** @throws StudioError `no_such_item`, `bad_input` for an empty file */
    async addFile({ uploadId, fromId }: { uploadId: string; fromId: string | null }): Promise<Recording> {
      const { path, name, bytes } = transfers.uploads.take(uploadId)
      const added = await moveIn({ path, name, bytes, fromId })
      await transfers.uploads.done(uploadId)
      return added
    },
    /** Adds a file for an app, which is moved from its path. @throws StudioError `bad_input` for an empty file */
    addFileOf: (app: string, { path, name, bytes }: Omit<NewFile, 'app' | 'fromId'>): Promise<Recording> =>
      moveIn({ path, name, bytes, app, fromId: null }),
    /** Deletes a recording that an app added for a request that was never sent, with its file. @throws StudioError `no_such_item` */
    async takeBackFile(id: string): Promise<void> {
      const { mediaId } = recordings.get(id)
      recordings.erase(id)
      if (mediaId !== null) await files.drop([mediaId])
      view.notify('recording', id)
    },
    /** @throws StudioError `no_such_item` */
    async addSpeech({ speechId }: { speechId: string }): Promise<Recording> {
      const { path, mediaId, ...sound } = await parts.spoken(speechId)
      const row = { ...sound, source: 'speech', fromId: null } as const
      if (path === null) return shown(add({ ...row, mediaId }))
      let id = ''
      await files.addSound({ path }, { mime: row.mime, name: row.name }, (item) => {
        id = add({ ...row, mediaId: item.id })
      })
      return shown(id)
    },

    /**
     * Stores a transcript, then requests it; `alongside` runs in the same transaction. `requestId` becomes its id: if a transcript with
     * that id exists, returns it and requests nothing.
     * @param upstream sends it for an app; absent: it is a request of the studio
     * @throws StudioError `no_such_item`, `bad_input`, `not_connected`, and errors of `alongside`
     */
    async transcribe(
      {
        requestId: id = randomUUID(),
        recordingId,
        ...wish
      }: TranscriptRequest & { requestId?: string; recordingId: string },
      alongside: () => void = () => undefined,
      upstream?: Awaited<ReturnType<TranscribeParts['upstream']>>,
    ): Promise<Transcript> {
      await recovered
      const service = transcripts.find(id) ? null : (upstream ?? (await parts.upstream()))
      // Checks again, because a concurrent call with this id may have waited for the connection too.
      if (!service || transcripts.find(id)) {
        store.transaction(alongside)
        return view.transcript(id)
      }
      const { name, mime, mediaId, bytes } = view.recording(recordingId)
      const path = mediaId === null ? null : files.pathOf(mediaId)
      if (mediaId === null || path === null) {
        throw new StudioError('bad_input', 'This recording is still running. End it first.')
      }
      const createdAt = new Date().toISOString()
      store.transaction(() => {
        transcripts.insert({ id, recordingId, createdAt, wish })
        alongside()
      })
      const fileName = uploadName(name, mime, store.media.find(mediaId)?.name ?? null)
      runs.start({ id, path, fileName, mime, bytes, wish }, service)
      view.notify('recording', recordingId)
      view.notify('transcript', id)
      return view.transcript(id)
    },
    /** Resolves with the final state when the transcription is not running. @throws StudioError `no_such_item` */
    async over(id: string): Promise<Transcript['state']> {
      await runs.over(id)
      await store.pending.settled(writtenMs)
      return transcripts.get(id).state
    },
    /** Removes a transcript that was never sent, and returns its input for editing. @throws StudioError `no_such_item`, `bad_input` */
    takeBack(id: string): TranscriptRequest & { recordingId: string } {
      const { state, problem, recordingId, model, language, prompt, format, temperature } = transcripts.get(id)
      if (state !== 'failed' || problem?.unsent !== true) throw mayHaveLeft()
      transcripts.erase(id)
      view.notify('recording', recordingId)
      return { recordingId, model, language, prompt, format, temperature }
    },
    /** Whether a transcript with this id exists. */
    has: (id: string): boolean => transcripts.find(id) !== null,
    /** Cancels a transcription at once. An ended transcript does not change. @throws StudioError `no_such_item` */
    cancel({ transcriptId }: { transcriptId: string }): Transcript {
      const { id } = transcripts.get(transcriptId)
      runs.cancel(id)
      return view.transcript(id)
    },
    /**
     * Changes text or cues. If only cues are given, the text is rebuilt from them.
     * @throws StudioError `no_such_item`, `bad_input` while it is running
     */
    edit({ transcriptId, text, cues }: { transcriptId: string; text?: string | undefined; cues?: Cue[] | undefined }) {
      const before = transcripts.get(transcriptId)
      if (before.state === 'making') throw new StudioError('bad_input', 'This transcript is still in progress.')
      const kept = cues === undefined ? before.cues : tidyCues(cues)
      const words = text ?? (cues === undefined ? before.text : joinCues(kept))
      return reword(transcriptId, { text: words, cues: kept, edited: true })
    },
    /** @throws StudioError `no_such_item` */
    revert({ transcriptId }: { transcriptId: string }): Transcript {
      const { came } = transcripts.get(transcriptId)
      const raw = transcripts.raw(transcriptId)
      const original = raw === null || came === null ? { text: '', cues: [] } : parseTranscript(came, raw)
      return reword(transcriptId, { ...original, edited: false })
    },
    /** @throws StudioError `no_such_item`, `bad_input` for an empty name */
    rename({ id, name }: { id: string; name: string }): Recording {
      const called = name.trim()
      if (called === '') throw new StudioError('bad_input', 'A recording needs a name.')
      recordings.setName(id, called, searchOfRow({ ...recordings.get(id), name: called }))
      return shown(id)
    },
    /** @throws StudioError `no_such_item` */
    measured({ id, seconds }: { id: string; seconds: number }): void {
      const { seconds: known } = recordings.get(id)
      if (known === seconds) return
      recordings.setSeconds(id, seconds)
      view.notify('recording', id)
    },
    /** @throws StudioError `bad_input` for a format with times if there are no cues, `no_such_item` */
    async save({ transcriptId, as }: { transcriptId: string; as: keyof typeof savedAs }): Promise<Download> {
      const transcript = transcripts.get(transcriptId)
      if (as !== 'txt' && transcript.cues.length === 0) {
        throw new StudioError('bad_input', 'The service reported no times for this transcript. This format needs them.')
      }
      const { mime, write } = savedAs[as]
      const path = join(transfers.folder, `${randomUUID()}.${as}`)
      await writeFile(path, write(transcript), { flag: 'wx', mode: 0o600 })
      return offer(path, saveName(recordings.get(transcript.recordingId).name, as), mime)
    },
    /** @throws StudioError `no_such_item`, `bad_input` while it is being recorded */
    async saveAudio({ id }: { id: string }): Promise<Download> {
      await recovered
      const { name, mime, mediaId } = view.recording(id)
      if (mediaId === null) throw new StudioError('bad_input', 'This recording is still running. End it first.')
      const path = join(transfers.folder, `${randomUUID()}.sound`)
      const item = await files.copyTo(mediaId, path)
      return offer(path, saveName(name, soundEnding(item.name ?? name, mime)), mime)
    },
    /** Deletes recordings. Running recordings and transcriptions of them are ended first. */
    async remove({ ids }: { ids: string[] }): Promise<{ removed: number }> {
      await recovered
      for (const id of ids) {
        await microphone.cut(id)
        for (const one of transcripts.of(id)) runs.cancel(one.id)
      }
      const removed = recordings.remove(ids, new Date().toISOString())
      for (const id of removed) view.notify('recording', id)
      return { removed: removed.length }
    },
    restore({ ids }: { ids: string[] }): { restored: number } {
      const restored = recordings.restore(ids)
      for (const id of restored) view.notify('recording', id)
      return { restored: restored.length }
    },

    /** Call after rows were deleted permanently: notifies watchers. */
    erased(ids: readonly string[]): void {
      for (const id of ids) view.notify('recording', id)
    },
    recovered,
    /** Ends recordings with the received bytes, and closes uploads. */
    async close(): Promise<void> {
      await recovered
      await Promise.all([microphone.close(), runs.close()])
    },
  }
}

/** A file that is moved into the media folder. */
interface NewFile extends Pick<Recording, 'app' | 'fromId' | 'name' | 'bytes'> {
  path: string
}

const noEvents: readonly never[] = []

/** Marks transcripts as cut that were running when the program ended, with their cost from the request log if known. */
function markCut({ store }: TranscribeParts, costOf: TranscribeParts['costOf']): void {
  const cut = store.transcripts.unfinished()
  store.transaction(() => {
    for (const { id, rows } of cut) {
      store.transcripts.cut(id, programEnded())
      const [row] = rows
      if (row !== undefined) store.transcripts.setCost(id, costOf(row))
    }
  })
}
