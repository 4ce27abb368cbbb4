import { StudioError } from '../../../../errors.ts'
import { isLoopbackHost } from '../../../../upstream/address.ts'

/** Longest address of an authorization server, and longest address that is opened in a browser, in characters. */
const longest = 8000

/**
 * Checks an address from the metadata of a server, which is untrusted. It must be https. Plain http is allowed on this computer only, and
 * only for an MCP server that runs on this computer too: a server elsewhere must not direct requests to programs of this computer.
 * @param serverUrl address of the MCP server
 * @param what the address in a message, such as "the token address"
 * @throws StudioError `foreign_address`
 */
export function checkedAddress(address: string | URL, serverUrl: string, what: string): URL {
  const url = URL.parse(String(address))
  if (!url || url.href.length > longest) throw refused(what, 'is not valid')
  if (url.username !== '' || url.password !== '') throw refused(what, 'contains a user name or a password')
  if (url.hash !== '') throw refused(what, 'contains a fragment')
  const loopback = isLoopbackHost(url.hostname)
  const bothHere = loopback && isLoopbackHost(new URL(serverUrl).hostname)
  if (loopback && !bothHere) throw refused(what, 'leads to this computer, although the server runs elsewhere')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && bothHere)) return url
  throw refused(what, url.protocol === 'http:' ? 'is not encrypted' : 'is not a web address')
}

const refused = (what: string, why: string): StudioError =>
  new StudioError('foreign_address', `The sign-in was stopped: ${what} ${why}.`)
