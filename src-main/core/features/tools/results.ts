import { limits } from './limits.ts'
import { isRecord } from './schemaCheck/schema.ts'

/** Result of a tool as text for the model. No URL in it is opened or fetched. */
export interface ToolResult {
  text: string
  isError: boolean
  notes: string[]
}

/** Converts a result of `tools/call` (Model Context Protocol, Tool Result) to text, block by block. */
export function resultText(result: { content?: unknown; structuredContent?: unknown; isError?: unknown }): ToolResult {
  const blocks = Array.isArray(result.content) ? result.content.map(blockText) : []
  // Adds structured content only if no text block repeats it. Servers repeat it as text for older clients.
  const structured = result.structuredContent === undefined ? '' : asJson(result.structuredContent)
  const known = new Set(blocks.map(compact))
  if (structured && !known.has(compact(structured))) blocks.push(structured)
  return { ...bounded(blocks.join('\n')), isError: result.isError === true }
}

/** Limits text to `bytes` (UTF-8, default 200 kB) and makes it well-formed. After a cut, the text and the notes state the sizes. */
export function bounded(text: string, bytes: number = limits.resultBytes): { text: string; notes: string[] } {
  // Some consumers treat NUL as the end of a text.
  const whole = text.toWellFormed().replaceAll('\0', '\uFFFD')
  const size = Buffer.byteLength(whole)
  if (size <= bytes) return { text: whole, notes: [] }
  // In stream mode the decoder drops an incomplete character at the end.
  const kept = new TextDecoder().decode(Buffer.from(whole).subarray(0, bytes), { stream: true })
  const words = `The result was cut to its first ${Buffer.byteLength(kept)} of ${size} bytes.`
  return { text: `${kept}\n\n[${words}]`, notes: [words] }
}

function blockText(block: unknown): string {
  if (!isRecord(block)) return '[not a content block]'
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? block.text : ''
    case 'image':
    case 'audio':
      return `[${block.type}: ${word(block.mimeType)}, ${base64Bytes(block.data)} bytes, not shown to the model]`
    case 'resource_link':
      return `[link to a resource: ${word(block.uri)}${block.mimeType ? `, ${word(block.mimeType)}` : ''}${sizeOf(block.size)}, not fetched]`
    case 'resource':
      return resourceText(block.resource)
    default:
      return `[a block of the kind ${word(block.type)}, not shown to the model]`
  }
}

function resourceText(resource: unknown): string {
  if (!isRecord(resource)) return '[a resource without content]'
  const head = `resource: ${word(resource.uri)}${resource.mimeType ? `, ${word(resource.mimeType)}` : ''}`
  if (typeof resource.text === 'string') return `[${head}]\n${resource.text}`
  return `[${head}, ${base64Bytes(resource.blob)} bytes, not shown to the model]`
}

const word = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, 500) : 'unknown'
const sizeOf = (size: unknown): string => (typeof size === 'number' ? `, ${size} bytes` : '')
/** The last two characters alone may be padding. */
const base64Bytes = (data: unknown): number =>
  typeof data === 'string' ? Math.floor(((data.length - (data.slice(-2).match(/=/g)?.length ?? 0)) * 3) / 4) : 0
const compact = (text: string): string => text.replaceAll(/\s+/g, '')

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '[structured content that is nested too deeply]'
  }
}
