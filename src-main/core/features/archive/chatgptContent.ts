import * as z from 'zod'
import type { Notes } from './importNotes.ts'

export interface Content {
  text: string
  /** For a node that holds nothing but thoughts. */
  thoughts: string[] | null
  pictures: { asset: string; width: number; height: number; bytes: number }[]
}

const size = z.number().int().min(0).catch(0)
const picture = z.object({ asset_pointer: z.string().max(1000), width: size, height: size, size_bytes: size })
const thought = z.object({ summary: z.string().catch(''), content: z.string().catch('') })
const text = z.string().catch('')

/** `file-service://file-ABC` and `sediment://file_abc` are both files of the export whose names begin so. */
export const assetId = (pointer: string): string => pointer.replace(/^[a-z-]+:\/\//, '').replace(/[?#].*$/, '')

/** Unix seconds with a fraction; older tools wrote ISO text. */
export function instantOf(value: number | string | null | undefined): string | null {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  // Years of four digits, so that instants sort as text.
  return ms >= 0 && ms < 253_402_300_800_000 ? new Date(Math.round(ms)).toISOString() : null
}

/** Marks of citations in private characters, which no font shows. */
const marks = /\ue200[^\ue201]{0,2000}\ue201/gu

/** What a message holds, by its `content_type`; code that is not `shown` is what a tool was given. What is not known is kept as it is written, with a note. */
export function readContent(
  content: { content_type: string } & Record<string, unknown>,
  shown: boolean,
  notes: Notes,
): Content {
  const plain = (value: string): Content => ({ text: value.toWellFormed(), thoughts: null, pictures: [] })
  switch (content.content_type) {
    case 'text':
    case 'multimodal_text':
      return readParts(content.parts, notes)
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
    // How long it thought, and what a person told of themselves: scaffolding around the conversation.
    case 'reasoning_recap':
    case 'user_editable_context':
    case 'model_editable_context':
      return { ...plain(''), thoughts: [] }
    default:
      notes.add('# messages are of a kind that is not known here; they were kept as they are written.')
      return plain(fenced(JSON.stringify(content, null, 2), 'json'))
  }
}

function readParts(parts: unknown, notes: Notes): Content {
  const content: Content = { text: '', thoughts: null, pictures: [] }
  const texts: string[] = []
  for (const part of Array.isArray(parts) ? parts : []) {
    if (typeof part === 'string') {
      if (part !== '') texts.push(part)
      continue
    }
    const kind = z.looseObject({ content_type: z.string() }).safeParse(part)
    if (!kind.success) continue
    const known = kind.data.content_type
    const image = known === 'image_asset_pointer' ? picture.safeParse(part) : null
    if (image?.success) {
      const { asset_pointer: asset, width, height, size_bytes: bytes } = image.data
      content.pictures.push({ asset, width, height, bytes })
    } else if (known === 'audio_transcription') texts.push(text.parse(kind.data.text))
    else if (/audio|video/.test(known)) notes.add('# recordings were left out.')
    else {
      notes.add('# messages are of a kind that is not known here; they were kept as they are written.')
      texts.push(fenced(JSON.stringify(part, null, 2), 'json'))
    }
  }
  const joined = texts.join('\n')
  content.text = joined.replaceAll(marks, '').toWellFormed()
  if (content.text !== joined.toWellFormed())
    notes.add('Marks of citations, which nothing can show, were left out of # messages.')
  return content
}

const lines = (...values: unknown[]): string =>
  values
    .map((value) => text.parse(value))
    .filter((value) => value !== '')
    .join('\n\n')

function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code}\n${fence}`
}
