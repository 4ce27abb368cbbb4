import { ReplyReader } from '../../upstream/meter/replyReader.ts'
import { isFields, textOrNull } from '../../upstream/meter/values.ts'
import type { ChatStreamEvent } from '../../upstream/types.ts'
import type { JsonObject } from './types.ts'

/**
 * The events of a reply that is not streamed, as a stream with one chunk has them. Unlike a stream, a whole reply has proved its end, so it is
 * complete without a finish reason, which the specification lets be absent.
 * @returns what is wrong, for a reply without a choice
 */
export function wholeReplyEvents(chat: JsonObject): ChatStreamEvent[] | { problem: string } {
  const { choices, error } = chat
  if (!Array.isArray(choices) || !choices.some(isFields)) {
    const said = isFields(error) ? textOrNull(error.message) : null
    // Some services report a failure with the status 200.
    if (said !== null) return { problem: `The service sent an error instead of a reply: ${said.slice(0, maxWords)}` }
    return { problem: 'The service sent a reply without choices.' }
  }
  const events: ChatStreamEvent[] = []
  new ReplyReader().read(chat, events)
  if (!events.some((event) => event.type === 'finish' && event.choice === 0)) {
    events.push({ type: 'finish', choice: 0, reason: 'stop' })
  }
  return events
}

/** Longest text of an error object that is passed on, UTF-16 units. */
const maxWords = 2000
