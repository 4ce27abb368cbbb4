import type { IncomingMessage } from 'node:http'
import type { Tool } from '../../../src-preload/contract/tools.ts'
import type { Refusal } from './answers.ts'
import { pathBelowV1 } from './target.ts'

export type Verdict = { pass: true; tool: Tool; path: string } | { pass: false; refusal: Refusal }

const refuse = (status: number, code: string, message: string): Verdict => ({
  pass: false,
  refusal: { status, type: 'studio_refused', code, message },
})

/** Headers that must stand once: two of them would be read in two ways by two programs (RFC 9112, 6.3). */
const single = ['host', 'authorization', 'content-length', 'transfer-encoding', 'content-type', 'origin']

function repeated(rawHeaders: string[]): string | null {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (single.includes(name) && seen.has(name)) return name
    seen.add(name)
  }
  return null
}

/** The exact names that this server answers to; a rebound name of an attacker's is none of them. */
export function hostsOf(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`])
}

/** A key in the query or in another header would go on to the service, and into its logs. */
function repeatsKey({ url = '', rawHeaders }: IncomingMessage, key: string): boolean {
  if (url.includes(key)) return true
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at + 1]?.includes(key) && rawHeaders[at]?.toLowerCase() !== 'authorization') return true
  }
  return false
}

function bearer(authorization: string | undefined): string | null {
  return /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1] ?? null
}

/**
 * Decides over a request from its head alone, before a byte of it goes upstream and before its body is read.
 * A web page is told from a program by what browsers can't leave out: `Origin` or `Sec-Fetch-Site`.
 */
export function judge(
  request: IncomingMessage,
  hosts: ReadonlySet<string>,
  verify: (presented: string) => Tool | null,
): Verdict {
  const { headers } = request
  const twice = repeated(request.rawHeaders)
  if (twice) return refuse(400, 'repeated_header', `The header ${twice} stands more than once.`)
  if (!hosts.has((headers.host ?? '').toLowerCase())) {
    return refuse(421, 'wrong_host', 'This address answers only to 127.0.0.1 and localhost with its own port.')
  }
  if (headers.origin !== undefined) {
    return refuse(403, 'web_page', 'Web pages may not use this address. It is for programs on this machine.')
  }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'none') {
    return refuse(403, 'web_page', 'Web pages may not use this address. It is for programs on this machine.')
  }
  if (headers['content-length'] !== undefined && headers['transfer-encoding'] !== undefined) {
    return refuse(400, 'two_lengths', 'Content-Length and Transfer-Encoding exclude each other.')
  }
  const path = pathBelowV1(request.url ?? '')
  if (path === null) return refuse(404, 'not_under_v1', 'Only paths under /v1 are relayed, in their plain form.')
  const presented = bearer(headers.authorization)
  if (presented === null) {
    return refuse(401, 'tool_key_missing', 'A tool key of Inference Studio is needed: Authorization: Bearer isk_…')
  }
  if (repeatsKey(request, presented)) {
    return refuse(
      400,
      'key_elsewhere',
      'The tool key belongs in the Authorization header alone; it stands elsewhere too.',
    )
  }
  const tool = verify(presented)
  if (!tool) {
    return refuse(401, 'tool_key_refused', 'This tool key is unknown or revoked. Make one on the Proxy page.')
  }
  return { pass: true, tool, path }
}
