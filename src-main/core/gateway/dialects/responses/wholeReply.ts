import { ReplyReader } from '../../../upstream/meter/replyReader.ts'
import type { ChatStreamEvent } from '../../../upstream/types.ts'
import type { JsonObject, ReplyDetails } from '../types.ts'
import { type ReplyContext, ResponsesTranslator } from './streamTranslator.ts'

/** Translates a reply that is not streamed, by the events that a stream with one chunk would have. */
export function wholeReply(context: ReplyContext, chat: JsonObject, details: ReplyDetails): JsonObject {
  const translator = new ResponsesTranslator(context, details, true)
  const events: ChatStreamEvent[] = []
  new ReplyReader().read(chat, events)
  for (const event of events) translator.push(event)
  const hasChoice = Array.isArray(chat.choices) && chat.choices.length > 0
  if (!hasChoice) {
    const message = 'The service sent a reply without choices.'
    translator.fail({ status: 502, message, type: null, code: null, param: null })
    return translator.result()
  }
  // Unlike a stream, a whole reply has proved its end. The specification lets its finish reason be absent.
  if (!events.some((event) => event.type === 'finish' && event.choice === 0)) {
    translator.push({ type: 'finish', choice: 0, reason: 'stop' })
  }
  translator.end()
  return translator.result()
}
