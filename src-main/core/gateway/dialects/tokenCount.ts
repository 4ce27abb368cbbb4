import { estimateTokens } from '../../upstream/reply/tokens.ts'
import type { ChatRequest, ContentPart } from '../../upstream/types.ts'

/** The same figure as in the estimate for budgets and limits (`upstream/request/parameters.ts`). */
const tokensOfImage = 1_000
/** Role and separators of a message, as the usual chat templates write them. */
const tokensOfMessage = 4

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
  for (const { content, tool_calls, reasoning_content: reasoning } of messages) {
    fixed += tokensOfMessage
    if (typeof reasoning === 'string') texts.push(reasoning)
    if (typeof content === 'string') texts.push(content)
    else if (Array.isArray(content)) addParts(content)
    for (const { function: called } of tool_calls ?? []) texts.push(called.name, called.arguments)
  }
  if (tools !== undefined) texts.push(JSON.stringify(tools))
  if (response_format !== undefined) texts.push(JSON.stringify(response_format))
  return Math.max(1, fixed + estimateTokens(texts))
}
