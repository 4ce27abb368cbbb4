import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { attachment } from './chat.ts'
import { ids, making, removal, search } from './createdItems.ts'
import { id, instant, problem, procedure, requestId } from './problem.ts'
import { download } from './transfers.ts'

/**
 * Specification, POST /v1/images/generations: `model` and `size` are accepted and ignored by the service, so they are sent only where the
 * person wrote them under "sent but ignored by this service".
 */
export const imageWish = z.object({
  prompt: z.string().min(1).max(100_000),
  n: z.number().int().min(1).max(4),
  model: z.string().max(200).nullable(),
  size: z.string().max(50).nullable(),
  /** Its values are not shown by the specification; null: not sent. */
  responseFormat: z.string().max(50).nullable(),
})
export type ImageWish = z.infer<typeof imageWish>

/** One of those that were asked for. `refused`: its address lies elsewhere, or its bytes are no picture; see `problem`. */
export const imageSlot = z.object({
  index: z.number().int(),
  state: z.enum(['waiting', 'fetching', 'kept', 'refused', 'failed']),
  imageId: id.nullable(),
  problem: problem.nullable(),
  /** As the service gave it, where it was not fetched. */
  address: z.string().nullable(),
})
export type ImageSlot = z.infer<typeof imageSlot>

/** One request. */
export const drawing = making.extend({
  ...imageWish.shape,
  slots: z.array(imageSlot),
  /** The picture whose prompt this one was taken from. */
  fromImageId: id.nullable(),
  /** ms from the request to the last picture; null while it runs. */
  tookMs: z.number().nullable(),
  /** Of its pictures those that are not deleted: how many, and below `/media/` a look at the first, a small one where it has one. */
  inSight: z.object({ count: z.number().int(), lookId: id.nullable() }),
})
export type Drawing = z.infer<typeof drawing>

/** A picture as the gallery draws it. */
export const image = z.object({
  id,
  drawingId: id,
  createdAt: instant,
  /** Its own pixels. */
  width: z.number().int(),
  height: z.number().int(),
  bytes: z.number().int(),
  mime: z.string(),
  /** The whole picture, below `/media/`. */
  mediaId: id,
  /** A small one, at most 512 pixels a side, below `/media/`; null until a window made it. */
  thumbId: id.nullable(),
  favourite: z.boolean(),
  /** The first 160 characters. */
  prompt: z.string(),
})
export type Image = z.infer<typeof image>

/** Prompts and their pictures, from the first to the latest, of which one was made from another. */
export const lineage = z.object({ drawings: z.array(drawing), images: z.array(image) })

export const imagesChange = z.discriminatedUnion('type', [
  /** First, and again when pictures were erased: drawings under way and the newest 50 others, and how many pictures there are. */
  z.object({ type: z.literal('snapshot'), drawings: z.array(drawing), total: z.number().int() }),
  z.object({ type: z.literal('drawing'), drawing }),
  z.object({ type: z.literal('image'), image }),
  z.object({ type: z.literal('gone'), imageIds: z.array(id) }),
])
export type ImagesChange = z.infer<typeof imagesChange>

export const imagesProcedures = {
  watch: procedure.output(eventIterator(imagesChange)),
  /** All that match, newest first: a gallery knows the size of each before it is drawn. `search` in prompts. */
  find: procedure
    .input(z.object({ search, favourites: z.boolean().default(false) }))
    .output(z.object({ images: z.array(image) })),
  /** @throws `no_such_item` */
  get: procedure.input(z.object({ id })).output(z.object({ image, drawing, lineage })),
  /** Kept before it is asked for; each picture is kept as it arrives. `requestId` becomes its id. @throws `bad_input`, `not_connected` */
  make: procedure.input(imageWish.extend({ requestId, fromImageId: id.nullable().default(null) })).output(drawing),
  cancel: procedure.input(z.object({ drawingId: id })).output(drawing),
  /** Takes a drawing without pictures (refused, failed) out of sight. */
  dismiss: procedure.input(z.object({ drawingId: id })).output(z.object({})),
  favourite: procedure.input(z.object({ ids, favourite: z.boolean() })).output(z.object({})),
  /** A WebP or PNG of at most 512 pixels a side and 300 kB, made by a window that drew the whole. */
  keepThumb: procedure.input(z.object({ id, data: z.base64().max(420_000) })).output(image),
  /** One as it came; several as one zip. */
  save: procedure.input(z.object({ ids })).output(download),
  /** As a picture for a message of the chat. */
  asAttachment: procedure.input(z.object({ id })).output(attachment.omit({ detail: true })),
  ...removal,
}
