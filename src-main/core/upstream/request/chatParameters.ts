import { maxDepth } from '../json/jsonScan.ts'
import { isFields } from '../json/values.ts'
import type { ChatRequest } from '../types.ts'
import {
  type AttachmentName,
  attachments,
  choicesIn,
  largestTokens,
  measuredInChat,
  promptTokens,
  type RequestParameters,
  readableModel,
  unknownParameters,
} from './parameters.ts'

/** Bytes and attachments of a part of the prompt. */
interface Size {
  bytes: number
  attachments: number
}

/**
 * The parameters of a chat request that this program has built, before it becomes JSON. They are those that `readParameters` reads from its
 * bytes, without the places for edits. Unlike bytes of an app, an object has each member once, so nothing in it is ambiguous.
 */
export function parametersOf(chat: ChatRequest): RequestParameters {
  const size: Size = { bytes: 0, attachments: 0 }
  const unmeasured: Size = { bytes: 0, attachments: 0 }
  for (const [name, value] of Object.entries(chat)) {
    if (!measure(value, measuredInChat.has(name) ? size : unmeasured, 1)) return unknownParameters
  }
  return {
    ...unknownParameters,
    model: readableModel(chat.model),
    namesModel: true,
    stream: chat.stream === true,
    usage: chat.stream_options?.include_usage === true ? 'asked' : 'absent',
    tokensIn: promptTokens(size.bytes, size.attachments),
    maxTokens: largestTokens([chat.max_tokens, chat.max_completion_tokens]),
    count: choicesIn(chat.n),
    json: true,
  }
}

/** Adds the size of a value inside `depth` levels. Returns false for one that is nested too deep. */
function measure(value: unknown, size: Size, depth: number): boolean {
  if (typeof value === 'string') {
    size.bytes += Buffer.byteLength(value)
    return true
  }
  if (typeof value !== 'object' || value === null) return true
  if (depth >= maxDepth) return false
  if (!Array.isArray(value)) return !isFields(value) || measureObject(value, size, depth + 1)
  for (const item of value) if (!measure(item, size, depth + 1)) return false
  return true
}

function measureObject(object: Record<string, unknown>, size: Size, depth: number): boolean {
  for (const key of Object.keys(object)) {
    const value = object[key]
    // JSON has no such member.
    if (value === undefined) continue
    if (isAttachmentName(key)) {
      if (!measureAttachment(object, key, size, depth)) return false
    } else {
      size.bytes += Buffer.byteLength(key)
      if (!measure(value, size, depth)) return false
    }
  }
  return true
}

/**
 * Pictures, audio and files count at a flat rate instead of their base64. A member with such a name but without its `type` counts as text,
 * except a picture without any `type`.
 */
function measureAttachment(object: Record<string, unknown>, name: AttachmentName, size: Size, depth: number): boolean {
  const { type } = object
  const isAttachment = type === name || (name === 'image_url' && type === undefined)
  const inside: Size = { bytes: 0, attachments: 0 }
  if (!measure(object[name], inside, depth)) return false
  if (isAttachment) size.attachments += 1
  else {
    size.bytes += inside.bytes + name.length
    size.attachments += inside.attachments
  }
  return true
}

const isAttachmentName = (key: string): key is AttachmentName => (attachments as readonly string[]).includes(key)
