import type { Message } from '../../../../src-preload/contract/chat.ts'
import { visibleText } from '../asText.ts'

/** One match: the `nth` (from 0) in its message. */
export interface Match {
  id: string
  nth: number
}

/** A longer message is searched as written, because reading it as Markdown would block the page. Characters. */
const longest = 100_000

/** Visible texts of messages that no longer change. */
const seen = new WeakMap<Message, string>()

/** All matches in the path, in order, including messages that are not in the page. */
export function matchesIn(messages: readonly Message[], pattern: RegExp | null): Match[] {
  if (pattern === null) return []
  return messages.flatMap((message) => {
    const found = countIn(message, pattern)
    return Array.from({ length: found }, (_, nth) => ({ id: message.id, nth }))
  })
}

function countIn(message: Message, pattern: RegExp): number {
  const { text, refusal } = message
  const written = refusal === '' ? text : `${text}\n${refusal}`
  if (message.role !== 'assistant' || written.length > longest) return count(written, pattern)
  // Computes the visible text only when a match is possible, because computing costs far more than searching.
  if (!has(written, pattern) && !has(written.replace(/[*_~`\\[\]]/g, ''), pattern)) return 0
  const known = seen.get(message) ?? (refusal === '' ? visibleText(text) : `${visibleText(text)}\n${refusal}`)
  seen.set(message, known)
  return count(known, pattern)
}

const count = (text: string, pattern: RegExp): number => {
  let found = 0
  for (const [match] of text.matchAll(pattern)) if (match !== '') found += 1
  return found
}

function has(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0
  const found = pattern.test(text)
  pattern.lastIndex = 0
  return found
}
