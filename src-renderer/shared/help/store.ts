import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** The place of the guide that is open. `anchor` is the id of a section, empty for the beginning of the page. */
export interface HelpPlace {
  page: string
  anchor: string
}

const helpStore = createStore<{ place: HelpPlace | null }>(() => ({ place: null }))
export const useHelp = (): HelpPlace | null => useStore(helpStore, ({ place }) => place)
/** Opens the guide over the page that is shown. */
export const openHelp = (page = 'start', anchor = ''): void => helpStore.setState({ place: { page, anchor } })
export const closeHelp = (): void => helpStore.setState({ place: null })
