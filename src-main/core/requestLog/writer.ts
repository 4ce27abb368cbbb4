import { setTimeout as sleep } from 'node:timers/promises'
import { asStudioError, type StudioError } from '../errors.ts'
import { asStoreError, mayPass } from '../store/databaseErrors.ts'
import type { KeptBodies } from '../store/requestLog/bodies.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { AccountLinks } from './accountLinks.ts'
import type { CallerDays } from './dailyUsage.ts'
import type { RefusalLog } from './refusals.ts'
import type { RequestIds } from './requestIds.ts'
import type { Batch, Trace } from './requestTrace.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Spend } from './spend.ts'

/** How long completions are batched before a commit, ms. Their rows already exist as "in progress". */
const closeWithinMs = 100
const maxPending = 256
/**
 * From this many requests in progress, new rows are batched for a millisecond. A commit for one or two rows of each turn would cost as much
 * as relaying them. A single request never waits.
 */
const busyFrom = 8
const gatherMs = 1
/** Maximum number of ended rows in memory while the disk is not writable. */
const maxKept = 5000
/** Maximum total size of logged bodies that wait for their file, bytes. Each request may have 1 MB. */
const maxBodyBytes = 64 * 1024 * 1024
/** How long new rows wait for another process's lock before their requests are refused, and the interval between tries, ms. */
const lockedMs = 1500
const lockedEveryMs = 50
/** Maximum number of requests that wait for the lock, because each has its body in memory. */
const maxLocked = 1000
/** Pause between two attempts while the disk is not writable, ms. One attempt may write thousands of rows. */
const failingEveryMs = 500
const complainEveryMs = 60_000
/** After this many rows, the writer stores the id below which all rows have ended. After a kill only rows with higher ids are read. */
const floorEvery = 5000

interface WriterParts {
  store: RequestLogTables
  callers: Callers
  spend: Spend
  links: AccountLinks
  used: CallerDays
  refusals: RefusalLog
  sessions: Sessions
  numbers: RequestIds
  /** Number of requests in progress. */
  live(): number
  /** The lowest row in progress, or the next new one. */
  lowestLive(): number
  /** Called with rows that were committed as ended. */
  closed(traces: Trace[]): void
  log(level: 'error', line: string): void
}

/**
 * Writes rows. All rows opened in one turn of the event loop are one commit at its end, and their requests wait for it. Completions are
 * batched for at most 100 ms. A commit costs about 8 us, whatever its size.
 */
