import type { IncomingHttpHeaders } from 'node:http'
import { comparablePath } from '../../upstream/path.ts'
import { allDialects } from './dialects.ts'
import type { DialectId, LocalRoute } from './types.ts'

/**
 * The route of a request, or null for a path that is relayed. Query and case are ignored, as `endpointOf` ignores them, so that no other
 * spelling of such a path reaches the service.
 * @param headers only routes for models depend on them
 */
export function localRouteOf(method: string, path: string, headers: IncomingHttpHeaders = {}): LocalRoute | null {
  const target = { method, segments: comparablePath(path).split('/').slice(1), path, headers }
  for (const dialect of allDialects) {
    const route = dialect.route(target)
    if (route !== null) return route
  }
  return null
}

/** A route whose request is translated and sent to the service as a chat completion. */
export type TranslatedRoute = Extract<LocalRoute, { action: 'create' | 'compact' }>

/** Whether a request of this route is translated and sent. */
export const isTranslated = (route: LocalRoute): route is TranslatedRoute =>
  route.action === 'create' || route.action === 'compact'

/** The dialect of a request that counts as a chat, or null for all others. A request for models counts as one for models. */
export function dialectOf(method: string, path: string): DialectId | null {
  const route = localRouteOf(method, path)
  return route === null || route.action === 'models' ? null : route.dialect
}

/** The dialect in which a request expects its errors, or null for those of the service's own API. Its method does not matter. */
export const dialectOfErrors = (path: string, headers: IncomingHttpHeaders): DialectId | null =>
  localRouteOf('GET', path, headers)?.dialect ?? null
