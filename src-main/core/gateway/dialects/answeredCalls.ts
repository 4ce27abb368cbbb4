import type { ChatMessage, ContentPart } from '../../upstream/types.ts'

/** A tool call with its id at the service, and what its result has. */
interface AnsweredCall {
  id: string
  result: { text: string; images: readonly ContentPart[] }
}

/**
 * What follows an assistant message with tool calls: the results of all of them, and then the messages since. Only a user message can have
 * images, so those of the results come before what the person sent after them.
 */
export function afterCalls(calls: readonly AnsweredCall[], since: readonly ChatMessage[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  const images: ContentPart[] = []
  for (const { id, result } of calls) {
    messages.push({ role: 'tool', tool_call_id: id, content: result.text })
    if (result.images.length === 0) continue
    images.push({ type: 'text', text: `Images of the result of tool call ${id}:` })
    for (const image of result.images) images.push(image)
  }
  if (images.length === 0) return messages.concat(since)
  const [next, ...others] = since
  if (next?.role !== 'user') return messages.concat({ role: 'user', content: images }, since)
  const own = typeof next.content === 'string' ? [{ type: 'text', text: next.content }] : (next.content ?? [])
  return messages.concat({ role: 'user', content: images.concat(own) }, others)
}
