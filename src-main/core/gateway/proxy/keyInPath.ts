import type { IncomingMessage } from 'node:http'
import type { HeaderPairs } from '../../upstream/headers.ts'

const taken = new WeakMap<IncomingMessage, string>()

/** An address with an app key, and what follows: a path, a query, both or nothing. */
const address = /^\/app\/(isk_[\w-]{1,512})(?![^/?])/

/**
 * The key of a request to an app's address with its key (`/app/isk_…/v1/models`), or undefined. The first call takes it out of `request.url`,
 * so that nothing else can log, compare or send it: from then on the request is one for `/v1/models`.
 */
export function keyInPath(request: IncomingMessage): string | undefined {
  const { url = '' } = request
  const found = address.exec(url)
  // A second key in the same path stays there, and is refused.
  if (!found || taken.has(request)) return taken.get(request)
  const [start, key = ''] = found
  const rest = url.slice(start.length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  taken.set(request, key)
  return key
}

/**
 * Headers of every reply at an address with a key, for a browser that shows it as a page: the page may not send its address on, and runs no
 * script that could read it.
 */
export const keyedReplyHeaders: HeaderPairs = [
  ['Referrer-Policy', 'no-referrer'],
  ['Content-Security-Policy', 'sandbox'],
]

/** Whether a path contains what looks like an app key, which the service must not see. */
export const hasKey = (path: string): boolean => /\/isk_/i.test(path)
