import type { Decoded } from './decode.ts'
import { MediaError } from './mediaError.ts'
import type { SpeechSegment } from './segments.ts'

export { MediaError } from './mediaError.ts'

/** Times in ms from the start of the file. `tag`: the file contains the words; `measured`: only the position of speech is known. */
export type HeardCue = SpeechSegment & { text: string }
export type HeardTranscript = { text: string; cues: HeardCue[]; durationMs: number; source: 'tag' | 'measured' }
export type SandboxTranscriptionRequest = {
  bytes: Uint8Array
  fileName: string
  language?: string
  prompt?: string
  model: string
}

/** Transcribes audio from its tags; does not recognise words, and reports this. Throws MediaError for bytes that are not readable audio. */
export const transcribe = async ({ bytes, fileName }: SandboxTranscriptionRequest): Promise<HeardTranscript> => {
  if (bytes.length === 0) throw new MediaError('The file is empty')
  const { decode } = await import('./decode.ts')
  const { findSpeech } = await import('./segments.ts')
  const audio = await decode(bytes, fileName)
  const segments = audio.samples ? await findSpeech(audio.samples) : []
  const { durationMs } = audio
  const words = audio.artist.startsWith('Inference Studio sandbox') ? audio.comment.trim() : ''
  if (words !== '') {
    const places = segments.length > 0 ? segments : [{ startMs: 0, endMs: Math.max(1, durationMs) }]
    return { text: words, cues: share(words, places), durationMs, source: 'tag' }
  }
  const cues = segments.map((segment) => ({ ...segment, text: `Speech from ${span(segment)}` }))
  return { text: statement(audio, segments), cues, durationMs, source: 'measured' }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const span = ({ startMs, endMs }: SpeechSegment): string => `${seconds(startMs)} to ${seconds(endMs)}`

const statement = (audio: Decoded, segments: SpeechSegment[]): string => {
  const heard = audio.samples
    ? segments.length > 0
      ? `Speech from ${segments.map(span).join(', ')}, in ${seconds(audio.durationMs)} of audio.`
      : `No speech in ${seconds(audio.durationMs)} of audio.`
    : `${seconds(audio.durationMs)} of ${audio.codec} audio, a codec that this sandbox cannot decode.`
  return `${heard} This sandbox does not recognise words.`
}

/** Distributes the words over the segments by their share of the speaking time. */
const share = (text: string, segments: SpeechSegment[]): HeardCue[] => {
  const words = text.split(/\s+/)
  const total = segments.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
  let spent = 0
  let from = 0
  const cues: HeardCue[] = []
  for (const segment of segments) {
    spent += segment.endMs - segment.startMs
    const to = Math.round((spent / total) * words.length)
    if (to > from) cues.push({ ...segment, text: words.slice(from, to).join(' ') })
    from = to
  }
  return cues
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

const stamp = (ms: number): string => {
  const whole = Math.max(0, Math.round(ms))
  const [h, m, s] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60, Math.floor(whole / 1000) % 60]
  return `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}.${pad(whole % 1000, 3)}`
}

/** Formats the transcript as WebVTT. Cue text is escaped and on one line, because a blank line would end the cue. */
export const toVtt = ({ cues }: HeardTranscript): string => {
  const escaped = (text: string): string =>
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/\0/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  const blocks = cues.flatMap((cue) => {
    const text = escaped(cue.text)
    // An empty cue shows nothing, and a cue must end after it starts (WebVTT, section 4.1).
    const end = Math.max(cue.endMs, cue.startMs + 1)
    return text === '' ? [] : [`${stamp(cue.startMs)} --> ${stamp(end)}\n${text}\n`]
  })
  return ['WEBVTT\n', ...blocks].join('\n')
}
