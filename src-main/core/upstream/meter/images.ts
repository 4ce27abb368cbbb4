import type { BaseAddress } from '../address.ts'
import { withPlainUnreserved } from '../path.ts'
import { asBuffer, markLength } from './bytes.ts'
import { itemsOf, type Member, membersOf, parseBetween, skipSpace } from './json.ts'

/** `resolve` takes no longer address; escapes can make six bytes of each character. */
const longestAddress = 16_384 * 6

/**
 * An images reply with every `data[].url` under the base address replaced by the same path under the local address; all other
 * bytes as they were, base64 neither decoded nor looked into. In parts, which refer to `body`: a copy would double a large reply.
 * Null where nothing is to be replaced or it is no such JSON. `local` has no trailing slash.
 */
export function localiseImageUrls(body: Uint8Array, base: BaseAddress, local: string): Uint8Array[] | null {
  const bytes = asBuffer(body)
  // Native searches first: most replies with base64 name no url at all.
  if (!bytes.includes('"url"') && !bytes.includes(0x5c)) return null
  const urls = urlsOf(bytes)
  if (urls === null) return null
  const parts: Uint8Array[] = []
  let from = 0
  for (const url of urls) {
    const address = localAddress(bytes, url, base, local)
    if (address === null) continue
    parts.push(bytes.subarray(from, url.from), Buffer.from(JSON.stringify(address)))
    from = url.to
  }
  if (from === 0) return null
  parts.push(bytes.subarray(from))
  return parts
}

function urlsOf(bytes: Buffer): Member[] | null {
  const top = membersOf(bytes, skipSpace(bytes, markLength(bytes)), ['data'])
  if (top === null || skipSpace(bytes, top.end) !== bytes.length) return null
  const urls: Member[] = []
  for (const data of top.found) {
    for (const item of itemsOf(bytes, data.from) ?? []) urls.push(...(membersOf(bytes, item, ['url'])?.found ?? []))
  }
  return urls
}

function localAddress(bytes: Buffer, { from, to }: Member, base: BaseAddress, local: string): string | null {
  if (bytes[from] !== 0x22 || to - from > longestAddress) return null
  const given = parseBetween(bytes, from, to)
  const url = typeof given === 'string' ? base.resolve(given) : null
  if (url === null) return null
  // Some services percent-encode more than they need to; the local /v1 takes the plain spelling alone.
  return (
    local +
    url.href
      .slice(base.url.length)
      .replace(/#.*/, '')
      .replace(/^[^?]*/, withPlainUnreserved)
  )
}
