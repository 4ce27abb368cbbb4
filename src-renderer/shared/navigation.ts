import { hrefOf, parseRoute, type Route, routeStore } from '../stores/route.ts'

/** Goes there, as a step of the browser's history; with `replace` in place of the present one. */
export function navigate(route: Route, { replace = false } = {}): void {
  const href = hrefOf(route)
  if (replace) {
    history.replaceState(null, '', href)
    routeStore.setState({ route })
  } else location.hash = href
}

/** Keeps the store at the address's hash, until the signal. */
export function followHash(signal: AbortSignal): void {
  const read = () => routeStore.setState({ route: parseRoute(location.hash) })
  read()
  addEventListener('hashchange', read, { signal })
}
