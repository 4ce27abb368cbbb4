import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../../../../../src-preload/contract/app.ts'
import {
  type SyncReport,
  type SyncRun,
  type SyncState,
  syncRun,
} from '../../../../../src-preload/contract/transfers.ts'
import { asStudioError, StudioError } from '../../../errors.ts'
import { StateFeed } from '../../../shared/stateFeed.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { Store } from '../../../store/store.ts'

export interface SyncRunsOptions {
  store: Pick<Store, 'syncMarks'>
  /** One sync. @throws StudioError as `syncFolder`, `busy` while an import or another sync runs */
  sync(folder: string, signal: AbortSignal): Promise<SyncReport>
  settings(): Pick<Settings, 'syncFolder' | 'syncAutomatic' | 'syncMinutes'>
  log(level: 'info' | 'warn', line: string): void
  delays?: Partial<SyncDelays>
}

/** When automatic runs begin, ms. */
export interface SyncDelays {
  /** After the start of the program, so that the window loads first. */
  first: number
  /** After the last change of a chat. */
  settle: number
  /** Least time between two runs. */
  rest: number
  /** Delay before another try, after a run that found an import running. */
  busy: number
}

const usual: SyncDelays = { first: 15_000, settle: 60_000, rest: 120_000, busy: 30_000 }
/** An automatic run waits this many times as long as the last run took, so that large archives do not keep the disk busy. */
const restFactor = 20
/** Key of the stored result of the last run. */
const lastKey = 'lastRun'

/**
 * Runs syncs: when the person asks, and automatically at the start, every few minutes, and when changes have settled. One at a time. An
 * automatic run that would find nothing new is skipped.
 */
export class SyncRuns {
  readonly state: StateFeed<SyncState>
  readonly #options: SyncRunsOptions
  readonly #delays: SyncDelays
  #timer: NodeJS.Timeout | null = null
  #dueAt = Number.POSITIVE_INFINITY
  #running: { abort: AbortController; done: Promise<unknown> } | null = null
  #last: SyncRun | null
  /** State of the folder and the chats after the last complete run. */
  #seen: string | null = null
  #endedAt = Number.NEGATIVE_INFINITY
  #tookMs = 0
  /** The settings that the plan is for. */
  #planned = ''
  #isClosed = false

