import { placeOf } from '../../../src-preload/contract/hostPlace.ts'

/** Endpoints that people copy with the base URL. The second list applies only below `/v1`, because a gateway could have such a name. */
const endpoint = new RegExp(
  '/(?:chat/completions|audio/(?:speech|transcriptions|translations)|images/(?:generations|edits|variations))$|' +
    '(/v\\d+[a-z]*)/(?:completions|embeddings|keys|messages|models|rate-limit|responses|usage)$',
  'i',
)

/** What `normalizeAddress` changed, in the order in which a person reads the address. */
export type AddressChange = { kind: 'scheme' | 'path' | 'query'; text: string }

export type NormalizedAddress =
  | {
      /** A base URL with http or https, without endpoint, query and trailing slash. A `/v1` stays. */
      url: string
      changes: AddressChange[]
      /** Plain http to another computer. */
      isInsecure: boolean
    }
  | { fault: 'empty' | 'bad' | 'credentials' }

/** Reads a base URL as people paste it. Adds `https://` (`http://` for this computer) and removes everything that belongs to one endpoint. */
export function normalizeAddress(typed: string): NormalizedAddress {
  const text = typed.trim()
  if (text === '') return { fault: 'empty' }
  if (/[\s\\\p{Cc}]/u.test(text)) return { fault: 'bad' }
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
  const rest = text.replace(/^\/+/, '')
  const url = hasScheme ? URL.parse(text) : URL.parse(`https://${rest}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return { fault: 'bad' }
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(hasScheme ? (text.split('//')[1] ?? '') : rest))
    return { fault: 'credentials' }
  const isLoopback = placeOf(url.hostname) === 'here'
  const changes: AddressChange[] = []
  const scheme = isLoopback ? 'http://' : 'https://'
  if (!hasScheme) changes.push({ kind: 'scheme', text: scheme })
  const path = basePath(url.pathname)
  const removed = url.pathname.slice(path.length)
  if (removed !== '' && removed !== '/') changes.push({ kind: 'path', text: removed })
  const query = `${url.search}${url.hash}`
  if (query !== '') changes.push({ kind: 'query', text: query })
  const origin = hasScheme ? url.origin : scheme + url.host
  return { url: origin + path, changes, isInsecure: !isLoopback && origin.startsWith('http:') }
}

/** Removes endpoints and trailing slashes until nothing more changes. */
function basePath(path: string): string {
  const shorter = path.replace(/\/+$/, '').replace(endpoint, '$1')
  return shorter === path ? path : basePath(shorter)
}

/** A name for a connection: its host without `api.` or `www.`, with a number when another connection has that name. */
export function nameOfAddress(typed: string, taken: readonly string[]): string {
  const address = normalizeAddress(typed)
  if (!('url' in address)) return ''
  const host = new URL(address.url).host.replace(/^(?:api|www)\.(?=[^.]+\.)/, '')
  const isTaken = (name: string): boolean => taken.some((other) => other.trim().toLowerCase() === name.toLowerCase())
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host} ${number}`
    if (!isTaken(name)) return name
  }
}
