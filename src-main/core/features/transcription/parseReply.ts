import * as z from 'zod'
import type { Cue, TranscriptFormat } from '../../../../src-preload/contract/transcription.ts'
import { StudioError } from '../../errors.ts'
import type { Transcription } from '../../upstream/types.ts'
import { clean, joinCues, tidyCues } from './cues.ts'
import { isSrt, readSrt } from './srt.ts'
import { isVtt, readVtt } from './vtt.ts'

/** Text and cues of a reply, independent of its format. */
export interface ParsedTranscript {
  came: TranscriptFormat
  text: string
  cues: Cue[]
}

/**
 * Maximum length of a transcript in UTF-16 units, and maximum number of cues. Both are weeks of speech. A larger reply is an attack or a
 * fault.
 */
const longestText = 4_000_000
const mostCues = 100_000

/** Parses a reply. @throws StudioError as `parseTranscript` */
export function parseReply({ format, raw, json }: Transcription): ParsedTranscript {
  if (format !== 'json') return readPlain(raw)
  if (json === null) throw tooLong()
  return readJson(json)
}

/**
 * Parses a stored reply. Services also send WebVTT or SubRip as plain text or inside JSON, and verbose JSON has `segments` with times. All of
 * these give cues.
 * @throws StudioError `malformed_reply` if the reply is not a transcript
 */
export function parseTranscript(format: TranscriptFormat, raw: string): ParsedTranscript {
  return format === 'json' ? readJson(JSON.parse(raw)) : readPlain(raw)
}

function readPlain(raw: string): ParsedTranscript {
  if (raw.length > longestText) throw tooLong()
  if (isVtt(raw)) return boundedTranscript('vtt', null, readVtt(raw) ?? [])
  if (isSrt(raw)) return boundedTranscript('text', null, readSrt(raw))
  return boundedTranscript('text', raw, [])
}

const reply = z.looseObject({ text: z.unknown().optional(), segments: z.unknown().optional() })
const segment = z.object({ start: z.number(), end: z.number(), text: z.string() })

function readJson(json: unknown): ParsedTranscript {
  const { text, segments } = reply.parse(json)
  if (typeof text === 'string' && (isVtt(text) || isSrt(text))) return { ...readPlain(text), came: 'json' }
  if (typeof text !== 'string' && !Array.isArray(segments)) {
    throw new StudioError('malformed_reply', 'The service’s reply contains no transcript.', { workPossible: true })
  }
  const cues = readSegments(segments)
  return boundedTranscript('json', typeof text === 'string' && text.trim() !== '' ? text : null, cues)
}

/** Reads the valid segments as cues. `readJson` reads the text separately. */
function readSegments(segments: unknown): Cue[] {
  if (!Array.isArray(segments)) return []
  if (segments.length > mostCues) throw tooLong()
  const all: unknown[] = segments
  return tidyCues(
    all.flatMap((one) => {
      const { success, data } = segment.safeParse(one)
      return success ? [{ from: data.start, to: data.end, text: data.text }] : []
    }),
  )
}

function boundedTranscript(came: TranscriptFormat, given: string | null, cues: Cue[]): ParsedTranscript {
  if (cues.length > mostCues) throw tooLong()
  const text = given === null ? joinCues(cues) : clean(given).trim()
  if (text.length > longestText) throw tooLong()
  return { came, text, cues }
}

const tooLong = (): StudioError =>
  new StudioError('malformed_reply', 'The transcript is too long to be real.', {
    workPossible: true,
  })
