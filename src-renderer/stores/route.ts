import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** In the order of the rail and of Mod+1 to Mod+8. */
export const pageNames = ['chat', 'speech', 'transcribe', 'images', 'usage', 'keys', 'proxy', 'settings'] as const
export type PageName = (typeof pageNames)[number]

/** The address of the window. `id` is an item of the page, such as a chat or a section of Settings. Null: the page without an item. */
export interface Route {
  page: PageName
  id: string | null
}

const isPage = (word: string): word is PageName => (pageNames as readonly string[]).includes(word)

/** Parses a hash such as `#/chat/ID`. Returns the route of Chat for an unknown or invalid hash. */
export function parseRoute(hash: string): Route {
  const [feature = '', id = ''] = hash.replace(/^#\/?/, '').split('/')
  if (!isPage(feature)) return { page: 'chat', id: null }
  try {
    return { page: feature, id: decodeURIComponent(id) || null }
  } catch {
    return { page: feature, id: null }
  }
}

export const hrefOf = ({ page: feature, id }: Route): string =>
  id === null ? `#/${feature}` : `#/${feature}/${encodeURIComponent(id)}`

export const routeStore = createStore<{ route: Route }>(() => ({ route: { page: 'chat', id: null } }))
export const useRoute = (): Route => useStore(routeStore, ({ route }) => route)
