import { geminiDialect } from './gemini/gemini.ts'
import { messagesDialect } from './messages/messagesDialect.ts'
import { ollamaDialect } from './ollama/ollamaDialect.ts'
import { responsesDialect } from './responses/responses.ts'
import type { Dialect, DialectId } from './types.ts'

/** The dialects by their id. A new one is added here, in the contract, and in the codes of the request log. */
export const dialects: Readonly<Record<DialectId, Dialect>> = {
  responses: responsesDialect,
  messages: messagesDialect,
  gemini: geminiDialect,
  ollama: ollamaDialect,
}

export const allDialects: readonly Dialect[] = Object.values(dialects)
