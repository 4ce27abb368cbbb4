import { TextDecoder } from 'node:util'
import type { CopiedBody } from '../../ports/requests.ts'
import { ByteStore } from './bytes.ts'

/** Of a logged body, bytes. */
export const copyLimit = 256 * 1024
/** More than a key in its longest usual form (escaped JSON, six bytes a character). Bytes. */
const tail = 8 * 1024

/**
 * Collects the first `limit` bytes of a body for the books. Secrets are cut out before the cap is applied, over a stretch that is
 * longer than the cap by more than a key; what is left of that stretch's end is dropped, so half a key survives at no border.
 */
export function copyBody(limit: number): {
  push(bytes: Uint8Array): void
  done(clean: (text: string) => string): CopiedBody
} {
  const kept = new ByteStore()
  let bytes = 0
  return {
    push(chunk) {
      bytes += chunk.length
      kept.append(chunk, 0, Math.min(chunk.length, limit + tail - kept.length))
    },
    done(clean) {
      const all = bytes === kept.length
      const text = textOf(kept.view(), all)
      kept.clear()
      if (text === null) return { text: null, bytes, capped: bytes > limit }
      const cleaned = Buffer.from(clean(text))
      // A key that begins near the end of an incomplete copy is not recognised: it lies within these last bytes.
      const sure = all ? cleaned.length : Math.max(0, cleaned.length - tail)
      return { text: firstBytes(cleaned, Math.min(limit, sure)), bytes, capped: bytes > limit }
    },
  }
}

/** Null where it is no text. A copy that breaks off may do so inside a character. */
function textOf(bytes: Buffer, whole: boolean): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole })
  } catch {
    return null
  }
}

/** At most so many bytes, ending at the border of a character. */
function firstBytes(bytes: Buffer, limit: number): string {
  let end = limit
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
