import { ask, jsonWithKey } from './appRequest.ts'
import type { Gateway } from './gateway.ts'

/** One of the APIs that the local address speaks, for tests that hold in all of them. */
export interface Api {
  name: 'chat' | 'responses' | 'messages'
  /** Below `/v1`. */
  path: string
  /** A small request, with more fields of any API. */
  body(more?: Record<string, unknown>): string
  /** The member that holds the text of the person. */
  prompt(text: string): Record<string, unknown>
  /** The text of a whole reply or of a complete stream. */
  text(body: string): string
  /** Whether a stream says itself that its reply is complete. */
  isComplete(stream: string): boolean
  /** Type and message of an error reply. */
  error(body: string): { type: string; message: string }
}

const eventsOf = (stream: string): Record<string, unknown>[] =>
  stream.split('\n').flatMap((line) => {
    const data = line.startsWith('data: ') ? line.slice(6) : '[DONE]'
    return data === '[DONE]' ? [] : [JSON.parse(data) as Record<string, unknown>]
  })

const model = 'writer-small'
type ChatPart = { content?: string }
type Choice = { delta?: ChatPart; message?: ChatPart }
type Named = { type?: string; text?: string; content?: Named[] }

const jsonError = (body: string): { type: string; message: string } =>
  (JSON.parse(body) as { error: { type: string; message: string } }).error

const chat: Api = {
  name: 'chat',
  path: '/chat/completions',
  body: (more) => JSON.stringify({ model, ...chat.prompt('Good morning'), max_tokens: 10, ...more }),
  prompt: (content) => ({ messages: [{ role: 'user', content }] }),
  text(body) {
    const chunks = body.startsWith('{') ? [JSON.parse(body) as Record<string, unknown>] : eventsOf(body)
    return chunks
      .flatMap(({ choices }) => choices as Choice[])
      .map(({ delta, message }) => delta?.content ?? message?.content ?? '')
      .join('')
  },
  isComplete: (stream) => stream.includes('data: [DONE]'),
  error: jsonError,
}

const responses: Api = {
  name: 'responses',
  path: '/responses',
  body: (more) => JSON.stringify({ model, ...responses.prompt('Good morning'), max_output_tokens: 10, ...more }),
  prompt: (input) => ({ input }),
  text(body) {
    if (!body.startsWith('{')) {
      const deltas = eventsOf(body).filter(({ type }) => type === 'response.output_text.delta')
      return deltas.map(({ delta }) => String(delta)).join('')
    }
    const { output } = JSON.parse(body) as { output: Named[] }
    return output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join('')
  },
  isComplete: (stream) => /^event: response\.(?:completed|incomplete)$/m.test(stream),
  error: jsonError,
}

const messages: Api = {
  name: 'messages',
  path: '/messages',
  body: (more) => JSON.stringify({ model, ...messages.prompt('Good morning'), max_tokens: 10, ...more }),
  prompt: (content) => ({ messages: [{ role: 'user', content }] }),
  text(body) {
    if (!body.startsWith('{')) {
      return eventsOf(body)
        .flatMap(({ delta }) => (delta as Named | undefined)?.text ?? [])
        .join('')
    }
    return (JSON.parse(body) as { content: Named[] }).content.map(({ text = '' }) => text).join('')
  },
  isComplete: (stream) => /^event: message_stop$/m.test(stream),
  error: jsonError,
}

export const apis: readonly Api[] = [chat, responses, messages]
export const translatedApis: readonly Api[] = [responses, messages]

/** Sends a request in an API with the app's key. */
export const askIn = (
  gateway: Pick<Gateway, 'url'>,
  api: Api,
  body: string,
  headers: Record<string, string> = {},
): ReturnType<typeof ask> =>
  ask(`${gateway.url}${api.path}`, { method: 'POST', headers: { ...jsonWithKey, ...headers }, body })
