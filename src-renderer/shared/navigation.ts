import { hrefOf, parseRoute, type Route, routeStore } from '../stores/route.ts'

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
  const read = () => routeStore.setState({ route: parseRoute(location.hash) })
  read()
  addEventListener('hashchange', read, { signal })
}
