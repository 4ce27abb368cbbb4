import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { attachment } from './chat.ts'
import { ids, madeBy, making, removal, search } from './createdItems.ts'
import { id, instant, problemOrNull, procedure, requestId, whole } from './problem.ts'
import { download } from './transfers.ts'

/**
 * Specification, POST /v1/images/generations: the service accepts and ignores `model` and `size`. They are sent only
 * when the person entered them.
 */
export const imageRequest = z.object({
  prompt: z.string().min(1).max(100_000),
  n: z.number().int().min(1).max(4),
  model: z.string().max(200).nullable(),
  size: z.string().max(50).nullable(),
  /** The specification lists no values; null: not sent. */
  responseFormat: z.string().max(50).nullable(),
})
export type ImageRequest = z.infer<typeof imageRequest>

/** One image of a request. `refused`: its URL is foreign, or its bytes are not a whole image; see `problem`. */
export const imageSlot = z.object({
  index: whole,
  state: z.enum(['waiting', 'fetching', 'kept', 'refused', 'failed']),
  imageId: id.nullable(),
  /** A stored file with the bytes that are not a whole image, for `save`. It is no image of the gallery. */
  fileId: id.nullable().default(null),
  problem: problemOrNull,
  /** The URL of the service, when the image was not fetched. */
  address: z.string().nullable(),
})
export type ImageSlot = z.infer<typeof imageSlot>

/** One generation request. */
export const drawing = making.extend({
  ...imageRequest.shape,
  /** One per requested image, and more when the service returned more. */
  slots: z.array(imageSlot),
  /** The image whose prompt was reused. */
  fromImageId: id.nullable(),
  /** Time from the request to the last image, ms; null while it runs. */
  tookMs: z.number().nullable(),
  /**
   * The images that are not deleted: their number, and the path of the first one below `/media/`. This is the thumbnail if
   * there is one.
   */
  inSight: z.object({ count: whole, lookId: id.nullable() }),
})
export type Drawing = z.infer<typeof drawing>

/** An image in the gallery. */
export const image = z.object({
  id,
  drawingId: id,
  createdAt: instant,
  /** Size in pixels. */
  width: whole,
  height: whole,
  bytes: whole,
  mime: z.string(),
  /** Path of the full image below `/media/`. */
  mediaId: id,
  /** Path of the thumbnail (at most 512 pixels per side) below `/media/`; null until a window has made it. */
  thumbId: id.nullable(),
  favourite: z.boolean(),
  /** First 160 characters of the prompt. */
  prompt: z.string(),
  app: madeBy,
})
export type Image = z.infer<typeof image>

/** A chain of prompts, each reused from the one before, with their images. */
export const lineage = z.object({ drawings: z.array(drawing), images: z.array(image) })

export const imagesChange = z.discriminatedUnion('type', [
  /** Sent first, and again after deletions: running generations, the newest 50 others, and the number of images. */
  z.object({ type: z.literal('snapshot'), drawings: z.array(drawing), total: whole }),
  z.object({ type: z.literal('drawing'), drawing }),
  z.object({ type: z.literal('image'), image }),
  z.object({ type: z.literal('gone'), imageIds: z.array(id) }),
  /** The number of images. Sent once after any number of `image` and `gone` events. */
  z.object({ type: z.literal('total'), total: whole }),
])
export type ImagesChange = z.infer<typeof imagesChange>

export const imagesProcedures = {
  watch: procedure.output(eventIterator(imagesChange)),
  /** Returns all matches, newest first, because a gallery needs all sizes before it draws. `search` looks in prompts and names of apps. */
  find: procedure
    .input(z.object({ search, favourites: z.boolean().default(false) }))
    .output(z.object({ images: z.array(image) })),
  /** @throws `no_such_item` */
  get: procedure.input(z.object({ id })).output(z.object({ image, drawing, lineage })),
  /**
   * Stores the request before sending it, and each image as it arrives. `requestId` becomes the id.
   * @throws `bad_input`, `not_connected`
   */
  generate: procedure
    .input(imageRequest.extend({ requestId, fromImageId: id.nullable().default(null) }))
    .output(drawing),
  cancel: procedure.input(z.object({ drawingId: id })).output(drawing),
  /** Deletes a generation without images (refused or failed). */
  dismiss: procedure.input(z.object({ drawingId: id })).output(z.object({})),
  setFavourite: procedure.input(z.object({ ids, favourite: z.boolean() })).output(z.object({})),
  /** Stores an uploaded thumbnail made by a window: WebP or PNG, at most 512 pixels per side and 300 kB. */
  saveThumbnail: procedure.input(z.object({ id, uploadId: id })).output(image),
  /** One image or damaged file unchanged, or several as a zip. */
  save: procedure.input(z.object({ ids })).output(download),
  /** Uses the image in a chat message. */
  asAttachment: procedure.input(z.object({ id })).output(attachment.omit({ detail: true })),
  ...removal,
}
