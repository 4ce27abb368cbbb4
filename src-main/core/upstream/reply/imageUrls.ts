import type { BaseAddress } from '../address.ts'
import { asBuffer, markLength } from '../json/bytes.ts'
import { itemsOf, type Member, membersOf, parseBetween, skipSpace } from '../json/offsets.ts'
import { localFilePath, withPlainUnreserved } from '../path.ts'

/** Longest address that `resolve` accepts, bytes. An escape can use six bytes for one character. */
const maxAddressBytes = 16_384 * 6

/**
 * Replaces every `data[].url` of an images reply that is under the base address by its local path (`localFilePath`) under `local` (without a trailing slash).
 * Other bytes stay; base64 is not decoded. The result is in parts that refer to `body`, because a copy would double a large reply. Null
 * when nothing is to be replaced, or the body is not such JSON.
 */
export function localiseImageUrls(body: Uint8Array, base: BaseAddress, local: string): Uint8Array[] | null {
  const bytes = asBuffer(body)
  // Native searches first: most replies with base64 have no url.
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
    for (const item of itemsOf(bytes, data.from) ?? []) {
      for (const url of membersOf(bytes, item, ['url'])?.found ?? []) urls.push(url)
    }
  }
  return urls
}

function localAddress(bytes: Buffer, { from, to }: Member, base: BaseAddress, local: string): string | null {
  if (bytes[from] !== 0x22 || to - from > maxAddressBytes) return null
  const given = parseBetween(bytes, from, to)
  const url = typeof given === 'string' ? base.resolve(given) : null
  if (url === null) return null
  // Some services percent-encode more than necessary. The local /v1 accepts only the plain spelling.
  const path = url.href
    .slice(base.url.length)
    .replace(/#.*/, '')
    .replace(/^[^?]*/, withPlainUnreserved)
  return local + localFilePath(path)
}
