import { TextDecoder } from 'node:util'
import type { CopiedBody } from '../../ports/requests.ts'
import { ByteStore } from '../json/bytes.ts'

/** Maximum number of bytes of a logged body. */
export const copyLimit = 256 * 1024
/** Longer than a key in its longest usual form (escaped JSON, six bytes a character). Bytes. */
const tail = 8 * 1024
/** Maximum number of times of a copy. Then pairs are joined, and parts that follow within twice as long. */
const maxTimes = 2000
/** Parts that arrive within this time count as one, ms. */
const togetherMs = 2

/**
 * Collects the first `limit` bytes of a body for the request log. `done` removes secrets before it applies the limit. It cleans a copy that
 * exceeds the limit by more than the length of a key and drops the end, so that no part of a key remains there.
 */
export function copyBody(limit: number): {
  push(bytes: Uint8Array): void
  done(clean: (text: string) => string): CopiedBody
} {
  const kept = new ByteStore()
  let bytes = 0
  const arrivals = new Arrivals()
  return {
    push(chunk) {
      bytes += chunk.length
      arrivals.add(chunk.length)
      kept.append(chunk, 0, Math.min(chunk.length, limit + tail - kept.length))
    },
    done(clean) {
      const all = bytes === kept.length
      const text = textOf(kept.view(), all)
      kept.clear()
      if (text === null) return { text: null, bytes, capped: bytes > limit }
      const cleaned = Buffer.from(clean(text))
      // A key that begins in the last bytes of an incomplete copy is not recognised.
      const sure = all ? cleaned.length : Math.max(0, cleaned.length - tail)
      return { text: firstBytes(cleaned, Math.min(limit, sure)), bytes, capped: bytes > limit, ...arrivals.times }
    },
  }
}

/** The times at which parts of a body arrived, in bounded memory. */
class Arrivals {
  #start: number | null = null
  #togetherMs = togetherMs
  #times: [ms: number, bytes: number][] = []

  /** Nothing when the body arrived at once. */
  get times(): Pick<CopiedBody, 'times'> {
    return this.#times.length > 1 ? { times: this.#times } : {}
  }

  add(bytes: number): void {
    const now = performance.now()
    this.#start ??= now
    const at = Math.round(now - this.#start)
    const last = this.#times.at(-1)
    if (last && at - last[0] < this.#togetherMs) last[1] += bytes
    else if (this.#times.push([at, bytes]) >= maxTimes) this.#join()
  }

  #join(): void {
    this.#togetherMs *= 2
    this.#times = this.#times.flatMap(([at, bytes], index) =>
      index % 2 === 0 ? [[at, bytes + (this.#times[index + 1]?.[1] ?? 0)]] : [],
    )
  }
}

/** Null when the bytes are no text. A copy may end inside a character. */
function textOf(bytes: Buffer, whole: boolean): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole })
  } catch {
    return null
  }
}

/** At most `limit` bytes, ending after a whole character. */
function firstBytes(bytes: Buffer, limit: number): string {
  let end = limit
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
