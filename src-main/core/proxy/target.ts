/**
 * The path below `/v1`, with its query, or null when the target is not one that may be relayed.
 *
 * Only the origin form (RFC 9112, 3.2.1) of a path under `/v1` passes. What two parsers could read in two ways is refused,
 * not mended: dot segments, encoded slashes, backslashes and dots, empty segments, control characters, fragments.
 */
export function pathBelowV1(target: string): string | null {
  if (target.length > 16_384) return null
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  if (path !== '/v1' && !path.startsWith('/v1/')) return null
  // RFC 3986: pchar and "/" for the path; a query may also hold "/" and "?".
  if (!/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/.test(path)) return null
  if (query >= 0 && !/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]|^`{}"<>]*$/.test(target.slice(query))) return null
  if (/%(?![0-9A-Fa-f]{2})/.test(target)) return null
  // Encoded: slash, backslash, dot, percent (a second decoding), and control characters.
  if (/%(?:2f|5c|2e|25|[01][0-9a-f]|7f)/i.test(path)) return null
  const segments = path.slice(1).split('/')
  const odd = segments.some((segment, place) => {
    const last = place === segments.length - 1
    return segment === '.' || segment === '..' || (segment === '' && !last)
  })
  return odd ? null : target.slice('/v1'.length)
}
