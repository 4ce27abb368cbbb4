import { isUtf8 } from 'node:buffer'
import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import type { RequestFiles } from '../requestFiles.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'

const textKeys = new Set(['type', 'text'])
const sourceBlockKeys = new Set(['type', 'source'])
const documentKeys = new Set(['type', 'source', 'title', 'context'])
const searchResultKeys = new Set(['type', 'content', 'source', 'title'])
const referenceKeys = new Set(['type', 'tool_name'])
const stateKeys = new Set(['type', 'tabs', 'state_changes'])
const resultKeys = new Set(['type', 'tool_use_id', 'content', 'is_error'])

/** Longest name of a type or address in a note. */
const maxNoted = 200

/**
 * The note that takes the place of content that can't be sent. It tells the model what is missing. Agents send the same history again in
 * every request, so a refusal would end their session.
 * @param name as in `x-studio-ignored`
 */
export function leftOut(what: string, name: string, ignored: IgnoredMessagesFields): ContentPart {
  ignored.add(`messages.${name}`)
  return { type: 'text', text: `[${what} was left out here.]` }
}

/** The note for a block of a type that is not known here. */
export const unknownBlock = (type: string, ignored: IgnoredMessagesFields): ContentPart =>
  leftOut(`Content of the type "${quoted(type)}", which this model can't get,`, type, ignored)

