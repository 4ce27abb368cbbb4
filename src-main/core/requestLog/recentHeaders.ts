import { withoutLocalKeys } from './redact.ts'
import type { SecretMask } from './secrets.ts'

/** Headers in their order. A name may occur more than once. */
export type Pairs = [name: string, value: string][]

/** Headers of a request and its reply. They are not copied, and secrets are removed only when a person views them. */
export interface RecordedHeaders {
  request: Pairs
  reply: Pairs
  /** Removes secrets. */
  clean(text: string): string
}

const maxKept = 1000
/**
 * Maximum number of requests a second whose headers are recorded. Headers outlive the garbage collector's young generation. At thousands of
 * requests a second, that costs as much as the rest of the log. No person reads that many.
 */
const maxPerSecond = 50

/** Headers of the newest thousand requests, at most fifty a second, in memory only. */
export class RecentHeaders {
  readonly #byId = new Map<number, RecordedHeaders>()
  readonly #secrets: () => SecretMask
  #second = 0
  #inSecond = 0

  constructor(secrets: () => SecretMask) {
    this.#secrets = secrets
  }

  /** @param now ms, any clock */
  record(id: number, headers: RecordedHeaders, now: number): void {
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    this.#inSecond += 1
    if (this.#inSecond > maxPerSecond) return
    this.#byId.set(id, headers)
    if (this.#byId.size <= maxKept) return
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest)
      return
    }
  }

  get(id: number): { request: Pairs; reply: Pairs } | null {
    const kept = this.#byId.get(id)
    const secrets = this.#secrets()
    return kept
      ? { request: cleanPairs(kept, kept.request, secrets), reply: cleanPairs(kept, kept.reply, secrets) }
      : null
  }
}

/** The headers with secrets removed from their values. */
export function cleanPairs({ clean }: RecordedHeaders, pairs: Pairs, secrets: SecretMask): Pairs {
  return pairs.map(([name, value]) => [name, secrets.text(withoutLocalKeys(clean(value)))])
}
