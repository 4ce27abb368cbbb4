import { spelled } from './hiddenCharacters.tsx'
import { fromPunycode } from './punycode.ts'

const allowed = new Set(['http:', 'https:', 'mailto:'])

/** The normalized address, or null for any scheme except http, https and mailto. */
export function safeAddress(url: string): string | null {
  try {
    const parsed = new URL(url)
    return allowed.has(parsed.protocol) ? parsed.href : null
  } catch {
    // Relative, empty or invalid: a reply has no base address.
    return null
  }
}

/** The facts about an address that a person should see before opening it. */
export interface AddressFacts {
  /** As resolved by DNS: `xn--…` for letters beyond ASCII. For mailto, the recipient. */
  host: string
  /** The host in its own script, when different. */
  decoded: string | null
  /** The user name before an `@`, which is not part of the host. */
  user: string | null
  /** Several scripts in one name, or Cyrillic or Greek letters that look Latin. */
  lookalike: boolean
  /** An IP address instead of a name. */
  numeric: boolean
}

export function factsOf(address: string): AddressFacts {
  const url = new URL(address)
  if (url.protocol === 'mailto:')
    return { host: spelled(unescaped(url.pathname)), decoded: null, user: null, lookalike: false, numeric: false }
  const decoded = url.hostname.split('.').map(decodedLabel).join('.')
  const user = [url.username, url.password].filter(Boolean).join(':')
  return {
    host: url.host,
    decoded: decoded === url.hostname ? null : spelled(decoded),
    user: user === '' ? null : spelled(unescaped(user)),
    lookalike: decoded.split('.').some(looksLikeAnother),
    numeric: /^[\d.]+$|^\[/.test(url.hostname),
  }
}

function decodedLabel(label: string): string {
  return label.startsWith('xn--') ? (fromPunycode(label.slice(4)) ?? label) : label
}

/** Cyrillic and Greek letters that look like Latin ones. */
const likeLatin = /^[аеорсухіјӏѕԁɡһԛԝѵҽνορυικχ\d-]+$/u

function looksLikeAnother(label: string): boolean {
  const scripts = [
    /\p{Script=Latin}/u,
    /\p{Script=Cyrillic}/u,
    /\p{Script=Greek}/u,
    /\p{Script=Cherokee}/u,
    /\p{Script=Armenian}/u,
  ]
  const found = scripts.filter((script) => script.test(label)).length
  return found > 1 || (found === 1 && /\P{ASCII}/u.test(label) && likeLatin.test(label))
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
