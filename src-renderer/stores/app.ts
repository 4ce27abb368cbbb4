import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { AppState } from '../../src-preload/contract/app.ts'

/**
 * The page's link to the core. `connecting`: being made or made again. `lost`: it was there and is gone; what is shown is as of
 * then. `unauthorized`: the program does not know this page (any more).
 */
export type LinkStatus = 'connecting' | 'open' | 'lost' | 'unauthorized'

export interface ToastNote {
  id: string
  text: string
  action?: { label: string; onClick: () => void }
}

export interface AppStore {
  link: LinkStatus
  /** Null until the core's first answer. */
  app: AppState | null
  inspectorShown: boolean
  listDrawerOpen: boolean
  toasts: ToastNote[]
}

export const firstAppStore: AppStore = {
  link: 'connecting',
  app: null,
  inspectorShown: true,
  listDrawerOpen: false,
  toasts: [],
}

export const withApp = (store: AppStore, app: AppState): AppStore => ({ ...store, app })
/** A link being made again is still a lost one to the person: it changes to `open` only. */
export const withLink = (store: AppStore, link: LinkStatus): AppStore => ({
  ...store,
  link: link === 'connecting' && store.app !== null ? 'lost' : link,
})
/** At most four notes: a fifth pushes the oldest out. */
export const withToast = (store: AppStore, toast: ToastNote): AppStore => ({
  ...store,
  toasts: [...store.toasts.filter(({ id }) => id !== toast.id), toast].slice(-4),
})
export const withoutToast = (store: AppStore, id: string): AppStore => ({
  ...store,
  toasts: store.toasts.filter((toast) => toast.id !== id),
})

export const appStore = createStore<AppStore>(() => firstAppStore)
export const useApp = <T>(select: (store: AppStore) => T): T => useStore(appStore, select)
