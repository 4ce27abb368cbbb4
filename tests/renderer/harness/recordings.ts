import type { Recording, Transcript, TranscriptionChange } from '../../../src-preload/contract/transcription.ts'

export const ferry = '5d0c2b0e-59a5-4b7b-8a53-0c8f2f2f7a01'

const recording = (id: string, name: string, minutes: number, more: Partial<Recording>): Recording => ({
  id,
  name,
  createdAt: new Date(Date.now() - minutes * 60_000).toISOString(),
  source: 'file',
  state: 'kept',
  mime: 'audio/webm',
  bytes: 1_240_000,
  seconds: 64.5,
  mediaId: id,
  transcript: null,
  transcripts: 0,
  fromId: null,
  ...more,
})
const words = ['Good morning.', 'The ferry leaves the harbour at seven.', 'It comes back in the evening.']
const transcript: Transcript = {
  id: 'b4f5a1d4-8f0e-4d1f-9a55-2f3b8f6f3c02',
  recordingId: ferry,
  createdAt: new Date().toISOString(),
  state: 'done',
  problem: null,
  cost: '0.004',
  costIs: 'measured',
  rows: [1],
  model: 'whisper-1',
  language: 'en',
  prompt: null,
  format: 'vtt',
  temperature: 0.2,
  came: 'vtt',
  sentBytes: 1_240_000,
  totalBytes: 1_240_000,
  edited: true,
  text: words.join(' '),
  cues: words.map((text, at) => ({ from: at * 2, to: at * 2 + 1.8, text })),
}
const short = { id: transcript.id, state: transcript.state, excerpt: transcript.text, edited: true }

/** Recordings of a typical page. */
export const recordings: Recording[] = [
  recording(ferry, 'Harbour master', 3, { source: 'microphone', transcript: short, transcripts: 1 }),
  recording('5d0c2b0e-59a5-4b7b-8a53-0c8f2f2f7a02', 'Interview.m4a', 90, {}),
  recording('5d0c2b0e-59a5-4b7b-8a53-0c8f2f2f7a03', 'Notes', 3000, { source: 'microphone', state: 'cut' }),
]

export async function* watchRecordings(signal: AbortSignal | undefined): AsyncGenerator<TranscriptionChange> {
  yield { type: 'snapshot', recordings, total: recordings.length }
  await new Promise<void>((done) => signal?.addEventListener('abort', () => done()))
}

export function recordingOf(id: string): { recording: Recording; transcripts: Transcript[] } {
  const found = recordings.find((one) => one.id === id)
  if (!found) throw new Error(`No recording ${id}.`)
  return { recording: found, transcripts: id === ferry ? [transcript] : [] }
}
