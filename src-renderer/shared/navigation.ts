import { hrefOf, parseRoute, type Route, routeStore } from '../stores/route.ts'
import { offerNewChat } from './newChatDraft.ts'

/** Navigates to a route and adds a history entry. With `replace`, replaces the current entry. */
export function navigate(route: Route, { replace = false } = {}): void {
  const href = hrefOf(route)
  if (replace) {
    history.replaceState(null, '', href)
    routeStore.setState({ route })
  } else location.hash = href
}

/** Updates the store when the address's hash changes, until the signal aborts. */
export function followHash(signal: AbortSignal): void {
  const read = () => {
    takePrompt()
    routeStore.setState({ route: parseRoute(location.hash) })
  }
  read()
  addEventListener('hashchange', read, { signal })
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
