import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { imageRequest } from './images.ts'
import { id, instant, problemOrNull, procedure, requestId, whole } from './problem.ts'
import { speechRequest } from './speech.ts'
import { transcriptRequest } from './transcription.ts'

// Requests made while offline, to be sent when the service is available again. Only new items can wait. Chat messages can't,
// nor can requests that may have reached the service.

export const outboxKind = z.enum(['images', 'speech', 'transcript'])
export type OutboxKind = z.infer<typeof outboxKind>

export const outboxRequest = z.discriminatedUnion('what', [
  z.object({ what: z.literal('images'), ...imageRequest.shape, fromImageId: id.nullable().default(null) }),
  z.object({ what: z.literal('speech'), ...speechRequest.shape, fromId: id.nullable().default(null) }),
  z.object({ what: z.literal('transcript'), ...transcriptRequest.shape, recordingId: id }),
])
export type OutboxRequest = z.infer<typeof outboxRequest>

export const outboxItem = z.object({
  id,
  createdAt: instant,
  what: outboxKind,
  /** `held`: not sent until released. `failed`: could not be started; see `problem`. No part of it was sent. */
  state: z.enum(['waiting', 'held', 'failed']),
  problem: problemOrNull,
  /** First 200 characters of prompt or text, or the name of the recording. */
  label: z.string(),
  /** Number of images, or bytes of text; null for a transcript. */
  amount: whole.nullable(),
  /** The recording to transcribe. */
  recordingId: id.nullable(),
  /** Name of the connection that will send the request. */
  connection: z.string(),
  /** Whether that connection is in use. */
  here: z.boolean(),
})
export type OutboxItem = z.infer<typeof outboxItem>

export const outboxState = z.object({
  /** In sending order. */
  items: z.array(outboxItem),
  /** The item that is being created from an entry. */
  starting: z.object({ what: outboxKind, id }).nullable(),
  /** When the outbox last became empty by sending, since start. */
  ended: z
    .object({
      at: instant,
      done: whole,
      failed: whole,
      last: z.object({ what: outboxKind, id }),
    })
    .nullable(),
})
export type OutboxState = z.infer<typeof outboxState>

export const outboxProcedures = {
  /** The whole state, again after each change. */
  watch: procedure.output(eventIterator(outboxState)),
  /**
   * Adds an entry for the connection in use. `requestId` becomes the id of the entry and of the created item, so a
   * repeated call adds nothing.
   * @throws `bad_input`, `not_connected`
   */
  add: procedure.input(z.object({ requestId, request: outboxRequest })).output(outboxItem),
  /**
   * Adds an entry that replaces a failed item.
   * @throws `bad_input` when the failed request may have been sent: only the person can decide to repeat it
   */
  requeue: procedure.input(z.object({ what: outboxKind, id })).output(outboxItem),
  /** Returns an entry with its request. @throws `no_such_item` when it was sent or cancelled */
  get: procedure.input(z.object({ id })).output(z.object({ item: outboxItem, request: outboxRequest })),
  /** Holds an entry, for example while it is edited, or releases it. @throws `no_such_item` */
  hold: procedure.input(z.object({ id, held: z.boolean() })).output(outboxItem),
  /**
   * Replaces an entry by another of the same kind, released, for the connection in use.
   * @throws `no_such_item`, `bad_input`, `not_connected`
   */
  update: procedure.input(z.object({ id, request: outboxRequest })).output(outboxItem),
  /** Cancels an entry. @throws `no_such_item` when it was sent or cancelled */
  cancel: procedure.input(z.object({ id })).output(z.object({})),
}
