import { create } from 'zustand'
import type { TextAction } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Certainty } from '../../../src-preload/contract/requests.ts'
import type { TextSelection } from './selection.ts'

/** An action that was started on a text, and its result so far. */
export interface ActionRun {
  action: TextAction
  selection: TextSelection
  /** Null: no model is known, see `problem`. */
  model: string | null
  status: 'running' | 'done' | 'stopped' | 'failed'
  text: string
  /** The model reached the end of what it may write. */
  isCut: boolean
  cost: string | null
  costIs: Certainty
  problem: Problem | null
}

export interface TextActionsState {
  /** The selection that the toolbar or the menu belongs to. */
  selection: TextSelection | null
  isToolbarShown: boolean
  isMenuOpen: boolean
  run: ActionRun | null
}

export const useTextActions = create<TextActionsState>(() => ({
  selection: null,
  isToolbarShown: false,
  isMenuOpen: false,
  run: null,
}))

export const hideToolbar = (): void => {
  const { isToolbarShown, isMenuOpen } = useTextActions.getState()
  if (isToolbarShown || isMenuOpen) useTextActions.setState({ isToolbarShown: false, isMenuOpen: false })
}
