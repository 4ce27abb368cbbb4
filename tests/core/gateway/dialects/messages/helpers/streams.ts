import { messagesDialect } from '../../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts'
import type { JsonObject, ReplyDetails } from '../../../../../../src-main/core/gateway/dialects/types.ts'
import { ReplyReader } from '../../../../../../src-main/core/upstream/meter/replyReader.ts'
import { readEvents } from '../../../../../../src-main/core/upstream/sse.ts'
import type { ChatStreamEvent } from '../../../../../../src-main/core/upstream/types.ts'
import { piecesOf } from '../../../../upstream/meter/helpers/streams.ts'

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

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  yield* piecesOf(bytes, cuts)
}

/** The chat events of a stream of bytes that arrives in pieces, and whether it had its end. */
async function chatEvents(bytes: Uint8Array, cuts: readonly number[] = []) {
  const events: ChatStreamEvent[] = []
  const reader = new ReplyReader()
  let done = false
  for await (const data of readEvents(pieces(bytes, cuts))) {
    if (data === '[DONE]') done = true
    else reader.read(JSON.parse(data), events)
  }
  return { events, done }
}

/** The text that a client of the Messages API receives for a chat stream. */
export async function translatedStream(bytes: Uint8Array, cuts: readonly number[] = [], changes: JsonObject = {}) {
  const { events, done } = await chatEvents(bytes, cuts)
  const stream = translate({ stream: true, ...changes }).openStream(details)
  let text = ''
  for (const event of events) text += stream.push(event)
  if (done) text += stream.end()
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
