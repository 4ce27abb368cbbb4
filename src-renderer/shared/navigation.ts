import * as z from 'zod'
import {
  hrefOf,
  type PageName,
  pageNames,
  parseRoute,
  type Route,
  returnRoute,
  routeStore,
  withRoute,
} from '../stores/route.ts'
import { openHelp } from './help/store.ts'
import { offerNewChat } from './newChatDraft.ts'
import { tabStore } from './storage.ts'

const leftKey = 'pages.left'
const storedLeft = z.partialRecord(z.enum(pageNames), z.string())

/** Navigates to a route and adds a history entry. With `replace`, replaces the current entry. */
export function navigate(route: Route, { replace = false } = {}): void {
  const href = hrefOf(route)
  if (replace) {
    history.replaceState(null, '', href)
    open(route)
  } else location.hash = href
}

/** Navigates to a page, and to the item that was open there. */
export const returnTo = (page: PageName): void => navigate(returnRoute(routeStore.getState(), page))

/** Opens the settings of the connection. */
export const openConnectionSettings = (): void => navigate({ page: 'settings', id: 'connection' })

function open(route: Route): void {
  routeStore.setState((store) => withRoute(store, route))
  tabStore.setJson(leftKey, routeStore.getState().left)
}

/** Updates the store when the address's hash changes, until the signal aborts. */
export function followHash(signal: AbortSignal): void {
  const left = storedLeft.safeParse(tabStore.getJson(leftKey))
  if (left.success) routeStore.setState({ left: left.data })
  const read = () => {
    takePrompt()
    takeHelp()
    open(parseRoute(location.hash))
  }
  read()
  addEventListener('hashchange', read, { signal })
}

/** Opens the guide at `#/help/PAGE#SECTION` over the page that is shown. The desktop application opens links and its Help menu this way. */
function takeHelp(): void {
  const [, place] = /^#\/help(?:\/([\w-]{1,40}(?:%23[\w-]{1,100})?))?$/.exec(location.hash) ?? [null, null]
  if (place === null) return
  history.replaceState(null, '', hrefOf(routeStore.getState().route))
  const [page, anchor] = place?.split('%23') ?? []
  openHelp(page, anchor)
}

const promptAddress = '#/chat?prompt='

/**
 * Fills the text of a link such as `inference-studio://chat/new?prompt=…` into the composer of a new chat, which the desktop application
 * opens under this address. In a browser any web page could open it, so nothing is taken there.
 */
function takePrompt(): void {
  if (!location.hash.startsWith(promptAddress)) return
  const text = new URLSearchParams(location.hash.slice(promptAddress.indexOf('?'))).get('prompt') ?? ''
  history.replaceState(null, '', hrefOf({ page: 'chat', id: null }))
  if (text.trim() !== '' && 'inferenceStudio' in window) offerNewChat(text)
}
