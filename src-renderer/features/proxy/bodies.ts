import type { LoggedBody } from '../../../src-preload/contract/requests.ts'

/** Prepares a body for display: formats JSON, leaves event streams and other text unchanged. */
export function readable(body: LoggedBody): { kind: 'json' | 'text'; text: string } | null {
  if (body.text === null) return null
  const start = body.text.trimStart()[0]
  if (!body.capped && (start === '{' || start === '[')) {
    try {
      return { kind: 'json', text: JSON.stringify(JSON.parse(body.text), null, 2) }
    } catch {
      return { kind: 'text', text: body.text }
    }
  }
  return { kind: 'text', text: body.text }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The last message of the person in a chat request. Null when the logged body does not contain it. */
export function lastUserText(body: LoggedBody | null): string | null {
  if (!body?.text || body.capped) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(body.text)
  } catch {
    return null
  }
  if (!isRecord(parsed) || !Array.isArray(parsed.messages)) return null
  const turn: unknown = parsed.messages.findLast((message: unknown) => isRecord(message) && message.role === 'user')
  return isRecord(turn) ? textOf(turn.content) : null
}

function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content.trim() === '' ? null : content
  if (!Array.isArray(content)) return null
  const parts = content.flatMap((part: unknown) =>
    isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  )
  return parts.length === 0 ? null : parts.join('\n')
}
