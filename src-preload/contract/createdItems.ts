import * as z from 'zod'
import { id, instant, problemOrNull, procedure } from './problem.ts'
import { certainty, sc } from './requests.ts'

// Schemas that speech, transcription and images share: items are created, stored, searched, deleted and restored.

/**
 * State of an item. `making`: in progress. `failed`: see `problem`. `cancelled`: by the person. `cut`: in progress when
 * the program ended. Received output is stored in every state.
 */
export const makingState = z.enum(['making', 'done', 'failed', 'cancelled', 'cut'])
export type MakingState = z.infer<typeof makingState>

/** Cost of all requests of the item; `rows` are their rows in the request log. */
export const makingCost = z.object({ cost: sc.nullable(), costIs: certainty, rows: z.array(z.number().int()) })
export type MakingCost = z.infer<typeof makingCost>

/** Name of the app whose request made an item. Absent: a person made it here. */
export const madeBy = z.string().optional()

/** Members of every created item. */
export const making = z.object({
  id,
  app: madeBy,
  createdAt: instant,
  state: makingState,
  problem: problemOrNull,
  ...makingCost.shape,
})

export const search = z.string().max(1000)
/** A page of the items that match `search`. `before`: the last id of the previous page. */
export const searchPage = z.object({ search, before: id.nullable(), limit: z.number().int().min(1).max(500) })
export const ids = z.array(id).min(1).max(10_000)

/** Deletion with undo. Deleted items are hidden at once and deleted permanently after 30 days, or earlier from Settings. */
export const removal = {
  remove: procedure.input(z.object({ ids })).output(z.object({ removed: z.number().int() })),
  restore: procedure.input(z.object({ ids })).output(z.object({ restored: z.number().int() })),
}
