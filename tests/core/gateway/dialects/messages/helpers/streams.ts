import { messagesDialect } from '../../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts'
import type { JsonObject, ReplyDetails } from '../../../../../../src-main/core/gateway/dialects/types.ts'
import { problemOf } from '../../../../../../src-main/core/gateway/proxy/translatedReply.ts'
import { eventsIn } from '../../../../../helpers/replies.ts'

export const details: ReplyDetails = { id: 'msg_1', createdAt: 1_700_000_000, model: 'm1', tokensIn: 21 }

/** A request with one user message, and what a test changes. */
export const request = (changes: JsonObject = {}): JsonObject => ({
  model: 'claude-x',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hi' }],
  ...changes,
})

export const translate = (changes: JsonObject = {}) => messagesDialect.translate(request(changes))

/** A chunk of a chat stream with one choice. */
export const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'chatcmpl-1',
  model: 'served',
  created: 1_700_000_000,
  choices: [{ index: 0, delta, finish_reason: finish }],
})

export const usageChunk = (usage: JsonObject): JsonObject => ({ id: 'chatcmpl-1', choices: [], usage })

/** The bytes of a chat stream. */
export const streamBytes = (chunks: readonly JsonObject[], done = true): Uint8Array =>
  new TextEncoder().encode(
    chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('') + (done ? 'data: [DONE]\n\n' : ''),
  )

/** The text that a client of the Messages API receives for a chat stream. */
export async function translatedStream(bytes: Uint8Array, cuts: readonly number[] = [], changes: JsonObject = {}) {
  const stream = translate({ stream: true, ...changes }).openReply(details, false)
  let text = ''
  for (const event of eventsIn(bytes, cuts)) {
    if (event.type === 'done') text += stream.end()
    else text += event.type === 'error' ? stream.fail(problemOf(event.error)) : stream.push(event)
  }
  return { text, stream }
}

/** One server-sent event of the Messages API. */
export type Sent = { type: string } & Record<string, unknown>

/** The events of a text, each checked for its form: the event name equals the type in its data. */
export function parseSent(text: string): Sent[] {
  if (text === '') return []
  if (!text.endsWith('\n\n')) throw new Error('The last event has no blank line.')
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: ([^\n]+)$/.exec(event) ?? []
      if (name === undefined || data === undefined) throw new Error(`Not an event: ${event}`)
      const parsed: Sent = JSON.parse(data)
      if (parsed.type !== name) throw new Error(`Event ${name} has the type ${parsed.type}.`)
      return parsed
    })
}

/** The events of translated chunks. */
export async function sent(chunks: readonly JsonObject[], done = true, changes: JsonObject = {}): Promise<Sent[]> {
  return parseSent((await translatedStream(streamBytes(chunks, done), [], changes)).text)
}
