import { useEffect, useState } from 'react'
import * as z from 'zod'
import { create } from 'zustand'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { saveBlob, sendPiece, upload } from '../../api/transfer.ts'
import { subscribe } from '../../api/watch.ts'
import { showInstant } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { type ActiveRecording, type MicTrouble, NoMicrophone, startRecording } from '../../shared/audio/recorder.ts'
import { createPieceUploader, type PieceUploader } from '../../shared/audio/recorderUpload.ts'
import { localStore } from '../../shared/storage.ts'
import { appStore } from '../../stores/app.ts'
import { useTranscribe } from '../../stores/transcription.ts'
import { showRecording } from './actions.ts'
import { client, say } from './client.ts'
import { transcribe } from './requests.ts'

export type Recorder =
  | { state: 'off' }
  | { state: 'asking' }
  | { state: 'no_microphone'; trouble: MicTrouble }
  | {
      state: 'recording' | 'finishing'
      id: string
      recording: ActiveRecording
      paused: boolean
      /** Bytes stored on disk. */
      kept: number
      /** Why pieces cannot be stored now. All pieces stay in memory until they can. */
      trouble: Problem | null
      /** Whether the device disappeared during the recording. */
      lost: boolean
      /** Whether the microphone sends silence. */
      muted: boolean
    }
  /** Storing failed. The recording is still in memory. */
  | { state: 'failed'; problem: Problem; mime: string }

export const useRecorder = create<{ now: Recorder }>(() => ({ now: { state: 'off' } }))

/** Recorded time in ms, updated five times per second. */
export function useElapsed(recording: ActiveRecording): number {
  const [ms, setMs] = useState(recording.elapsed)
  useEffect(() => {
    const timer = setInterval(() => setMs(recording.elapsed()), 200)
    return () => clearInterval(timer)
  }, [recording])
  return ms
}

const set = (now: Recorder): void => useRecorder.setState({ now })
const underWay = (change: {
  paused?: boolean
  kept?: number
  trouble?: Problem | null
  lost?: boolean
  muted?: boolean
  id?: string
}): void => useRecorder.setState(({ now }) => ('recording' in now ? { now: { ...now, ...change } } : { now }))

let uploader: PieceUploader | null = null
let asked: AbortController | null = null
let giveUpLock: () => void = () => undefined
let stopBeating: () => void = () => undefined

/** Heartbeat interval of a paused recording, ms. The core treats a recording without calls for two minutes as interrupted. */
const beat = 30_000

export const isRecording = (): boolean => 'recording' in useRecorder.getState().now

const nameNow = (): string =>
  i18n.t('transcribe:recordingNamed', { time: showInstant(new Date().toISOString()) }).slice(0, 300)

/** Shows the stage of a new recording and starts the recording, or shows the running recording. */
export function newRecording(): void {
  showRecording(null)
  // In a narrow window the list is a drawer.
  appStore.setState({ listDrawerOpen: false })
  void startRecorder()
}

/** Starts a recording. Each piece is stored on disk within about half a second. */
export async function startRecorder(): Promise<void> {
  const core = client()
  const { now } = useRecorder.getState()
  if (!core || (now.state !== 'off' && now.state !== 'no_microphone')) return
  const mine = new AbortController()
  asked = mine
  set({ state: 'asking' })
  let id = ''
  /** Pieces recorded before the core had created the recording. */
  const early: Blob[] = []
  try {
    const recording = await startRecording({
      onPiece: (piece) => (uploader && id !== '' ? uploader.add(piece) : early.push(piece)),
      onMuted: (muted) => underWay({ muted }),
    })
    if (mine.signal.aborted) return recording.cancel()
    try {
      let refused = 0
      const begin = () => core.transcription.startRecording({ name: nameNow(), mime: recording.mime })
      id = (await begin()).id
      if (mine.signal.aborted) {
        recording.cancel()
        await core.transcription.discardRecording({ id })
        return
      }
      hold(core, id)
      const own = createPieceUploader({
        append: (at, piece) => sendPiece(id, at, piece),
        onStored: (kept) => {
          refused = 0
          underWay({ kept, trouble: null })
        },
        async onTrouble(thrown) {
          const trouble = problemOf(thrown)
          underWay({ trouble })
          if (trouble.kind !== 'no_such_item' && trouble.kind !== 'bad_input') return true
          refused++
          own.restart()
          // The program restarted and lost unwritten pieces. The upload starts again from the first byte, and the core ignores bytes that
          // it has. When the core does not know the recording, a new recording is created.
          if (refused > 1) {
            const old = id
            try {
              id = (await begin()).id
              forget(old)
              hold(core, id)
              underWay({ id })
            } catch (again) {
              underWay({ trouble: problemOf(again) })
            }
          }
          return true
        },
      })
      uploader = own
      for (const piece of early) own.add(piece)
      const beating = setInterval(() => {
        // Ignores a failure: the next piece fails too, and reports it.
        if (recording.paused()) sendPiece(id, own.has(), new Blob()).catch(() => undefined)
      }, beat)
      stopBeating = () => clearInterval(beating)
      set({
        state: 'recording',
        id,
        recording,
        paused: false,
        kept: 0,
        trouble: null,
        lost: false,
        muted: recording.muted(),
      })
      void recording.lost.then(() => {
        const { now: last } = useRecorder.getState()
        if (last.state !== 'recording' || last.recording !== recording) return
        underWay({ lost: true })
        void finishRecorder()
      })
    } catch (thrown) {
      recording.cancel()
      throw thrown
    }
  } catch (thrown) {
    if (mine.signal.aborted) return
    if (thrown instanceof NoMicrophone) set({ state: 'no_microphone', trouble: thrown.trouble })
    else {
      set({ state: 'off' })
      say('refused', problemOf(thrown).message)
    }
  }
}

