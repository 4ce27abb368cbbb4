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
/** Entries of a list of errors that are named. */
const maxEntries = 10

/**
 * Reads the error of a body in any of the common forms: an object `error` with `message`, `type`, `code` and the words of another service
 * in `metadata.raw`; `error` or `message` as text; FastAPI's `detail`, as text or as a list of `{msg, loc}`; a list whose first entry is
 * one of these; and a short plain text. Never throws.
 */
export function readReplyError(body: string): ReplyError {
  const { parsed, isJson } = parse(body)
  if (!isJson) return { ...nothing, message: plainWords(body) }
  const entry: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const outer = asRecord(entry)
  const inner = asRecord(outer?.error) ?? outer
  const message = words(inner?.message) ?? words(outer?.error) ?? detailWords(outer?.detail) ?? words(entry)
  return {
    message: withRaw(message, asRecord(inner?.metadata)?.raw),
    ...{ type: words(inner?.type), code: words(inner?.code), param: words(inner?.param) },
  }
}

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

function parse(text: string): { parsed: unknown; isJson: boolean } {
  try {
    return { parsed: JSON.parse(text), isJson: true }
  } catch {
    return { parsed: null, isJson: false }
  }
}

/** A short text that is neither a web page nor broken JSON nor binary. */
function plainWords(body: string): string | null {
  const text = body.trim()
  if (text.length > maxWords || /^[<{[]/.test(text)) return null
  return /[^\P{Cc}\t\r\n]|\ufffd/u.test(text) ? null : words(text)
}

/** FastAPI: `detail` is a text, an object with a message, or a list of what is wrong with which field. */
function detailWords(detail: unknown): string | null {
  if (!Array.isArray(detail)) return words(detail) ?? words(asRecord(detail)?.message)
  const all = detail.slice(0, maxEntries).flatMap((entry: unknown) => {
    const { msg, loc } = asRecord(entry) ?? {}
    const said = words(msg) ?? words(entry)
    const place = Array.isArray(loc) ? loc.slice(0, maxEntries).flatMap((step) => words(step) ?? []) : []
    if (said === null) return []
    return place.length === 0 ? said : `${said}: ${place.join('.')}`
  })
  return words(all.join('; '))
}

/** A message with the words of the service behind the service. They are often JSON themselves. */
function withRaw(message: string | null, raw: unknown): string | null {
  const text = words(raw)
  if (text === null) return message
  const { parsed, isJson } = parse(text)
  const inner = asRecord(parsed)
  const said = isJson ? (words(asRecord(inner?.error)?.message) ?? words(inner?.message) ?? text) : plainWords(text)
  if (said === null || message === null || message.includes(said)) return message ?? said
  return words(`${message.replace(/[.:\s]+$/, '')}: ${said}`)
}
