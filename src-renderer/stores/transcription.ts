import { create } from 'zustand'
import type { Problem } from '../../src-preload/contract/problem.ts'
import type {
  Recording,
  Transcript,
  TranscriptionChange,
  TranscriptRequest,
} from '../../src-preload/contract/transcription.ts'

/** The open recording with all its transcripts. */
export interface OpenRecording {
  id: string
  state: 'loading' | 'live' | 'gone' | 'failed'
  problem: Problem | null
  recording: Recording | null
  /** Newest first. */
  transcripts: readonly Transcript[]
  /** Null: the newest transcript. */
  shownId: string | null
  /** The transcript beside the shown one. Null: no comparison. */
  comparedId: string | null
}

/**
 * A file in the upload queue. `waiting`: behind other files. `sending`: being uploaded. `asking`: stored, and its transcript is being
 * requested.
 */
export interface QueuedFile {
  key: string
  name: string
  bytes: number
  state: 'waiting' | 'sending' | 'keeping' | 'asking' | 'done' | 'failed' | 'cancelled'
  /** Bytes that the core has received. */
  sent: number
  problem: Problem | null
  /** Null until the file is stored. */
  recordingId: string | null
  transcriptId: string | null
}

export interface TranscribeStore {
  state: 'loading' | 'live' | 'failed'
  problem: Problem | null
  /** The loaded part of the list, newest first, without gaps. */
  recordings: readonly Recording[]
  total: number
  search: string
  /** Search results. Null: no search, or no result yet. */
  found: { search: string; recordings: readonly Recording[]; total: number } | null
  open: OpenRecording | null
  /** Running transcripts of all recordings, by id. */
  making: Readonly<Record<string, Transcript>>
  files: readonly QueuedFile[]
  wish: TranscriptRequest
  /** Whether to request a transcript as soon as a recording or file is stored. */
  atOnce: boolean
  /** The id of the last recording that another page added. */
  offered: string | null
}

export const noWish: TranscriptRequest = { model: null, language: null, prompt: null, format: 'vtt', temperature: null }

export const useTranscribe = create<TranscribeStore>(() => ({
  state: 'loading',
  problem: null,
  recordings: [],
  total: 0,
  search: '',
  found: null,
  open: null,
  making: {},
  files: [],
  wish: noWish,
  atOnce: true,
  offered: null,
}))

/** Announces a recording that another page added. The Transcribe page transcribes it when automatic transcription is on. */
export const offerRecording = (id: string): void => useTranscribe.setState({ offered: id })

type Change = Partial<TranscribeStore>

/** Applies an event. A snapshot replaces all recordings, because older pages may have changed. */
export function withChange(store: TranscribeStore, change: TranscriptionChange): Change {
  switch (change.type) {
    case 'snapshot':
      return { state: 'live', problem: null, recordings: change.recordings, total: change.total, making: {} }
    case 'recording':
      return withRecording(store, change.recording)
    case 'transcript':
      return withTranscript(store, change.transcript)
    case 'gone':
      return withoutRecording(store, change.id)
  }
}

/** Updates a recording, or inserts it: a new recording first, a restored recording by its time. */
export function withRecording(store: TranscribeStore, fresh: Recording): Change {
  const known = store.recordings.some(({ id }) => id === fresh.id)
  const oldest = store.recordings.at(-1)
  const complete = store.recordings.length >= store.total
  const inReach = complete || oldest === undefined || fresh.createdAt >= oldest.createdAt
  const recordings = known
    ? replaced(store.recordings, fresh)
    : inReach
      ? placed(store.recordings, fresh)
      : store.recordings
  const { open, found } = store
  return {
    recordings,
    total: known ? store.total : store.total + 1,
    ...(found && { found: { ...found, recordings: replaced(found.recordings, fresh) } }),
    ...(open?.id === fresh.id && { open: { ...open, state: 'live' as const, recording: fresh } }),
  }
}

function withTranscript(store: TranscribeStore, fresh: Transcript): Change {
  const { [fresh.id]: _, ...others } = store.making
  const making = fresh.state === 'making' ? { ...others, [fresh.id]: fresh } : others
  const { open } = store
  if (open?.id !== fresh.recordingId) return { making }
  const known = open.transcripts.some(({ id }) => id === fresh.id)
  const transcripts = known ? replaced(open.transcripts, fresh) : [fresh, ...open.transcripts]
  // Shows a new transcript, which the person has just requested.
  return { making, open: { ...open, transcripts, ...(!known && { shownId: null }) } }
}

export function withoutRecording(store: TranscribeStore, id: string): Change {
  const { open, found } = store
  const without = (list: readonly Recording[]): Recording[] => list.filter((one) => one.id !== id)
  const known = store.recordings.some((one) => one.id === id)
  return {
    recordings: without(store.recordings),
    total: known ? store.total - 1 : store.total,
    ...(found && { found: { ...found, recordings: without(found.recordings) } }),
    ...(open?.id === id && { open: { ...open, state: 'gone' as const } }),
  }
}

/** Appends older recordings. */
export function withOlder(store: TranscribeStore, older: readonly Recording[], total: number): Change {
  const known = new Set(store.recordings.map(({ id }) => id))
  return { recordings: [...store.recordings, ...older.filter(({ id }) => !known.has(id))], total }
}

const replaced = <T extends { id: string }>(list: readonly T[], fresh: T): T[] =>
  list.map((one) => (one.id === fresh.id ? fresh : one))

function placed(list: readonly Recording[], fresh: Recording): Recording[] {
  const at = list.findIndex(({ createdAt }) => createdAt <= fresh.createdAt)
  return at === -1 ? [...list, fresh] : [...list.slice(0, at), fresh, ...list.slice(at)]
}

/** The transcript on the stage. */
export function shownTranscript(open: OpenRecording | null): Transcript | null {
  if (!open) return null
  return open.transcripts.find(({ id }) => id === open.shownId) ?? open.transcripts[0] ?? null
}

export const comparedTranscript = (open: OpenRecording | null): Transcript | null =>
  open?.transcripts.find(({ id }) => id === open.comparedId) ?? null

/** The visible list: the search results, or all recordings. */
export const listedRecordings = (store: TranscribeStore): readonly Recording[] =>
  store.search.trim() !== '' && store.found ? store.found.recordings : store.recordings
export const listedTotal = (store: TranscribeStore): number =>
  store.search.trim() !== '' && store.found ? store.found.total : store.total

export const withFile = (store: TranscribeStore, key: string, now: Partial<QueuedFile>): Change => ({
  files: store.files.map((file) => (file.key === key ? { ...file, ...now } : file)),
})

export const isUploading = ({ state }: QueuedFile): boolean =>
  state === 'waiting' || state === 'sending' || state === 'keeping' || state === 'asking'
