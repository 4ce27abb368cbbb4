import { isUtf8 } from 'node:buffer'
import type { ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { type IgnoredFields, list, name, object, optionalText, text } from '../fields.ts'
import type { RequestFiles } from '../requestFiles.ts'
import type { JsonObject } from '../types.ts'

/** Members of content parts that have their effect, or say nothing about the content. */
const partFields = new Set([
  'type',
  'text',
  'refusal',
  'image_url',
  'detail',
  'file_id',
  'file_data',
  'file_url',
  'filename',
])

/** Media types whose bytes a model can read as text. */
const textType =
  /^(text\/.+|application\/(json|jsonl|x-ndjson|xml|javascript|x-javascript|ecmascript|typescript|yaml|x-yaml|toml|sql|graphql|x-sh|x-httpd-php|x-tex|csv)|[^/]+\/.+\+(json|xml|yaml))$/
const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*),/i

/** What the translation of content uses and fills. */
export interface ContentReading {
  ignored: IgnoredFields
  files: RequestFiles
}

/**
 * The note that takes the place of what can't be sent. It tells the model what is missing. Apps send the same history again in every request,
 * so a refusal would end their session.
 * @param name as in `x-studio-ignored`, without `input.`
 */
export function leftOut(what: string, name: string, ignored: IgnoredFields): string {
  ignored.add(`input.${name}`)
  return `[${what} was left out here.]`
}

/** The name of a type in a note: a few characters of one line. */
export const shownType = (type: string): string => JSON.stringify(type.slice(0, 64).toWellFormed())

/**
 * Translates the content list of a message or a tool result. A note replaces what no chat completion can have.
 * @throws DialectError for a value of the wrong type
 */
export function contentParts(content: unknown, param: string, reading: ContentReading): ContentPart[] {
  return list(content, param).map((entry, at) =>
    contentPart(object(entry, `${param}[${at}]`), `${param}[${at}]`, reading),
  )
}

function contentPart(part: JsonObject, param: string, reading: ContentReading): ContentPart {
  const { ignored } = reading
  ignored.addUnknown(part, partFields, 'input')
  const type = name(part.type, `${param}.type`)
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return { type: 'text', text: text(part.text, `${param}.text`) }
    case 'refusal':
      return { type: 'text', text: text(part.refusal, `${param}.refusal`) }
    case 'input_image':
      return imagePart(part, param, ignored)
    case 'input_file':
      // Says how the pages of a document are drawn. A text has none.
      if (part.detail !== undefined && part.detail !== null) ignored.add('input.detail')
      return { type: 'text', text: fileText(part, param, reading) }
    default:
      return { type: 'text', text: leftOut(`Content of the type ${shownType(type)}`, type, ignored) }
  }
}

function imagePart(part: JsonObject, param: string, ignored: IgnoredFields): ContentPart {
  const url = optionalText(part.image_url, `${param}.image_url`)
  if (url === null || url === '') {
    if (optionalText(part.file_id, `${param}.file_id`) !== null) {
      return { type: 'text', text: leftOut('An image of the Files API', 'file_id', ignored) }
    }
    throw new DialectError(`${param}.image_url`, 'An image needs image_url: an address or a data URL.')
  }
  const detail = detailOf(optionalText(part.detail, `${param}.detail`), ignored)
  return {
    type: 'image_url',
    image_url: { url, ...(detail !== null && { detail }) },
  }
}

function detailOf(detail: string | null, ignored: IgnoredFields): 'auto' | 'low' | 'high' | null {
  if (detail === null || detail === 'auto' || detail === 'low' || detail === 'high') return detail
  // The service has no value for the full resolution: `high` is its most exact one.
  if (detail === 'original') return 'high'
  ignored.add('input.detail')
  return null
}

function fileText(part: JsonObject, param: string, { ignored, files }: ContentReading): string {
  const data = optionalText(part.file_data, `${param}.file_data`)
  if (data === null) {
    if (optionalText(part.file_id, `${param}.file_id`) !== null) {
      return leftOut('A file of the Files API', 'file_id', ignored)
    }
    const url = optionalText(part.file_url, `${param}.file_url`)
    if (url !== null) return leftOut(`The file at ${shownUrl(url)}, which was not downloaded,`, 'file_url', ignored)
    throw new DialectError(`${param}.file_data`, 'A file needs file_data: base64 or a data URL.')
  }
  const filename = optionalText(part.filename, `${param}.filename`) ?? 'file'
  const { bytes, base64, mediaType } = decoded(data, `${param}.file_data`)
  const own = mediaType === '' || textType.test(mediaType) ? textIn(bytes) : null
  const { text: content, isRead } =
    own === null ? files.text({ base64: base64(), mediaType, name: filename }) : { text: own, isRead: true }
  if (isRead) return `<file name=${JSON.stringify(filename)}>\n${content}\n</file>`
  ignored.add('input.input_file')
  return content
}

/** An address in a note, without what could pass for more than one. */
const shownUrl = (url: string): string =>
  url
    .slice(0, 200)
    .toWellFormed()
    .replace(/[\s"\]]+/g, ' ')

interface FileContent {
  bytes: Buffer
  base64(): string
  /** In small letters. Empty when the file has none. */
  mediaType: string
}

/** @throws DialectError for what is neither base64 nor a data URL */
function decoded(data: string, param: string): FileContent {
  const match = dataUrl.exec(data.slice(0, 1024))
  const [prefix = '', type = '', parameters = ''] = match ?? []
  const mediaType = type.toLowerCase()
  const payload = data.slice(prefix.length)
  if (match === null || parameters.toLowerCase().split(';').includes('base64')) {
    const clean = payload.replace(/\s+/g, '')
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(clean)) throw new DialectError(param, `${param} must be base64 or a data URL.`)
    return { bytes: Buffer.from(clean, 'base64'), base64: () => clean, mediaType }
  }
  const bytes = fromPercent(payload, param)
  return { bytes, base64: () => bytes.toString('base64'), mediaType }
}

/** The bytes as text, or null when they are none. A PDF can consist of ASCII only. Its text is compressed or drawn, and useless to a model. */
function textIn(bytes: Buffer): string | null {
  if (!isUtf8(bytes) || bytes.includes(0) || bytes.toString('latin1', 0, 5) === '%PDF-') return null
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function fromPercent(payload: string, param: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(payload))
  } catch {
    throw new DialectError(param, `${param} is not a valid data URL.`)
  }
}
