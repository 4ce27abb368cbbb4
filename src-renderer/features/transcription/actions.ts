import * as z from 'zod'
import { transcriptRequest } from '../../../src-preload/contract/transcription.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { save } from '../../api/transfer.ts'
import { subscribe } from '../../api/watch.ts'
import { i18n } from '../../i18n/index.ts'
import { navigate } from '../../shared/navigation.ts'
import { localStore } from '../../shared/storage.ts'
import { routeStore } from '../../stores/route.ts'
import * as store from '../../stores/transcription.ts'
import { useTranscribe } from '../../stores/transcription.ts'
import { attempt, client, say, setClient } from './client.ts'

const pageSize = 200
/** Time without a key press before a search starts, ms. */
const searchPause = 150

let stopWatching: (() => void) | null = null

/** Starts the feature for the lifetime of the window. Returns the function that stops it. */
export function startTranscribe(given: Client): () => void {
  setClient(given)
  recallWish()
  return () => {
    stopWatching?.()
    stopWatching = null
    setClient(null)
  }
}

/** Subscribes to the core at the first visit of the page until the window closes, because work continues while other pages are open. */
export function followPage(): void {
  const core = client()
  if (stopWatching || !core) return
  const refused = (thrown: unknown): void => useTranscribe.setState({ state: 'failed', problem: problemOf(thrown) })
  stopWatching = subscribe(
    core,
    (signal) => core.transcription.watch(undefined, { signal }),
    (change) => {
      useTranscribe.setState((now) => store.withChange(now, change))
      // The open recording may have changed while this page was disconnected.
      if (change.type === 'snapshot') {
        const { open } = useTranscribe.getState()
        if (open) void readOpen(open.id)
      }
    },
    refused,
  )
}

/** Opens the recording in the address, or none. */
export function openRecording(id: string | null): void {
  const { open } = useTranscribe.getState()
  if (id === (open?.id ?? null)) return
  if (id === null) {
    useTranscribe.setState({ open: null })
    return
  }
  const recording = useTranscribe.getState().recordings.find((one) => one.id === id) ?? null
  const rest = { problem: null, recording, transcripts: [], shownId: null, comparedId: null }
  useTranscribe.setState({ open: { id, state: 'loading', ...rest } })
  void readOpen(id)
}

export async function readOpen(id: string): Promise<void> {
  try {
    const got = await client()?.transcription.get({ id })
    if (got) change(id, { state: 'live', problem: null, ...got })
  } catch (thrown) {
    const problem = problemOf(thrown)
    change(id, { state: problem.kind === 'no_such_item' ? 'gone' : 'failed', problem })
  }
}

function change(id: string, now: Partial<store.OpenRecording>): void {
  useTranscribe.setState(({ open }) => (open?.id === id ? { open: { ...open, ...now } } : {}))
}

export const showRecording = (id: string | null): void => navigate({ page: 'transcribe', id })
export const showTranscript = (id: string | null): void => changeOpen({ shownId: id, comparedId: null })
export const compareWith = (id: string | null): void => changeOpen({ comparedId: id })

function changeOpen(now: Partial<store.OpenRecording>): void {
  useTranscribe.setState(({ open }) => (open ? { open: { ...open, ...now } } : {}))
}

/** Whether the next page of the list or of the results is being loaded. */
let reading = false
export async function readOlder(): Promise<void> {
  const now = useTranscribe.getState()
  const list = store.listedRecordings(now)
  const last = list.at(-1)
  if (reading || !last || list.length >= store.listedTotal(now)) return
  reading = true
  const { search } = now
  const page = await attempt((core) => core.transcription.find({ search, before: last.id, limit: pageSize }))
  reading = false
  if (!page || useTranscribe.getState().search !== search) return
  useTranscribe.setState((state) =>
    search.trim() === ''
      ? store.withOlder(state, page.recordings, page.total)
      : { found: { search, total: page.total, recordings: [...(state.found?.recordings ?? []), ...page.recordings] } },
  )
}

let pause: ReturnType<typeof setTimeout> | undefined
export function searchFor(search: string): void {
  clearTimeout(pause)
  useTranscribe.setState(search.trim() === '' ? { search, found: null } : { search })
  if (search.trim() === '') return
  pause = setTimeout(() => void find(search), searchPause)
}

async function find(search: string): Promise<void> {
  const page = await attempt((core) => core.transcription.find({ search, before: null, limit: pageSize }))
  if (page && useTranscribe.getState().search === search) useTranscribe.setState({ found: { search, ...page } })
}

/** Deletes recordings, with undo. */
export async function removeRecordings(ids: string[]): Promise<void> {
  const done = await attempt((core) => core.transcription.remove({ ids }))
  if (!done) return
  for (const id of ids) useTranscribe.setState((now) => store.withoutRecording(now, id))
  const { route } = routeStore.getState()
  if (route.page === 'transcribe' && route.id !== null && ids.includes(route.id)) showRecording(null)
  say('removed', i18n.t('transcribe:removed', { count: done.removed }), {
    label: i18n.t('transcribe:undo'),
    onClick: () => void restore(ids),
  })
}

async function restore(ids: string[]): Promise<void> {
  const done = await attempt((core) => core.transcription.restore({ ids }))
  if (done && ids[0] !== undefined) showRecording(ids[0])
}

export const rename = (id: string, name: string): Promise<unknown> =>
  attempt((core) => core.transcription.rename({ id, name }))

export const saveTranscript = (transcriptId: string, as: 'txt' | 'vtt' | 'srt'): Promise<unknown> =>
  attempt(async (core) => save(await core.transcription.save({ transcriptId, as })))

export const saveAudio = (id: string): Promise<unknown> =>
  attempt(async (core) => save(await core.transcription.saveAudio({ id })))

const wishKey = 'transcribe.wish'
const keptWish = z.object({ wish: transcriptRequest, atOnce: z.boolean() })

function recallWish(): void {
  // Ignores invalid data.
  const kept = keptWish.safeParse(localStore.getJson(wishKey))
  if (kept.success) useTranscribe.setState(kept.data)
}

/** Changes the settings of the next transcript, which this browser stores. */
export function changeWish(
  wish: Partial<store.TranscribeStore['wish']>,
  atOnce = useTranscribe.getState().atOnce,
): void {
  useTranscribe.setState((now) => ({ wish: { ...now.wish, ...wish }, atOnce }))
  const { wish: now } = useTranscribe.getState()
  localStore.setJson(wishKey, { wish: now, atOnce })
}
