import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { imageWish } from './images.ts'
import { id, instant, problem, procedure, requestId } from './problem.ts'
import { speechWish } from './speech.ts'
import { transcriptWish } from './transcription.ts'

// Requests made while offline, to be sent when the service is back. Only new items can wait: never chat messages, and
// nothing that may have reached the service.

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
  /** `held`: not sent until released. `failed`: could not be started; see `problem`. Nothing of it was sent. */
  state: z.enum(['waiting', 'held', 'failed']),
  problem: problem.nullable(),
  /** First 200 characters of prompt or text, or the name of the recording. */
  label: z.string(),
  /** Number of images, or bytes of text; null for a transcript. */
  amount: z.number().int().nullable(),
  /** The recording to transcribe. */
  recordingId: id.nullable(),
  /** The connection that it is sent to. */
  connection: z.string(),
  /** Whether that connection is in use. */
  here: z.boolean(),
})
export type WaitingItem = z.infer<typeof waitingItem>

export const waitingState = z.object({
  /** In sending order. */
  items: z.array(waitingItem),
  /** The item that is being created from an entry. */
  making: z.object({ what: waitingWhat, id }).nullable(),
  /** When the outbox was last sent completely, since start. */
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
  /** The whole state, again after each change. */
  watch: procedure.output(eventIterator(waitingState)),
  /**
   * Adds an entry for the connection in use. `requestId` becomes the id of the entry and of the created item, so a
   * repeated call adds nothing.
   * @throws `bad_input`, `not_connected`
   */
  add: procedure.input(z.object({ requestId, wish: waitingWish })).output(waitingItem),
  /**
   * Adds an entry that replaces a failed item.
   * @throws `bad_input` when the failed request may have been sent: only the person can decide to repeat it
   */
  again: procedure.input(z.object({ what: waitingWhat, id })).output(waitingItem),
  /** Cancels an entry. @throws `no_such_item` when it was sent or cancelled */
  get: procedure.input(z.object({ id })).output(z.object({ item: waitingItem, wish: waitingWish })),
  /** Holds an entry, for example while it is edited, or releases it. @throws `no_such_item` */
  hold: procedure.input(z.object({ id, held: z.boolean() })).output(waitingItem),
  /**
   * Replaces an entry by another of the same kind, released, for the connection in use.
   * @throws `no_such_item`, `bad_input`, `not_connected`
   */
  change: procedure.input(z.object({ id, wish: waitingWish })).output(waitingItem),
  /** @throws `no_such_item` */
  cancel: procedure.input(z.object({ id })).output(z.object({})),
}
