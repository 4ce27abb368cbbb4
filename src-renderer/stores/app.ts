import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { AppState } from '../../src-preload/contract/app.ts'

/**
 * The page's link to the core. `connecting`: first try. `open`: calls work. `lost`: reconnecting with pauses, and the visible data may be out
 * of date. `unauthorized`: the web host does not accept this page, or has restarted. The person must open the address that the host printed.
 */
export type LinkStatus = 'connecting' | 'open' | 'lost' | 'unauthorized'

export interface ToastNote {
  id: string
  text: string
  action?: { label: string; onClick: () => void }
}

export interface AppStore {
  link: LinkStatus
  /** Null until the core's first event. */
  app: AppState | null
  inspectorShown: boolean
  /** Whether the list is beside the stage, when the window is wide enough for it. */
  listShown: boolean
  listDrawerOpen: boolean
  toasts: ToastNote[]
}

export const firstAppStore: AppStore = {
  link: 'connecting',
  app: null,
  inspectorShown: false,
  listShown: true,
  listDrawerOpen: false,
  toasts: [],
}

export const withApp = (store: AppStore, app: AppState): AppStore => ({ ...store, app })
/** Sets the link status. After a loss, `connecting` still counts as `lost`. */
export const withLink = (store: AppStore, link: LinkStatus): AppStore => ({
  ...store,
  link: link === 'connecting' && store.app !== null ? 'lost' : link,
})
/** At most four toasts: a fifth replaces the oldest. */
export const withToast = (store: AppStore, toast: ToastNote): AppStore => ({
  ...store,
  toasts: [...store.toasts.filter(({ id }) => id !== toast.id), toast].slice(-4),
})
export const withoutToast = (store: AppStore, id: string): AppStore => ({
  ...store,
  toasts: store.toasts.filter((toast) => toast.id !== id),
})

/** Whether the service answers, and the page knows the state of the program. */
export const isConnected = ({ app, link }: AppStore): boolean =>
  app?.connection.state === 'connected' && link === 'open'

export const appStore = createStore<AppStore>(() => firstAppStore)
export const useApp = <T>(select: (store: AppStore) => T): T => useStore(appStore, select)
