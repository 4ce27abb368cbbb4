import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { partsOf } from '../../stores/openChat.ts'
import { spentOf } from './facts.ts'

// A reply may be several stored messages: each round of tool calls and each continuation is one. Its actions and figures are those of all.

/** The stored messages of the reply that shows the message `id`. */
export const useParts = (id: string): readonly Message[] => useChat(useShallow(({ open }) => partsOf(open, id)))

/**
 * A reply of several stored messages as one: the text of all, and the sums of tokens and cost. It has the id and the versions of its first
 * message, and ends as its last one. Undefined when `parts` has no message.
 */
export function wholeReply(parts: readonly Message[]): Message | undefined {
  const replies = parts.filter(({ role }) => role === 'assistant')
  const [first = parts[0]] = replies
  const last = replies.at(-1)
  if (first === undefined || last === undefined || replies.length === 1) return first
  const { id, parentId, sibling, siblings, createdAt, model, name, askId, firstTokenMs } = first
  const spent = spentOf(replies)
  return {
    ...last,
    ...{ id, parentId, sibling, siblings, createdAt, model, name, askId, firstTokenMs },
    text: textOf(parts),
    refusal: replies.map(({ refusal }) => refusal).find((refusal) => refusal !== '') ?? '',
    toolCalls: replies.flatMap(({ toolCalls }) => toolCalls),
    usage: usageOf(replies),
    reasoningMs: sum(replies.map(({ reasoningMs }) => reasoningMs)),
    cost: spent?.amount ?? null,
    costIs: spent === null ? 'unknown' : spent.estimated ? 'estimated' : 'measured',
    leftOut: replies.every(({ leftOut }) => leftOut),
  }
}

/** The rows of the request log that made a reply, in order. */
export const requestRowsOf = (parts: readonly Message[]): number[] => [
  ...new Set(parts.map(({ requestRow }) => requestRow).filter((row) => row !== null)),
]

/** The texts of all parts. A continuation goes on within the sentence, other parts begin a paragraph. */
function textOf(parts: readonly Message[]): string {
  let text = ''
  let isContinued = false
  for (const part of parts) {
    if (part.made === 'continue') isContinued = true
    if (part.role !== 'assistant' || part.text === '') continue
    const isSpaced = /\s$/.test(text) || /^\s/.test(part.text)
    const between = text === '' || (isContinued && isSpaced) ? '' : isContinued ? ' ' : '\n\n'
    text += `${between}${part.text}`
    isContinued = false
  }
  return text
}

function usageOf(replies: readonly Message[]): Message['usage'] {
  const all = replies.map(({ usage }) => usage).filter((usage) => usage !== null)
  if (all.length === 0) return null
  return {
    promptTokens: sum(all.map(({ promptTokens }) => promptTokens)),
    completionTokens: sum(all.map(({ completionTokens }) => completionTokens)),
    totalTokens: sum(all.map(({ totalTokens }) => totalTokens)),
    cachedTokens: sum(all.map(({ cachedTokens }) => cachedTokens)),
  }
}

/** The sum of the known values. Null when none is known. */
function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0)
}
