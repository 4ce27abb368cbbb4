import { isUtf8 } from 'node:buffer'
import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'

const textKeys = new Set(['type', 'text'])
const sourceBlockKeys = new Set(['type', 'source'])
const documentKeys = new Set(['type', 'source', 'title', 'context'])
const searchResultKeys = new Set(['type', 'content', 'source', 'title'])
const referenceKeys = new Set(['type', 'tool_name'])
const stateKeys = new Set(['type', 'tabs', 'state_changes'])
const resultKeys = new Set(['type', 'tool_use_id', 'content', 'is_error'])

const noFiles = 'Files of the Files API are not available here. Send the content itself.'

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

/** The text of a `text` block. */
export function textOfBlock(block: Fields, path: string, ignored: IgnoredMessagesFields): string {
  ignored.addUnknown(block, textKeys, 'messages.text.')
  return textAt(block, 'text', path)
}

/**
 * The text of a string or of `text` blocks.
 * @throws DialectError for blocks of another type
 */
export function plainText(content: unknown, path: string, separator: string, ignored: IgnoredMessagesFields): string {
  if (typeof content === 'string') return content
  return blocksOf(content, path)
    .map(({ block, type, path: at }) => {
      if (type !== 'text') throw new DialectError(`${at}.type`, 'Only text blocks are allowed here.')
      return textOfBlock(block, at, ignored)
    })
    .join(separator)
}

/**
 * The chat content parts of a block that a person or a tool may send: text, image, document or search result. Null for every other type.
 * @throws DialectError for content that no chat completion can have, such as a PDF
 */
export function partsOfBlock(
  block: Fields,
  type: string,
  path: string,
  ignored: IgnoredMessagesFields,
): ContentPart[] | null {
  switch (type) {
    case 'text':
      return [{ type: 'text', text: textOfBlock(block, path, ignored) }]
    case 'image':
      return [imagePart(block, path, ignored)]
    case 'document':
      return documentParts(block, path, ignored)
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
  return { type: 'image_url', image_url: { url: imageUrl(source, at) } }
}

function imageUrl(source: Fields, at: string): string {
  if (source.type === 'base64') {
    const mediaType = textAt(source, 'media_type', at)
    if (!/^image\/[\w.+-]{1,64}$/.test(mediaType)) throw new DialectError(`${at}.media_type`, 'Must be an image type.')
    return `data:${mediaType};base64,${textAt(source, 'data', at)}`
  }
  if (source.type === 'url') {
    const url = textAt(source, 'url', at)
    if (!/^https?:\/\//i.test(url)) throw new DialectError(`${at}.url`, 'Must be an http or https address.')
    return url
  }
  throw new DialectError(`${at}.type`, source.type === 'file' ? noFiles : 'Must be base64 or url.')
}

function documentParts(block: Fields, path: string, ignored: IgnoredMessagesFields): ContentPart[] {
  ignored.addUnknown(block, documentKeys, 'messages.document.')
  const { source, at } = sourceOf(block, path)
  const head: string[] = []
  const title = optionalText(block, 'title', path)
  const context = optionalText(block, 'context', path)
  if (title) head.push(`Document: ${title}`)
  if (context) head.push(`Context: ${context}`)
  const parts = documentContent(source, at, ignored)
  const first = parts[0]
  if (head.length === 0) return parts
  const heading = `${head.join('\n')}\n\n`
  // One part for the heading and a document that is only text.
  if (first?.type === 'text') return [{ type: 'text', text: heading + (first.text ?? '') }, ...parts.slice(1)]
  return [{ type: 'text', text: heading }, ...parts]
}

function documentContent(source: Fields, at: string, ignored: IgnoredMessagesFields): ContentPart[] {
  switch (source.type) {
    case 'text':
      return [{ type: 'text', text: textAt(source, 'data', at) }]
    case 'content':
      if (typeof source.content === 'string') return [{ type: 'text', text: source.content }]
      return blocksOf(source.content, `${at}.content`).map(({ block, type, path }) => {
        if (type === 'text') return { type: 'text', text: textOfBlock(block, path, ignored) }
        if (type === 'image') return imagePart(block, path, ignored)
        throw new DialectError(`${path}.type`, 'A document contains text and image blocks only.')
      })
    case 'base64':
      return [{ type: 'text', text: decodedText(source, at) }]
    case 'url':
      throw new DialectError(`${at}.type`, 'Documents are not downloaded. Send the text of the document.')
    default:
      throw new DialectError(`${at}.type`, source.type === 'file' ? noFiles : 'Must be text, content or base64.')
  }
}

function decodedText(source: Fields, at: string): string {
  const mediaType = textAt(source, 'media_type', at).toLowerCase()
  if (!/^(text\/|application\/(json|xml|yaml|x-yaml|javascript)\b)/.test(mediaType)) {
    const what = mediaType === 'application/pdf' ? 'PDF documents' : 'Documents of this type'
    throw new DialectError(
      `${at}.media_type`,
      `${what} are not supported, because the service accepts only text and images. Send the text of the document.`,
    )
  }
  const bytes = Buffer.from(textAt(source, 'data', at), 'base64')
  if (!isUtf8(bytes)) throw new DialectError(`${at}.data`, 'Must be text in UTF-8, encoded as base64.')
  return bytes.toString('utf8')
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

/** Translates a `tool_result` block. The text of a failed call begins with a line that says so. */
export function toolResultContent(block: Fields, path: string, ignored: IgnoredMessagesFields): ToolResultContent {
  ignored.addUnknown(block, resultKeys, 'messages.tool_result.')
  const { content } = block
  const images: ContentPart[] = []
  const texts: string[] = []
  if (typeof content === 'string') texts.push(content)
  else if (content !== undefined && content !== null) {
    for (const inner of blocksOf(content, `${path}.content`)) {
      for (const part of partsOfResult(inner.block, inner.type, inner.path, ignored)) {
        if (part.type === 'text') texts.push(part.text ?? '')
        else {
          images.push(part)
          texts.push(`(Image ${images.length} of this result is in the next user message.)`)
        }
      }
    }
  }
  if (block.is_error === true) texts.unshift('The tool reported an error:')
  return { text: texts.join('\n'), images }
}

function partsOfResult(block: Fields, type: string, path: string, ignored: IgnoredMessagesFields): ContentPart[] {
  if (type === 'tool_reference') {
    ignored.addUnknown(block, referenceKeys, 'messages.tool_reference.')
    return [{ type: 'text', text: `The tool ${textAt(block, 'tool_name', path)} is available.` }]
  }
  if (type === 'browser_state') {
    ignored.addUnknown(block, stateKeys, 'messages.browser_state.')
    const state = { tabs: block.tabs, state_changes: block.state_changes }
    return [{ type: 'text', text: `Browser state: ${JSON.stringify(state)}` }]
  }
  const parts = partsOfBlock(block, type, path, ignored)
  if (parts === null) throw new DialectError(`${path}.type`, 'This block type is not supported in a tool result.')
  return parts
}
