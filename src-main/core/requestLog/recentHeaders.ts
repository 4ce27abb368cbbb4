import { withoutLocalKeys } from './redact.ts'

export type Pairs = [name: string, value: string][]

/** Headers of a request and its reply. Not copied, and cleaned only when a person looks. */
export interface KeptHeaders {
  request: Pairs
  reply: Pairs
  /** Removes secrets. */
  clean(text: string): string
}

const mostKept = 1000
/**
 * Most requests a second whose headers are recorded. They outlive the garbage collector's young generation, which at thousands of requests
 * a second costs as much as the rest of the log. No person reads so many.
 */
const mostASecond = 50

/** Headers of the newest thousand requests, at most fifty a second, in memory only. */
export class RecentHeaders {
  readonly #byId = new Map<number, KeptHeaders>()
  #second = 0
  #inSecond = 0

  /** @param now ms, any clock */
  keep(id: number, headers: KeptHeaders, now: number): void {
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    this.#inSecond += 1
    if (this.#inSecond > mostASecond) return
    this.#byId.set(id, headers)
    if (this.#byId.size <= mostKept) return
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest)
      return
    }
  }

  get(id: number): { request: Pairs; reply: Pairs } | null {
    const kept = this.#byId.get(id)
    return kept ? { request: cleanPairs(kept, kept.request), reply: cleanPairs(kept, kept.reply) } : null
  }
}

export function cleanPairs({ clean }: KeptHeaders, pairs: Pairs): Pairs {
  return pairs.map(([name, value]) => [name, withoutLocalKeys(clean(value))])
}
