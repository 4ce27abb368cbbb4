import { create } from 'zustand'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { problemOf } from '../../api/problem.ts'
import { upload } from '../../api/transfer.ts'
import { i18n } from '../../i18n/index.ts'
import { CannotConvert, convertSound } from '../../shared/audio/convert.ts'
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

/** A recording that is being converted. `share`: progress from 0 to 1, first of the decoding, then of the upload. */
export interface Converting {
  state: 'decoding' | 'keeping' | 'failed'
  share: number
  /** Null: this browser has no decoder for the recording. */
  problem: Problem | null
  how: HowToConvert
}

/** `wav`: another format. `compress`: the same sound in less space. `split`: the same in parts of a few minutes. */
export type HowToConvert = 'wav' | 'compress' | 'split'

/** Length of a part, s: about 2 MB of compressed speech, and 19 MB of WAV. */
const partSeconds = 600
export const useConverting = create<{ byRecording: Readonly<Record<string, Converting>> }>(() => ({ byRecording: {} }))
const converting = new Map<string, AbortController>()

const notify = (id: string, now: Converting | null): void =>
  useConverting.setState(({ byRecording: { [id]: _, ...rest } }) => ({
    byRecording: now ? { ...rest, [id]: now } : rest,
  }))

/** At least two parts of equal length of a recording, s. */
function partsOf(seconds: number): { from: number; to: number }[] {
  const count = Math.max(2, Math.ceil(seconds / partSeconds))
  const length = seconds / count
  return Array.from({ length: count }, (_, at) => ({ from: at * length, to: (at + 1) * length }))
}

/** The file of a converted recording. `place`: which part it is; null for a whole recording. */
function convertedFile(
  sound: Blob,
  name: string,
  target: 'wav' | 'opus',
  place: { number: number; all: number } | null,
): File {
  const stem = name.replace(/\.[^.]{1,5}$/, '').slice(0, 270)
  const whole = place ? i18n.t('transcribe:partNamed', { name: stem, ...place }) : stem
  return new File([sound], `${whole}.${target === 'wav' ? 'wav' : 'ogg'}`, { type: sound.type })
}

/** Converts the recording here, stores the result as one or several new recordings and requests their transcripts. */
export async function convertAndTranscribe(recordingId: string, how: HowToConvert): Promise<void> {
  const core = client()
  const recording = useTranscribe.getState().open?.recording
  if (!core || !recording?.mediaId || recording.id !== recordingId || converting.has(recordingId)) return
  const ended = new AbortController()
  const { signal } = ended
  converting.set(recordingId, ended)
  const going = (state: 'decoding' | 'keeping', share: number): void =>
    notify(recordingId, { state, share, problem: null, how })
  try {
    going('decoding', 0)
    const reply = await fetch(mediaPath(recording.mediaId), { signal })
    if (!reply.ok) throw new Error(`The recording could not be read (${reply.status}).`)
    const sound = await reply.blob()
    const parts = how === 'split' ? partsOf(recording.seconds ?? 0) : [null]
    const target = how === 'wav' ? 'wav' : 'opus'
    // A part that can't be converted must not leave the others behind: the next try would add them again.
    const files: File[] = []
    for (const [at, part] of parts.entries()) {
      const onProgress = (share: number): void => going('decoding', (at + share) / parts.length)
      const converted = await convertSound(sound, { target, part, signal, onProgress })
      const place = part && { number: at + 1, all: parts.length }
      files.push(convertedFile(converted, recording.name, target, place))
    }
    const fresh: string[] = []
    for (const [at, file] of files.entries()) {
      const onSent = (sent: number): void => going('keeping', (at + sent / file.size) / parts.length)
      const uploadId = await upload(core, file, { signal, onProgress: onSent })
      fresh.push((await core.transcription.addFile({ uploadId, fromId: recordingId })).id)
    }
    notify(recordingId, null)
    const [first] = fresh
    if (first !== undefined && useTranscribe.getState().open?.id === recordingId) showRecording(first)
    for (const id of fresh) await transcribe(id)
  } catch (thrown) {
    if (signal.aborted) notify(recordingId, null)
    else {
      const problem = thrown instanceof CannotConvert ? null : problemOf(thrown)
      notify(recordingId, { state: 'failed', share: 0, problem, how })
    }
  } finally {
    converting.delete(recordingId)
  }
}

export function cancelConverting(recordingId: string): void {
  converting.get(recordingId)?.abort()
  notify(recordingId, null)
}
