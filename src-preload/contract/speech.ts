import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { making, makingCost, removal, searchPage } from './createdItems.ts'
import { frameBytes } from './frames.ts'
import { id, problemOrNull, procedure, requestId, whole } from './problem.ts'
import { sc } from './requests.ts'
import { byteStream, download } from './transfers.ts'

/** Specification, POST /v1/audio/speech. */
export const voices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export const speechFormat = z.enum(speechFormats)
export type SpeechFormat = z.infer<typeof speechFormat>
/** Maximum text of one request, bytes of UTF-8. */
export const speechInputBytes = 4096

/**
 * A person can enter voices outside the specification, because other services have more. Null is not sent and selects the
 * default of the service.
 */
export const speechRequest = z.object({
  text: z.string().min(1).max(1_000_000),
  model: z.string().max(200).nullable(),
  voice: z.string().max(100).nullable(),
  format: speechFormat,
  /** 0.25 to 4; null: not sent. */
  speed: z.number().min(0.25).max(4).nullable(),
  /**
   * Sample rate of `pcm` in Hz, which the format does not contain. The default and the assumed format (16 bits,
   * little-endian, mono) are those of similar services.
   */
  pcmRate: z.number().int().min(8000).max(192_000).default(24_000),
})
export type SpeechRequest = z.infer<typeof speechRequest>

export const speechPart = z.object({
  /** Number of the part, from 1. */
  part: whole,
  /** Range in the text, in UTF-16 units. */
  from: whole,
  to: whole,
  bytes: whole,
  state: z.enum(['waiting', 'making', 'done', 'failed']),
  problem: problemOrNull,
  /** Received audio, bytes. */
  audioBytes: whole,
  /** Duration in seconds; null until complete. */
  seconds: z.number().nullable(),
  ...makingCost.shape,
})
export type SpeechPart = z.infer<typeof speechPart>

export const speech = making.extend({
  ...speechRequest.omit({ text: true }).shape,
  /** First 200 characters. */
  excerpt: z.string(),
  textBytes: whole,
  parts: whole,
  /** Number of complete parts. */
  partsDone: whole,
  mime: z.string(),
  /**
   * Path of the joined audio below `/media/`. Null during the first generation and when nothing arrived. Failed and
   * cancelled speech has the received audio.
   */
  mediaId: id.nullable(),
  audioBytes: whole,
  seconds: z.number().nullable(),
  /** The speech that this one repeats with other settings. */
  fromId: id.nullable(),
  favourite: z.boolean(),
})
export type Speech = z.infer<typeof speech>

export const speechDetail = speech.extend({ text: z.string(), partList: z.array(speechPart) })
export type SpeechDetail = z.infer<typeof speechDetail>

/** A preview of the generation, computed without a request. */
export const speechPlan = z.object({
  bytes: whole,
  parts: z.array(z.object({ from: whole, to: whole, bytes: whole })),
  /** Estimated from earlier charges of the service for texts of similar size; null without such charges. */
  cost: sc.nullable(),
  /** Duration in seconds, estimated from earlier speech with this voice and speed; null without data. */
  seconds: z.number().nullable(),
})
export type SpeechPlan = z.infer<typeof speechPlan>

export const speechSound = z.discriminatedUnion('type', [
  /** Sent first: where playback starts, and the audio type. `rate`: for `pcm` only, Hz. */
  z.object({ type: z.literal('plan'), parts: whole, mime: z.string(), rate: whole.nullable() }),
  /** Received audio in order. `part` counts from 1; each part is a separate file. */
  z.object({ type: z.literal('audio'), part: whole, data: frameBytes }),
  z.object({ type: z.literal('part'), part: whole }),
  z.object({ type: z.literal('end'), state: making.shape.state }),
])
export type SpeechSound = z.infer<typeof speechSound>

export const speechChange = z.discriminatedUnion('type', [
  /** Sent first: the newest 200, and the total number. */
  z.object({ type: z.literal('snapshot'), speeches: z.array(speech), total: whole }),
  z.object({ type: z.literal('speech'), speech }),
  z.object({ type: z.literal('gone'), id }),
])
export type SpeechChange = z.infer<typeof speechChange>

export const speechProcedures = {
  /** Sends every change, including progress (at most ten times per second for each speech). */
  watch: procedure.output(eventIterator(speechChange)),
  /** Newest first; `search` looks in text, voice and name of the app. */
  find: procedure
    .input(searchPage.extend({ favourites: z.boolean().default(false) }))
    .output(z.object({ speeches: z.array(speech), total: whole })),
  /** @throws `no_such_item` */
  get: procedure.input(z.object({ id })).output(speechDetail),
  plan: procedure.input(speechRequest).output(speechPlan),
  /**
   * Stores the request before sending it, and continues without an open page. `requestId` becomes the id.
   * @throws `bad_input`, `not_connected`
   */
  generate: procedure.input(speechRequest.extend({ requestId, fromId: id.nullable().default(null) })).output(speech),
  /**
   * Streams the audio received so far and the rest as it arrives, at the pace of the reader, as frames of `speechSound`.
   * Complete speech is one part.
   */
  streamAudio: procedure.input(z.object({ id, fromPart: z.number().int().min(1).default(1) })).output(byteStream),
  /** Cancels the running request. Complete parts stay. */
  cancel: procedure.input(z.object({ id })).output(speech),
  /** Requests the incomplete parts, in order. */
  resume: procedure.input(z.object({ id })).output(speech),
  setFavourite: procedure.input(z.object({ id, favourite: z.boolean() })).output(speech),
  /**
   * Changes the assumed sample rate of existing `pcm`, which changes its duration.
   * @throws `bad_input` when the format is not `pcm` or the generation is in progress
   */
  setPcmRate: procedure.input(z.object({ id, pcmRate: speechRequest.shape.pcmRate.unwrap() })).output(speech),
  /** The audio as a named file; `pcm` as wav on request. @throws `no_such_item` */
  save: procedure.input(z.object({ id, as: z.enum(['made', 'wav']).default('made') })).output(download),
  ...removal,
}
