import * as z from 'zod'
import { attachment } from './chat.ts'
import { frameBytes } from './frames.ts'
import { id, procedure, whole } from './problem.ts'
import { byteStream } from './transfers.ts'

/** Path prefix of media items under both hosts. */
export const mediaPath = (mediaId: string): string => `/media/${mediaId}`

/** Disk usage by purpose, bytes. */
export const mediaUse = z.object({
  kind: z.enum(['chat', 'speech', 'recordings', 'images']),
  items: whole,
  bytes: whole,
  /** Number of `items` that are deleted but not yet deleted permanently. */
  removedItems: whole,
  removedBytes: whole,
})
export type MediaUse = z.infer<typeof mediaUse>

/**
 * Selection of a clean-up: items of these features older than `olderThanDays`, or the oldest until at most `keepBytes`
 * remain. Never favourites.
 */
export const cleanUp = z.object({
  kinds: z.array(z.enum(['speech', 'recordings', 'images'])).min(1),
  olderThanDays: z.number().int().min(0).max(36_500).nullable(),
  maxBytes: z.number().int().min(0).nullable(),
  /** Deletes deleted items now instead of after 30 days. */
  removed: z.boolean(),
})
export type CleanUp = z.infer<typeof cleanUp>

/** One byte per bucket, base64. Small enough for a procedure, and needed together with the duration. */
const peaksData = z.base64().max(60_000)

export const mediaProcedures = {
  /**
   * Stores an uploaded image. Its type is detected from its bytes (PNG, JPEG, GIF, WebP), and its size is limited.
   * @throws `bad_input` for anything else
   */
  addImage: procedure.input(z.object({ uploadId: id })).output(attachment.omit({ detail: true })),
  /** Ends the use of a file in the drafts of a page. Deletes the file when nothing else refers to it. */
  release: procedure.input(z.object({ mediaId: id })).output(z.object({})),
  /** `free`: free disk space, when known. `folder`: the folder of the files. */
  storageUse: procedure.output(z.object({ uses: z.array(mediaUse), free: z.number().nullable(), folder: z.string() })),
  /** Counts what `cleanUp` would delete. */
  previewCleanUp: procedure.input(cleanUp).output(z.object({ items: whole, bytes: whole })),
  /**
   * Deletes the selected items permanently, never more than `reported`.
   * @throws `bad_input` when more would be deleted
   */
  cleanUp: procedure.input(cleanUp.extend({ reported: whole })).output(z.object({ items: whole, bytes: whole })),
  /** Shows the file in the file manager. `shown` is false when the host has none; then `path` helps. */
  reveal: procedure.input(z.object({ mediaId: id })).output(z.object({ shown: z.boolean(), path: z.string() })),
  /** Starts dragging the file out of the window (desktop only; otherwise `false`). */
  dragOut: procedure
    .input(z.object({ mediaId: id, name: z.string().max(300) }))
    .output(z.object({ began: z.boolean() })),
  /** The loudness overview of a recording, computed by a window. Null: not computed yet. */
  peaks: procedure
    .input(z.object({ mediaId: id }))
    .output(z.object({ data: peaksData, seconds: z.number() }).nullable()),
  savePeaks: procedure
    .input(z.object({ mediaId: id, data: peaksData, seconds: z.number().min(0) }))
    .output(z.object({})),
}

/** An event of a text that is read aloud. */
export const speechEvent = z.discriminatedUnion('type', [
  /** Sent first: the number of parts (at most 4,096 bytes of UTF-8 each) and the audio type. */
  z.object({ type: z.literal('plan'), parts: whole, bytes: whole, mime: z.string() }),
  /** Received audio in order. `part` counts from 1. */
  z.object({ type: z.literal('audio'), part: whole, data: frameBytes }),
  z.object({ type: z.literal('end') }),
])
export type SpeechEvent = z.infer<typeof speechEvent>

export const voiceProcedures = {
  /**
   * Reads a text without markup aloud. Splits long texts into parts. With `part` (from 1), reads
   * only that part, so that a player can request the next part in time. The stream has frames of `speechEvent`. Closing the
   * stream cancels the request.
   */
  speak: procedure
    .input(
      z.object({
        text: z.string().max(1_000_000),
        voice: z.string().max(100).optional(),
        part: z.number().int().min(1).optional(),
      }),
    )
    .output(byteStream),
  /** A sample of a voice, as a media file. Only the first call for a voice, text and service costs something. */
  sample: procedure
    .input(z.object({ voice: z.string().min(1).max(100), text: z.string().min(1).max(300) }))
    .output(z.object({ mediaId: id })),
  /** Transcribes an uploaded recording. */
  dictate: procedure
    .input(z.object({ uploadId: id, language: z.string().max(20).optional() }))
    .output(z.object({ text: z.string() })),
}
