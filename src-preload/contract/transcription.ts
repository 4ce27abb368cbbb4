import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { madeBy, making, removal, searchPage } from './createdItems.ts'
import { id, instant, procedure, requestId, whole } from './problem.ts'
import { download } from './transfers.ts'

/** Specification, POST /v1/audio/transcriptions. The first is an alias of the last. */
export const transcriptionModels = ['whisper-1', 'whisper-large-v3', 'whisper-large-v3-turbo'] as const
export const transcriptFormats = ['json', 'text', 'vtt'] as const
export const transcriptFormat = z.enum(transcriptFormats)
export type TranscriptFormat = z.infer<typeof transcriptFormat>

/**
 * Null: not sent. The specification has no ranges or values for language, prompt, response_format (`format`) and
 * temperature.
 */
export const transcriptRequest = z.object({
  model: z.string().max(200).nullable(),
  language: z.string().max(100).nullable(),
  prompt: z.string().max(100_000).nullable(),
  format: z.string().max(100).nullable(),
  temperature: z.number().nullable(),
})
export type TranscriptRequest = z.infer<typeof transcriptRequest>

/** A segment with its times in seconds, when the service reported them. */
export const cue = z.object({ from: z.number(), to: z.number(), text: z.string() })
export type Cue = z.infer<typeof cue>

/**
 * State of a recording or file. `recording`: the microphone runs. `kept`: complete. `cut`: program or page ended during
 * the recording; the stored part can be transcribed.
 */
export const recording = z.object({
  id,
  createdAt: instant,
  name: z.string(),
  app: madeBy,
  source: z.enum(['microphone', 'file', 'speech']),
  state: z.enum(['recording', 'kept', 'cut']),
  mime: z.string(),
  bytes: whole,
  /** Null until a page has decoded it. */
  seconds: z.number().nullable(),
  /** Path below `/media/`; null while recording. */
  mediaId: id.nullable(),
  /** Summary of the newest transcript, or null. */
  transcript: z.object({ id, state: making.shape.state, excerpt: z.string(), edited: z.boolean() }).nullable(),
  transcripts: whole,
  /** The item that this one was converted from. */
  fromId: id.nullable(),
})
export type Recording = z.infer<typeof recording>

export const transcript = making.extend({
  recordingId: id,
  ...transcriptRequest.shape,
  /** Uploaded bytes of the file. */
  sentBytes: whole,
  totalBytes: whole,
  /** Format of the received response. */
  came: transcriptFormat.nullable(),
  text: z.string(),
  /** Empty when the service reported no times. */
  cues: z.array(cue),
  /** Whether a person edited text or cues. */
  edited: z.boolean(),
})
export type Transcript = z.infer<typeof transcript>

export const transcriptionChange = z.discriminatedUnion('type', [
  /** Sent first: the newest 200, and the total number. */
  z.object({ type: z.literal('snapshot'), recordings: z.array(recording), total: whole }),
  z.object({ type: z.literal('recording'), recording }),
  /** Includes progress, at most ten times per second. */
  z.object({ type: z.literal('transcript'), transcript }),
  z.object({ type: z.literal('gone'), id }),
])
export type TranscriptionChange = z.infer<typeof transcriptionChange>

export const transcriptionProcedures = {
  watch: procedure.output(eventIterator(transcriptionChange)),
  /** Newest first; `search` looks in names, transcripts and names of apps. */
  find: procedure.input(searchPage).output(z.object({ recordings: z.array(recording), total: whole })),
  /** With all transcripts, newest first. @throws `no_such_item` */
  get: procedure.input(z.object({ id })).output(z.object({ recording, transcripts: z.array(transcript) })),

  /**
   * Starts a recording: creates its row and its file. Its pieces are sent to `recordingPath(id)`. A piece is on disk when
   * its reply arrives. Bytes before the offset that are already stored are ignored; missing ones are an error.
   */
  startRecording: procedure.input(z.object({ name: z.string().max(300), mime: z.string().max(200) })).output(recording),
  /** Open while a page records. When it ends and the page does not return, the recording is marked `cut` after a few seconds. */
  holdRecording: procedure.input(z.object({ id })).output(eventIterator(z.never())),
  /** Ends the recording and stores its duration. Null: the duration is read from the file. */
  finishRecording: procedure.input(z.object({ id, seconds: z.number().nullable() })).output(recording),
  /** Deletes the recording permanently, at once. */
  discardRecording: procedure.input(z.object({ id })).output(z.object({})),
  /**
   * Stores an uploaded file of any type unchanged, because the service decides which types it accepts. `fromId`: the source
   * of a conversion.
   */
  addFile: procedure.input(z.object({ uploadId: id, fromId: id.nullable().default(null) })).output(recording),
  /** Stores the audio of a speech as a recording. @throws `no_such_item` */
  addSpeech: procedure.input(z.object({ speechId: id })).output(recording),

  /** `requestId` becomes the id of the transcript. @throws `bad_input`, `not_connected` */
  transcribe: procedure.input(transcriptRequest.extend({ requestId, recordingId: id })).output(transcript),
  cancel: procedure.input(z.object({ transcriptId: id })).output(transcript),
  /** Saves an edited text. The times of the cues do not change. */
  edit: procedure
    .input(
      z.object({
        transcriptId: id,
        text: z.string().max(10_000_000).optional(),
        cues: z.array(cue).max(100_000).optional(),
      }),
    )
    .output(transcript),
  /** Restores the text of the service. */
  revert: procedure.input(z.object({ transcriptId: id })).output(transcript),
  rename: procedure.input(z.object({ id, name: z.string().min(1).max(300) })).output(recording),
  /** Stores the duration that a page measured by decoding the file, seconds. */
  setDuration: procedure.input(z.object({ id, seconds: z.number().min(0) })).output(z.object({})),
  /** vtt and srt need cues. @throws `bad_input` */
  save: procedure.input(z.object({ transcriptId: id, as: z.enum(['txt', 'vtt', 'srt']) })).output(download),
  saveAudio: procedure.input(z.object({ id })).output(download),
  ...removal,
}
