import * as z from 'zod'
import type { Notes } from './importNotes.ts'
import { fenced } from './markdown.ts'

/** Content of one message in an export of ChatGPT. */
export interface ExportedContent {
  text: string
  /** Reasoning of a node that has nothing else, or null. */
  thoughts: string[] | null
  pictures: { asset: string; width: number; height: number; bytes: number }[]
}

/** Counts of messages that are imported in part or not at all. */
export interface MessageFaults {
  /** They do not match the format. */
  broken: number
  /** They have more than `maxParts` parts. */
  cut: number
}

/** Most parts of a message that are read. Messages of this program have as many images at most. */
export const maxParts = 1000

const size = z.number().int().min(0).catch(0)
const picture = z.object({ asset_pointer: z.string().max(1000), width: size, height: size, size_bytes: size })
const thought = z.object({ summary: z.string().catch(''), content: z.string().catch('') })
const text = z.string().catch('')

/**
 * File id of an asset pointer. `file-service://file-ABC` and `sediment://file_abc` name files whose names begin with
 * that id.
 */
export const assetId = (pointer: string): string => pointer.replace(/^[a-z-]+:\/\//, '').replace(/[?#].*$/s, '')

/** Converts Unix seconds with a fraction, or ISO text of older programs, to an ISO instant. Null if invalid. */
export function instantOf(value: number | string | null | undefined): string | null {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  // Only years with four digits, so that instants sort as text.
  return ms >= 0 && ms < 253_402_300_800_000 ? new Date(Math.round(ms)).toISOString() : null
}

/** Citation marks in private-use characters, which no font shows. */
const marks = /\ue200[^\ue200\ue201]{0,2000}\ue201/gu

/**
 * Reads the content of a message by its `content_type`. `shown` is false if code in the message is the input of a tool. An unknown type
 * becomes JSON in a fence, with a note.
 */
export function readContent(
  content: { content_type: string } & Record<string, unknown>,
  shown: boolean,
  { notes, faults }: { notes: Notes; faults: MessageFaults },
): ExportedContent {
  const plain = (value: string): ExportedContent => ({ text: value.toWellFormed(), thoughts: null, pictures: [] })
  switch (content.content_type) {
    case 'text':
    case 'multimodal_text':
      return readParts(content.parts, notes, faults)
    case 'code': {
      const code = text.parse(content.text)
      const language = text.parse(content.language)
      return plain(shown ? fenced(code, language === 'unknown' ? '' : language) : code)
    }
    case 'execution_output':
      return plain(text.parse(content.text))
    case 'tether_quote':
    case 'sonic_webpage':
      return plain(lines(content.title, content.url, content.text))
    case 'tether_browsing_display':
      return plain(lines(content.summary, content.result))
    case 'system_error':
      return plain(lines(content.name, content.text))
    case 'thoughts': {
      const thoughts = z.array(thought).safeParse(content.thoughts)
      const all = thoughts.success ? thoughts.data : [{ summary: '', content: text.parse(content.thoughts) }]
      return { ...plain(''), thoughts: all.map((one) => lines(one.summary, one.content)).filter((one) => one !== '') }
    }
    // Thinking time and personal context are metadata, not content.
    case 'reasoning_recap':
    case 'user_editable_context':
    case 'model_editable_context':
      return { ...plain(''), thoughts: [] }
    default:
      notes.add('import.asJson')
      return plain(fenced(JSON.stringify(content, null, 2), 'json'))
  }
}

const isPart = (value: unknown): value is string | { content_type: string; text?: unknown } =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && 'content_type' in value && typeof value.content_type === 'string')

/** The first parts that can be read. */
function readableParts(parts: unknown, faults: MessageFaults) {
  const all: unknown[] = Array.isArray(parts) ? parts : [parts]
  if (all.length > maxParts) faults.cut += 1
  const given = all.slice(0, maxParts).filter((part) => part !== null && part !== undefined)
  const readable = given.filter(isPart)
  if (given.length > 0 && readable.length === 0) faults.broken += 1
  return readable
}

function readParts(parts: unknown, notes: Notes, faults: MessageFaults): ExportedContent {
  const content: ExportedContent = { text: '', thoughts: null, pictures: [] }
  const texts: string[] = []
  for (const part of readableParts(parts, faults)) {
    if (typeof part === 'string') {
      if (part !== '') texts.push(part)
      continue
    }
    const known = part.content_type
    const image = known === 'image_asset_pointer' ? picture.safeParse(part) : null
    if (image?.success) {
      const { asset_pointer: asset, width, height, size_bytes: bytes } = image.data
      content.pictures.push({ asset, width, height, bytes })
    } else if (known === 'audio_transcription') texts.push(text.parse(part.text))
    else if (/audio|video/.test(known)) notes.add('import.recordings')
    else {
      notes.add('import.asJson')
      texts.push(fenced(JSON.stringify(part, null, 2), 'json'))
    }
  }
  const joined = texts.join('\n')
  content.text = joined.replaceAll(marks, '').toWellFormed()
  if (content.text !== joined.toWellFormed()) notes.add('import.citations')
  return content
}

const lines = (...values: unknown[]): string =>
  values
    .map((value) => text.parse(value))
    .filter((value) => value !== '')
    .join('\n\n')
