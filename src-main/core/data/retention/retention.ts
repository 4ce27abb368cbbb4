import {
  type Erasable,
  type EraseCount,
  type ErasePlan,
  type EraseState,
  erasables,
} from '../../../../src-preload/contract/retention.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { dayMs } from '../../shared/days.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { asStoreError } from '../../store/database.ts'
import { asDiskError } from '../disk.ts'

/** What a part is told while it erases. `stopped` ends it early, and what is gone by then is gone. */
export interface EraseSteps {
  /** So many are gone by now. */
  done(items: number): void
  stopped(): boolean
}

export interface EraseRequest {
  /** A UTC instant: what is from before it may go. */
  before: string
  archivedOnly: boolean
}

/** One kind of thing that can be erased by age. */
export interface ErasablePart {
  count(wish: EraseRequest): Promise<Omit<EraseCount, 'what'>> | Omit<EraseCount, 'what'>
  /**
   * Erases for good, in slices that hold nobody up, and answers how many went.
   * @throws StudioError `bad_input` where more would go than was told
   */
  erase(wish: EraseRequest, reported: number, steps: EraseSteps): Promise<number>
}

export interface RetentionOptions {
  kinds: Readonly<Record<Erasable, ErasablePart>>
  /** Days after which the log is erased by itself; null: never. Asked once a day. */
  logDays(): number | null
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}

/** After the start: the page comes first. */
const firstSweepMs = 30_000

type Running = NonNullable<EraseState['running']>
type Task = EraseRequest & { by: Running['by']; parts: readonly { what: Erasable; reported: number }[] }

export type RetentionFeature = ReturnType<typeof createRetention>

/** Erasing by age, one at a time: counted, told, and done for good because a person asked, or because of the standing rule about the log. */
export function createRetention({ kinds, logDays, log, now = Date.now }: RetentionOptions) {
  let running: Running | null = null
  let last: EraseState['last'] = null
  let work: Promise<unknown> = Promise.resolve()
  let closed = false
  const state = new StateFeed<EraseState>({
    everyMs: 200,
    read: () => ({ running, last }),
    observe: () => () => undefined,
  })
  const sweepOrSay = (): void => inBackground('The log could not be erased', sweep())
  const timers = [setTimeout(sweepOrSay, firstSweepMs), setInterval(sweepOrSay, dayMs)]
  for (const timer of timers) timer.unref()

  const beforeOf = (days: number): string => new Date(now() - days * dayMs).toISOString()

  /** Nobody else begins while this counts: `running` is set at once. */
  async function begin({ by, parts, ...wish }: Task): Promise<void> {
    if (running) throw new StudioError('busy', 'Something is being erased already. Wait until that has ended.')
    const startedAt = new Date(now()).toISOString()
    // In the same order whoever asks: bodies before the rows that would take them along.
    const ordered = erasables.flatMap((what) => parts.find((part) => part.what === what) ?? [])
    const begun: Running = {
      ...{ startedAt, by, stopping: false },
      parts: ordered.map(({ what, reported }) => ({ what, items: reported, done: 0 })),
    }
    running = begun
    try {
      for (const { what, reported } of ordered) await refuseMore(what, wish, reported)
    } catch (thrown) {
      running = null
      throw thrown
    }
    state.changed()
    work = run(begun, wish)
  }

  /** What began before an instant is no more than it was, but requests that were under way then have ended since. */
  async function refuseMore(what: Erasable, wish: EraseRequest, reported: number): Promise<void> {
    if (what === 'log' || what === 'bodies') return
    const { items } = await kinds[what].count(wish)
    if (items > reported) throw new StudioError('bad_input', 'More would go by now than was counted. Look again.')
  }

  async function run(begun: Running, wish: EraseRequest): Promise<void> {
    const gone: { what: Erasable; items: number }[] = []
    const stopped = (): boolean => closed || begun.stopping
    let problem: NonNullable<EraseState['last']>['problem'] = null
    try {
      for (const part of begun.parts) {
        if (stopped()) break
        const done = (items: number): void => {
          part.done = items
          state.changed()
        }
        const items = await kinds[part.what].erase(wish, part.items, { done, stopped })
        done(items)
      }
    } catch (thrown) {
      problem = asStudioError(asStoreError(asDiskError(thrown))).toProblem()
      log('error', `Erasing failed: ${problem.message}`)
    }
    for (const { what, done } of begun.parts) gone.push({ what, items: done })
    last = { endedAt: new Date(now()).toISOString(), by: begun.by, parts: gone, stopped: stopped(), problem }
    running = null
    state.changed()
  }

  /** The standing rule about the log. Answers how many rows went. */
  async function sweep(): Promise<number> {
    const days = logDays()
    if (days === null || closed || running) return 0
    const before = beforeOf(days)
    const { items } = await kinds.log.count({ before, archivedOnly: false })
    if (items === 0) return 0
    await begin({ by: 'rule', before, archivedOnly: false, parts: [{ what: 'log', reported: items }] })
    await work
    const gone = last?.parts[0]?.items ?? 0
    log('info', `Erased ${gone} requests of over ${days} days ago from the log, as the settings say.`)
    return gone
  }

  return {
    state,
    async count(wish: { what: readonly Erasable[]; olderThanDays: number; archivedOnly: boolean }): Promise<ErasePlan> {
      const { archivedOnly } = wish
      const before = beforeOf(wish.olderThanDays)
      const parts: EraseCount[] = []
      for (const what of erasables) {
        if (wish.what.includes(what)) parts.push({ what, ...(await kinds[what].count({ before, archivedOnly })) })
      }
      return { before, archivedOnly, parts }
    },
    /** Resolves when it has begun. @throws StudioError `busy`, `bad_input` */
    async start(asked: EraseRequest & { parts: readonly { what: Erasable; reported: number }[] }): Promise<void> {
      const before = Date.parse(asked.before)
      if (!(before <= now())) throw new StudioError('bad_input', 'Only what is past can be erased.')
      await begin({ ...asked, by: 'person', before: new Date(before).toISOString() })
    },
    /** Resolves when what is under way has ended; how, `state` tells. */
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
