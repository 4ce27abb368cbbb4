import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { attachment } from './chat.ts'
import { id, procedure } from './problem.ts'

/** Where the page finds the bytes of a media item: below its own origin, under both hosts. */
export const mediaPath = (mediaId: string): string => `/media/${mediaId}`

export const mediaRoom = {
  /**
   * Keeps an uploaded picture. Its type is told by its bytes (PNG, JPEG, GIF, WebP), its size bounded.
   * @throws `bad_input` for anything else
   */
  addImage: procedure.input(z.object({ uploadId: id })).output(attachment.omit({ detail: true })),
}

export const speechEvent = z.discriminatedUnion('type', [
  /** First: how many parts the text makes (each at most 4,096 bytes of UTF-8), and the audio's type. */
  z.object({ type: z.literal('plan'), parts: z.number().int(), bytes: z.number().int(), mime: z.string() }),
  /** Audio as it came, base64, in order. `part` counts from 1; the one of the request, where it named one. */
  z.object({ type: z.literal('audio'), part: z.number().int(), data: z.string() }),
  z.object({ type: z.literal('end') }),
])
export type SpeechEvent = z.infer<typeof speechEvent>

export const voiceRoom = {
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
