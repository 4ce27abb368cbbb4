import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** Which of the two stands over the window. */
export const layerStore = createStore<{ shown: 'palette' | 'shortcuts' | null }>(() => ({ shown: null }))
export const useLayer = () => useStore(layerStore, ({ shown }) => shown)
export const showLayer = (shown: 'palette' | 'shortcuts'): void => layerStore.setState({ shown })
/** Its own end alone: a dialog tells of it when the next one may be open already. */
export const closeLayer = (mine: 'palette' | 'shortcuts'): void =>
  layerStore.setState(({ shown }) => ({ shown: shown === mine ? null : shown }))
