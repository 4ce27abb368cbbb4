import { createHash } from 'node:crypto'

const KEPT = 20_000
/** Prompt caches work in blocks, so a few tokens are never cached. */
const BLOCK = 16

/** Beginnings of conversations that an account has already sent to a model. Their tokens count as cached. */
export class PrefixCache {
  /** Number of tokens by hash of the messages so far. Oldest first. */
  readonly #seen = new Map<string, number>()

  /**
   * Returns the number of prompt tokens that match the beginning of an earlier prompt, in whole blocks. Stores this prompt for later calls.
   * `tokens[i]` is the count of `messages[i]`.
   */
  use(owner: string, messages: unknown[], tokens: number[]): number {
    const hash = createHash('sha256').update(owner)
    let total = 0
    let cached = 0
    for (const [index, message] of messages.entries()) {
      hash.update(JSON.stringify(message)).update('\0')
      total += tokens[index] ?? 0
      const prefix = hash.copy().digest('base64')
      if (this.#seen.delete(prefix)) cached = total
      this.#seen.set(prefix, total)
    }
    while (this.#seen.size > KEPT) {
      const oldest = this.#seen.keys().next().value
      if (oldest === undefined) break
      this.#seen.delete(oldest)
    }
    return cached - (cached % BLOCK)
  }
}
