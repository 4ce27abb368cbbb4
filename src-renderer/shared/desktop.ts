import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { DesktopState } from '../../src-preload/contract/desktop.ts'
import type { DesktopClient } from '../api/connect.ts'

interface DesktopStore {
  /** The procedures of the desktop host. Null under the web host. */
  client: DesktopClient | null
  /** Null until the first event. */
  state: DesktopState | null
}

/** What the desktop host offers to this window. */
export const desktopStore = createStore<DesktopStore>(() => ({ client: null, state: null }))
export const useDesktop = <T>(select: (store: DesktopStore) => T): T => useStore(desktopStore, select)
