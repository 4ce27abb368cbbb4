import { create } from 'zustand'

/** The dialog over the stage. */
export type StageDialog =
  | { kind: 'retryWith'; replyId: string }
  /** The requests of one reply, in order. */
  | { kind: 'raw'; requestRows: readonly number[] }
  | { kind: 'presets' }
  | { kind: 'context' }
  /** Summarises the messages up to `upTo`. With `text`, edits the note `upTo` instead. */
  | { kind: 'summary'; upTo: string; text: string | null }
  /** The model refused images before. `run` sends the request nevertheless. */
  | { kind: 'refusedImages'; model: string; run: () => void }
  /** Files that were dropped on the list, with an archive among them. */
  | { kind: 'droppedArchive'; files: readonly File[] }
  /** `below`: how many messages are deleted with it. */
  | { kind: 'removeMessage'; messageId: string; below: number }

/** How this window shows the open chat. Never stored. */
export interface ChatStageState {
  /** The message that is being edited. */
  editing: string | null
  /** Edited texts that are not sent, by message id. They survive Escape and opening another chat. */
  edits: Readonly<Record<string, string>>
  /** Additional request fields as typed, by chat id or `new`, valid or not. */
  extras: Readonly<Record<string, string>>
  dialog: StageDialog | null
  /** The reply that the person chose to continue with, by the id of its request for several replies. */
  chosen: Readonly<Record<string, string>>
  renaming: boolean
  /** The open model list: for one model, or for several to compare. */
  picking: 'one' | 'several' | null
}

export const useStage = create<ChatStageState>(() => ({
  editing: null,
  edits: {},
  extras: {},
  dialog: null,
  chosen: {},
  renaming: false,
  picking: null,
}))

export const withEdit = (state: ChatStageState, id: string, text: string): Partial<ChatStageState> => ({
  edits: { ...state.edits, [id]: text },
})

export function withoutEdit(state: ChatStageState, id: string): Partial<ChatStageState> {
  const { [id]: _gone, ...edits } = state.edits
  return { edits, editing: state.editing === id ? null : state.editing }
}
