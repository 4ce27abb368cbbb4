import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Library } from '../../src-preload/contract/library.ts'

export interface LibraryStore extends Library {
  /** `loading`: no event yet. */
  state: 'loading' | 'live'
}

export const firstLibrary: LibraryStore = { state: 'loading', folders: [], prompts: [], presets: [], removed: 0 }

/** Folders, prompts and presets. */
export const libraryStore = createStore<LibraryStore>(() => firstLibrary)
export const useLibrary = <T>(select: (store: LibraryStore) => T): T => useStore(libraryStore, select)
