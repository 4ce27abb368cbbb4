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
  const [page = '', id = ''] = hash.replace(/^#\/?/, '').split('/')
  if (!isPage(page)) return { page: 'chat', id: null }
  try {
    return { page, id: decodeURIComponent(id) || null }
  } catch {
    return { page, id: null }
  }
}

const projectPrefix = 'project:'

/** The page of a project, which is an item of Chat. */
export const projectRoute = (folderId: string): Route => ({ page: 'chat', id: projectPrefix + folderId })

/** Id of the project whose page is open, or null. */
export const projectOf = ({ page, id }: Route): string | null =>
  page === 'chat' && id?.startsWith(projectPrefix) ? id.slice(projectPrefix.length) : null

export const hrefOf = ({ page, id }: Route): string =>
  id === null ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`

export interface RouteStore {
  route: Route
  /** The item that was open when its page was left. Only for pages that return to it. */
  left: Readonly<Partial<Record<PageName, string>>>
}

/** Pages that return to the item that was open: a person leaves them for a moment, in the middle of reading or writing. */
const returning: readonly PageName[] = ['chat', 'transcribe']

export const routeStore = createStore<RouteStore>(() => ({ route: { page: 'chat', id: null }, left: {} }))
export const useRoute = (): Route => useStore(routeStore, ({ route }) => route)

/** Opens a route, and remembers its item for the return to its page. */
export function withRoute({ left }: RouteStore, route: Route): RouteStore {
  if (!returning.includes(route.page)) return { route, left }
  const { [route.page]: _before, ...others } = left
  return { route, left: route.id === null ? others : { ...others, [route.page]: route.id } }
}

/** Where a link to a page leads: to the item that was open there. From the page itself, to the page without an item. */
export const returnRoute = ({ route, left }: RouteStore, page: PageName): Route => ({
  page,
  id: route.page === page ? null : (left[page] ?? null),
})
