import type { IncomingHttpHeaders } from 'node:http'
import { comparablePath } from '../../upstream/path.ts'
import type { DialectId } from './types.ts'

/**
 * What a local path of a dialect asks for. Such a path is answered here and never sent to the service: `create` and `compact` become a chat
 * completion, the other actions read or change data of this computer.
 */
export type LocalRoute =
  | { dialect: DialectId; action: 'create' }
  | { dialect: 'responses'; action: 'compact' }
  | { dialect: 'messages'; action: 'count_tokens' }
  | { dialect: 'responses'; action: 'get' | 'input_items' | 'delete'; id: string }
  | { dialect: DialectId; action: 'refuse'; status: 400 | 404; message: string; allow?: never }
  | { dialect: DialectId; action: 'refuse'; status: 405; message: string; allow: string }

const roots: ReadonlyMap<string, DialectId> = new Map([
  ['responses', 'responses'],
  ['messages', 'messages'],
])

const refuse = (dialect: DialectId, status: 400 | 404, message: string): LocalRoute => ({
  dialect,
  action: 'refuse',
  status,
  message,
})

/** A method that a path does not have. @param allow the methods that it has, as in the header `Allow` */
const refuseMethod = (dialect: DialectId, allow: string, message: string): LocalRoute => ({
  dialect,
  action: 'refuse',
  status: 405,
  message,
  allow,
})

/**
 * The route of a request, or null for a path that is relayed. Query and case are ignored, as `endpointOf` ignores them, so that no other
 * spelling of such a path reaches the service.
 */
export function localRouteOf(method: string, path: string): LocalRoute | null {
  const [, version, root = '', ...rest] = comparablePath(path).split('/')
  const dialect = version === 'v1' ? roots.get(root) : undefined
  if (dialect === undefined) return null
  return dialect === 'responses' ? responsesRoute(method, rest) : messagesRoute(method, rest)
}

/** A route whose request is translated and sent to the service as a chat completion. */
export type TranslatedRoute = Extract<LocalRoute, { action: 'create' | 'compact' }>

/** Whether a request of this route is translated and sent. The others are answered on this computer. */
export const isTranslated = (route: LocalRoute): route is TranslatedRoute =>
  route.action === 'create' || route.action === 'compact'

function responsesRoute(method: string, [id, part, ...more]: string[]): LocalRoute {
  const dialect = 'responses'
  if (id === undefined)
    return method === 'POST' ? { dialect, action: 'create' } : refuseMethod(dialect, 'POST', onlyPost)
  if (id === 'compact' && part === undefined) {
    return method === 'POST' ? { dialect, action: 'compact' } : refuseMethod(dialect, 'POST', onlyPost)
  }
  if (id === 'input_tokens') {
    return refuse(dialect, 404, `The local API has no /v1/responses/${id}, because the service behind it has none.`)
  }
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
    return refuse(dialect, 400, message)
  }
  return refuse(dialect, 404, 'The local API has no such path below /v1/responses.')
}

function messagesRoute(method: string, rest: string[]): LocalRoute {
  const dialect = 'messages'
  const [part, ...more] = rest
  if (part === undefined || (part === 'count_tokens' && more.length === 0)) {
    if (method === 'POST') return { dialect, action: part === undefined ? 'create' : 'count_tokens' }
    return refuseMethod(dialect, 'POST', onlyPost)
  }
  if (part === 'batches') {
    return refuse(dialect, 404, 'Message batches are not supported, because the service behind the local API has none.')
  }
  return refuse(dialect, 404, 'The local API has no such path below /v1/messages.')
}

const onlyPost = 'Only POST is supported at this path.'

/** Whether a request reads models in the shape of Anthropic, which its clients mark with their version header. */
export const wantsAnthropicModels = (method: string, path: string, headers: IncomingHttpHeaders): boolean =>
  headers['anthropic-version'] !== undefined && method === 'GET' && /^\/v1\/models(?:\/|$)/.test(comparablePath(path))

/** The dialect in which a request expects its errors, or null for those of the service's own API. */
export function dialectOfErrors(path: string, headers: IncomingHttpHeaders): DialectId | null {
  const [, version, root = ''] = comparablePath(path).split('/')
  if (version !== 'v1') return null
  return roots.get(root) ?? (root === 'models' && headers['anthropic-version'] !== undefined ? 'messages' : null)
}