export class Writer {
  readonly #parts: WriterParts
  #opened: Trace[] = []
  #closed: Trace[] = []
  #batch: (Batch & { settle: PromiseWithResolvers<void> }) | null = null
  #turn: NodeJS.Immediate | null = null
  #gather: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  #floorAt = 0
  #failing = false
  /** Rows that could not be written when they were opened. Their requests were not sent, and the rows are written later. */
  #missed = new Set<Trace>()
  /** Since when the rows in `#opened` wait for another process's lock; null when none do. */
  #lockedSince: number | null = null
  /** Bodies that could not be written. Their rows are closed without them, and marked after the bodies are stored. */
  #bodies: { id: number; bytes: number; kept: KeptBodies }[] = []
  /** Rows whose bodies were stored after the rows were closed. */
  #bodiesKept: number[] = []
  #complainedAt = Number.NEGATIVE_INFINITY

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** The batch of a row that is opened now. */
  batch(): Batch {
    if (this.#batch) return this.#batch
    const settle = Promise.withResolvers<void>()
    // An ignored rejection must not end the program. Callers that await the promise still receive it.
    settle.promise.catch(() => undefined)
    this.#batch = { written: false, promise: settle.promise, settle }
    return this.#batch
  }

  opens(trace: Trace): void {
    this.#opened.push(trace)
    if (this.#turn || this.#gather) return
    if (this.#parts.live() < busyFrom) this.#turn = setImmediate(this.#atTurn)
    else this.#gather = setTimeout(this.#atTurn, gatherMs)
  }

  ends(trace: Trace): void {
    this.#closed.push(trace)
    const isDue = this.#closed.length >= maxPending && !this.#failing
    if (isDue && !this.#gather) this.#turn ??= setImmediate(this.#atTurn)
    this.soon()
  }

  /** Schedules a write that may be delayed. */
  soon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(this.#atTimer, this.#failing ? failingEveryMs : closeWithinMs)
    this.#timer.unref()
  }

  readonly #atTurn = (): void => {
    this.#turn = null
    this.#gather = null
    // While the disk is not writable, only the timer retries, because each turn of the event loop would try thousands of rows.
    if (this.#closed.length >= maxPending && !this.#failing) this.flush()
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
      this.#parts.store.transaction(() => this.#writeOpened(opened))
    } catch (thrown) {
      const failure = this.#failed(thrown)
      if (this.#isWorthWaiting(failure)) {
        this.#gather ??= setTimeout(this.#atTurn, lockedEveryMs)
        return
      }
      // Rejects the waiting requests, because nothing is sent without its row.
      this.#leave()
      for (const trace of opened) this.#missed.add(trace)
      this.#bound()
      batch?.settle.reject(failure)
      this.soon()
      return
    }
    this.#leave()
    this.#parts.callers.saved()
    this.#parts.numbers.noted()
    if (batch) batch.written = true
    batch?.settle.resolve()
  }

  /** The next opened row begins another batch. */
  #leave(): void {
    this.#opened = []
    this.#batch = null
    this.#lockedSince = null
  }

  /** Whether to wait for a lock. Most last only moments, so that no person notices. */
  #isWorthWaiting({ kind }: StudioError): boolean {
    if (kind !== 'database_locked' || this.#opened.length > maxLocked) return false
    this.#lockedSince ??= performance.now()
    return performance.now() - this.#lockedSince < lockedMs
  }

  /** Writes the missed rows separately from new rows, because rows that can never be written must not block others. */
  #flushMissed(): void {
    const missed = [...this.#missed]
    if (missed.length === 0) return
    try {
      this.#parts.store.transaction(() => this.#writeOpened(missed))
      this.#parts.callers.saved()
      this.#parts.numbers.noted()
      this.#missed.clear()
    } catch (thrown) {
      this.#failed(thrown)
      this.soon()
    }
  }

  #writeOpened(opened: Trace[]): void {
    const { store, callers, numbers } = this.#parts
    callers.save(store.callers)
    numbers.note()
    for (const trace of opened) store.requests.open(trace.opened())
  }

  /** Writes everything pending now. Never throws: writes that fail are retried later. */
  flush(): void {
    this.#flushOpened()
    // Another process has the lock. No row is closed before it is opened.
    if (this.#opened.length > 0) return
    this.#flushMissed()
    const { store, callers, spend, links, used, refusals, sessions } = this.#parts
    const closed = this.#closed
    this.#storeBodies(closed)
    const bodiesKept = this.#bodiesKept
    const isMore = refusals.unsaved.size > 0 || spend.unsaved || sessions.unsaved || bodiesKept.length > 0
    if (closed.length === 0 && !isMore) return
    this.#closed = []
    try {
      store.transaction(() => {
        callers.save(store.callers)
        const ended = closed.flatMap(({ end }) => (end && store.requests.close(end) ? end : []))
        used.add(store.used, ended, (row) => links.accountOf(row))
        for (const { row, replaces } of refusals.unsaved) {
          if (replaces !== null) store.requests.remove(replaces)
          store.requests.refuse(row)
        }
        spend.save(store.spend)
        sessions.save(store.sessions)
        for (const id of bodiesKept) store.requests.hasBodies(id)
        this.#noteFloor()
      })
      callers.saved()
      refusals.saved()
      spend.saved()
      sessions.saved()
      this.#bodiesKept = []
      this.#failing = false
    } catch (thrown) {
      // Sums and rows stay together: both go into the next attempt. Rows beyond the limit read as cut off at the next start.
      this.#failed(thrown)
      this.#closed = [...closed, ...this.#closed]
      this.#bound()
      this.soon()
      return
    }
    if (this.#bodies.length > 0) this.soon()
    this.#parts.closed(closed)
  }

  /** Limits the rows in memory. Rows of which nothing was sent are dropped first. */
  #bound(): void {
    for (const trace of this.#missed) {
      if (this.#missed.size <= maxKept && this.#closed.length <= maxKept) return
      this.#missed.delete(trace)
      const at = this.#closed.indexOf(trace)
      if (at >= 0) this.#closed.splice(at, 1)
    }
    this.#closed = this.#closed.slice(-maxKept)
  }

  /** Ended, but not written yet. */
  get ended(): readonly Trace[] {
    return this.#closed
  }

  /** Stores the bodies of closed rows. Called before the rows are written, so that no row refers to missing bodies. */
  #storeBodies(closed: Trace[]): void {
    const fresh = closed.flatMap((trace) => {
      if (trace.bodiesKept === null) return []
      const { id, who, at, againOf } = trace
      const kept = { id, who, at, againOf, ...trace.cleaned() }
      trace.bodiesKept = null
      return [{ trace, id, kept, bytes: sizeOf(kept) }]
    })
    const all = [...this.#bodies, ...fresh]
    if (all.length === 0) return
    try {
      this.#parts.store.bodies.save(all.map(({ kept }) => kept))
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
    const floor = this.#parts.lowestLive()
    if (floor - this.#floorAt < floorEvery) return
    this.#floorAt = floor
    this.#parts.store.facts.set('floor', floor)
  }

  #failed(thrown: unknown): StudioError {
    const failure = asStudioError(asStoreError(thrown))
    this.#failing = true
    if (performance.now() - this.#complainedAt >= complainEveryMs) {
      this.#complainedAt = performance.now()
      this.#parts.log('error', `The request log could not be written and will be retried: ${failure.message}`)
    }
    return failure
  }

  /** Resolves when everything is written, or after `withinMs`. */
  async close(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs
    for (this.flush(); this.#isPending() && performance.now() < until; this.flush()) await sleep(lockedEveryMs)
    if (this.#turn) clearImmediate(this.#turn)
    if (this.#gather) clearTimeout(this.#gather)
    if (this.#timer) clearTimeout(this.#timer)
  }

  #isPending(): boolean {
    const { refusals, spend, sessions } = this.#parts
    const rows = this.#opened.length + this.#missed.size + this.#closed.length + this.#bodies.length
    return rows + this.#bodiesKept.length + refusals.unsaved.size > 0 || spend.unsaved || sessions.unsaved
  }
}

const sizeOf = ({ request, reply }: KeptBodies): number => (request?.text?.length ?? 0) + (reply?.text?.length ?? 0)

/** The newest bodies whose total size is within the limit. */
function newest<T extends { bytes: number }>(all: readonly T[]): T[] {
  let bytes = 0
  const from = all.findLastIndex((one) => {
    bytes += one.bytes
    return bytes > maxBodyBytes
  })
  return all.slice(from + 1)
}
