import type { ChatSetup, Message, ToolCall } from '../../../../src-preload/contract/chat.ts'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import { isSettled } from '../../ports/toolCalls.ts'
import type { ChatMessage, ContentPart } from '../../upstream/types.ts'
import { citingInstruction, passageBlock } from './passageBlock.ts'

/** Returns the image as a `data:` URL. */
export type ImageUrl = (mediaId: string) => Promise<string>
/** Returns the text of a document, as the model gets it. */
export type DocumentText = (document: AttachedDocument) => string

/**
 * Converts a path into request messages: instructions first, then turn by turn. Omits replies without text and calls,
 * because a failed reply has no content. Stopped and incomplete replies are sent with the text they have. Reasoning is
 * not sent back, because models differ in accepting it. A tool call is sent only with its result: services refuse a
 * request with an unanswered call.
 */
export async function historyOf(
  setup: ChatSetup,
  path: readonly Message[],
  imageUrl: ImageUrl,
  documentText: DocumentText,
): Promise<ChatMessage[]> {
  const instructions = instructionsOf(setup, path)
  const turns: Promise<ChatMessage[]>[] = []
  for (let at = 0; at < path.length; at += 1) {
    const message = path[at]
    if (!message) break
    if (message.role !== 'assistant') {
      // Tool results are added with the reply that called the tools.
      if (message.role !== 'tool') turns.push(turnOf(message, imageUrl, documentText))
      continue
    }
    const rows = rowsAfter(path, at)
    turns.push(Promise.resolve(replyOf(message, rows)))
    at += rows.length
  }
  return [...instructions, ...(await Promise.all(turns)).flat()]
}

/** The instructions of the person, then how to cite when a message has passages. */
function instructionsOf({ instructions, instructionsRole: role }: ChatSetup, path: readonly Message[]): ChatMessage[] {
  const own = instructions.trim() === '' ? [] : [instructions]
  const citing = path.some(({ passages }) => passages.length > 0) ? [citingInstruction] : []
  const content = [...own, ...citing].join('\n\n')
  return content === '' ? [] : [{ role, content }]
}

async function turnOf(message: Message, imageUrl: ImageUrl, documentText: DocumentText): Promise<ChatMessage[]> {
  const { role, name, attachments, documents, passages } = message
  // Long documents go first: models follow a question better that comes after its material.
  const found = passages.length === 0 ? [] : [passageBlock(passages)]
  const text = [...documents.map(documentText), ...found, ...(message.text === '' ? [] : [message.text])].join('\n\n')
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

/** Messages of role tool directly below a reply. */
function rowsAfter(path: readonly Message[], at: number): Message[] {
  const rows: Message[] = []
  for (let next = path[at + 1]; next?.role === 'tool'; next = path[at + 1 + rows.length]) rows.push(next)
  return rows
}

function replyOf({ text, name, toolCalls }: Message, rows: readonly Message[]): ChatMessage[] {
  const answers = rows.filter(({ run }) => run !== null && isSettled(run))
  const named = name ? { name } : {}
  // All calls of a reply or none: if some are missing, a service treats the others as never made and rejects their
  // results.
  const answered = toolCalls.length > 0 && answers.length === rows.length && rows.length === toolCalls.length
  if (!answered) return text === '' ? [] : [{ role: 'assistant', content: text, ...named }]
  const calls = toolCalls.map((call, at) => callOf(call, rows[at]?.run?.callId ?? ''))
  const results = rows.map(
    ({ run, text }): ChatMessage => ({ role: 'tool', tool_call_id: run?.callId ?? '', content: text }),
  )
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls, ...named }, ...results]
}

/** Uses the call id of the stored row, which is generated if the model sent no id. */
function callOf({ name, arguments: args }: ToolCall, id: string) {
  return { id, type: 'function' as const, function: { name, arguments: args } }
}
