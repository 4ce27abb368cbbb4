import * as z from 'zod'
import { id, instant, problem, procedure } from './problem.ts'
import { certainty, sc } from './requests.ts'

// What the three media rooms share: something is made, kept, found again, taken away and brought back.

/**
 * `making`: under way, here and now. `done`. `failed`: see `problem`; what had come is kept. `cancelled`: by the person; what had come is
 * kept. `cut`: it was under way when the program ended; what had come is kept.
 */
export const makingState = z.enum(['making', 'done', 'failed', 'cancelled', 'cut'])
export type MakingState = z.infer<typeof makingState>

/** What it cost, of all its requests; `rows` are their rows in the log of requests. */
export const makingCost = z.object({ cost: sc.nullable(), costIs: certainty, rows: z.array(z.number().int()) })
export type MakingCost = z.infer<typeof makingCost>

/** What each made thing has. */
export const making = z.object({
  id,
  createdAt: instant,
  state: makingState,
  problem: problem.nullable(),
  ...makingCost.shape,
})

export const search = z.string().max(1000)
export const ids = z.array(id).min(1).max(10_000)

/** Deleting with undo: what is removed is hidden at once and erased after 30 days, or when the person says so in Settings. */
export const removal = {
  remove: procedure.input(z.object({ ids })).output(z.object({ removed: z.number().int() })),
  restore: procedure.input(z.object({ ids })).output(z.object({ restored: z.number().int() })),
}
