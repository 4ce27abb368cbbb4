import { refuseMethod, refusePath } from '../routeParts.ts'
import type { LocalRoute, RequestTarget } from '../types.ts'

const dialect = 'responses'

/** The routes below `/v1/responses`. */
export function responsesRoute({ method, segments }: RequestTarget): LocalRoute | null {
  const [version, root, id, ...parts] = segments
  if (version !== 'v1' || root !== 'responses') return null
  if (id === undefined || (id === 'compact' && parts.length === 0)) {
    return method === 'POST' ? { dialect, action: id ?? 'create' } : refuseMethod(dialect, 'POST')
  }
  if (id === 'input_tokens' && parts.length === 0) {
    if (method !== 'POST') return refuseMethod(dialect, 'POST')
    return {
      dialect,
      action: 'count_tokens',
      replyOf: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    }
  }
  return storedRoute(method, id, parts)
}

/** The routes of one stored response. */
function storedRoute(method: string, id: string, [part, ...more]: readonly string[]): LocalRoute {
  if (part === undefined) {
    if (method === 'GET') return { dialect, action: 'get', id }
    if (method === 'DELETE') return { dialect, action: 'delete', id }
    return refuseMethod(dialect, 'GET, DELETE', 'A stored response can be read with GET and deleted with DELETE.')
  }
  if (part === 'input_items' && more.length === 0) {
    if (method === 'GET') return { dialect, action: 'input_items', id }
    return refuseMethod(dialect, 'GET', 'The input items of a response can be read with GET only.')
  }
  if (part === 'cancel' && more.length === 0) {
    const message = 'Only a background response can be cancelled, and background mode is not supported here.'
    return refusePath(dialect, 400, message)
  }
  return refusePath(dialect, 404, 'The local API has no such path below /v1/responses.')
}