  constructor(options: SyncRunsOptions) {
    this.#options = options
    this.#delays = { ...usual, ...options.delays }
    this.#last = storedRun(options.store)
    this.state = new StateFeed<SyncState>({
      everyMs: 100,
      read: () => ({ isRunning: this.#running !== null, last: this.#last }),
      observe: () => () => undefined,
    })
    this.#plan(this.#delays.first)
  }

  /** Syncs now, and stores the result. @throws StudioError as `syncFolder`, `busy` */
  run(folder: string): Promise<SyncReport> {
    if (this.#running) throw new StudioError('busy', 'A sync is running. Wait until it is finished.')
    return this.#run(folder, false)
  }

  /** Call after a change of chats, projects, prompts or presets. */
  changed(): void {
    // A sync itself changes chats.
    if (this.#running || !this.#options.settings().syncAutomatic) return
    this.#plan(this.#delays.settle, true)
  }

  /** Call when the settings have changed. */
  settingsChanged(): void {
    const { syncFolder, syncAutomatic, syncMinutes } = this.#options.settings()
    const planned = JSON.stringify([syncFolder, syncAutomatic, syncMinutes])
    if (planned === this.#planned) return
    this.#planned = planned
    // The person turned it on or changed it, and expects to see it work, also soon after another run.
    if (syncAutomatic) this.#planAt(performance.now())
  }

  /** Cancels a running sync. The next run repeats its work. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#running?.abort.abort()
    await this.#running?.done.catch(() => undefined)
  }

  /** Plans the next automatic run. @param isLater whether it may replace an earlier plan with a later one */
  #plan(ms: number, isLater = false): void {
    const earliest = this.#endedAt + Math.max(this.#delays.rest, this.#tookMs * restFactor)
    this.#planAt(Math.max(performance.now() + ms, this.#endedAt === Number.NEGATIVE_INFINITY ? 0 : earliest), isLater)
  }

  /** @param at as `performance.now()`, ms */
  #planAt(at: number, isLater = false): void {
    if (this.#isClosed) return
    const isPending = this.#timer !== null && this.#dueAt > performance.now()
    // A long series of changes must not delay the run beyond its regular time.
    const latest = this.#endedAt + this.#options.settings().syncMinutes * 60_000
    if (isPending && (isLater ? at > latest : at >= this.#dueAt)) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#dueAt = at
    this.#timer = setTimeout(() => inBackground('The automatic sync failed', this.#tick()), at - performance.now())
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    this.#timer = null
    const { syncAutomatic, syncFolder, syncMinutes } = this.#options.settings()
    if (!syncAutomatic || syncFolder === null || this.#isClosed) return
    if (this.#running) return this.#plan(this.#delays.busy)
    const isUnchanged = this.#seen !== null && this.#seen === (await this.#look(syncFolder))
    if (isUnchanged || this.#running || this.#isClosed) return this.#plan(syncMinutes * 60_000)
    const failure = await this.#run(syncFolder, true).then(
      () => null,
      (thrown: unknown) => asStudioError(thrown),
    )
    this.#plan(failure?.kind === 'busy' ? this.#delays.busy : syncMinutes * 60_000)
  }

  #run(folder: string, isAutomatic: boolean): Promise<SyncReport> {
    const abort = new AbortController()
    const done = this.#sync(folder, isAutomatic, abort.signal).finally(() => {
      this.#running = null
      this.state.changed()
    })
    done.catch(() => undefined)
    this.#running = { abort, done }
    this.state.changed()
    return done
  }

  async #sync(folder: string, isAutomatic: boolean, signal: AbortSignal): Promise<SyncReport> {
    const startedAt = performance.now()
    const before = await this.#look(folder)
    try {
      const report = await this.#options.sync(folder, signal)
      this.#store({ at: new Date().toISOString(), folder, isAutomatic, report, problem: null })
      // If anything changed during the sync, the next run is not skipped: what the person changed may not be in this one.
      const after = report.isComplete ? await this.#look(folder) : null
      this.#seen = after === before ? after : null
      return report
    } catch (thrown) {
      const failure = asStudioError(thrown)
      // An import runs, or the program closes: not a result.
      if (failure.kind !== 'busy' && failure.kind !== 'cancelled') {
        if (isAutomatic && this.#last?.problem?.message !== failure.message) {
          this.#options.log('warn', `The automatic sync failed: ${failure.message}`)
        }
        this.#store({ at: new Date().toISOString(), folder, isAutomatic, report: null, problem: failure.toProblem() })
      }
      this.#seen = null
      throw thrown
    } finally {
      this.#endedAt = performance.now()
      this.#tookMs = this.#endedAt - startedAt
    }
  }

  #store(run: SyncRun): void {
    this.#last = run
    this.#options.store.syncMarks.setState(lastKey, JSON.stringify(run))
  }

  /**
   * Differs when a file of the folder or anything on this computer has changed. Null when the folder can't be read: the sync itself
   * reports the reason.
   */
  async #look(folder: string): Promise<string | null> {
    try {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.zip')).sort()
      const files = await Promise.all(
        names.map(async (name) => {
          const { size, mtimeMs } = await stat(join(folder, name))
          return [name, size, mtimeMs]
        }),
      )
      return JSON.stringify([folder, files, this.#options.store.syncMarks.changes()])
    } catch {
      return null
    }
  }
}

/** The result that an earlier process stored. */
function storedRun({ syncMarks }: Pick<Store, 'syncMarks'>): SyncRun | null {
  const parsed = syncRun.safeParse(JSON.parse(syncMarks.state(lastKey) ?? 'null'))
  return parsed.success ? parsed.data : null
}
