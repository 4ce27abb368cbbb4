/** What the body of a failed reply says. */
export interface ReplyError {
  message: string | null
  type: string | null
  code: string | null
  /** Path of the field in the request that is wrong. */
  param: string | null
}

/** Characters of a message that are kept. A longer plain text is no message. */
const maxWords = 2000
/** Entries of a list of errors that are named, and levels of objects and lists in which words are looked for. */
const maxEntries = 10
const maxLevels = 5
/** Longest text that is read as JSON, UTF-16 units. */
const maxInner = 64 * 1024

/** Members that hold the words of an error, the most telling first. */
const members = [
  'message',
  'Message',
  'error_description',
  'error_message',
  'error_msg',
  'msg',
  'error',
  'errors',
  'detail',
]

/**
 * Reads the error of a body in any of the common forms: an object `error` with `message`, `type`, `code` and the words of another service
 * in `metadata.raw`; any member of `members` as text, as JSON in a text, as an object or as a list, also of texts by field; FastAPI's
 * `{msg, loc}`; `title` (RFC 9457); a list of these; and a short plain text. Never throws.
 */
export function readReplyError(body: string): ReplyError {
  const parsed = parse(body)
  return parsed === undefined ? { ...nothing, message: plainWords(body) } : errorIn(parsed)
}

/** The same for a body that is parsed. */
export function errorIn(parsed: unknown): ReplyError {
  const [entry = null]: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const outer = asRecord(entry)
  const [first = null]: unknown[] = Array.isArray(outer?.errors) ? outer.errors : []
  const inner = asRecord(outer?.error) ?? asRecord(first) ?? outer
  return {
    message: withRaw(wordsIn(parsed) ?? words(outer?.title), asRecord(inner?.metadata)?.raw),
    ...{ type: words(inner?.type), code: words(inner?.code), param: words(inner?.param) },
  }
}

/** The words of an error of any form except a title, or null. */
export const wordsIn = (value: unknown): string | null => wordsAt(value, 0)

/** The value as an object with unchecked members, or null. */
export function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

/** A text that is not empty, or a number, as bounded text. */
export function words(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value.trim() === '') return null
  return value.slice(0, maxWords)
}

const nothing: ReplyError = { message: null, type: null, code: null, param: null }

/** Undefined for a text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A short text that is neither a web page nor broken JSON nor binary. */
export function plainWords(body: string): string | null {
  const text = body.trim()
  if (text.length > maxWords || /^[<{[]/.test(text)) return null
  return /[^\P{Cc}\t\r\n]|\ufffd/u.test(text) ? null : words(text)
}

function wordsAt(value: unknown, level: number): string | null {
  if (level > maxLevels) return null
  if (typeof value === 'string' && value.length <= maxInner && /^\s*[[{]/.test(value)) {
    return wordsAt(parse(value) ?? null, level + 1) ?? words(value)
  }
  if (typeof value !== 'object' || value === null) return words(value)
  if (Array.isArray(value)) return joined(value, (entry) => wordsAt(entry, level + 1))
  const fields: Record<string, unknown> = { ...value }
  // The object `error` has the words of the service; a message beside it is often that of a gateway.
  const nested = typeof fields.error === 'object' ? wordsAt(fields.error, level + 1) : null
  const own = nested ?? firstOf(members, (name) => wordsAt(fields[name], level + 1))
  if (own !== null) return placed(own, fields.loc)
  // Frameworks for forms have lists of texts by field.
  const byField = level === 0 ? [] : Object.entries(fields).filter(([, list]) => Array.isArray(list))
  return joined(byField, ([name, list]) => placed(wordsAt(list, level + 1), [name]))
}

/** The words of the first entries. */
function joined<T>(entries: readonly T[], read: (entry: T) => string | null): string | null {
  let all = ''
  for (const entry of entries.slice(0, maxEntries)) {
    const said = all.length < maxWords ? read(entry) : null
    if (said !== null) all += all === '' ? said : `; ${said}`
  }
  return words(all)
}

function firstOf<T>(entries: readonly T[], read: (entry: T) => string | null): string | null {
  for (const entry of entries) {
    const said = read(entry)
    if (said !== null) return said
  }
  return null
}

/** Words with the field of the request that they are about. */
function placed(said: string | null, place: unknown): string | null {
  const steps = Array.isArray(place) ? place.slice(0, maxEntries).flatMap((step: unknown) => words(step) ?? []) : []
  return said === null || steps.length === 0 ? said : `${said}: ${steps.join('.')}`
}

/** A message with the words of the service behind the service. They are often JSON themselves. */
function withRaw(message: string | null, raw: unknown): string | null {
  const isJson = typeof raw !== 'string' || parse(raw) !== undefined
  const said = isJson ? wordsIn(raw) : plainWords(raw)
  if (said === null || message === null || message.includes(said)) return message ?? said
  return words(`${message.replace(/[.:\s]+$/, '')}: ${said}`)
}
