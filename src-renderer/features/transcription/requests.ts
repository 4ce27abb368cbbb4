import { create } from 'zustand'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { problemOf } from '../../api/problem.ts'
import { upload } from '../../api/transfer.ts'
import { CannotConvert, toWav } from '../../shared/audio/convert.ts'
import { askOnce } from '../../shared/requestIds.ts'
import { useTranscribe } from '../../stores/transcription.ts'
import { showRecording } from './actions.ts'
import { attempt, client } from './client.ts'

/** Why a transcript could not be requested, by recording id. The next attempt clears the entry. */
export const useRefusals = create<{ byRecording: Readonly<Record<string, Problem>> }>(() => ({ byRecording: {} }))

const refuse = (id: string, problem: Problem | null): void =>
  useRefusals.setState(({ byRecording: { [id]: _, ...rest } }) => ({
    byRecording: problem ? { ...rest, [id]: problem } : rest,
  }))

/** Shared by "transcribe now" and "later", because after a lost answer it is unknown which of the two requests the core received. */
const placeOf = (recordingId: string) => ({ scope: 'transcribe', name: recordingId })

/** Requests a transcript with the settings of the inspector. The core creates it, whichever page is open. */
export async function transcribe(recordingId: string): Promise<Transcript | null> {
  const core = client()
  if (!core) return null
  refuse(recordingId, null)
  try {
    const wish = { recordingId, ...useTranscribe.getState().wish }
    return await askOnce(placeOf(recordingId), wish, (requestId) =>
      core.transcription.transcribe({ requestId, ...wish }),
    )
  } catch (thrown) {
    refuse(recordingId, problemOf(thrown))
    return null
  }
}

/** Transcribes each recording that another page adds, if automatic transcription is on. Returns the function that stops this. */
export const transcribeOffered = (): (() => void) =>
  useTranscribe.subscribe(({ offered, atOnce }, before) => {
    if (offered !== null && offered !== before.offered && atOnce) void transcribe(offered)
  })

/** Adds the request to the outbox. */
export function transcribeLater(recordingId: string): Promise<unknown> {
  const wish = { recordingId, ...useTranscribe.getState().wish }
  return attempt((core) =>
    askOnce(placeOf(recordingId), wish, (requestId) =>
      core.outbox.add({ requestId, request: { what: 'transcript', ...wish } }),
    ),
  )
}

export const cancelTranscript = (transcriptId: string): Promise<unknown> =>
  attempt((core) => core.transcription.cancel({ transcriptId }))

/** A recording that is being converted to WAV. `share`: progress from 0 to 1, first of the decoding, then of the upload. */
export interface Converting {
  state: 'decoding' | 'keeping' | 'failed'
  share: number
  /** Null: this browser has no decoder for the recording. */
  problem: Problem | null
}
export const useConverting = create<{ byRecording: Readonly<Record<string, Converting>> }>(() => ({ byRecording: {} }))
const converting = new Map<string, AbortController>()

const notify = (id: string, now: Converting | null): void =>
  useConverting.setState(({ byRecording: { [id]: _, ...rest } }) => ({
    byRecording: now ? { ...rest, [id]: now } : rest,
  }))

/** Converts the recording here, stores the result as a new recording and requests its transcript. */
export async function convertAndTranscribe(recordingId: string): Promise<void> {
  const core = client()
  const recording = useTranscribe.getState().open?.recording
  if (!core || !recording?.mediaId || recording.id !== recordingId || converting.has(recordingId)) return
  const ended = new AbortController()
  const { signal } = ended
  converting.set(recordingId, ended)
  const going = (state: 'decoding' | 'keeping', share: number): void =>
    notify(recordingId, { state, share, problem: null })
  try {
    going('decoding', 0)
    const reply = await fetch(mediaPath(recording.mediaId), { signal })
    if (!reply.ok) throw new Error(`The recording could not be read (${reply.status}).`)
    const wav = await toWav(await reply.blob(), { signal, onProgress: (share) => going('decoding', share) })
    going('keeping', 0)
    const file = new File([wav], `${recording.name.replace(/\.[^.]{1,5}$/, '').slice(0, 290)}.wav`, {
      type: 'audio/wav',
    })
    const onProgress = (sent: number): void => going('keeping', sent / file.size)
    const uploadId = await upload(core, file, { signal, onProgress })
    const fresh = await core.transcription.addFile({ uploadId, fromId: recordingId })
    notify(recordingId, null)
    if (useTranscribe.getState().open?.id === recordingId) showRecording(fresh.id)
    await transcribe(fresh.id)
  } catch (thrown) {
    if (signal.aborted) notify(recordingId, null)
    else {
      const problem = thrown instanceof CannotConvert ? null : problemOf(thrown)
      notify(recordingId, { state: 'failed', share: 0, problem })
    }
  } finally {
    converting.delete(recordingId)
  }
}

export function cancelConverting(recordingId: string): void {
  converting.get(recordingId)?.abort()
  notify(recordingId, null)
}
