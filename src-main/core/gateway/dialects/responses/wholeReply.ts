import type { JsonObject, ReplyDetails, ResponsesContext } from '../types.ts'
import { wholeReplyEvents } from '../wholeReplyEvents.ts'
import { ResponsesTranslator } from './streamTranslator.ts'

/** Translates a reply that is not streamed, by the events that a stream with one chunk would have. */
export function wholeReply(context: ResponsesContext, chat: JsonObject, details: ReplyDetails): JsonObject {
  const translator = new ResponsesTranslator(context, details, true)
  const events = wholeReplyEvents(chat)
  if ('problem' in events) {
    translator.fail({ status: 502, message: events.problem, type: null, code: null, param: null })
  } else {
    for (const event of events) translator.push(event)
    translator.end()
  }
  return translator.result()
}
