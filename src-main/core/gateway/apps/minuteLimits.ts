const minuteMs = 60_000

/** A first-in, first-out queue with amortized constant time for both ends. */
class Queue<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  at(index: number): T | undefined {
    return this.#items[this.#head + index]
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): void {
    this.#head += 1
    // Shifted items are dropped when they are half of the array, so each item is copied once on average.
    if (this.#head < 256 || this.#head * 2 < this.#items.length) return
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}

/** Requests that started within the last 60 seconds. Times are monotonic milliseconds. */
export class RequestMinute {
  readonly #begun = new Queue<number>()

  /** Counts the request and returns 0, or returns the wait in ms until one more may start. */
  begin(now: number, most: number): number {
    for (let first = this.#begun.at(0); first !== undefined && first <= now - minuteMs; first = this.#begun.at(0))
      this.#begun.shift()
    const over = this.#begun.length - most
    if (over < 0) {
      this.#begun.push(now)
      return 0
    }
    return Math.max(1, (this.#begun.at(over) ?? now) + minuteMs - now)
  }
}

/** The tokens of one request: an estimate while it runs, then the actual number. */
export interface TokenEntry {
  readonly at: number
  tokens: number
  ended: boolean
  /** Started more than a minute ago, and counted only because it still runs. */
  late: boolean
}

/** Tokens of requests that started within the last 60 seconds or still run. */
export class TokenMinute {
  readonly #entries = new Queue<TokenEntry>()
  #total = 0

  /** Counts the tokens and returns their entry, or returns the wait in ms until they fit. The wait is null if they never will. */
  begin(now: number, tokens: number, most: number): TokenEntry | { waitMs: number | null } {
    this.#slide(now)
    if (tokens > 0 && this.#total + tokens > most)
      return { waitMs: tokens > most ? null : this.#wait(now, tokens, most) }
    const entry: TokenEntry = { at: now, tokens, ended: false, late: false }
    this.#entries.push(entry)
    this.#total += tokens
    return entry
  }

  /** @param tokens the actual number, or null for the estimate */
  end(entry: TokenEntry, tokens: number | null): void {
    const counted = entry.late ? 0 : (tokens ?? entry.tokens)
    this.#total += counted - entry.tokens
    entry.tokens = counted
    entry.ended = true
  }

  #slide(now: number): void {
    for (let first = this.#entries.at(0); first && first.at <= now - minuteMs; first = this.#entries.at(0)) {
      this.#entries.shift()
      if (first.ended) this.#total -= first.tokens
      else first.late = true
    }
  }

  /** Time until enough entries are older than a minute, ms. The end of a running request is unknown and counts as a second. */
  #wait(now: number, tokens: number, most: number): number {
    let left = this.#total
    for (let index = 0; index < this.#entries.length; index += 1) {
      const entry = this.#entries.at(index)
      if (!entry) break
      left -= entry.tokens
      if (left + tokens <= most) return Math.max(1, entry.at + minuteMs - now)
    }
    return 1000
  }
}
