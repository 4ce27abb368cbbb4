import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { ConnectedProgram, Program } from '../../src-preload/contract/programs.ts'

export interface ProgramsStore {
  /** Programs that Inference Studio can set up, in display order. Null until they are listed. */
  programs: readonly Program[] | null
  connected: readonly ConnectedProgram[]
}

export const programsStore = createStore<ProgramsStore>(() => ({ programs: null, connected: [] }))
export const usePrograms = (): ProgramsStore => useStore(programsStore)

/** Connected programs that need the present address of the local API. */
export const movedPrograms = (connected: readonly ConnectedProgram[]): ConnectedProgram[] =>
  connected.filter(({ state }) => state === 'otherAddress')
