import { hash } from 'node:crypto'
import type { PromptSectionKind } from '../../../../src-preload/contract/sessions.ts'
import type { HashedSection } from '../../ports/requests.ts'
import { isFields } from '../../upstream/json/values.ts'
import { type AttachmentName, attachments, tokensOfAttachment } from '../../upstream/request/parameters.ts'

/** The sections of a request, and the id of its conversation if its body has one. */
export interface ReadPrompt {
  sections: HashedSection[]
  /** As the body names the conversation: an unbounded text of the app. */
  conversation: string | null
}

/** More sections than this are combined into the last one. Real conversations end before, because the context of their model is full. */
export const maxSections = 4096
type LooseHashes = Pick<HashedSection, 'undated' | 'unnumbered'>
/** Loose hashes that are remembered. A conversation repeats its sections with every turn. */
const maxRemembered = 10_000
const maxName = 64
const bytesOfAttachment = 4 * tokensOfAttachment

/**
 * Dates, times of day, seconds and milliseconds since 1970, and English names of days and months. Every quantifier is bounded, so that a
 * search takes linear time for any text.
 */
const datesAndTimes =
  /\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AaPp][Mm])?|\b1\d{9}(?:\d{3})?\b|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}(?:,? \d{1,2}\b)?(?:,? \d{4}\b)?/g

/**
 * Reads the sections of chat completions, as they are sent to the service: other APIs are translated before. The time is linear in the
 * body. Hashes depend on a secret, so that nobody can find a short text by trying.
 */
export class SectionReader {
  readonly #salt: string
  /** By the hash of the whole content. */
  readonly #loose = new Map<string, LooseHashes>()

  /** @param secret of this data folder */
  constructor(secret: Uint8Array) {
    this.#salt = hash('sha256', secret)
  }

