import { messagesDialect } from './messages/messagesDialect.ts'
import { responsesDialect } from './responses/responses.ts'
import type { Dialect, DialectId } from './types.ts'

/** The dialects by their id. */
export const dialects: Readonly<Record<DialectId, Dialect>> = {
  responses: responsesDialect,
  messages: messagesDialect,
}
