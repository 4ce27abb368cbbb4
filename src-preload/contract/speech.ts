import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { making, makingCost, removal, search } from './createdItems.ts'
import { id, problem, procedure, requestId } from './problem.ts'
import { sc } from './requests.ts'
import { download } from './transfers.ts'

/** Specification, POST /v1/audio/speech. */
export const voices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export const speechFormat = z.enum(speechFormats)
export type SpeechFormat = z.infer<typeof speechFormat>
/** Bytes of UTF-8 that one request takes. */
export const speechInputBytes = 4096

/** A voice that the specification does not know may be typed: other services have more. Null: not sent, the service's own choice. */
export const speechWish = z.object({
  text: z.string().min(1).max(1_000_000),
  model: z.string().max(200).nullable(),
  voice: z.string().max(100).nullable(),
  format: speechFormat,
  /** 0.25 to 4; null: not sent. */
  speed: z.number().min(0.25).max(4).nullable(),
  /**
   * Samples a second of `pcm`, which says nothing of itself: 16 bits, little-endian, one channel, 24,000 a second is assumed, as others
   * of its kind send it.
   */
  pcmRate: z.number().int().min(8000).max(192_000).default(24_000),
})
export type SpeechWish = z.infer<typeof speechWish>

export const speechPart = z.object({
  /** From 1. */
  part: z.number().int(),
  /** Where it stands in the text, in UTF-16 units. */
  from: z.number().int(),
  to: z.number().int(),
  bytes: z.number().int(),
  state: z.enum(['waiting', 'making', 'done', 'failed']),
  problem: problem.nullable(),
  /** Bytes of audio that came. */
  audioBytes: z.number().int(),
  /** Null while it is not whole. */
  seconds: z.number().nullable(),
  ...makingCost.shape,
})
export type SpeechPart = z.infer<typeof speechPart>

export const speech = making.extend({
  ...speechWish.omit({ text: true }).shape,
  /** The first 200 characters. */
  excerpt: z.string(),
  textBytes: z.number().int(),
  parts: z.number().int(),
  /** Parts that are whole. */
  partsDone: z.number().int(),
  mime: z.string(),
  /** The joined audio, below `/media/`; null while it is made the first time, and where nothing came. What failed or was cancelled has what came, joined. */
  mediaId: id.nullable(),
  audioBytes: z.number().int(),
  seconds: z.number().nullable(),
  /** Made again from this one, with another voice or setting. */
  fromId: id.nullable(),
  favourite: z.boolean(),
})
export type Speech = z.infer<typeof speech>

export const speechDetail = speech.extend({ text: z.string(), partList: z.array(speechPart) })
export type SpeechDetail = z.infer<typeof speechDetail>

/** What a text would become, told before anything is asked. */
export const speechPlan = z.object({
  bytes: z.number().int(),
  parts: z.array(z.object({ from: z.number().int(), to: z.number().int(), bytes: z.number().int() })),
  /** From what speech cost before, by bytes; null where nothing is known. Always estimated. */
  cost: sc.nullable(),
  /** From what was made before with this voice and speed; null where nothing is known. */
  seconds: z.number().nullable(),
})
export type SpeechPlan = z.infer<typeof speechPlan>

export const speechSound = z.discriminatedUnion('type', [
  /** First: where this listening begins, and what comes. `rate`: of `pcm` alone. */
  z.object({ type: z.literal('plan'), parts: z.number().int(), mime: z.string(), rate: z.number().int().nullable() }),
  /** Audio as it came, base64, in order; `part` counts from 1, and each part is a file of its own. */
  z.object({ type: z.literal('audio'), part: z.number().int(), data: z.string() }),
  z.object({ type: z.literal('part'), part: z.number().int() }),
  z.object({ type: z.literal('end'), state: making.shape.state }),
])
export type SpeechSound = z.infer<typeof speechSound>

export const speechChange = z.discriminatedUnion('type', [
  /** First: the newest 200 and how many there are in all. */
  z.object({ type: z.literal('snapshot'), speeches: z.array(speech), total: z.number().int() }),
  z.object({ type: z.literal('speech'), speech }),
  z.object({ type: z.literal('gone'), id }),
])
export type SpeechChange = z.infer<typeof speechChange>

export const speechProcedures = {
  /** Each change, progress too (at most ten times a second a speech). */
  watch: procedure.output(eventIterator(speechChange)),
  /** Newest first; `search` in text and voice. `before`: the last id of the page before. */
  find: procedure
    .input(
      z.object({
        search,
        favourites: z.boolean().default(false),
        before: id.nullable(),
        limit: z.number().int().min(1).max(500),
      }),
    )
    .output(z.object({ speeches: z.array(speech), total: z.number().int() })),
  /** @throws `no_such_item` */
  get: procedure.input(z.object({ id })).output(speechDetail),
  plan: procedure.input(speechWish).output(speechPlan),
  /**
   * Kept before it is asked for; goes on whoever looks, and whichever room is open. `requestId` becomes its id.
   * @throws `bad_input`, `not_connected`
   */
  make: procedure.input(speechWish.extend({ requestId, fromId: id.nullable().default(null) })).output(speech),
  /** What comes now and what came already of it, in order, at the pace at which it is read. Ends with it. What is whole is told as one part. */
  listen: procedure
    .input(z.object({ id, fromPart: z.number().int().min(1).default(1) }))
    .output(eventIterator(speechSound)),
  /** The request under way is ended; whole parts are kept. */
  cancel: procedure.input(z.object({ id })).output(speech),
  /** Asks for the parts that are not whole, from the first of them. */
  resume: procedure.input(z.object({ id })).output(speech),
  favourite: procedure.input(z.object({ id, favourite: z.boolean() })).output(speech),
  /** How many samples a second `pcm` is taken for that was made already; its length follows. @throws `bad_input` where it is no `pcm`, or is being made */
  setRate: procedure.input(z.object({ id, pcmRate: speechWish.shape.pcmRate.unwrap() })).output(speech),
  /** The audio as a file with a name; `pcm` as wav where asked. @throws `no_such_item` */
  save: procedure.input(z.object({ id, as: z.enum(['made', 'wav']).default('made') })).output(download),
  ...removal,
}
