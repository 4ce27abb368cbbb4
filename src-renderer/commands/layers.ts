import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** Which of the two stands over the window. */
export const layerStore = createStore<{ shown: 'palette' | 'shortcuts' | null }>(() => ({ shown: null }))
export const useLayer = () => useStore(layerStore, ({ shown }) => shown)
export const showLayer = (shown: 'palette' | 'shortcuts' | null): void => layerStore.setState({ shown })