  /** The sections of a request, or null when the body is no JSON object. @param body of valid UTF-8 */
  read(body: Uint8Array): ReadPrompt | null {
    const value = parsed(body)
    if (!isFields(value)) return null
    const tools = listOf(value.tools ?? value.functions).map((tool) => this.#section(toolOf(tool)))
    const messages = listOf(value.messages).map((message) => this.#section(messageOf(message)))
    return { sections: this.#bounded([...tools, ...messages]), conversation: conversationIn(value) }
  }

  #section({ kind, texts, name, attached }: Content): HashedSection {
    const text = `${kind}\0${texts.join('\0')}`
    const own = this.#hash(text)
    const size = Buffer.byteLength(text) - attached.bytes + attached.count * bytesOfAttachment
    return { kind, hash: own, ...this.#looseOf(own, text), size, name }
  }

  #looseOf(own: string, text: string): LooseHashes {
    const known = this.#loose.get(own)
    if (known) return known
    const undated = text.replace(datesAndTimes, '#')
    const unnumbered = withoutNumbers(undated)
    // Most sections have neither, and need no other hash.
    const found = {
      undated: undated === text ? own : this.#hash(undated),
      unnumbered: unnumbered === text ? own : this.#hash(unnumbered),
    }
    if (this.#loose.size >= maxRemembered) this.#loose.clear()
    this.#loose.set(own, found)
    return found
  }

  #bounded(all: HashedSection[]): HashedSection[] {
    if (all.length <= maxSections) return all
    const rest = all.slice(maxSections - 1)
    const together = (of: 'hash' | 'undated' | 'unnumbered'): string => this.#hash(rest.map((one) => one[of]).join(' '))
    const hashes = { hash: together('hash'), undated: together('undated'), unnumbered: together('unnumbered') }
    const size = rest.reduce((sum, one) => sum + one.size, 0)
    return [...all.slice(0, maxSections - 1), { kind: 'message', ...hashes, size, name: null }]
  }

  readonly #hash = (text: string): string => hash('sha256', this.#salt + text, 'base64url').slice(0, 11)
}

/** The content of a section in a form that is the same however the app wrote it. */
interface Content {
  kind: PromptSectionKind
  texts: string[]
  name: string | null
  /** Attachments among the texts, and their bytes there. */
  attached: { count: number; bytes: number }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null
    throw thrown
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** The order of members is part of a tool: services write the schema into the prompt as it is. */
function toolOf(tool: unknown): Content {
  const own = isFields(tool) && isFields(tool.function) ? tool.function : tool
  const name = isFields(own) && typeof own.name === 'string' ? own.name.slice(0, maxName) : null
  return { kind: 'tool', texts: [withoutMarks(own)], name, attached: { count: 0, bytes: 0 } }
}

/** Members of a message that have a place of their own below. Ids of tool calls are left out: no model reads them. */
const placed = new Set(['role', 'content', 'tool_calls', 'tool_call_id'])

function messageOf(message: unknown): Content {
  if (!isFields(message))
    return { kind: 'message', texts: [textOf(message)], name: null, attached: { count: 0, bytes: 0 } }
  const { role, content, tool_calls: calls } = message
  const attached = { count: 0, bytes: 0 }
  const texts = [textOf(role)]
  for (const part of partsOf(content)) {
    texts.push(part.text)
    if (!part.isAttachment) continue
    attached.count += 1
    attached.bytes += Buffer.byteLength(part.text)
  }
  for (const call of listOf(calls)) {
    const called = isFields(call) && isFields(call.function) ? call.function : call
    texts.push(isFields(called) ? `${textOf(called.name)} ${textOf(called.arguments)}` : textOf(called))
  }
  for (const key of Object.keys(message).sort()) {
    if (placed.has(key) || message[key] === null) continue
    texts.push(`${key}=${withoutMarks(message[key])}`)
  }
  return { kind: kindOf(role), texts, name: null, attached }
}

function kindOf(role: unknown): PromptSectionKind {
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'tool' || role === 'function' ? 'result' : 'message'
}

const isAttachment = (type: unknown): boolean => attachments.includes(type as AttachmentName)

/** The parts of a content. A text is the same as a list of that text. */
function partsOf(content: unknown): { text: string; isAttachment: boolean }[] {
  if (content === null || content === undefined || content === '') return []
  if (!Array.isArray(content)) return [{ text: textOf(content), isAttachment: false }]
  return content.map((part) => {
    if (isFields(part) && part.type === 'text') return { text: textOf(part.text), isAttachment: false }
    return { text: withoutMarks(part), isAttachment: isFields(part) && isAttachment(part.type) }
  })
}

/** JSON without `cache_control`, by which agents mark where a cache may end. The mark moves with every turn, and no model reads it. */
function withoutMarks(value: unknown): string {
  if (!isFields(value) || value.cache_control === undefined) return textOf(value)
  const { cache_control: _, ...rest } = value
  return JSON.stringify(rest)
}

/** Words that contain digits become one sign. */
const withoutNumbers = (text: string): string =>
  text.replace(/[\p{L}\p{N}_]+/gu, (word) => (/\d/.test(word) ? '#' : word))

/**
 * The id of the conversation in a body. OpenAI's `prompt_cache_key` is the conversation in Codex and opencode. In `metadata.user_id` Claude
 * Code sends JSON with a `session_id`, and did send `user_…_session_ID`.
 */
export function conversationIn(body: Record<string, unknown>): string | null {
  const { prompt_cache_key: cacheKey, session_id: session, metadata } = body
  if (isText(cacheKey)) return cacheKey
  if (isText(session)) return session
  const user = isFields(metadata) ? metadata.user_id : null
  if (!isText(user)) return null
  const at = user.lastIndexOf('_session_')
  if (at >= 0) return user.slice(at + '_session_'.length)
  if (!user.startsWith('{') || user.length > 1000) return null
  const read = parsed(Buffer.from(user))
  return isFields(read) && isText(read.session_id) ? read.session_id : null
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
