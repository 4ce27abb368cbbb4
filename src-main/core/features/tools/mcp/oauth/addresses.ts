import { placeOf } from '../../../../../../src-preload/contract/hostPlace.ts'
import { StudioError } from '../../../../errors.ts'
import { isThisComputer, mayReachThisComputer } from '../../../../upstream/address.ts'

/** Longest address of an authorization server, and longest address that is opened in a browser, in characters. */
const longest = 8000

/**
 * Checks an address from the metadata of a server, which is untrusted. It must be https. Plain http is allowed on this computer only, and
 * only for an MCP server that runs on this computer too: a server elsewhere must not direct requests to programs of this computer, nor to
 * its local link. A name may still resolve to this computer: `fetchFor` checks that.
 * @param serverUrl address of the MCP server
 * @param what the address in a message, such as "the token address"
 * @throws StudioError `foreign_address`
 */
export function checkedAddress(address: string | URL, serverUrl: string, what: string): URL {
  const url = URL.parse(String(address))
  if (!url || url.href.length > longest) throw refused(what, 'is not valid')
  if (url.username !== '' || url.password !== '') throw refused(what, 'contains a user name or a password')
  if (url.hash !== '') throw refused(what, 'contains a fragment')
  const server = new URL(serverUrl).hostname
  const bothHere = isThisComputer(url.hostname) && isThisComputer(server)
  if (!bothHere && mayReachThisComputer(url.hostname, { orLink: placeOf(server) !== 'link' })) {
    throw refused(what, 'leads to this computer or its local link, although the server runs elsewhere')
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && bothHere)) return url
  throw refused(what, url.protocol === 'http:' ? 'is not encrypted' : 'is not a web address')
}

/** The `fetch` for addresses that `checkedAddress` accepted: the one that refuses names of this computer, unless the server is as near. */
export function fetchFor(serverUrl: string, parts: { fetch: typeof fetch; awayFetch: typeof fetch }): typeof fetch {
  const { hostname } = new URL(serverUrl)
  return isThisComputer(hostname) || placeOf(hostname) === 'link' ? parts.fetch : parts.awayFetch
}

const refused = (what: string, why: string): StudioError =>
  new StudioError('foreign_address', `The sign-in was stopped: ${what} ${why}.`)
