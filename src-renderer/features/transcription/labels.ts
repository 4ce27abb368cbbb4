import type { Recording, Transcript, TranscriptRequest } from '../../../src-preload/contract/transcription.ts'
import { showClock, showInstant } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { clockOf } from '../../shared/audio/durationText.ts'

/** `0:07.2`: the start of a line. */
export function timeOf(seconds: number): string {
  const tenths = Math.floor(Math.max(0, seconds) * 10) % 10
  return `${clockOf(seconds)}.${tenths}`
}

/** The second line of a recording in the list. */
export function summaryOf({ state, transcript }: Recording): string {
  if (state === 'recording') return i18n.t('transcribe:state_recording')
  if (transcript === null) return i18n.t(state === 'cut' ? 'transcribe:state_cut' : 'transcribe:state_none')
  if (transcript.excerpt.trim() !== '') return transcript.excerpt
  if (transcript.state === 'making') return i18n.t('transcribe:state_making')
  return i18n.t(transcript.state === 'done' ? 'transcribe:state_quiet' : 'transcribe:state_failed')
}

export const modelOf = ({ model }: Pick<TranscriptRequest, 'model'>): string => model ?? 'whisper-1'

/** The name of one of several transcripts, numbered from the oldest. */
export function versionOf(transcript: Transcript, number: number): string {
  const { createdAt, came, format } = transcript
  const today = new Date(createdAt).toDateString() === new Date().toDateString()
  return i18n.t('transcribe:version', {
    number,
    time: today ? showClock(createdAt) : showInstant(createdAt),
    model: modelOf(transcript),
    format: came === null && format !== null ? format : i18n.t(`transcribe:came_${came ?? 'json'}`),
  })
}

/** The number of words of a text, in any script. */
export function wordCount(text: string): number {
  let words = 0
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text))
    if (isWordLike) words++
  return words
}
