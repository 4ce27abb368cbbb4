import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { dayMs } from '../shared/days.ts'
import { guarded } from '../shared/unexpected.ts'
import { parseJson } from './rows.ts'

/** What sweeps that delete by age ask before they delete. */
export interface DeletionDeadlines {
  /**
   * Items with a date before the returned time (ms since 1970) may be deleted because of their age. Null: nothing may be deleted now.
   * @param keptMs how long items stay, ms
   */
  before(keptMs: number): number | null
  /** When an item with this date may be deleted at the earliest. Both are ms since 1970. */
  of(date: number, keptMs: number): number
  /** Whether the clock of the computer is not behind a time that counts. It may be ahead. */
  isNotBehind(): boolean
}

/** A time in which the clock advanced without a jump. */
const stretch = z.object({
  /** Running time of the program when the stretch began, ms. */
  ran: z.number().min(0),
  /** The last time of the stretch that was seen, ms since 1970. */
  until: z.number(),
})
const stored = z.object({
  /** Time that the program has run with this folder, ms. */
  ran: z.number().min(0),
  /** Oldest first. The first is the last confirmed one. */
  stretches: z.array(stretch).max(1000),
  /** No deadline begins before this time, ms since 1970. Null until the first stretch is confirmed. */
  floor: z.number().nullable(),
  /** Whether the first stretch began when no earlier time was known: the clock may have been wrong in it. */
  isNew: z.boolean(),
  /** Set while the clock is behind all times that were seen. Absent in files of earlier versions. */
  back: z
    .object({
      /** Running time of the program when the clock went back, ms. */
      ran: z.number().min(0),
      /** The earliest and the latest time that was seen since, ms since 1970. */
      from: z.number(),
      to: z.number(),
    })
    .nullable()
    .default(null),
})

const fileName = 'studio.clock.json'
/** Ends the name of the file until it is complete. */
const freshEnding = '.new'
/** A difference between the clock and the running time above this is a jump, ms. */
const jumpMs = dayMs
/** How long the program must have run since a jump, ms, before the new time counts. */
const confirmMs = dayMs
/** Interval at which the running time is stored, ms: at most this much is lost at a crash. */
const storeEveryMs = 600_000
/** A person who starts the program for a minute every second day would need more. Then the new time counts later. */
const mostStretches = 1000

export interface RetentionClockOptions {
  dataDir: string
  /** The clock of the computer, ms since 1970. */
  now?: () => number
  /** Time since any fixed moment that the program runs, ms. It never jumps. */
  running?: () => number
  /**
   * Whether an item that is deleted by its age has a date between these times, ms since 1970. Such an item was dated while the clock was behind, so
   * deadlines begin anew.
   */
  isDated?: (from: number, to: number) => boolean
}

/**
 * Decides what may be deleted because of its age. The clock of a computer may be wrong, and a deletion cannot be undone, so age is not measured
 * by the clock alone:
 * - After a jump of the clock by more than a day, the new time counts when the program has run for a day since. Until then, the time
 *   before the jump counts. A computer that was off for days looks the same as a clock that was set.
 * - After the clock went back, times that were seen later than now are forgotten, if an earlier one connects to now. Otherwise nothing is deleted, and
 *   they are forgotten when the program has run for a day since: a computer with an empty battery starts in a past year, until it knows the time.
 * - Deadlines of a folder whose clock is unknown begin when its time counts for the first time: after an update from a version without this
 *   file, after a restored backup (the data is old, its return is new), and when no earlier time is left. They begin anew after the first jump
 *   that follows, because the clock may have been wrong until then: a computer with an empty battery starts in a past year.
 *
 * Stored in a file of its own, because a backup must not bring back the clock of its time.
 */
export class RetentionClock implements DeletionDeadlines {
  readonly #file: string
  readonly #now: () => number
  readonly #running: () => number
  readonly #isDated: (from: number, to: number) => boolean
  #state: z.infer<typeof stored>
  #lastRunning: number
  #timer: NodeJS.Timeout | null = null

  constructor({
    dataDir,
    now = Date.now,
    running = () => performance.now(),
    isDated = () => true,
  }: RetentionClockOptions) {
    this.#file = join(dataDir, fileName)
    this.#now = now
    this.#running = running
    this.#isDated = isDated
    this.#lastRunning = running()
    this.#state = readState(this.#file)
  }

