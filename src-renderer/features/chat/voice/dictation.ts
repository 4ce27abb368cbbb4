import { create } from 'zustand'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { i18n } from '../../../i18n/index.ts'
import { type ActiveRecording, type MicTrouble, NoMicrophone, startRecording } from '../../../shared/audio/recorder.ts'
import { composerField, insertInto } from '../../../shared/composerField.ts'
import { showToast } from '../../../shared/toasts.ts'
import { draftOf, newChat, useChat } from '../../../stores/chat.ts'
import { client } from '../client.ts'
import { writeDraft } from '../drafts.ts'

/** Maximum recording time, ms. Then the recording stops and is transcribed. */
export const longestRecording = 30 * 60_000

export type Dictation =
  | { state: 'off' }
  | { state: 'asking' }
  | { state: 'recording'; recording: ActiveRecording; since: number; muted: boolean }
  | { state: 'sending'; sent: number }
  | { state: 'writing' }
  | { state: 'no_microphone'; trouble: MicTrouble }
  /** The recording still exists. `problem` is null when the transcript is empty. */
  | { state: 'failed'; problem: Problem | null }

export const useDictation = create<{ now: Dictation; reported: number }>(() => ({ now: { state: 'off' }, reported: 0 }))

const set = (now: Dictation): void => useDictation.setState({ now })

/** The recording, until its text is in the message or it is discarded. */
let kept: { file: File; draft: string; uploadId: string | null } | null = null
let under: AbortController | null = null
let timer: ReturnType<typeof setTimeout> | undefined

export async function startDictation(): Promise<void> {
  const { state } = useDictation.getState().now
  if (state !== 'off' && state !== 'no_microphone') return
  const mine = new AbortController()
  under = mine
  set({ state: 'asking' })
  try {
    const onMuted = (muted: boolean): void =>
      useDictation.setState(({ now }) => (now.state === 'recording' ? { now: { ...now, muted } } : {}))
    const recording = await startRecording({ onMuted })
    // The person cancelled while the microphone opened.
    if (mine.signal.aborted) return recording.cancel()
    set({ state: 'recording', recording, since: Date.now(), muted: recording.muted() })
    void recording.lost.then(() => {
      const { now } = useDictation.getState()
      if (now.state !== 'recording' || now.recording !== recording) return
      void finishDictation(true)
    })
    timer = setTimeout(() => void finishDictation(), longestRecording)
  } catch (thrown) {
    if (mine.signal.aborted) return
    set({ state: 'no_microphone', trouble: thrown instanceof NoMicrophone ? thrown.trouble : 'busy' })
  }
}

/** Stops the recording, uploads it and inserts the text at the caret. */
export async function finishDictation(lost = false): Promise<void> {
  const { now } = useDictation.getState()
  if (now.state !== 'recording') return
  clearTimeout(timer)
  set({ state: 'sending', sent: 0 })
  const file = await now.recording.finish()
  if (lost && file.size === 0) return set({ state: 'no_microphone', trouble: 'lost' })
  if (lost) {
    const text = i18n.t('audio:microphoneLost')
    showToast({ id: 'dictation-lost', text })
  }
  kept = { file, draft: useChat.getState().open?.id ?? newChat, uploadId: null }
  await sendRecording()
}

/** Uploads the recording. A retry after a failure does not send uploaded parts again. */
export async function sendRecording(): Promise<void> {
  const core = client()
  const recorded = kept
  if (!core || !recorded) return
  const mine = new AbortController()
  under = mine
  const { signal } = mine
  try {
    const { file } = recorded
    if (recorded.uploadId === null) {
      set({ state: 'sending', sent: 0 })
      const onProgress = (bytes: number): void => set({ state: 'sending', sent: bytes / file.size })
      recorded.uploadId = await upload(core, file, { signal, onProgress })
    }
    set({ state: 'writing' })
    const { text } = await core.voice.dictate({ uploadId: recorded.uploadId }, { signal })
    if (signal.aborted) return
    recorded.uploadId = null
    if (text === '') return set({ state: 'failed', problem: null })
    write(recorded.draft, text)
    kept = null
    useDictation.setState(({ reported }) => ({ now: { state: 'off' }, reported: reported + 1 }))
  } catch (thrown) {
    if (signal.aborted) return
    const problem = problemOf(thrown)
    // The core has deleted the upload (after an hour, or after a restart). The next attempt uploads again.
    if (problem.kind === 'no_such_item') recorded.uploadId = null
    set({ state: 'failed', problem })
  }
}

/** Cancels everything and discards the recording. */
export function cancelDictation(): void {
  const { now } = useDictation.getState()
  clearTimeout(timer)
  under?.abort()
  under = null
  if (now.state === 'recording') now.recording.cancel()
  const uploadId = kept?.uploadId
  if (uploadId)
    void client()
      ?.transfers.cancelUpload({ uploadId })
      .catch(() => undefined)
  kept = null
  set({ state: 'off' })
  composerField()?.focus()
}

/** Inserts the text at the caret when the draft is in the composer, otherwise at the end of the stored draft. */
function write(draft: string, text: string): void {
  const state = useChat.getState()
  const field = composerField()
  if ((state.open?.id ?? newChat) === draft && field) {
    const before = field.value.slice(0, field.selectionStart)
    const after = field.value.slice(field.selectionEnd)
    const gap = (edge: string, side: RegExp): string => (edge === '' || side.test(edge) ? '' : ' ')
    insertInto(field, `${gap(before, /\s$/)}${text}${gap(after, /^[\s\p{P}]/u)}`)
    return
  }
  const typed = draftOf({ ...state, open: null, drafts: { [newChat]: state.drafts[draft] ?? '' } })
  const whole = typed.trim() === '' ? text : `${typed} ${text}`
  writeDraft(draft, whole)
}
