import type { ChatSetup, Message, ToolCall } from '../../../../src-preload/contract/chat.ts'
import { isSettled } from '../../ports/toolCalls.ts'
import type { ChatMessage, ContentPart } from '../../upstream/types.ts'

/** The picture as a `data:` URL. */
export type ImageUrl = (mediaId: string) => Promise<string>

/**
 * A path as the model gets it: instructions first, then turn by turn. Replies without text and calls are left out (a failure has nothing
 * to say); stopped and incomplete ones go as they are. Reasoning is not sent back: it is the service's own, and models differ in
 * taking it. A call goes only with its answer: services refuse the whole request for one that dangles.
 */
export async function historyOf(
  setup: ChatSetup,
  path: readonly Message[],
  imageUrl: ImageUrl,
): Promise<ChatMessage[]> {
  const instructions = setup.instructions.trim() === '' ? [] : [instructionsOf(setup)]
  const turns: Promise<ChatMessage[]>[] = []
  for (let at = 0; at < path.length; at += 1) {
    const message = path[at]
    if (!message) break
    if (message.role !== 'assistant') {
      // A tool's answer goes with the reply that called it.
      if (message.role !== 'tool') turns.push(turnOf(message, imageUrl))
      continue
    }
    const rows = rowsAfter(path, at)
    turns.push(Promise.resolve(replyOf(message, rows)))
    at += rows.length
  }
  return [...instructions, ...(await Promise.all(turns)).flat()]
}

function instructionsOf({ instructions, instructionsRole }: ChatSetup): ChatMessage {
  return { role: instructionsRole, content: instructions }
}

async function turnOf({ role, text, name, attachments }: Message, imageUrl: ImageUrl): Promise<ChatMessage[]> {
  if (text === '' && attachments.length === 0) return []
  const named = name ? { name } : {}
  if (attachments.length === 0) return [{ role, content: text, ...named }]
  const pictures = attachments.map(async ({ mediaId, detail }): Promise<ContentPart> => {
    const url = await imageUrl(mediaId)
    return { type: 'image_url', image_url: { url, ...(detail && { detail }) } }
  })
  const words: ContentPart[] = text === '' ? [] : [{ type: 'text', text }]
  return [{ role, content: [...words, ...(await Promise.all(pictures))], ...named }]
}

/** The rows of role tool right below a reply. */
function rowsAfter(path: readonly Message[], at: number): Message[] {
  const rows: Message[] = []
  for (let next = path[at + 1]; next?.role === 'tool'; next = path[at + 1 + rows.length]) rows.push(next)
  return rows
}

function replyOf({ text, name, toolCalls }: Message, rows: readonly Message[]): ChatMessage[] {
  const answers = rows.filter(({ run }) => run !== null && isSettled(run))
  const named = name ? { name } : {}
  // All or none: a service that gets some of a reply's calls would take the others as never made, and answers out of place as an error.
  const answered = toolCalls.length > 0 && answers.length === rows.length && rows.length === toolCalls.length
  if (!answered) return text === '' ? [] : [{ role: 'assistant', content: text, ...named }]
  const calls = toolCalls.map((call, at) => callOf(call, rows[at]?.run?.callId ?? ''))
  const results = rows.map(
    ({ run, text }): ChatMessage => ({ role: 'tool', tool_call_id: run?.callId ?? '', content: text }),
  )
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls, ...named }, ...results]
}

/** The row's id, not the call's: where the model gave none, one was made up for the row. */
function callOf({ name, arguments: args }: ToolCall, id: string) {
  return { id, type: 'function' as const, function: { name, arguments: args } }
}
