import * as z from 'zod'
import { instant, procedure } from './problem.ts'

/** An entry of the service's list. Only `id` is needed to use it; everything else may be absent. */
export const model = z.object({
  id: z.string(),
  created: z.number().nullable(),
  ownedBy: z.string().nullable(),
})
export type Model = z.infer<typeof model>

export const modelsProcedures = {
  /** The list as last fetched; asks the service when there is none yet or `refresh` is set. */
  list: procedure
    .input(z.object({ refresh: z.boolean().default(false) }))
    .output(z.object({ models: z.array(model), asOf: instant })),
}
