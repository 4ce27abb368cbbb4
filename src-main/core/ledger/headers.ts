import { withoutLocalKeys } from './clean.ts'

export type Pairs = [name: string, value: string][]

/** Headers as the carrier handed them over: not copied, and cleaned only when somebody looks. */
export interface KeptHeaders {
  request: Pairs
  reply: Pairs
  /** Cuts secrets out. */
  clean(text: string): string
}

const mostKept = 1000

/** The headers of the newest thousand requests, in memory alone. */
export class RecentHeaders {
  readonly #byId = new Map<number, KeptHeaders>()

  keep(id: number, headers: KeptHeaders): void {
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
