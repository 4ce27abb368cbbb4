import {
  type DeletableKind,
  type DeletionCount,
  type DeletionPlan,
  deletableKinds,
  type RetentionState,
} from '../../../../src-preload/contract/retention.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { dayMs } from '../../shared/days.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { asStoreError } from '../../store/databaseErrors.ts'
import type { DeletionDeadlines } from '../../store/retentionClock.ts'
import { asDiskError } from '../disk.ts'

/** Callbacks of a deletion. When `stopped` returns true, it ends early; rows deleted by then stay deleted. */
export interface EraseSteps {
  /** Reports the number of items deleted so far. */
  done(items: number): void
  stopped(): boolean
}

export interface EraseRequest {
  /** A UTC instant. Items from before it may be deleted. */
  before: string
  archivedOnly: boolean
}

/** One kind of item that can be deleted by age. */
export interface ErasablePart {
  count(request: EraseRequest): Promise<Omit<DeletionCount, 'what'>> | Omit<DeletionCount, 'what'>
  /**
   * Deletes items permanently, in short slices that do not block other work, and returns how many.
   * @throws StudioError `bad_input` when more items would be deleted than were reported
   */
  erase(request: EraseRequest, reported: number, steps: EraseSteps): Promise<number>
}

export interface RetentionOptions {
  kinds: Readonly<Record<DeletableKind, ErasablePart>>
  /** Age after which requests are deleted automatically, in days; null: never. Read once a day. */
  logDays(): number | null
  /** When requests may be deleted automatically. A deletion that a person requests has its own count and date, and does not ask. */
  deadlines: DeletionDeadlines
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}

/** Delay of the first automatic deletion after the start, ms, because the page is more urgent. */
const firstSweepMs = 30_000

type Running = NonNullable<RetentionState['running']>
type Task = EraseRequest & { by: Running['by']; parts: readonly { what: DeletableKind; reported: number }[] }

export type RetentionFeature = ReturnType<typeof createRetention>

/**
 * Deletes items by age, one task at a time. A task starts on request or by the setting for the request log. Its items are counted,
 * reported, and then deleted permanently.
 */
export function createRetention({ kinds, logDays, deadlines, log, now = Date.now }: RetentionOptions) {
  let running: Running | null = null
  let last: RetentionState['last'] = null
  let work: Promise<unknown> = Promise.resolve()
  let closed = false
  const state = new StateFeed<RetentionState>({
    everyMs: 200,
    read: () => ({ running, last }),
    observe: () => () => undefined,
  })
  const sweepOrSay = (): void => inBackground('The log could not be erased', sweep())
  const timers = [setTimeout(sweepOrSay, firstSweepMs), setInterval(sweepOrSay, dayMs)]
  for (const timer of timers) timer.unref()

  const beforeOf = (days: number): string => new Date(now() - days * dayMs).toISOString()

  /** No second task can begin while this counts, because `running` is set synchronously. */
  async function begin({ by, parts, ...request }: Task): Promise<void> {
    if (running) throw new StudioError('busy', 'Another deletion is in progress. Wait until it has finished.')
    const startedAt = new Date(now()).toISOString()
    // Always in this order, because deleting rows would delete their bodies with them.
    const ordered = deletableKinds.flatMap((what) => parts.find((part) => part.what === what) ?? [])
    const begun: Running = {
      startedAt,
      by,
      stopping: false,
      parts: ordered.map(({ what, reported }) => ({ what, items: reported, done: 0 })),
    }
    running = begun
    try {
      for (const { what, reported } of ordered) await refuseMore(what, request, reported)
    } catch (thrown) {
      running = null
      throw thrown
    }
    state.changed()
    work = run(begun, request)
  }

  /** The items from before an instant can only become fewer, except for requests that were in progress and have ended since. */
  async function refuseMore(what: DeletableKind, request: EraseRequest, reported: number): Promise<void> {
    if (what === 'log' || what === 'bodies') return
    const { items } = await kinds[what].count(request)
    if (items > reported)
      throw new StudioError('bad_input', 'More items would be deleted now than were counted. Count again.')
  }

  async function run(begun: Running, request: EraseRequest): Promise<void> {
    const deleted: { what: DeletableKind; items: number }[] = []
    const stopped = (): boolean => closed || begun.stopping
    let problem: NonNullable<RetentionState['last']>['problem'] = null
    try {
      for (const part of begun.parts) {
        if (stopped()) break
        const done = (items: number): void => {
          part.done = items
          state.changed()
        }
        const items = await kinds[part.what].erase(request, part.items, { done, stopped })
        done(items)
      }
    } catch (thrown) {
      problem = asStudioError(asStoreError(asDiskError(thrown))).toProblem()
      log('error', `Deleting old data failed: ${problem.message}`)
    }
    for (const { what, done } of begun.parts) deleted.push({ what, items: done })
    last = { endedAt: new Date(now()).toISOString(), by: begun.by, parts: deleted, stopped: stopped(), problem }
    running = null
    state.changed()
  }

  /** Applies the setting for the request log. Returns how many rows were deleted. */
  async function sweep(): Promise<number> {
    const days = logDays()
    if (days === null || closed || running) return 0
    const deadline = deadlines.before(days * dayMs)
    if (deadline === null) return 0
    const before = new Date(deadline).toISOString()
    const { items } = await kinds.log.count({ before, archivedOnly: false })
    if (items === 0) return 0
    await begin({ by: 'rule', before, archivedOnly: false, parts: [{ what: 'log', reported: items }] })
    await work
    const deleted = last?.parts[0]?.items ?? 0
    log('info', `Deleted ${deleted} requests older than ${days} days from the log, as set in the settings.`)
    return deleted
  }

  return {
    state,
    async count(request: {
      what: readonly DeletableKind[]
      olderThanDays: number
      archivedOnly: boolean
    }): Promise<DeletionPlan> {
      const { archivedOnly } = request
      const before = beforeOf(request.olderThanDays)
      const parts: DeletionCount[] = []
      for (const what of deletableKinds) {
        if (request.what.includes(what)) parts.push({ what, ...(await kinds[what].count({ before, archivedOnly })) })
      }
      return { before, archivedOnly, parts }
    },
    /** Resolves when the deletion has begun. @throws StudioError `busy`, `bad_input` */
    async start(
      request: EraseRequest & { parts: readonly { what: DeletableKind; reported: number }[] },
    ): Promise<void> {
      const before = Date.parse(request.before)
      if (!(before <= now())) throw new StudioError('bad_input', 'Only items of the past can be deleted.')
      await begin({ ...request, by: 'person', before: new Date(before).toISOString() })
    },
    /** Resolves when the running task has ended. `state` has its result. */
    ended: async (): Promise<void> => void (await work),
    stop(): { stopping: boolean } {
      if (running) running.stopping = true
      state.changed()
      return { stopping: running !== null }
    },
    sweep,
    async close(): Promise<void> {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await work
    },
  }
}
