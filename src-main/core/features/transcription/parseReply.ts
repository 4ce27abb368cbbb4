import * as z from 'zod'
import type { Cue, TranscriptFormat } from '../../../../src-preload/contract/transcription.ts'
import { StudioError } from '../../errors.ts'
import type { Transcription } from '../../upstream/types.ts'
import { clean, joinCues, tidyCues } from './cues.ts'
import { isSrt, readSrt } from './srt.ts'
import { isVtt, readVtt } from './vtt.ts'

/** What was heard, however the reply said it. */
export interface Heard {
  came: TranscriptFormat
  text: string
  cues: Cue[]
}

/** UTF-16 units and pieces that a transcript may have: weeks of speech. What has more is an attack or a fault. */
const longestText = 4_000_000
const mostCues = 100_000

/** The reply as it came, to be kept: JSON as JSON; of one that is nested beyond all reason its text. */
export function rawOf({ format, text, json }: Transcription): string {
  if (format !== 'json') return text
  try {
    return JSON.stringify(json)
  } catch {
    return JSON.stringify({ text })
  }
}

/**
 * A reply, read. Services send WebVTT or SubRip as plain text too, or inside JSON, and verbose JSON has `segments` with times: all of
 * these give cues. @throws StudioError `malformed_reply` for what is no transcript
 */
export function readHeard(format: TranscriptFormat, raw: string): Heard {
  if (format === 'json') return readJson(raw)
  return readPlain(raw)
}

function readPlain(raw: string): Heard {
  if (raw.length > longestText) throw tooLong()
  if (isVtt(raw)) return reported('vtt', null, readVtt(raw) ?? [])
  if (isSrt(raw)) return reported('text', null, readSrt(raw))
  return reported('text', raw, [])
}

const reply = z.looseObject({ text: z.unknown().optional(), segments: z.unknown().optional() })
const segment = z.object({ start: z.number(), end: z.number(), text: z.string() })

function readJson(raw: string): Heard {
  const json: unknown = JSON.parse(raw)
  const { text, segments } = reply.parse(json)
  if (typeof text === 'string' && (isVtt(text) || isSrt(text))) return { ...readPlain(text), came: 'json' }
  if (typeof text !== 'string' && !Array.isArray(segments)) {
    throw new StudioError('malformed_reply', 'The service’s reply holds no transcript.', { workPossible: true })
  }
  const cues = readSegments(segments)
  return reported('json', typeof text === 'string' && text.trim() !== '' ? text : null, cues)
}

/** Those of them that make sense; the text stands beside them. */
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

function reported(came: TranscriptFormat, given: string | null, cues: Cue[]): Heard {
  if (cues.length > mostCues) throw tooLong()
  const text = given === null ? joinCues(cues) : clean(given).trim()
  if (text.length > longestText) throw tooLong()
  return { came, text, cues }
}

const tooLong = (): StudioError =>
  new StudioError('malformed_reply', 'The transcript is longer than anything that was ever said.', {
    workPossible: true,
  })
