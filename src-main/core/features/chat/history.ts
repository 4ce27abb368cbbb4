import type { Attachment, ChatSetup, Message, ToolCall } from '../../../../src-preload/contract/chat.ts'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import { isSettled } from '../../ports/toolCalls.ts'
import { sendableArguments } from '../../upstream/reply/toolCalls.ts'
import type { ChatMessage, ContentPart } from '../../upstream/types.ts'
import { citingInstruction, passageBlock } from './passageBlock.ts'

/** Returns the image as a `data:` URL. */
export type ImageUrl = (mediaId: string) => Promise<string>
/** Returns the text of a document, as the model gets it. */
export type DocumentText = (document: AttachedDocument) => string

type Instructions = Pick<ChatSetup, 'instructions' | 'instructionsRole'>

/** A message of a request, with the stored message that it comes from. */
export interface SentMessage {
  /** Id of the stored message. Null: the instructions, or a message that is not stored yet. */
  source: string | null
  /** The documents and passages at the start of the text, in characters. */
  fileCharacters: number
  message: ChatMessage
}

/**
 * Converts a path into request messages: instructions first, then turn by turn. Omits messages that the person left out, and replies
 * without text and calls, because a failed reply has no content. Stopped and incomplete replies are sent with the text they have. Reasoning is
 * not sent back, because models differ in accepting it. A tool call is sent only with its result: services refuse a
 * request with an unanswered call.
 */
export async function historyOf(
  setup: Instructions,
  path: readonly Message[],
  imageUrl: ImageUrl,
  documentText: DocumentText,
): Promise<SentMessage[]> {
  const instructions = instructionsOf(setup, hasPassages(path))
  const turns: Promise<SentMessage[]>[] = []
  for (let at = 0; at < path.length; at += 1) {
    const message = path[at]
    if (!message) break
    if (message.role !== 'assistant') {
      // Tool results are added with the reply that called the tools.
      if (message.role !== 'tool' && !message.leftOut) turns.push(turnOf(message, message.id, imageUrl, documentText))
      continue
    }
    const rows = rowsAfter(path, at)
    // The results of the reply's tool calls are left out with it, because services refuse results without their calls.
    if (!message.leftOut) turns.push(Promise.resolve(replyOf(message, rows)))
    at += rows.length
  }
  return [...instructions, ...(await Promise.all(turns)).flat()]
}

const unstored = (message: ChatMessage): SentMessage => ({ source: null, fileCharacters: 0, message })

export const hasPassages = (path: readonly Message[]): boolean => path.some(({ passages }) => passages.length > 0)

/** The message that a request starts with: the instructions of the person, then how to cite when a message has passages. */
export function instructionsOf(
  { instructions, instructionsRole: role }: Instructions,
  mustCite: boolean,
): SentMessage[] {
  const own = instructions.trim() === '' ? [] : [instructions]
  const content = [...own, ...(mustCite ? [citingInstruction] : [])].join('\n\n')
  return content === '' ? [] : [unstored({ role, content })]
}

/** The members of a turn that are sent. */
export interface TurnContent extends Pick<Message, 'role' | 'name' | 'text' | 'documents' | 'passages'> {
  attachments: readonly Pick<Attachment, 'mediaId' | 'detail'>[]
}

/** Converts a turn that no model wrote. `source` is its id, null while it is not stored. */
export async function turnOf(
  message: TurnContent,
  source: string | null,
  imageUrl: ImageUrl,
  documentText: DocumentText,
): Promise<SentMessage[]> {
  const { role, name, attachments, documents, passages } = message
  // Long documents go first: models follow a question better that comes after its material.
  const found = passages.length === 0 ? [] : [passageBlock(passages)]
  const files = [...documents.map(documentText), ...found].join('\n\n')
  const text = [files, message.text].filter((part) => part !== '').join('\n\n')
  const own = { source, fileCharacters: files.length }
  if (text === '' && attachments.length === 0) return []
  const named = name ? { name } : {}
  if (attachments.length === 0) return [{ ...own, message: { role, content: text, ...named } }]
  const pictures = attachments.map(async ({ mediaId, detail }): Promise<ContentPart> => {
    const url = await imageUrl(mediaId)
    return { type: 'image_url', image_url: { url, ...(detail && { detail }) } }
  })
  const words: ContentPart[] = text === '' ? [] : [{ type: 'text', text }]
  return [{ ...own, message: { role, content: [...words, ...(await Promise.all(pictures))], ...named } }]
}

/** Messages of role tool directly below a reply. */
function rowsAfter(path: readonly Message[], at: number): Message[] {
  const rows: Message[] = []
  for (let next = path[at + 1]; next?.role === 'tool'; next = path[at + 1 + rows.length]) rows.push(next)
  return rows
}

function replyOf({ id: source, text, name, toolCalls }: Message, rows: readonly Message[]): SentMessage[] {
  const fileCharacters = 0
  const answers = rows.filter(({ run }) => run !== null && isSettled(run))
  const named = name ? { name } : {}
  // All calls of a reply or none: if some are missing, a service treats the others as never made and rejects their
  // results.
  const answered = toolCalls.length > 0 && answers.length === rows.length && rows.length === toolCalls.length
  if (!answered) {
    return text === '' ? [] : [{ source, fileCharacters, message: { role: 'assistant', content: text, ...named } }]
  }
  const calls = toolCalls.map((call, at) => callOf(call, rows[at]?.run?.callId ?? ''))
  const results = rows.map(
    ({ run, text }): SentMessage => ({
      source,
      fileCharacters,
      message: { role: 'tool', tool_call_id: run?.callId ?? '', content: text },
    }),
  )
  const message: ChatMessage = { role: 'assistant', content: text === '' ? null : text, tool_calls: calls, ...named }
  return [{ source, fileCharacters, message }, ...results]
}

/** Uses the call id of the stored row, which is generated if the model sent no id. */
function callOf({ name, arguments: args }: ToolCall, id: string) {
  return { id, type: 'function' as const, function: { name, arguments: sendableArguments(args) } }
}
