import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { AppState } from '../../src-preload/contract/app.ts'

/** The page's link to the core. `opening`: no answer yet. `lost`: it was there and is gone; what is shown is as of then. */
export type Link = 'opening' | 'open' | 'lost'

export interface ToastNote {
  id: string
  text: string
  action?: { label: string; onClick: () => void }
}

export interface AppStore {
  link: Link
  /** Null until the core's first answer. */
  app: AppState | null
  inspectorShown: boolean
  listDrawerOpen: boolean
  toasts: ToastNote[]
  /** Grows by one whenever the person asks for a new chat: the composer takes the focus. */
  newChats: number
}

export const firstAppStore: AppStore = {
  link: 'opening',
  app: null,
  inspectorShown: true,
  listDrawerOpen: false,
  toasts: [],
  newChats: 0,
}

export const withApp = (store: AppStore, app: AppState): AppStore => ({ ...store, app, link: 'open' })
/** A link that was never open is still opening. */
export const withLinkLost = (store: AppStore): AppStore => ({ ...store, link: store.app ? 'lost' : 'opening' })
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
