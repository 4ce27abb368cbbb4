import { beforeEach, describe, expect, test } from 'vitest'
import type { Recording, Transcript, TranscriptionChange } from '../../../../src-preload/contract/transcription.ts'
import {
  listedRecordings,
  shownTranscript,
  useTranscribe,
  withChange,
  withOlder,
} from '../../../../src-renderer/stores/transcription.ts'

const recording = (name: string, at: number, more: Partial<Recording> = {}): Recording => ({
  id: name,
  name,
  createdAt: new Date(at * 1000).toISOString(),
  source: 'file',
  state: 'kept',
  mime: 'audio/wav',
  bytes: 10,
  seconds: null,
  mediaId: name,
  transcript: null,
  transcripts: 0,
  fromId: null,
  ...more,
})
const transcript = (id: string, recordingId: string, state: Transcript['state']): Transcript => ({
  id,
  recordingId,
  createdAt: new Date().toISOString(),
  state,
  problem: null,
  cost: null,
  costIs: 'unknown',
  rows: [],
  model: null,
  language: null,
  prompt: null,
  format: 'vtt',
  temperature: null,
  sentBytes: 0,
  totalBytes: 10,
  came: null,
  text: '',
  cues: [],
  edited: false,
})
const apply = (change: TranscriptionChange): void => useTranscribe.setState((now) => withChange(now, change))
const names = (): string[] => useTranscribe.getState().recordings.map(({ name }) => name)
const first = useTranscribe.getState()

beforeEach(() => {
  useTranscribe.setState(first, true)
  apply({ type: 'snapshot', recordings: [recording('c', 30), recording('b', 20)], total: 3 })
})

describe('the list of recordings', () => {
  test('inserts a new one first, keeps a changed one in place, and restores a deleted one at its place', () => {
    apply({ type: 'recording', recording: recording('d', 40) })
    apply({ type: 'recording', recording: recording('b', 20, { bytes: 99 }) })
    expect(names()).toEqual(['d', 'c', 'b'])
    expect(useTranscribe.getState().recordings[2]?.bytes).toBe(99)
    apply({ type: 'gone', id: 'c' })
    expect(names()).toEqual(['d', 'b'])
    expect(useTranscribe.getState().total).toBe(3)
    apply({ type: 'recording', recording: recording('c', 30) })
    expect(names()).toEqual(['d', 'c', 'b'])
  })

  test('has no gap when an older recording changes', () => {
    apply({ type: 'recording', recording: recording('old', 5) })
    expect(names()).toEqual(['c', 'b'])
    useTranscribe.setState((now) => withOlder(now, [recording('b', 20), recording('a', 10), recording('old', 5)], 4))
    expect(names()).toEqual(['c', 'b', 'a', 'old'])
  })

  test('shows the results of a search, and follows their changes', () => {
    useTranscribe.setState({ search: 'x', found: { search: 'x', recordings: [recording('b', 20)], total: 1 } })
    apply({ type: 'recording', recording: recording('b', 20, { name: 'renamed' }) })
    expect(listedRecordings(useTranscribe.getState()).map(({ name }) => name)).toEqual(['renamed'])
    apply({ type: 'gone', id: 'b' })
    expect(listedRecordings(useTranscribe.getState())).toEqual([])
  })
})

describe('the open recording', () => {
  const open = (transcripts: Transcript[] = []): void => {
    const rest = { problem: null, recording: null, shownId: null, comparedId: null }
    useTranscribe.setState({ open: { id: 'c', state: 'live', ...rest, transcripts } })
  }

  test('shows the newest transcript, a picked older one, or one that was just requested', () => {
    open([transcript('t2', 'c', 'done'), transcript('t1', 'c', 'done')])
    const shown = () => shownTranscript(useTranscribe.getState().open)?.id
    expect(shown()).toBe('t2')
    useTranscribe.setState(({ open: now }) => ({ open: now && { ...now, shownId: 't1' } }))
    expect(shown()).toBe('t1')
    apply({ type: 'transcript', transcript: transcript('t2', 'c', 'done') })
    expect(shown()).toBe('t1')
    apply({ type: 'transcript', transcript: transcript('t3', 'c', 'making') })
    expect(shown()).toBe('t3')
  })

  test('does not show a running transcript of another recording', () => {
    open()
    apply({ type: 'transcript', transcript: transcript('t9', 'b', 'making') })
    expect(useTranscribe.getState().open?.transcripts).toEqual([])
    expect(Object.keys(useTranscribe.getState().making)).toEqual(['t9'])
    apply({ type: 'transcript', transcript: transcript('t9', 'b', 'failed') })
    expect(useTranscribe.getState().making).toEqual({})
  })

  test('is marked as deleted when another window deletes it, and returns when restored', () => {
    open()
    apply({ type: 'gone', id: 'c' })
    expect(useTranscribe.getState().open?.state).toBe('gone')
    apply({ type: 'recording', recording: recording('c', 30) })
    expect(useTranscribe.getState().open?.state).toBe('live')
  })
})
