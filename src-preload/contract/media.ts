import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { attachment } from './chat.ts'
import { id, procedure } from './problem.ts'

/** Where the page finds the bytes of a media item: below its own origin, under both hosts. */
export const mediaPath = (mediaId: string): string => `/media/${mediaId}`

/** Where the bytes lie, by what they are for. */
export const mediaUse = z.object({
  kind: z.enum(['chat', 'speech', 'recordings', 'images']),
  items: z.number().int(),
  bytes: z.number().int(),
  /** Of those: removed and not yet erased. */
  removedItems: z.number().int(),
  removedBytes: z.number().int(),
})
export type MediaUse = z.infer<typeof mediaUse>

/** What a clean-up would take: things of these rooms older than `olderThanDays`, or the oldest until at most `keepBytes` are left; never favourites. */
export const cleanUp = z.object({
  kinds: z.array(z.enum(['speech', 'recordings', 'images'])).min(1),
  olderThanDays: z.number().int().min(0).max(36_500).nullable(),
  keepBytes: z.number().int().min(0).nullable(),
  /** What was deleted, without waiting for its 30 days. */
  removed: z.boolean(),
})
export type CleanUp = z.infer<typeof cleanUp>

export const mediaProcedures = {
  /**
   * Keeps an uploaded picture. Its type is told by its bytes (PNG, JPEG, GIF, WebP), its size bounded.
   * @throws `bad_input` for anything else
   */
  addImage: procedure.input(z.object({ uploadId: id })).output(attachment.omit({ detail: true })),
  /** `free`: of the disk, where the system tells. `folder`: where files lie. */
  use: procedure.output(z.object({ uses: z.array(mediaUse), free: z.number().nullable(), folder: z.string() })),
  /** Counts what `cleanUp` would take and takes nothing. */
  wouldCleanUp: procedure.input(cleanUp).output(z.object({ items: z.number().int(), bytes: z.number().int() })),
  /** Erases for good. Only ever because a person asked, and never more things than they were `told`. @throws `bad_input` where it would */
  cleanUp: procedure
    .input(cleanUp.extend({ reported: z.number().int() }))
    .output(z.object({ items: z.number().int(), bytes: z.number().int() })),
  /** Shows the file in the system's file manager; `shown` is false where this host has none, then `path` helps. */
  reveal: procedure.input(z.object({ mediaId: id })).output(z.object({ shown: z.boolean(), path: z.string() })),
  /** Begins to drag the file out of the window (desktop alone; elsewhere `false`). */
  dragOut: procedure
    .input(z.object({ mediaId: id, name: z.string().max(300) }))
    .output(z.object({ began: z.boolean() })),
  /** The overview of a recording's loudness that a window once computed: one byte a bucket, base64. Null: nobody has yet. */
  peaks: procedure
    .input(z.object({ mediaId: id }))
    .output(z.object({ data: z.string(), seconds: z.number() }).nullable()),
  keepPeaks: procedure
    .input(z.object({ mediaId: id, data: z.base64().max(60_000), seconds: z.number().min(0) }))
    .output(z.object({})),
}

export const speechEvent = z.discriminatedUnion('type', [
  /** First: how many parts the text makes (each at most 4,096 bytes of UTF-8), and the audio's type. */
  z.object({ type: z.literal('plan'), parts: z.number().int(), bytes: z.number().int(), mime: z.string() }),
  /** Audio as it came, base64, in order. `part` counts from 1; the one of the request, where it named one. */
  z.object({ type: z.literal('audio'), part: z.number().int(), data: z.string() }),
  z.object({ type: z.literal('end') }),
])
export type SpeechEvent = z.infer<typeof speechEvent>

export const voiceProcedures = {
  /**
   * Reads a text aloud: Markdown marks are left out, long texts go in parts. With `part` (from 1) that one alone, so that whoever plays
   * asks for the next one when it is due. Aborting ends the request.
   */
  speak: procedure
    .input(
      z.object({
        text: z.string().min(1).max(1_000_000),
        voice: z.string().max(100).optional(),
        part: z.number().int().min(1).optional(),
      }),
    )
    .output(eventIterator(speechEvent)),
  /** What was said in an uploaded recording. */
  dictate: procedure
    .input(z.object({ uploadId: id, language: z.string().max(20).optional() }))
    .output(z.object({ text: z.string() })),
}
