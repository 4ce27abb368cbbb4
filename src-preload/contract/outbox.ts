import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { imageWish } from './images.ts'
import { id, instant, problem, procedure, requestId } from './problem.ts'
import { speechWish } from './speech.ts'
import { transcriptWish } from './transcription.ts'

// What a person asked for while nothing answered, and wants sent when the service is back. Only what is made anew can wait: never a message of
// the chat, and nothing that may have reached the service already.

export const waitingWhat = z.enum(['images', 'speech', 'transcript'])
export type WaitingWhat = z.infer<typeof waitingWhat>

export const waitingWish = z.discriminatedUnion('what', [
  z.object({ what: z.literal('images'), ...imageWish.shape, fromImageId: id.nullable().default(null) }),
  z.object({ what: z.literal('speech'), ...speechWish.shape, fromId: id.nullable().default(null) }),
  z.object({ what: z.literal('transcript'), ...transcriptWish.shape, recordingId: id }),
])
export type WaitingWish = z.infer<typeof waitingWish>

export const waitingItem = z.object({
  id,
  createdAt: instant,
  what: waitingWhat,
  /** `held`: not sent until the person lets it go. `failed`: it could not be begun; see `problem`. Nothing of it was sent. */
  state: z.enum(['waiting', 'held', 'failed']),
  problem: problem.nullable(),
  /** The first 200 characters of prompt or text, or the name of the recording. */
  label: z.string(),
  /** How many pictures, or bytes of text; null for a transcript. */
  amount: z.number().int().nullable(),
  /** The recording that is to be transcribed. */
  recordingId: id.nullable(),
  /** Where it is sent, and nowhere else. */
  connection: z.string(),
  /** That connection is the one in use. */
  here: z.boolean(),
})
export type WaitingItem = z.infer<typeof waitingItem>

export const waitingState = z.object({
  /** In the order in which they are sent. */
  items: z.array(waitingItem),
  /** What one of them became, while that is made. */
  making: z.object({ what: waitingWhat, id }).nullable(),
  /** The last time that some were sent and none was left, since the program started. */
  ended: z
    .object({
      at: instant,
      done: z.number().int(),
      failed: z.number().int(),
      last: z.object({ what: waitingWhat, id }),
    })
    .nullable(),
})
export type WaitingState = z.infer<typeof waitingState>

export const outboxProcedures = {
  /** The whole state first, then after each change. */
  watch: procedure.output(eventIterator(waitingState)),
  /**
   * For the connection in use. `requestId` becomes the id of the item, and then of what is made of it: what was made or begun under that id
   * already is not added once more. @throws `bad_input`, `not_connected`
   */
  add: procedure.input(z.object({ requestId, wish: waitingWish })).output(waitingItem),
  /**
   * In the place of something that failed. @throws `bad_input` where anything of it may have been sent: that waits for the person,
   * who alone can know whether it is to be done again
   */
  again: procedure.input(z.object({ what: waitingWhat, id })).output(waitingItem),
  /** All of it. @throws `no_such_item`: it was sent or cancelled */
  get: procedure.input(z.object({ id })).output(z.object({ item: waitingItem, wish: waitingWish })),
  /** Held back, as while it is changed, or let go. @throws `no_such_item` */
  hold: procedure.input(z.object({ id, held: z.boolean() })).output(waitingItem),
  /** Another wish of the same kind, let go, for the connection in use. @throws `no_such_item`, `bad_input`, `not_connected` */
  change: procedure.input(z.object({ id, wish: waitingWish })).output(waitingItem),
  /** @throws `no_such_item` */
  cancel: procedure.input(z.object({ id })).output(z.object({})),
}
