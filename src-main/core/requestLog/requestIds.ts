import type { RequestLogTables } from '../store/requestLog/open.ts'

/** A clock that is put right by less than this is taken as standing still, so that ids and times agree. */
const stillMs = 10_000

/** The ids and times of new rows: no id twice, also after rows were erased, and in the order of time, but where the clock was truly put back. */
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

  /** From the newest row that is stored. */
  load(last: { id: number; at: number } | null): void {
    this.#lastId = Math.max(last?.id ?? 0, this.#facts.get('erased_to'))
    this.#lastAt = last?.at ?? 0
    this.#clockWentBack = this.#facts.get('clock_went_back') === 1
    this.#isNoted = this.#clockWentBack
  }

  get lastId(): number {
    return this.#lastId
  }

  /** Ids and times disagree somewhere. */
  get clockWentBack(): boolean {
    return this.#clockWentBack
  }

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  /** Within a transaction that writes rows: that the clock went back stands with them. `noted` once it is committed. */
  note(): void {
    if (this.#clockWentBack && !this.#isNoted) this.#facts.set('clock_went_back', 1)
  }

  noted(): void {
    this.#isNoted = this.#clockWentBack
  }

  /** Now, ms since 1970; never before the row before. */
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
