import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** The layer over the window, if any. */
export const layerStore = createStore<{ shown: 'palette' | 'shortcuts' | null }>(() => ({ shown: null }))
export const useLayer = () => useStore(layerStore, ({ shown }) => shown)
export const showLayer = (shown: 'palette' | 'shortcuts'): void => layerStore.setState({ shown })
/** Closes only its own layer: the close event of a dialog can arrive when the other one is already open. */
export const closeLayer = (mine: 'palette' | 'shortcuts'): void =>
  layerStore.setState(({ shown }) => ({ shown: shown === mine ? null : shown }))
