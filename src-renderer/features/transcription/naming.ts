import { create } from 'zustand'

/** Whose name is being changed in the head of the stage. */
export const useNaming = create<{ id: string | null }>(() => ({ id: null }))
