import type { Message } from '../../../../src-preload/contract/chat.ts'
import { visibleText } from '../asText.ts'

/** One match: the `nth` (from 0) in its message. */
export interface Match {
  id: string
  nth: number
  /** Whether the matches of its message are counted in the text as written, with its marks. */
  isWritten: boolean
}

/** A longer message is searched as written, because reading it as Markdown would block the page. Characters. */
const longest = 100_000

/** Visible texts of messages that no longer change. */
const seen = new WeakMap<Message, string>()

/** Matches in the order of the path. Counted, not listed: a message of 32 MB has millions. */
export class Matches {
  count = 0
  readonly #counts: { id: string; from: number; count: number; isWritten: boolean }[] = []

  add(id: string, count: number, isWritten: boolean): void {
    if (count > 0) this.#counts.push({ id, from: this.count, count, isWritten })
    this.count += count
  }

  /** The match with a number, from 0. */
  at(number: number): Match | null {
    const found = this.#counts.find(({ from, count }) => number >= from && number < from + count)
    return found ? { id: found.id, nth: number - found.from, isWritten: found.isWritten } : null
  }

  /** Number of the first match of a message, or -1. */
  firstOf(id: string): number {
    return this.#counts.find((one) => one.id === id)?.from ?? -1
  }
}

/** All matches in the path, including messages that are not in the page. */
export function matchesIn(messages: readonly Message[], pattern: RegExp | null): Matches {
  const matches = new Matches()
  if (pattern !== null)
    for (const message of messages) matches.add(message.id, countIn(message, pattern), isWritten(message))
  return matches
}

const isWritten = ({ role, text, refusal }: Message): boolean =>
  role !== 'assistant' || text.length + refusal.length > longest

function countIn(message: Message, pattern: RegExp): number {
  const { text, refusal } = message
  const written = refusal === '' ? text : `${text}\n${refusal}`
  if (isWritten(message)) return count(written, pattern)
  // Computes the visible text only when a match is possible, because computing costs far more than searching.
  if (!has(written, pattern) && !has(written.replace(/[*_~`\\[\]]/g, ''), pattern)) return 0
  const known = seen.get(message) ?? (refusal === '' ? visibleText(text) : `${visibleText(text)}\n${refusal}`)
  seen.set(message, known)
  return count(known, pattern)
}

/** The number of matches in a text. */
export const count = (text: string, pattern: RegExp): number => {
  let found = 0
  pattern.lastIndex = 0
  // Not `matchAll`, which makes an array for each match. No pattern matches an empty text.
  while (pattern.test(text)) found += 1
  return found
}

function has(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0
  const found = pattern.test(text)
  pattern.lastIndex = 0
  return found
}
