import { ollamaDialect } from '../../../../../src-main/core/gateway/dialects/ollama/ollamaDialect.ts'
import type { JsonObject, ReplyDetails } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { problemOf } from '../../../../../src-main/core/gateway/proxy/translatedReply.ts'
import { eventsIn } from '../../../../helpers/replies.ts'

export const details: ReplyDetails = { id: 'call_1', createdAt: 1_700_000_000, model: 'm1', tokensIn: 21 }

/** Translates a request of `/api/chat` with one user message, and what a test changes. */
export const chat = (changes: JsonObject = {}) =>
  ollamaDialect.translate(
    { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...changes },
    { isGenerate: false },
  )

/** Translates a request of `/api/generate`. */
export const generate = (changes: JsonObject = {}) =>
  ollamaDialect.translate({ model: 'm', prompt: 'hi', ...changes }, { isGenerate: true })

/** The lines of a text, each parsed. */
export function linesOf(text: string): JsonObject[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line has no end.')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject)
}

/** The text that a program receives for the bytes of a chat stream. */
export function translatedStream(bytes: Uint8Array, cuts: readonly number[] = [], request = chat()) {
  const stream = request.openReply(details, false)
  let text = ''
  for (const event of eventsIn(bytes, cuts)) {
    if (event.type === 'done') text += stream.end()
    else text += event.type === 'error' ? stream.fail(problemOf(event.error)) : stream.push(event)
  }
  return { text, stream, lines: linesOf(text) }
}