const quoted = (text: string): string =>
  text
    .slice(0, maxNoted)
    .toWellFormed()
    .replace(/[\s"\]]+/g, ' ')

/** The elements of an array of blocks, with their paths. @throws DialectError for anything else */
export function blocksOf(content: unknown, path: string): { block: Fields; type: string; path: string }[] {
  if (!Array.isArray(content)) throw new DialectError(path, 'Must be a string or an array of content blocks.')
  return content.map((block: unknown, index) => {
    const at = `${path}[${index}]`
    if (!isFields(block)) throw new DialectError(at, 'Must be a content block.')
    if (typeof block.type !== 'string') throw new DialectError(`${at}.type`, 'Must be a string.')
    return { block, type: block.type, path: at }
  })
}

/** The string at `key`. @throws DialectError if it is missing or not a string */
export function textAt(block: Fields, key: string, path: string): string {
  const text = block[key]
  if (typeof text !== 'string') throw new DialectError(`${path}.${key}`, 'Must be a string.')
  return text
}

function optionalText(block: Fields, key: string, path: string): string | null {
  return block[key] === undefined || block[key] === null ? null : textAt(block, key, path)
}

/** What the translation of content uses and fills. */
export interface BlockReading {
  ignored: IgnoredMessagesFields
  files: RequestFiles
}

/** The text of a `text` block. */
export function textOfBlock(block: Fields, path: string, ignored: IgnoredMessagesFields): string {
  ignored.addUnknown(block, textKeys, 'messages.text.')
  return textAt(block, 'text', path)
}

/** The text of a string or of `text` blocks, with a note in place of other blocks. */
export function plainText(content: unknown, path: string, separator: string, ignored: IgnoredMessagesFields): string {
  if (typeof content === 'string') return content
  return blocksOf(content, path)
    .map(({ block, type, path: at }) => {
      return type === 'text' ? textOfBlock(block, at, ignored) : (unknownBlock(type, ignored).text ?? '')
    })
    .join(separator)
}

/**
 * The chat content parts of a block that a person or a tool may send: text, image, document or search result. Null for every other type.
 * A note replaces content that no chat completion can have.
 * @throws DialectError for a value of the wrong type
 */
export function partsOfBlock(
  block: Fields,
  type: string,
  path: string,
  { ignored, files }: BlockReading,
): ContentPart[] | null {
  switch (type) {
    case 'text':
      return [{ type: 'text', text: textOfBlock(block, path, ignored) }]
    case 'image':
      return [imagePart(block, path, ignored)]
    case 'document':
      return documentParts(block, path, { ignored, files })
    case 'search_result':
      return [{ type: 'text', text: searchResultText(block, path, ignored) }]
    default:
      return null
  }
}

function sourceOf(block: Fields, path: string): { source: Fields; at: string } {
  if (!isFields(block.source)) throw new DialectError(`${path}.source`, 'Must be an object.')
  return { source: block.source, at: `${path}.source` }
}

function imagePart(block: Fields, path: string, ignored: IgnoredMessagesFields): ContentPart {
  ignored.addUnknown(block, sourceBlockKeys, 'messages.image.')
  const { source, at } = sourceOf(block, path)
  const url = imageUrl(source, at)
  if (url !== null) return { type: 'image_url', image_url: { url } }
  return leftOut(
    source.type === 'file' ? 'An image of the Files API' : 'An image',
    `image.${String(source.type)}`,
    ignored,
  )
}

/** The address of an image, or null for one that can't be sent. */
function imageUrl(source: Fields, at: string): string | null {
  if (source.type === 'base64') {
    const mediaType = textAt(source, 'media_type', at)
    const data = textAt(source, 'data', at)
    return /^image\/[\w.+-]{1,64}$/.test(mediaType) ? `data:${mediaType};base64,${data}` : null
  }
  if (source.type !== 'url') return null
  const url = textAt(source, 'url', at)
  return /^https?:\/\//i.test(url) ? url : null
}

function documentParts(block: Fields, path: string, { ignored, files }: BlockReading): ContentPart[] {
  ignored.addUnknown(block, documentKeys, 'messages.document.')
  const { source, at } = sourceOf(block, path)
  const head: string[] = []
  const title = optionalText(block, 'title', path)
  const context = optionalText(block, 'context', path)
  if (title) head.push(`Document: ${title}`)
  if (context) head.push(`Context: ${context}`)
  const parts = documentContent(source, at, title ?? '', { ignored, files })
  const first = parts[0]
  if (head.length === 0) return parts
  const heading = `${head.join('\n')}\n\n`
  // One part for the heading and a document that is only text.
  if (first?.type === 'text') return [{ type: 'text', text: heading + (first.text ?? '') }, ...parts.slice(1)]
  return [{ type: 'text', text: heading }, ...parts]
}

function documentContent(source: Fields, at: string, title: string, reading: BlockReading): ContentPart[] {
  const { ignored } = reading
  switch (source.type) {
    case 'text':
      return [{ type: 'text', text: textAt(source, 'data', at) }]
    case 'content':
      if (typeof source.content === 'string') return [{ type: 'text', text: source.content }]
      return blocksOf(source.content, `${at}.content`).map(({ block, type, path }) => {
        if (type === 'text') return { type: 'text', text: textOfBlock(block, path, ignored) }
        if (type === 'image') return imagePart(block, path, ignored)
        return unknownBlock(type, ignored)
      })
    case 'base64':
      return [fileText(source, at, title, reading)]
    case 'url':
      return [
        leftOut(
          `The document at ${quoted(textAt(source, 'url', at))}, which was not downloaded,`,
          'document.url',
          ignored,
        ),
      ]
    default:
      return [leftOut('A document', `document.${String(source.type)}`, ignored)]
  }
}

/** The text of a file: as it is for text in UTF-8, else by the document converter. */
function fileText(source: Fields, at: string, name: string, { ignored, files }: BlockReading): ContentPart {
  const mediaType = textAt(source, 'media_type', at).toLowerCase()
  const base64 = textAt(source, 'data', at)
  if (/^(text\/|application\/(json|xml|yaml|x-yaml|javascript)\b)/.test(mediaType)) {
    const bytes = Buffer.from(base64, 'base64')
    if (isUtf8(bytes)) return { type: 'text', text: bytes.toString('utf8') }
  }
  const { text, isRead } = files.text({ base64, mediaType, name })
  if (!isRead) ignored.add('messages.document.base64')
  return { type: 'text', text }
}

function searchResultText(block: Fields, path: string, ignored: IgnoredMessagesFields): string {
  ignored.addUnknown(block, searchResultKeys, 'messages.search_result.')
  const title = textAt(block, 'title', path)
  const source = textAt(block, 'source', path)
  const text = plainText(block.content, `${path}.content`, '\n', ignored)
  return `Search result: ${title}\nSource: ${source}\n\n${text}`
}

/** A tool result, divided into what a `tool` message can have and images, which only a user message can have. */
export interface ToolResultContent {
  text: string
  images: ContentPart[]
}

/**
 * Translates a `tool_result` block. The text of a failed call begins with a line that says so.
 * @param found called with each tool that the result refers to. Returns the name of the tool at the service
 */
export function toolResultContent(
  block: Fields,
  path: string,
  reading: BlockReading,
  found: (tool: string) => string,
): ToolResultContent {
  reading.ignored.addUnknown(block, resultKeys, 'messages.tool_result.')
  const { content } = block
  const images: ContentPart[] = []
  const texts: string[] = []
  const add = (part: ContentPart): void => {
    if (part.type === 'text') texts.push(part.text ?? '')
    else {
      images.push(part)
      texts.push(`(Image ${images.length} of this result is in the next user message.)`)
    }
  }
  if (typeof content === 'string') texts.push(content)
  else if (content !== undefined && content !== null) {
    for (const { block: inner, type, path: at } of blocksOf(content, `${path}.content`)) {
      if (type === 'tool_reference') texts.push(foundTool(inner, at, reading.ignored, found))
      else for (const part of partsOfResult(inner, type, at, reading)) add(part)
    }
  }
  if (block.is_error === true) texts.unshift('The tool reported an error:')
  return { text: texts.join('\n'), images }
}

/** The definition of a found tool is in `tools` from now on. The original API writes it into the result instead. */
function foundTool(
  block: Fields,
  path: string,
  ignored: IgnoredMessagesFields,
  found: (tool: string) => string,
): string {
  ignored.addUnknown(block, referenceKeys, 'messages.tool_reference.')
  return `The tool ${found(textAt(block, 'tool_name', path))} is available.`
}

function partsOfResult(block: Fields, type: string, path: string, reading: BlockReading): ContentPart[] {
  const { ignored } = reading
  if (type === 'browser_state') {
    ignored.addUnknown(block, stateKeys, 'messages.browser_state.')
    const state = { tabs: block.tabs, state_changes: block.state_changes }
    return [{ type: 'text', text: `Browser state: ${JSON.stringify(state)}` }]
  }
  return partsOfBlock(block, type, path, reading) ?? [unknownBlock(type, ignored)]
}
