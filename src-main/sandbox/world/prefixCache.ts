import { createHash } from 'node:crypto'

const KEPT = 20_000
/** Prompt caches work in blocks; a few tokens are never cached. */
const BLOCK = 16

/** Which beginnings of conversations an account has sent to a model before: those tokens are "cached". */
export class PrefixCache {
  /** Hash of the messages so far -> how many tokens they are. Oldest first. */
  readonly #seen = new Map<string, number>()

  /**
   * How many of the prompt's tokens are the beginning of an earlier one, in whole blocks; never more than the prompt. Remembers
   * this one. `tokens[i]` is what `messages[i]` counts.
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
