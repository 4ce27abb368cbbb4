import { setTimeout as sleep } from 'node:timers/promises'
import { asStudioError, type StudioError } from '../errors.ts'
import { asStoreError, mayPass } from '../store/database.ts'
import type { KeptBodies } from '../store/requestLog/bodies.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { AccountLinks } from './accountLinks.ts'
import type { CallerDays } from './dailyUsage.ts'
import type { RefusalLog } from './refusals.ts'
import type { RequestIds } from './requestIds.ts'
import type { Batch, Trace } from './requestTrace.ts'
import type { Spend } from './spend.ts'

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
/** Logged bodies that wait for their file, bytes: each request may have 1 MB of them. */
const mostBodyBytes = 64 * 1024 * 1024
/** How long new rows wait for another process's lock before their requests are refused, and how often they are tried, ms. */
const lockedMs = 1500
const lockedEveryMs = 50
/** Requests that wait for the lock at most: each holds its body. */
const mostLocked = 1000
/** Pause between two attempts while the disk takes nothing, ms: one attempt may write thousands of rows. */
const failingEveryMs = 500
const complainEveryMs = 60_000
/** So many rows later it is noted again below which row all have ended: after a kill only those above are looked at. */
const floorEvery = 5000

interface UsageAccounts {
  store: RequestLogTables
  callers: Callers
  spend: Spend
  links: AccountLinks
  used: CallerDays
  refusals: RefusalLog
  numbers: RequestIds
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
  readonly #requestLog: UsageAccounts
  #opened: Trace[] = []
  #closed: Trace[] = []
  #batch: (Batch & { settle: PromiseWithResolvers<void> }) | null = null
  #turn: NodeJS.Immediate | null = null
  #gather: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  #floorAt = 0
  #failing = false
  /** Rows that the disk did not take when they were opened: nothing was sent of them, and they are written later. */
  #missed = new Set<Trace>()
  /** Since when the rows in `#opened` wait for another process's lock; null while none do. */
  #lockedSince: number | null = null
  /** Bodies whose file did not take them. Their rows are closed without them, and marked once they are kept. */
  #bodies: { id: number; bytes: number; kept: KeptBodies }[] = []
  /** Rows whose bodies have been kept since the rows were closed. */
  #bodiesKept: number[] = []
  #complainedAt = Number.NEGATIVE_INFINITY

  constructor(requestLog: UsageAccounts) {
    this.#requestLog = requestLog
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
    if (this.#requestLog.live() < busyFrom) this.#turn = setImmediate(this.#atTurn)
    else this.#gather = setTimeout(this.#atTurn, gatherMs)
  }

  ends(trace: Trace): void {
    this.#closed.push(trace)
    const isDue = this.#closed.length >= mostPending && !this.#failing
    if (isDue && !this.#gather) this.#turn ??= setImmediate(this.#atTurn)
    this.soon()
  }

  /** Something that can wait a moment is to be written. */
  soon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(this.#atTimer, this.#failing ? failingEveryMs : closeWithinMs)
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
    const batch = this.#batch
    try {
      this.#requestLog.store.transaction(() => this.#writeOpened(opened))
    } catch (thrown) {
      const failure = this.#failed(thrown)
      if (this.#isWorthWaiting(failure)) {
        this.#gather ??= setTimeout(this.#atTurn, lockedEveryMs)
        return
      }
      // Nothing is sent that is not written down: those who wait fail.
      this.#leave()
      for (const trace of opened) this.#missed.add(trace)
      this.#bound()
      batch?.settle.reject(failure)
      this.soon()
      return
    }
    this.#leave()
    this.#requestLog.callers.saved()
    this.#requestLog.numbers.noted()
    if (batch) batch.written = true
    batch?.settle.resolve()
  }

  /** The next row that is opened begins another batch. */
  #leave(): void {
    this.#opened = []
    this.#batch = null
    this.#lockedSince = null
  }

  /** Locks mostly last for moments: requests wait for those, so that nobody notices them. */
  #isWorthWaiting({ kind }: StudioError): boolean {
    if (kind !== 'database_locked' || this.#opened.length > mostLocked) return false
    this.#lockedSince ??= performance.now()
    return performance.now() - this.#lockedSince < lockedMs
  }

  /** Apart from new rows: what may never go in must not keep others out. */
  #flushMissed(): void {
    const missed = [...this.#missed]
    if (missed.length === 0) return
    try {
      this.#requestLog.store.transaction(() => this.#writeOpened(missed))
      this.#requestLog.callers.saved()
      this.#requestLog.numbers.noted()
      this.#missed.clear()
    } catch (thrown) {
      this.#failed(thrown)
      this.soon()
    }
  }

  #writeOpened(opened: Trace[]): void {
    const { store, callers, numbers } = this.#requestLog
    callers.save(store.callers)
    numbers.note()
    for (const trace of opened) store.requests.open(trace.opened())
  }

