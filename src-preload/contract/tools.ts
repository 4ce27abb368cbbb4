import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, procedure } from './problem.ts'

/** A key of ours that lets one tool use the local `/v1`. The secret itself is shown once, when it is made, and kept as a hash. */
export const tool = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  revokedAt: instant.nullable(),
})
export type Tool = z.infer<typeof tool>

export const toolsRoom = {
  /** All tool keys, newest first, and again after each change, also one made by the command line beside us. */
  watch: procedure.output(eventIterator(z.array(tool))),
  /** `key` is answered here and never again. */
  add: procedure
    .input(z.object({ name: z.string().trim().min(1).max(80) }))
    .output(z.object({ tool, key: z.string() })),
  revoke: procedure.input(z.object({ id: z.string() })).output(tool),
}
