import { asStudioError } from '../errors.ts'
import { asStoreError } from '../store/database.ts'
import type { Callers } from '../store/ledger/callers.ts'
import type { LedgerStore } from '../store/ledger/open.ts'
import type { Links } from './links.ts'
import type { Refusals } from './refusals.ts'
import type { Spend } from './spend.ts'
import type { Batch, Trace } from './trace.ts'
import type { UsedDays } from './use.ts'

/** Ends that may wait for a common commit: their rows already stand, as under way. */
const closeWithinMs = 100
const mostPending = 256
/**
 * With so many requests under way new rows gather for a millisecond: a commit of each turn's one or two would cost as much as
 * relaying them. Nobody notices it there; a lone request never waits.
 */
const busyFrom = 8
const gatherMs = 1
/** Ended rows that are kept for another attempt while the disk takes nothing. */
const mostKept = 5000
const complainEveryMs = 60_000
/** So many rows later it is noted again below which row all have ended: after a kill only those above are looked at. */
const floorEvery = 5000

interface Books {
  store: LedgerStore
  callers: Callers
  spend: Spend
  links: Links
  used: UsedDays
  refusals: Refusals
  /** Requests under way. */
  live(): number
  /** The lowest row that is under way, or the next to come. */
  lowestLive(): number
  /** Rows that were committed as ended. */
  closed(traces: Trace[]): void
  log(level: 'error', line: string): void
}

/**
 * Brings rows to the disk. All that was opened in one turn of the event loop is one commit at its end, and whoever opened waits for
 * that; ends gather for at most 100 ms. One commit costs about 8 us, whatever is in it.
 */
export class Writer {
  readonly #books: Books
  #opened: Trace[] = []
  #closed: Trace[] = []
  #batch: (Batch & { settle: PromiseWithResolvers<void> }) | null = null
  #turn: NodeJS.Immediate | null = null
  #gather: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  #floorAt = 0
  #failing = false
  /** Rows that the disk did not take when they were opened: nothing was sent of them, and they are written later. */
  #missed: Trace[] = []
  #complainedAt = Number.NEGATIVE_INFINITY

  constructor(books: Books) {
    this.#books = books
  }

  /** The batch that a row opened now belongs to. */
  batch(): Batch {
    if (this.#batch) return this.#batch
    const settle = Promise.withResolvers<void>()
    // Who does not wait for it must not bring the program down with it; who does gets the failure.
    settle.promise.catch(() => undefined)
    this.#batch = { written: false, promise: settle.promise, settle }
    return this.#batch
  }

  opens(trace: Trace): void {
    this.#opened.push(trace)
    if (this.#turn || this.#gather) return
    if (this.#books.live() < busyFrom) this.#turn = setImmediate(this.#atTurn)
    else this.#gather = setTimeout(this.#atTurn, gatherMs)
  }

  ends(trace: Trace): void {
    this.#closed.push(trace)
    if (this.#closed.length >= mostPending && !this.#gather) this.#turn ??= setImmediate(this.#atTurn)
    this.soon()
  }

  /** Something that can wait a moment is to be written. */
  soon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(this.#atTimer, closeWithinMs)
    this.#timer.unref()
  }

  readonly #atTurn = (): void => {
    this.#turn = null
    this.#gather = null
    // While the disk takes nothing, the timer alone tries again: each turn would try thousands of rows.
    if (this.#closed.length >= mostPending && !this.#failing) this.flush()
    else this.#flushOpened()
  }

  readonly #atTimer = (): void => {
    this.#timer = null
    this.flush()
  }

  #flushOpened(): void {
    const opened = this.#opened
    if (opened.length === 0) return
    this.#opened = []
    const batch = this.#batch
    this.#batch = null
    try {
      this.#books.store.transaction(() => this.#writeOpened(opened))
      this.#books.callers.saved()
      if (batch) batch.written = true
      batch?.settle.resolve()
    } catch (thrown) {
      // Nothing is sent that is not written down: those who wait fail.
      const failure = this.#failed(thrown)
      this.#missed = [...this.#missed, ...opened].slice(-mostKept)
      batch?.settle.reject(failure)
      this.soon()
    }
  }

  /** Apart from new rows: what may never go in must not keep others out. */
  #flushMissed(): void {
    const missed = this.#missed
    if (missed.length === 0) return
    try {
      this.#books.store.transaction(() => this.#writeOpened(missed))
      this.#books.callers.saved()
      this.#missed = []
    } catch (thrown) {
      this.#failed(thrown)
      this.soon()
    }
  }

  #writeOpened(opened: Trace[]): void {
    const { store, callers } = this.#books
    callers.save(store.callers)
    for (const trace of opened) store.requests.open(trace.opened())
  }

  /** Writes all that there is to write, now. */
  flush(): void {
    this.#flushOpened()
    this.#flushMissed()
    const { store, callers, spend, links, used, refusals } = this.#books
    const closed = this.#closed
    if (closed.length === 0 && refusals.unsaved.size === 0 && !spend.unsaved) return
    this.#closed = []
    this.#keepBodies(closed)
    try {
      store.transaction(() => {
        callers.save(store.callers)
        const ended = closed.flatMap(({ end }) => (end && store.requests.close(end) ? end : []))
        used.add(ended, (row) => links.accountOf(row))
        for (const { row, stored } of refusals.unsaved) {
          if (stored) store.requests.count(row.id, row.times)
          else store.requests.refuse(row)
        }
        spend.save(store.spend)
        this.#noteFloor()
      })
      callers.saved()
      refusals.saved()
      spend.saved()
      this.#failing = false
    } catch (thrown) {
      // Sums and rows stay together: both go with the next attempt. Rows that there is no room for read as cut off at the next start.
      this.#failed(thrown)
      this.#closed = [...closed, ...this.#closed].slice(-mostKept)
      this.soon()
      return
    }
    this.#books.closed(closed)
  }

  /** Before the rows, so that none claims bodies that are not there. */
  #keepBodies(closed: Trace[]): void {
    const kept = closed.filter((trace) => trace.bodiesKept !== null)
    if (kept.length === 0) return
    try {
      this.#books.store.bodies.keep(
        kept.map((trace) => ({ id: trace.id, who: trace.who, at: trace.at, ...trace.cleaned() })),
      )
    } catch (thrown) {
      this.#failed(thrown)
      for (const { end } of kept) if (end) end.hasBodies = 0
    }
    for (const trace of kept) trace.bodiesKept = null
  }

  #noteFloor(): void {
    const floor = this.#books.lowestLive()
    if (floor - this.#floorAt < floorEvery) return
    this.#floorAt = floor
    this.#books.store.facts.set('floor', floor)
  }

  #failed(thrown: unknown): Error {
    const failure = asStudioError(asStoreError(thrown))
    this.#failing = true
    if (performance.now() - this.#complainedAt >= complainEveryMs) {
      this.#complainedAt = performance.now()
      this.#books.log('error', `The log of requests could not be written: ${failure.message}`)
    }
    return failure
  }

  close(): void {
    this.flush()
    if (this.#turn) clearImmediate(this.#turn)
    if (this.#gather) clearTimeout(this.#gather)
    if (this.#timer) clearTimeout(this.#timer)
  }
}