export function pauseRecorder(paused: boolean): void {
  const { now } = useRecorder.getState()
  if (now.state !== 'recording') return
  if (paused) now.recording.pause()
  else now.recording.resume()
  underWay({ paused })
}

/** Stops the recording. When its last piece is stored, opens the recording and requests a transcript if that is automatic. */
export async function finishRecorder(): Promise<void> {
  const { now } = useRecorder.getState()
  const core = client()
  const own = uploader
  if (now.state !== 'recording' || !core || !own) return
  const { recording } = now
  const seconds = recording.elapsed() / 1000
  set({ ...now, state: 'finishing' })
  try {
    const file = await recording.finish()
    if (now.lost && file.size === 0) {
      cancelRecorder()
      set({ state: 'no_microphone', trouble: 'lost' })
      return
    }
    await own.stored()
    // The id differs from the first one when a new recording had to be created.
    const last = useRecorder.getState().now
    const id = 'recording' in last ? last.id : now.id
    const kept = await core.transcription.finishRecording({ id, seconds })
    const { lost } = 'recording' in last ? last : now
    over(id)
    if (lost) say('lost', i18n.t('audio:microphoneLost'))
    showRecording(kept.id)
    if (useTranscribe.getState().atOnce) await transcribe(kept.id)
  } catch (thrown) {
    if (!isRecording()) return
    set({ state: 'failed', problem: problemOf(thrown), mime: recording.mime })
  }
}

/** Stops and discards the recording, in memory and on disk. */
export function cancelRecorder(): void {
  const { now } = useRecorder.getState()
  asked?.abort()
  if (!('recording' in now)) {
    over(null)
    return
  }
  now.recording.cancel()
  void client()
    ?.transcription.discardRecording({ id: now.id })
    .catch((thrown: unknown) => say('refused', problemOf(thrown).message))
  over(now.id)
}

/** Uploads a recording that could not be stored as a file. */
export async function saveFailedRecording(): Promise<void> {
  const { now } = useRecorder.getState()
  const core = client()
  if (now.state !== 'failed' || !core || !uploader) return
  try {
    const file = new File([uploader.whole(now.mime)], fileName(now.mime), { type: now.mime })
    const recording = await core.transcription.addFile({ uploadId: await upload(core, file) })
    over(null)
    showRecording(recording.id)
  } catch (thrown) {
    set({ ...now, problem: problemOf(thrown) })
  }
}

/** Saves the recording so far as a browser download, independent of the program. */
export function saveHere(): void {
  const { now } = useRecorder.getState()
  const mime = 'recording' in now ? now.recording.mime : now.state === 'failed' ? now.mime : ''
  if (uploader) saveBlob(uploader.whole(mime), fileName(mime))
}

const fileName = (mime: string): string =>
  `${nameNow().replace(/[\\/:]/g, '.')}.${mime.includes('mp4') ? 'm4a' : mime.includes('ogg') ? 'ogg' : 'webm'}`

function over(id: string | null): void {
  uploader?.end()
  uploader = null
  stopBeating()
  giveUpLock()
  if (id !== null) forget(id)
  set({ state: 'off' })
}

// The recordings that this browser has started. A reloaded or closed page leaves its recording
// open, and the next page finishes the recording. A lock shows whether the original page still exists.

const notesKey = 'transcribe.recording'
const notes = z.record(z.string(), z.unknown())
const lockOf = (id: string): string => `recording-${id}`

function readNotes(): Record<string, unknown> {
  const kept = notes.safeParse(localStore.getJson(notesKey))
  return kept.success ? kept.data : {}
}

const note = (id: string): void => localStore.setJson(notesKey, { ...readNotes(), [id]: true })

function forget(id: string): void {
  const { [id]: _, ...rest } = readNotes()
  localStore.setJson(notesKey, rest)
}

function hold(core: Client, id: string): void {
  giveUpLock()
  note(id)
  // When this page ends, the core learns of it at once, and other pages can play the recording.
  const release = subscribe(
    core,
    (signal) => core.transcription.holdRecording({ id }, { signal }),
    () => undefined,
  )
  const until = new Promise<void>((resolve) => {
    giveUpLock = () => {
      release()
      resolve()
    }
  })
  navigator.locks?.request(lockOf(id), () => until).catch(() => undefined)
}

/** Finishes recordings that a closed page left open. */
export async function finishLeftOpen(): Promise<void> {
  const core = client()
  const left = readNotes()
  if (!core || Object.keys(left).length === 0 || !navigator.locks) return
  const { held = [] } = await navigator.locks.query()
  const alive = new Set(held.map(({ name }) => name))
  for (const id of Object.keys(left)) {
    if (alive.has(lockOf(id))) continue
    try {
      const { recording } = await core.transcription.get({ id })
      if (recording.state !== 'kept') {
        // The browser may have lost the latest note of the duration, and the file has it.
        await core.transcription.finishRecording({ id, seconds: null })
        say('left', i18n.t('transcribe:leftOpen'), {
          label: i18n.t('transcribe:show'),
          onClick: () => showRecording(id),
        })
      }
      forget(id)
    } catch (thrown) {
      // When the core is unreachable, the next start of the page tries again.
      if (problemOf(thrown).kind === 'no_such_item') forget(id)
    }
  }
}
