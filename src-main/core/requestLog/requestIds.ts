import type { RequestLogTables } from '../store/requestLog/open.ts'

/** When the clock is set back by less than this, times stay the same instead, so that ids and times agree. ms. */
const stillMs = 10_000

/** Ids and times of new rows. No id is used twice, even after deletions. Times ascend unless the clock is set back by 10 s or more. */
export class RequestIds {
  readonly #facts: RequestLogTables['facts']
  readonly #now: () => number
  #lastId = 0
  #lastAt = 0
  #clockWentBack = false
  #isNoted = false

  constructor(facts: RequestLogTables['facts'], now: () => number) {
    this.#facts = facts
    this.#now = now
  }

  /** Continues after the newest stored row. */
  load(last: { id: number; at: number } | null): void {
    this.#lastId = Math.max(last?.id ?? 0, this.#facts.get('erased_to'))
    this.#lastAt = last?.at ?? 0
    this.#clockWentBack = this.#facts.get('clock_went_back') === 1
    this.#isNoted = this.#clockWentBack
  }

  get lastId(): number {
    return this.#lastId
  }

  /** Whether ids and times disagree somewhere. */
  get clockWentBack(): boolean {
    return this.#clockWentBack
  }

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  /** Stores in the rows' transaction that the clock was set back. Call `noted` after the commit. */
  note(): void {
    if (this.#clockWentBack && !this.#isNoted) this.#facts.set('clock_went_back', 1)
  }

  noted(): void {
    this.#isNoted = this.#clockWentBack
  }

  /** Current time, ms since 1970; never before the previous row. */
  at(): number {
    const now = Math.floor(this.#now())
    if (now < this.#lastAt) {
      if (this.#lastAt - now < stillMs) return this.#lastAt
      this.#clockWentBack = true
    }
    this.#lastAt = now
    return now
  }
}
