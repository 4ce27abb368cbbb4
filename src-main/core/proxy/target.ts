const longest = 16_384

/** RFC 3986: pchar and "/" for the path; what is encoded is looked at apart. */
const plainPath = /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/
/** A query may also hold "/" and "?", and what browsers leave unencoded in it. */
const plainQuery = /^\?[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]|^`{}"<>]*$/
const brokenEscape = /%(?![0-9A-Fa-f]{2})/
/** Encoded: slash, backslash, dot, percent (a second decoding), and control characters. */
const doubtfulEscape = /%(?:2f|5c|2e|25|[01][0-9a-f]|7f)/i
/** `.` and `..` as segments, and empty segments before the last. */
const oddSegment = /\/(?:\.{1,2}(?:\/|$)|\/)/

/**
 * The local path with its query, as the tool wrote it, or null when the target is not one that may be relayed: anything under
 * `/v1`, and with GET and HEAD any other path too, because files and images lie below the base address (specification, first page).
 *
 * Only the origin form (RFC 9112, 3.2.1) passes. What two parsers could read in two ways is refused, not mended: dot segments,
 * encoded slashes, backslashes, dots and percents, empty segments, control characters, fragments.
 */
export function localPath(method: string, target: string): string | null {
  if (target.length > longest) return null
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  if (!plainPath.test(path) || oddSegment.test(path)) return null
  if (query >= 0 && !plainQuery.test(target.slice(query))) return null
  if (target.includes('%') && (brokenEscape.test(target) || doubtfulEscape.test(path))) return null
  if (path === '/v1' || path.startsWith('/v1/')) return target
  return method === 'GET' || method === 'HEAD' ? target : null
}
