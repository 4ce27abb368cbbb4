import { setImmediate } from 'node:timers/promises'
import { countTokens } from '../../../upstream/reply/tokens.ts'
import { tokensOfAttachment } from '../../../upstream/request/parameters.ts'
import type { ChatMessage } from '../../../upstream/types.ts'
import type { SentMessage } from '../history.ts'

/** Tokens of the role and the separators of a message in the usual chat templates. */
export const tokensPerMessage = 4

/** Text that is counted without a break, UTF-16 units: 1 to 10 ms of work. */
const sliceLength = 10_000
/** Text that is counted exactly, UTF-16 units: 10 to 250 ms of work, with other work of the program between. */
const maxOfText = 100_000
/** Text of a whole conversation that is counted, UTF-16 units: 0.1 to 1 s of work, with other work of the program between. */
const maxOfConversation = 1_000_000
/** Least text of a message that is read for an estimate, UTF-16 units. */
const leastSample = 256

/** Estimated tokens of a message that is sent: its files, and everything else. */
export interface CountedTokens {
  files: number
  text: number
}

/**
 * Counts tokens (an estimate, with cl100k_base). Other work of the program runs between slices of a long text. A slice ends anywhere,
 * which changes the count by at most one or two.
 * @param most UTF-16 units that are read, from all parts of a longer text
 */
export async function countText(text: string, most = maxOfText): Promise<number> {
  const slices = Math.ceil(Math.min(text.length, most) / sliceLength)
  if (slices <= 1) return countTokens(text, most)
  const section = Math.ceil(text.length / slices)
  let tokens = 0
  for (let at = 0; at < text.length; at += section) {
    tokens += countTokens(text.slice(at, at + section), sliceLength)
    await setImmediate()
  }
  return tokens
}

/**
 * Counts a message as it is sent. An image counts at a flat rate, because services differ.
 * @param share of the message that is read, for the messages of a very long conversation
 */
export async function countMessage({ message, fileCharacters }: SentMessage, share = 1): Promise<CountedTokens> {
  const text = textOf(message)
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => `${name}${args}`)
  const others = [text.slice(fileCharacters), message.name ?? '', ...calls]
  const count = (one: string): Promise<number> =>
    share < 1 ? countText(one, Math.max(leastSample, Math.floor(one.length * share))) : countText(one)
  let own = tokensPerMessage
  for (const one of others) own += await count(one)
  return {
    files: (await count(text.slice(0, fileCharacters))) + imagesOf(message) * tokensOfAttachment,
    text: own,
  }
}

/** The share of each message of a conversation that is counted, so that the work is bounded. 1 for all but very long ones. */
export function countedShare(sent: readonly SentMessage[]): number {
  let characters = 0
  for (const { message } of sent) {
    characters += textOf(message).length
    for (const { function: called } of message.tool_calls ?? []) characters += called.arguments.length
  }
  return Math.min(1, maxOfConversation / Math.max(1, characters))
}

/** The text of a message, without images. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('')
}

export function imagesOf({ content }: ChatMessage): number {
  return Array.isArray(content) ? content.filter((part) => 'image_url' in part).length : 0
}
