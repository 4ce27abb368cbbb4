import { create } from 'zustand'

/** The recording whose name is being edited in the header. */
export const useNaming = create<{ id: string | null }>(() => ({ id: null }))
