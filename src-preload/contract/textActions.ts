import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { procedure } from './problem.ts'
import { certainty, sc } from './requests.ts'

/** Longest text that an action may send, with its prompt, UTF-16 units. */
export const longestActionText = 400_000

/** The reply to a text action: pieces of its text, then one end. */
export const textActionEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** `isCut`: the model reached the end of what it may write. */
  z.object({ type: z.literal('end'), isCut: z.boolean(), cost: sc.nullable(), costIs: certainty }),
])
export type TextActionEvent = z.infer<typeof textActionEvent>

export const textActionsProcedures = {
  /** Sends one request and streams its reply. Ending the subscription ends the request. @throws `bad_input`, errors of the service */
  run: procedure
    .input(z.object({ model: z.string().min(1).max(300), text: z.string().min(1).max(longestActionText) }))
    .output(eventIterator(textActionEvent)),
}
