import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, problemOrNull, procedure, whole } from './problem.ts'

/**
 * Data that can be deleted by age. `log`: rows of the request log with their bodies; daily totals stay. `bodies`: stored
 * bodies only. `conversations`: by last change, never pinned ones. `alerts`: ended ones. `speech`, `recordings`,
 * `images`: never favourites.
 */
export const deletableKinds = ['conversations', 'bodies', 'log', 'alerts', 'speech', 'recordings', 'images'] as const
export const deletableKind = z.enum(deletableKinds)
export type DeletableKind = z.infer<typeof deletableKind>

const choice = {
  /** Whether to delete only archived conversations. Other kinds are not affected. */
  archivedOnly: z.boolean(),
}

/** Counts for one kind. `bytes`: freed space, approximate; null when unknown before the deletion. */
export const deletionCount = z.object({
  what: deletableKind,
  items: whole,
  bytes: whole.nullable(),
  /** For conversations: titles of the newest few. Null is a missing title. */
  titles: z.array(z.string().nullable()),
})
export type DeletionCount = z.infer<typeof deletionCount>

/** A counted plan. It covers data from before the fixed instant `before`. */
export const deletionPlan = z.object({ before: instant, ...choice, parts: z.array(deletionCount) })
export type DeletionPlan = z.infer<typeof deletionPlan>

export const retentionState = z.object({
  running: z
    .object({
      startedAt: instant,
      /** `rule`: the automatic deletion of old log rows. */
      by: z.enum(['person', 'rule']),
      /** In the order of deletion; `items` is the counted number. */
      parts: z.array(z.object({ what: deletableKind, items: whole, done: whole })),
      stopping: z.boolean(),
    })
    .nullable(),
  /** The last run since start. */
  last: z
    .object({
      endedAt: instant,
      by: z.enum(['person', 'rule']),
      parts: z.array(z.object({ what: deletableKind, items: whole })),
      /** Stopped early: `parts` is deleted, the rest remains. */
      stopped: z.boolean(),
      problem: problemOrNull,
    })
    .nullable(),
})
export type RetentionState = z.infer<typeof retentionState>

/** Permanent deletion by age: counted, shown, then confirmed. */
export const retentionProcedures = {
  /** The whole state, again after each change, at most 5 times per second. */
  watch: procedure.output(eventIterator(retentionState)),
  /** Counts without deleting. The result has every requested kind, including those with a count of 0. */
  count: procedure
    .input(
      z.object({
        what: z.array(deletableKind).min(1),
        olderThanDays: z.number().int().min(0).max(36_500),
        archivedOnly: choice.archivedOnly.default(false),
      }),
    )
    .output(deletionPlan),
  /**
   * Deletes the counted data. The deletion continues without an open window, and `watch` reports its progress.
   * @throws `busy`, `bad_input` when more items than `reported` would be deleted now (for the log: when `before` is not in
   * the past)
   */
  start: procedure
    .input(
      z.object({
        before: instant,
        ...choice,
        parts: z.array(z.object({ what: deletableKind, reported: z.number().int().min(0) })).min(1),
      }),
    )
    .output(z.object({})),
  /** Stops early. Deleted data stays deleted. */
  stop: procedure.output(z.object({ stopping: z.boolean() })),
}
