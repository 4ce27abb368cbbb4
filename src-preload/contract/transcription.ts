import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { making, removal, search } from './createdItems.ts'
import { id, instant, procedure, requestId } from './problem.ts'
import { download } from './transfers.ts'

/** Specification, POST /v1/audio/transcriptions. The first is an alias of the last and no model of its own. */
export const transcriptionModels = ['whisper-1', 'whisper-large-v3', 'whisper-large-v3-turbo'] as const
export const transcriptFormats = ['json', 'text', 'vtt'] as const
export const transcriptFormat = z.enum(transcriptFormats)
export type TranscriptFormat = z.infer<typeof transcriptFormat>

/** Null: not sent. The specification shows neither bounds nor values of language, prompt, response_format (`format`) and temperature. */
export const transcriptWish = z.object({
  model: z.string().max(200).nullable(),
  language: z.string().max(100).nullable(),
  prompt: z.string().max(100_000).nullable(),
  format: z.string().max(100).nullable(),
  temperature: z.number().nullable(),
})
export type TranscriptWish = z.infer<typeof transcriptWish>

/** A piece of a transcript with its times in seconds, where the service told them. */
export const cue = z.object({ from: z.number(), to: z.number(), text: z.string() })
export type Cue = z.infer<typeof cue>

/**
 * A recording or a file, as it came. `recording`: the microphone runs. `kept`: whole. `cut`: the program or the page ended while it was
 * made; what had come is there and can be transcribed.
 */
export const recording = z.object({
  id,
  createdAt: instant,
  name: z.string(),
  source: z.enum(['microphone', 'file', 'speech']),
  state: z.enum(['recording', 'kept', 'cut']),
  mime: z.string(),
  bytes: z.number().int(),
  /** Null while nobody has looked. */
  seconds: z.number().nullable(),
  /** Below `/media/`; null while it is recorded. */
  mediaId: id.nullable(),
  /** The newest transcript of it, in short; null: there is none. */
  transcript: z.object({ id, state: making.shape.state, excerpt: z.string(), edited: z.boolean() }).nullable(),
  transcripts: z.number().int(),
  /** Made of this one by converting. */
  fromId: id.nullable(),
})
export type Recording = z.infer<typeof recording>

export const transcript = making.extend({
  recordingId: id,
  ...transcriptWish.shape,
  /** Bytes of the file that went up, while it does; all of them once it did. */
  sentBytes: z.number().int(),
  totalBytes: z.number().int(),
  /** In which form the reply came. */
  came: transcriptFormat.nullable(),
  text: z.string(),
  /** Empty where the service told no times. */
  cues: z.array(cue),
  /** Text and cues are the person's, no longer just the service's. */
  edited: z.boolean(),
})
export type Transcript = z.infer<typeof transcript>

export const transcribeChange = z.discriminatedUnion('type', [
  /** First: the newest 200 and how many there are in all. */
  z.object({ type: z.literal('snapshot'), recordings: z.array(recording), total: z.number().int() }),
  z.object({ type: z.literal('recording'), recording }),
  /** Progress too, at most ten times a second. */
  z.object({ type: z.literal('transcript'), transcript }),
  z.object({ type: z.literal('gone'), id }),
])
export type TranscribeChange = z.infer<typeof transcribeChange>

export const transcriptionProcedures = {
  watch: procedure.output(eventIterator(transcribeChange)),
  /** Newest first; `search` in names and transcripts. */
  find: procedure
    .input(z.object({ search, before: id.nullable(), limit: z.number().int().min(1).max(500) }))
    .output(z.object({ recordings: z.array(recording), total: z.number().int() })),
  /** With all transcripts of it, newest first. @throws `no_such_item` */
  get: procedure.input(z.object({ id })).output(z.object({ recording, transcripts: z.array(transcript) })),

  /** The microphone begins: a row, and a file that grows. */
  begin: procedure.input(z.object({ name: z.string().max(300), mime: z.string().max(200) })).output(recording),
  /** What was said since; on the disk when this resolves. `at` is the offset, in bytes: what was taken already is not taken twice. */
  append: procedure
    .input(z.object({ id, at: z.number().int().min(0), data: z.base64().max(2_800_000) }))
    .output(z.object({ bytes: z.number().int() })),
  /** The microphone ended, and how long it was. */
  finish: procedure.input(z.object({ id, seconds: z.number().nullable() })).output(recording),
  /** Thrown away at once. */
  discard: procedure.input(z.object({ id })).output(z.object({})),
  /** Keeps an uploaded file as it is, whatever it is: the service decides what it takes. `fromId`: converted from that one. */
  addFile: procedure.input(z.object({ uploadId: id, fromId: id.nullable().default(null) })).output(recording),
  /** Keeps audio that the Speech room made. @throws `no_such_item` */
  addSpeech: procedure.input(z.object({ speechId: id })).output(recording),

  /** `requestId` becomes the id of the transcript. @throws `bad_input`, `not_connected` */
  transcribe: procedure.input(transcriptWish.extend({ requestId, recordingId: id })).output(transcript),
  cancel: procedure.input(z.object({ transcriptId: id })).output(transcript),
  /** The person's words; cues keep their times. */
  edit: procedure
    .input(
      z.object({
        transcriptId: id,
        text: z.string().max(10_000_000).optional(),
        cues: z.array(cue).max(100_000).optional(),
      }),
    )
    .output(transcript),
  /** What the service had said. */
  revert: procedure.input(z.object({ transcriptId: id })).output(transcript),
  rename: procedure.input(z.object({ id, name: z.string().min(1).max(300) })).output(recording),
  /** Told by who decoded it. */
  measured: procedure.input(z.object({ id, seconds: z.number().min(0) })).output(z.object({})),
  /** vtt and srt need cues. @throws `bad_input` */
  save: procedure.input(z.object({ transcriptId: id, as: z.enum(['txt', 'vtt', 'srt']) })).output(download),
  saveAudio: procedure.input(z.object({ id })).output(download),
  ...removal,
}
