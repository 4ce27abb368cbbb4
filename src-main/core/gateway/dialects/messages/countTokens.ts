import { parseObject } from '../chatBytes.ts'
import { messagesDialect } from './messagesDialect.ts'
import { estimatePromptTokens } from './tokenCount.ts'

/** What `POST /v1/messages/count_tokens` counts. */
export interface TokenCount {
  /** Estimated tokens of the prompt, at least 1. */
  tokens: number
  /** Model in the app's request. */
  model: string
  /** Fields and tools that have no effect. */
  ignored: string[]
}

/** Counts the tokens of a request with the tokenizer of this program, because the service has no such endpoint. @throws DialectError */
export function countedTokens(bytes: Buffer): TokenCount {
  const { chat, ignored } = messagesDialect.translate(parseObject(bytes))
  return { tokens: estimatePromptTokens(chat), model: chat.model, ignored }
}
