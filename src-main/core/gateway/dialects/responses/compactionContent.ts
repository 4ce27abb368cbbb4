import { crc32 } from 'node:zlib'

/** Largest summary, bytes of UTF-8. A summary of this size would already fill the context of most models. */
export const maxSummaryBytes = 1024 * 1024

/** Marks content of this program, and the version of its form. */
const prefix = 'studio-summary-1.'
const maxContentLength = prefix.length + Math.ceil((maxSummaryBytes * 4) / 3) + 11

const checksumOf = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0')

/**
 * The `encrypted_content` of a compaction item: the summary in base64 with a checksum. It is encoded, not encrypted, because the app has
 * the conversation itself. Not base64url, whose `_` can form what looks like an app key, which is masked in stored responses.
 * @param summary at most `maxSummaryBytes`
 */
export function summaryContent(summary: string): string {
  const bytes = Buffer.from(summary.toWellFormed(), 'utf8')
  return `${prefix}${bytes.toString('base64')}.${checksumOf(bytes)}`
}

/** The summary in the content of a compaction item, or null when the content is not whole or not from this program. */
export function summaryOf(content: unknown): string | null {
  if (typeof content !== 'string' || content.length > maxContentLength || !content.startsWith(prefix)) return null
  const [encoded = '', checksum, ...more] = content.slice(prefix.length).split('.')
  if (encoded === '' || more.length > 0) return null
  const bytes = Buffer.from(encoded, 'base64')
  // Node skips characters that are not base64, so the text is compared.
  if (bytes.length > maxSummaryBytes || bytes.toString('base64') !== encoded || checksumOf(bytes) !== checksum)
    return null
  const summary = bytes.toString('utf8')
  return Buffer.from(summary, 'utf8').equals(bytes) ? summary : null
}
