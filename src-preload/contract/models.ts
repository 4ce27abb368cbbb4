import * as z from 'zod'
import { instant, procedure } from './problem.ts'

/** A model of the service. Only `id` is required. */
export const model = z.object({
  id: z.string(),
  created: z.number().nullable(),
  ownedBy: z.string().nullable(),
})
export type Model = z.infer<typeof model>

export const modelsProcedures = {
  /** The last fetched list. Queries the service when there is none or `refresh` is set. */
  list: procedure
    .input(z.object({ refresh: z.boolean().default(false) }))
    .output(z.object({ models: z.array(model), asOf: instant })),
}
