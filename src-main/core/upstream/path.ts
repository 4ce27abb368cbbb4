/** RFC 3986, 3.3: unreserved, sub-delims, ":", "@" and "/". Percent-encoding and ";" are checked apart. */
const pathCharacters = /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/
const brokenEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/
/** Letters, digits, "-", ".", "_" and "~". */
const encodedUnreserved = /%(?:2d|2e|3\d|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/gi
/** "/", "\", "%" (a second decoding), ";", "?", "#" and control characters. */
const encodedSyntax = /%(?:2f|5c|25|3b|3f|23|[01][0-9a-f]|7f)/i

const decodedByte = (encoded: string): string => String.fromCharCode(Number.parseInt(encoded.slice(1), 16))

/** Characters with a meaning in paths. Other characters may be compatibility forms of them, such as U+FF0F of "/". */
const syntax = /[/\\%;?#]/
const c1Controls = /[\u0080-\u009f]/

/**
 * Why a path (without its query) must not be relayed, as the end of a sentence about the path. Null when the path may be relayed.
 *
 * Servers normalise paths in different ways before they route them. They decode percent-encoding once or more, replace compatibility forms,
 * cut path parameters, merge slashes, remove dot segments, trim dots and white space. A path that one of them could read as another path
 * would bypass an app's limits. Such a path is refused and never repaired, so that exactly one reading is left. `endpointOf` classifies that
 * reading without regard to case.
 * @see RFC 3986, 6.2.2 (syntax-based normalisation)
 */
export function pathProblem(path: string): string | null {
  if (!pathCharacters.test(path)) return 'it has a character that a path may not contain (RFC 3986).'
  return path.includes('%') ? escapeProblem(path) : segmentProblem(path)
}

function escapeProblem(path: string): string | null {
  const broken = brokenEscape.exec(path)
  if (broken) return `“${broken[0]}” is not a percent-encoding.`
  const plain = path.match(encodedUnreserved)?.[0]
  if (plain !== undefined) return `“${plain}” must be written as “${decodedByte(plain)}” (RFC 3986, 6.2.2.2).`
  const hidden = encodedSyntax.exec(path)
  if (hidden) return `servers read “${hidden[0]}” in different ways.`
  const text = decoded(path)
  if (text === null) return 'its percent-encoding is not UTF-8.'
  if (c1Controls.test(text)) return 'it has a control character.'
  for (const character of text) {
    if (!syntax.test(character) && syntax.test(character.normalize('NFKC')))
      return `servers read “${encodeURIComponent(character)}” in different ways.`
  }
  return segmentProblem(compatible(text))
}

function segmentProblem(path: string): string | null {
  if (path.includes(';')) return 'path parameters (“;”) are not relayed.'
  if (path.includes('//')) return 'it has an empty segment (“//”).'
  if (/\/\.{1,2}(?:\/|$)/.test(path)) return 'it has a dot segment (“.” or “..”).'
  if (/\.(?:\/|$)/.test(path)) return 'a segment ends with a dot.'
  return /\/\s|\s(?:\/|$)/.test(path) ? 'a segment begins or ends with a space (“%20”).' : null
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/** A decoded path as the most eager server reads it: without compatibility forms and characters that have no effect (NFKC_Casefold, but for case). */
export const compatible = (text: string): string =>
  text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')

/** The one form of a path for comparison with known paths: without its query and a trailing slash, decoded, case and compatibility forms folded. */
export function comparablePath(path: string): string {
  const query = path.indexOf('?')
  const bare = query < 0 ? path : path.slice(0, query)
  const trimmed = bare.length > 1 && bare.endsWith('/') ? bare.slice(0, -1) : bare
  if (!trimmed.includes('%')) return trimmed.toLowerCase()
  // Upper case first: some letters (such as U+017F, a long s) only then become ASCII.
  return compatible(decoded(trimmed) ?? trimmed)
    .toUpperCase()
    .toLowerCase()
}

/** The local folder of the service's files that are outside its `/v1`. */
const filesFolder = '/service'

const isUnderV1 = (path: string): boolean => /^\/v1(?:\/|$)/.test(comparablePath(path))

/** The local path of a file of the service. Files outside `/v1` have a folder of their own, so that no other path outside `/v1` has to be relayed. */
export const localFilePath = (path: string): string => (isUnderV1(path) ? path : filesFolder + path)

/** The path at the service for a local path with its query: the same below `/v1`, and for files outside it that of `localFilePath`. Null for every other path. */
export function servicePathOf(local: string): string | null {
  // Most requests end here.
  if (local.startsWith('/v1/') || isUnderV1(local)) return local
  const path = local.startsWith(`${filesFolder}/`) ? local.slice(filesFolder.length) : null
  return path === null || isUnderV1(path) ? null : path
}

/** The same path with letters, digits and other unreserved characters decoded: equivalent by RFC 3986, 6.2.2.2. */
export const withPlainUnreserved = (path: string): string => path.replace(encodedUnreserved, decodedByte)
