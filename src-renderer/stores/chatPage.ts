import { create } from 'zustand'

/** What lies over the stage. */
export type StageDialog =
  | { kind: 'retryWith'; replyId: string }
  | { kind: 'raw'; requestRow: number }
  | { kind: 'presets' }

/** How a person looks at the open conversation in this window: nothing of it is stored. */
export interface ChatStageState {
  /** The message whose text is being changed in its place. */
  editing: string | null
  /** Changed texts that were not sent, by message id: Esc or another conversation on the stage loses none of them. */
  edits: Readonly<Record<string, string>>
  /** Further members of the request as they were typed, by conversation id or `new`, also where they can't be sent. */
  extras: Readonly<Record<string, string>>
  dialog: StageDialog | null
  renaming: boolean
  /** The list of models is open, for one or for several to compare. */
  picking: 'one' | 'several' | null
}

export const useStage = create<ChatStageState>(() => ({
  editing: null,
  edits: {},
  extras: {},
  dialog: null,
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
