import { setImmediate } from 'node:timers/promises'
import { tokensOfAttachment } from '../../../upstream/meter/request.ts'
import { countTokens } from '../../../upstream/meter/tokens.ts'
import type { ChatMessage } from '../../../upstream/types.ts'
import type { SentMessage } from '../history.ts'

/** Tokens of the role and the separators of a message in the usual chat templates. */
export const tokensPerMessage = 4

/** How much text is counted without a break, UTF-16 units. Counting that much takes about 10 ms. */
const sliceLength = 50_000

/** Estimated tokens of a message that is sent: its files, and everything else. */
export interface CountedTokens {
  files: number
  text: number
}

/**
 * Counts tokens (an estimate, with cl100k_base). Other work of the program runs between slices of a long text. A slice ends anywhere,
 * which changes the count by at most one or two.
 */
export async function countText(text: string): Promise<number> {
  if (text.length <= sliceLength) return countTokens(text)
  let tokens = 0
  for (let at = 0; at < text.length; at += sliceLength) {
    tokens += countTokens(text.slice(at, at + sliceLength))
    await setImmediate()
  }
  return tokens
}

/** Counts a message exactly as it is sent. An image counts at a flat rate, because services differ. */
export async function countMessage({ message, fileCharacters }: SentMessage): Promise<CountedTokens> {
  const text = textOf(message)
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => `${name}${args}`)
  const others = [text.slice(fileCharacters), message.name ?? '', ...calls]
  let own = tokensPerMessage
  for (const one of others) own += await countText(one)
  return {
    files: (await countText(text.slice(0, fileCharacters))) + imagesOf(message) * tokensOfAttachment,
    text: own,
  }
}

/** The text of a message, without images. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('')
}

export function imagesOf({ content }: ChatMessage): number {
  return Array.isArray(content) ? content.filter((part) => 'image_url' in part).length : 0
}