  /** Writes all that there is to write, now. Never throws: what the disk does not take is kept and tried again. */
  flush(): void {
    this.#flushOpened()
    // Another process holds the lock; and no row is closed before it is opened.
    if (this.#opened.length > 0) return
    this.#flushMissed()
    const { store, callers, spend, links, used, refusals } = this.#requestLog
    const closed = this.#closed
    this.#keepBodies(closed)
    const bodiesKept = this.#bodiesKept
    const isMore = refusals.unsaved.size > 0 || spend.unsaved || bodiesKept.length > 0
    if (closed.length === 0 && !isMore) return
    this.#closed = []
    try {
      store.transaction(() => {
        callers.save(store.callers)
        const ended = closed.flatMap(({ end }) => (end && store.requests.close(end) ? end : []))
        used.add(store.used, ended, (row) => links.accountOf(row))
        for (const { row, stored } of refusals.unsaved) {
          if (stored) store.requests.count(row.id, row.times)
          else store.requests.refuse(row)
        }
        spend.save(store.spend)
        for (const id of bodiesKept) store.requests.hasBodies(id)
        this.#noteFloor()
      })
      callers.saved()
      refusals.saved()
      spend.saved()
      this.#bodiesKept = []
      this.#failing = false
    } catch (thrown) {
      // Sums and rows stay together: both go with the next attempt. Rows that there is no room for read as cut off at the next start.
      this.#failed(thrown)
      this.#closed = [...closed, ...this.#closed]
      this.#bound()
      this.soon()
      return
    }
    if (this.#bodies.length > 0) this.soon()
    this.#requestLog.closed(closed)
  }

  /** So many rows are kept at most: those of which nothing was sent go first. */
  #bound(): void {
    for (const trace of this.#missed) {
      if (this.#missed.size <= mostKept && this.#closed.length <= mostKept) return
      this.#missed.delete(trace)
      const at = this.#closed.indexOf(trace)
      if (at >= 0) this.#closed.splice(at, 1)
    }
    this.#closed = this.#closed.slice(-mostKept)
  }

  /** Ended, but not written yet. */
  get ended(): readonly Trace[] {
    return this.#closed
  }

  /** Before the rows, so that none claims bodies that are not there. */
  #keepBodies(closed: Trace[]): void {
    const fresh = closed.flatMap((trace) => {
      if (trace.bodiesKept === null) return []
      const { id, who, at } = trace
      const kept = { id, who, at, ...trace.cleaned() }
      trace.bodiesKept = null
      return [{ trace, id, kept, bytes: sizeOf(kept) }]
    })
    const all = [...this.#bodies, ...fresh]
    if (all.length === 0) return
    try {
      this.#requestLog.store.bodies.save(all.map(({ kept }) => kept))
      this.#bodiesKept.push(...this.#bodies.map(({ id }) => id))
      this.#bodies = []
    } catch (thrown) {
      this.#failed(thrown)
      for (const { trace } of fresh) if (trace.end) trace.end.hasBodies = 0
      this.#bodies = mayPass(thrown) ? newest(all) : []
      this.soon()
    }
  }

  #noteFloor(): void {
    const floor = this.#requestLog.lowestLive()
    if (floor - this.#floorAt < floorEvery) return
    this.#floorAt = floor
    this.#requestLog.store.facts.set('floor', floor)
  }

  #failed(thrown: unknown): StudioError {
    const failure = asStudioError(asStoreError(thrown))
    this.#failing = true
    if (performance.now() - this.#complainedAt >= complainEveryMs) {
      this.#complainedAt = performance.now()
      this.#requestLog.log('error', `The log of requests could not be written; it is tried again: ${failure.message}`)
    }
    return failure
  }

  /** Everything is written, or could not be within `withinMs`. */
  async close(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs
    for (this.flush(); this.#isPending() && performance.now() < until; this.flush()) await sleep(lockedEveryMs)
    if (this.#turn) clearImmediate(this.#turn)
    if (this.#gather) clearTimeout(this.#gather)
    if (this.#timer) clearTimeout(this.#timer)
  }

  #isPending(): boolean {
    const { refusals, spend } = this.#requestLog
    const rows = this.#opened.length + this.#missed.size + this.#closed.length + this.#bodies.length
    return rows + this.#bodiesKept.length + refusals.unsaved.size > 0 || spend.unsaved
  }
}

const sizeOf = ({ request, reply }: KeptBodies): number => (request?.text?.length ?? 0) + (reply?.text?.length ?? 0)

/** The newest bodies that fit into what may wait. */
function newest<T extends { bytes: number }>(all: readonly T[]): T[] {
  let bytes = 0
  const from = all.findLastIndex((one) => {
    bytes += one.bytes
    return bytes > mostBodyBytes
  })
  return all.slice(from + 1)
}
