import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, problem, procedure } from './problem.ts'

/**
 * What can be erased by age. `log`: rows of the log of requests, with their bodies; sums by day stay, so that the books stay whole. `bodies`: kept
 * texts of requests alone. `conversations`: untouched since, never pinned ones. `alerts`: those that are over. Of `speech`, `recordings` and
 * `images` never favourites.
 */
export const erasables = ['conversations', 'bodies', 'log', 'alerts', 'speech', 'recordings', 'images'] as const
export const erasable = z.enum(erasables)
export type Erasable = z.infer<typeof erasable>

const choice = {
  /** Of conversations: those alone that are in the archive. */
  archivedOnly: z.boolean(),
}

/** What would go of one of them. `bytes`: what that frees, about; null where nobody can tell before it is done. */
export const eraseCount = z.object({
  what: erasable,
  items: z.number().int(),
  bytes: z.number().int().nullable(),
  /** Titles of the newest few that would go, of conversations; null stands for one without a title. */
  titles: z.array(z.string().nullable()),
})
export type EraseCount = z.infer<typeof eraseCount>

/** Counted, and not yet done: what is from before `before`, an instant that does not move on until it is done. */
export const erasePlan = z.object({ before: instant, ...choice, parts: z.array(eraseCount) })
export type ErasePlan = z.infer<typeof erasePlan>

export const eraseState = z.object({
  running: z
    .object({
      startedAt: instant,
      /** `rule`: the standing one about the log. */
      by: z.enum(['person', 'rule']),
      /** In the order in which they go; `items` is what was counted. */
      parts: z.array(z.object({ what: erasable, items: z.number().int(), done: z.number().int() })),
      stopping: z.boolean(),
    })
    .nullable(),
  /** How the last one went, since the program started. */
  last: z
    .object({
      endedAt: instant,
      by: z.enum(['person', 'rule']),
      parts: z.array(z.object({ what: erasable, items: z.number().int() })),
      /** Ended early: what is in `parts` is gone, the rest is still there. */
      stopped: z.boolean(),
      problem: problem.nullable(),
    })
    .nullable(),
})
export type EraseState = z.infer<typeof eraseState>

/** Erasing by age: counted first, shown, and only then done, for good. */
export const retentionProcedures = {
  /** The whole state first, then again after each change, at most 5 times a second. */
  watch: procedure.output(eventIterator(eraseState)),
  /** Counts what would go and takes nothing. Each stands in the answer, with 0 where there is nothing. */
  count: procedure
    .input(
      z.object({
        what: z.array(erasable).min(1),
        olderThanDays: z.number().int().min(0).max(36_500),
        archivedOnly: choice.archivedOnly.default(false),
      }),
    )
    .output(erasePlan),
  /**
   * Begins to erase what was counted; `watch` tells how it goes on, also where the window that asked is gone. Only ever because a person asked.
   * @throws `busy`, `bad_input` where more things would go by now than were `told` (of the log: where `before` is not in the past)
   */
  start: procedure
    .input(
      z.object({
        before: instant,
        ...choice,
        parts: z.array(z.object({ what: erasable, reported: z.number().int().min(0) })).min(1),
      }),
    )
    .output(z.object({})),
  /** Ends it early: what is gone is gone, the rest stays. */
  stop: procedure.output(z.object({ stopping: z.boolean() })),
}