  /** Counts the running time from now on, and stores it every few minutes until `close`. */
  start(): void {
    const look = guarded('The running time for deletions by age could not be stored', () => this.look())
    look()
    this.#timer = setInterval(look, storeEveryMs)
    this.#timer.unref()
  }

  before(keptMs: number): number | null {
    this.#measure()
    const { floor } = this.#state
    const time = this.#trusted()
    if (floor === null || time === null || this.#state.back !== null) return null
    return time - keptMs > floor ? time - keptMs : null
  }

  of(date: number, keptMs: number): number {
    return Math.max(Math.min(date, this.#now()), this.#state.floor ?? this.#now()) + keptMs
  }

  isNotBehind(): boolean {
    this.#measure()
    const { stretches, isNew, back } = this.#state
    return back === null && this.#trusted() !== null && (!isNew || stretches.length === 1)
  }

  /** Measures and stores the running time. */
  look(): void {
    this.#measure()
    const fresh = this.#file + freshEnding
    writeFileSync(fresh, JSON.stringify(this.#state), { mode: 0o600, flush: true })
    renameSync(fresh, this.#file)
  }

  close(): void {
    if (this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    guarded('The running time for deletions by age could not be stored', () => this.look())()
  }

  #measure(): void {
    const [now, running] = [this.#now(), this.#running()]
    const elapsed = Math.max(0, running - this.#lastRunning)
    this.#lastRunning = running
    const state = this.#state
    state.ran += elapsed
    if (this.#isBack(now, elapsed)) return
    // These times have not come yet, so the clock was wrong then or is wrong now.
    state.stretches = state.stretches.filter(({ until }) => until <= now + jumpMs)
    const last = state.stretches.at(-1)
    if (!last) Object.assign(state, { floor: null, isNew: true })
    if (last && now - last.until - elapsed <= jumpMs) last.until = now
    else if (state.stretches.length < mostStretches) state.stretches.push({ ran: state.ran, until: now })
    while (state.stretches[1] && this.#isConfirmed(state.stretches[1])) {
      state.stretches.shift()
      if (state.isNew) Object.assign(state, { floor: null, isNew: false })
    }
    if (state.floor !== null && state.floor > now + jumpMs) state.floor = null
    if (this.#trusted() !== null) state.floor ??= now
  }

  /** Whether the clock is behind all times that count, and has not been so for a day of running time. */
  #isBack(now: number, elapsed: number): boolean {
    const state = this.#state
    const [first] = state.stretches
    const isKnown = first !== undefined && this.#isConfirmed(first) && first.until <= now + jumpMs
    const { back } = state
    if (isKnown || state.stretches.every(({ until }) => until <= now + jumpMs)) {
      if (back && this.#isDated(back.from - jumpMs, back.to + jumpMs)) state.floor = null
      state.back = null
      return false
    }
    // The time before the clock is right again confirms nothing.
    for (const one of state.stretches) if (state.ran - elapsed - one.ran < confirmMs) one.ran += elapsed
    const { ran, from, to } = back ?? { ran: state.ran, from: now, to: now }
    state.back = state.ran - ran < confirmMs ? { ran, from: Math.min(from, now), to: Math.max(to, now) } : null
    return state.back !== null
  }

  #isConfirmed({ ran }: z.infer<typeof stretch>): boolean {
    return this.#state.ran - ran >= confirmMs
  }

  /** The latest time that counts. */
  #trusted(): number | null {
    const [first] = this.#state.stretches
    return first && this.#isConfirmed(first) ? first.until : null
  }
}

/** Deletes the stored clock, so that all deadlines begin anew. */
export function forgetRetentionClock(dataDir: string): void {
  for (const name of [fileName, fileName + freshEnding]) rmSync(join(dataDir, name), { force: true })
}

function readState(file: string): z.infer<typeof stored> {
  const unknown = { ran: 0, stretches: [], floor: null, isNew: true, back: null }
  try {
    return stored.safeParse(parseJson(readFileSync(file, 'utf8'))).data ?? unknown
  } catch {
    // Missing, or cut off by a crash: deadlines begin anew, so nothing is deleted too early.
    return unknown
  }
}
