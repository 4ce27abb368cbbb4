import type { JsonObject, ReplyDetails, ReplyTranslation } from '../../src-main/core/gateway/dialects/types.ts'
import { problemOf } from '../../src-main/core/gateway/proxy/translatedReply.ts'
import { Mask } from '../../src-main/core/upstream/reply/mask.ts'
import { openReply, type ReplyOptions, type ReplyStream } from '../../src-main/core/upstream/reply/replyStream.ts'
import type { ChatStreamEvent } from '../../src-main/core/upstream/types.ts'

/** The reader of a streamed chat whose events somebody needs. */
export const streamedReply = (changes: Partial<ReplyOptions> = {}): ReplyStream =>
  openReply({
    ...{ endpoint: 'chat', stream: true, status: 200, contentType: 'text/event-stream' },
    ...{ mask: new Mask(null), needsEvents: true, ...changes },
  })

/** The events of a streamed chat from its bytes, cut at these places. */
export function eventsIn(
  bytes: Uint8Array,
  cuts: readonly number[] = [],
  changes: Partial<ReplyOptions> = {},
): ChatStreamEvent[] {
  const reply = streamedReply(changes)
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  const events = ends.flatMap((end, at) => reply.push(bytes.slice(ends[at - 1] ?? 0, end))?.events ?? [])
  return [...events, ...(reply.end()?.events ?? [])]
}

/** The events of a whole reply: an object, or JSON. */
export const wholeEvents = (chat: unknown): ChatStreamEvent[] =>
  eventsIn(Buffer.from(typeof chat === 'string' ? chat : JSON.stringify(chat)), [], {
    contentType: 'application/json',
    stream: false,
  })

/** A whole chat completion as the API of the request returns it. */
export function wholeReply(
  translation: Pick<ReplyTranslation, 'openReply'>,
  chat: unknown,
  details: ReplyDetails,
): JsonObject {
  const translator = translation.openReply(details, true)
  for (const event of wholeEvents(chat)) {
    if (event.type === 'done') translator.end()
    else if (event.type === 'error') translator.fail(problemOf(event.error))
    else translator.push(event)
  }
  return translator.result()
}
