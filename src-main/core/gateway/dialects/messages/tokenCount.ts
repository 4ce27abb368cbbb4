import { countTokens } from '../../../upstream/meter/tokens.ts'
import type { ChatRequest, ContentPart } from '../../../upstream/types.ts'

/** Maximum length of the text that the tokenizer reads, UTF-16 units. That takes it at most about 50 ms, so the program does not freeze. */
const maxTokenized = 200_000
/** The same figure as in the estimate for budgets and limits (`upstream/meter/request.ts`). */
const tokensOfImage = 1_000
/** Role and separators of a message, as the usual chat templates write them. */
const tokensOfMessage = 4

/**
 * Estimated tokens of texts. Of long texts, the tokenizer reads the same share at the start of each, and the result is scaled. Each text has
 * its own language or is code, so a sample of all of them is closer than a fixed number of characters for each token.
 */
export function estimateTokens(texts: readonly string[]): number {
  let length = 0
  for (const text of texts) length += text.length
  if (length === 0) return 0
  if (length <= maxTokenized) return texts.reduce((sum, text) => sum + countTokens(text), 0)
  const share = maxTokenized / length
  let read = 0
  const sample: string[] = []
  for (const text of texts) {
    const part = text.slice(0, Math.floor(text.length * share))
    read += part.length
    sample.push(part)
  }
  // Thousands of tiny texts may all be cut to nothing.
  if (read === 0) return Math.ceil(length / 4)
  return Math.ceil((sample.reduce((sum, text) => sum + countTokens(text), 0) * length) / read)
}

/**
 * Estimated tokens of a prompt, at least 1: messages, tool definitions and the output format with the tokenizer, and 1,000 for each image.
 * Used by `POST /v1/messages/count_tokens`.
 */
export function estimatePromptTokens({ messages, tools, response_format }: ChatRequest): number {
  const texts: string[] = []
  let fixed = 0
  const addParts = (parts: readonly ContentPart[]): void => {
    for (const part of parts) {
      if (part.image_url !== undefined) fixed += tokensOfImage
      else if (part.text !== undefined) texts.push(part.text)
    }
  }
  for (const { content, tool_calls } of messages) {
    fixed += tokensOfMessage
    if (typeof content === 'string') texts.push(content)
    else if (Array.isArray(content)) addParts(content)
    for (const { function: called } of tool_calls ?? []) texts.push(called.name, called.arguments)
  }
  if (tools !== undefined) texts.push(JSON.stringify(tools))
  if (response_format !== undefined) texts.push(JSON.stringify(response_format))
  return Math.max(1, fixed + estimateTokens(texts))
}
