import { pathProblem } from '../../upstream/path.ts'
import { localRouteOf } from '../dialects/routes.ts'
import { hasKey } from './keyInPath.ts'

/** Whether a path, with its query, is that of the studio's MCP server. */
export const isMcp = (path: string): boolean => path.split('?', 1)[0] === '/mcp'

/** Longest target, in characters. */
const longest = 16_384

/** A query may also contain "/" and "?", and the characters that browsers leave unencoded in queries. */
const queryCharacters = /^\?[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]|^`{}"<>]*$/
const brokenEscape = /%(?![0-9A-Fa-f]{2})/

const notUnderV1 = 'Only paths under /v1, and GET of files below the same address, are relayed.'

/** Why a target is refused. `code` is the `error.code` of the reply. */
export interface TargetProblem {
  status: 400 | 404
  code: 'not_under_v1' | 'path_refused'
  message: string
}

const outside: { problem: TargetProblem } = { problem: { status: 404, code: 'not_under_v1', message: notUnderV1 } }

const refused = (why: string): { problem: TargetProblem } => ({
  problem: { status: 400, code: 'path_refused', message: `This path can’t be relayed: ${why}` },
})

/**
 * Checks a target. Returns the path with its query as the app wrote it, or the problem. Any path below `/v1` may be relayed, and any path of
 * another vendor's API is answered here. GET and HEAD may use other paths too: the relay sends those of files (specification, GEN-01) and
 * answers all others (`outsideV1.ts`).
 *
 * Only the origin form (RFC 9112, 3.2.1) is allowed. A path that two servers could read differently is refused and never repaired
 * (`pathProblem`). In the query only the characters are checked, because servers do not normalize queries.
 * @param isKeyless whether the server needs no key. The tools of `/mcp` can read files, so they always need one.
 */
export function checkTarget(
  method: string,
  target: string,
  isKeyless = false,
): { path: string } | { problem: TargetProblem } {
  if (target.length > longest) return refused(`it is longer than ${longest} characters.`)
  if (!target.startsWith('/')) return refused('it does not begin with “/”.')
  const at = target.indexOf('?')
  const path = at < 0 ? target : target.slice(0, at)
  const isRead = method === 'GET' || method === 'HEAD'
  // Clients encode the slashes of a model's id. Such a path is answered here (`modelReplies.ts`) and never sent.
  const plain = isRead && path.startsWith('/v1/models/') ? path.replace(/%2f/gi, '/') : path
  const why = pathProblem(plain)
  if (why !== null) return refused(why)
  if (hasKey(path)) return refused('it contains an app key where none may be.')
  if (at >= 0) {
    const query = target.slice(at)
    if (!queryCharacters.test(query)) return refused('its query has a character that a query may not contain.')
    if (brokenEscape.test(query)) return refused('its query has a “%” that does not begin a percent-encoding.')
  }
  if (isMcp(path)) return isKeyless ? outside : { path: target }
  const relayed = isRead || path === '/v1' || path.startsWith('/v1/') || localRouteOf(method, path) !== null
  return relayed ? { path: target } : outside
}
