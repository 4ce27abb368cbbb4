import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { expect } from 'vitest'
import { type Answer, ask, jsonWithKey } from './appRequest.ts'
import type { Gateway } from './gateway.ts'

/** One of the APIs that the local address speaks, for tests that hold in all of them. */
export interface Api {
  name: 'chat' | 'responses' | 'messages' | 'gemini' | 'ollama'
  /** The path of a request with this body. In some APIs the model and the stream are in it. */
  pathOf(body?: string | Buffer): string
  /** A small request, with more fields of any API. */
  body(more?: Record<string, unknown>): string
  /** The member that holds the text of the person. */
  prompt(text: string): Record<string, unknown>
  /** The text of a whole reply or of a complete stream. */
  text(body: string): string
  /** The tokens that a whole reply reports. */
  usage(body: string): { tokensIn: number; tokensOut: number }
  /** The member that limits the length of the reply. */
  atMost(tokens: number): Record<string, unknown>
  /** Whether a stream says itself that its reply is complete. */
  isComplete(stream: string): boolean
  /** Whether a stream says itself that its reply failed. */
  isFailed(stream: string): boolean
  /** A function that the model may call, and a tool of the vendor's servers, whose name has `search` in it. */
  tools: { own: unknown; hosted: unknown }
  /** A member of the body that can't be translated. */
  wrong: Record<string, unknown>
  /** Whether a reply that broke off ends regularly after the event that says so. Otherwise its connection is cut after that (decision 0011). */
  reportsCuts: boolean
  /** Type and message of an error reply. */
  error(body: string): { type: string | null; message: string }
  /** Checks that an error reply has exactly the shape of this API, and returns what it says. */
  problem(answer: Pick<Answer, 'status' | 'headers' | 'body'>): ApiProblem
}

interface ApiProblem {
  /** Null in an API whose errors have none. */
  type: string | null
  message: string
  /** Null in an API whose errors have none. */
  code: string | null
}

/** `error.type` of the Messages API by status, as its documentation lists them. @see https://platform.claude.com/docs/en/api/errors */
const messagesErrors: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  413: 'request_too_large',
  417: 'invalid_request_error',
  421: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
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

/** Checks the error object of OpenAI's APIs. */
function openaiProblem({ headers, body }: Pick<Answer, 'headers' | 'body'>, members: string[]): ApiProblem {
  expect(headers['content-type']).toMatch(/^application\/json/)
  const parsed = JSON.parse(body.toString()) as { error: ApiProblem }
  expect(Object.keys(parsed)).toEqual(['error'])
  expect(Object.keys(parsed.error).sort()).toEqual(members)
  expect(parsed.error.message).not.toBe('')
  return parsed.error
}

const openaiTools = {
  own: { type: 'function', name: 'find', description: 'Finds', parameters: { type: 'object' }, strict: false },
  hosted: { type: 'web_search' },
}

const chat: Api = {
  name: 'chat',
  pathOf: () => '/v1/chat/completions',
  body: (more) => JSON.stringify({ model, ...chat.prompt('Good morning'), max_tokens: 10, ...more }),
  prompt: (content) => ({ messages: [{ role: 'user', content }] }),
  text(body) {
    const chunks = body.startsWith('{') ? [JSON.parse(body) as Record<string, unknown>] : eventsOf(body)
    return chunks
      .flatMap(({ choices = [] }) => choices as Choice[])
      .map(({ delta, message }) => delta?.content ?? message?.content ?? '')
      .join('')
  },
  usage(body) {
    const { usage } = JSON.parse(body) as { usage: { prompt_tokens: number; completion_tokens: number } }
    return { tokensIn: usage.prompt_tokens, tokensOut: usage.completion_tokens }
  },
  atMost: (max_tokens) => ({ max_tokens }),
  isComplete: (stream) => stream.includes('data: [DONE]'),
  isFailed: (stream) => /^data: {"error":/m.test(stream),
  tools: openaiTools,
  wrong: { messages: 7 },
  reportsCuts: false,
  error: jsonError,
  problem: (answer) => openaiProblem(answer, ['code', 'message', 'type']),
}

const responses: Api = {
  name: 'responses',
  pathOf: () => '/v1/responses',
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
  usage(body) {
    const { usage } = JSON.parse(body) as { usage: { input_tokens: number; output_tokens: number } }
    return { tokensIn: usage.input_tokens, tokensOut: usage.output_tokens }
  },
  atMost: (max_output_tokens) => ({ max_output_tokens }),
  isComplete: (stream) => /^event: response\.(?:completed|incomplete)$/m.test(stream),
  isFailed: (stream) => /^event: response\.failed$/m.test(stream),
  tools: openaiTools,
  wrong: { input: [{ role: 'user', content: 7 }] },
  reportsCuts: true,
  error: jsonError,
  problem: (answer) => openaiProblem(answer, ['code', 'message', 'param', 'type']),
}

const messages: Api = {
  name: 'messages',
  pathOf: () => '/v1/messages',
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
  usage(body) {
    const { usage } = JSON.parse(body) as { usage: Record<string, number> }
    const { input_tokens = 0, cache_read_input_tokens = 0, output_tokens = 0 } = usage
    return { tokensIn: input_tokens + cache_read_input_tokens, tokensOut: output_tokens }
  },
  atMost: (max_tokens) => ({ max_tokens }),
  isComplete: (stream) => /^event: message_stop$/m.test(stream),
  isFailed: (stream) => /^event: error$/m.test(stream),
  tools: {
    own: { name: 'find', description: 'Finds', input_schema: { type: 'object' } },
    hosted: { type: 'web_search_20250305', name: 'web_search' },
  },
  wrong: { messages: [{ role: 'user', content: 7 }] },
  reportsCuts: true,
  error: jsonError,
  problem({ status, headers, body }) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    const parsed = JSON.parse(body.toString()) as { error: { type: string; message: string } }
    expect(parsed).toEqual({
      type: 'error',
      error: { type: messagesErrors[status], message: expect.stringMatching(/\w/) },
      request_id: expect.stringMatching(/^req_/),
    })
    expect(parsed).toHaveProperty('request_id', headers['request-id'])
    return { ...parsed.error, code: null }
  },
}

/** `error.status` of the Gemini API by status, as its documentation lists them. @see https://ai.google.dev/gemini-api/docs/troubleshooting */
const geminiErrors: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

type Candidate = { content: { parts: { text?: string; thought?: true }[] }; finishReason?: string }

/** The members of a body, or none when it is no object. */
function membersOf(body: string | Buffer): { model?: unknown; stream?: unknown } {
  try {
    return Object(JSON.parse(body.toString()))
  } catch {
    // Some tests send broken bodies.
    return {}
  }
}

const gemini: Api = {
  name: 'gemini',
  // The model and the stream are also in the body, where this API ignores them, so that tests can say them as in other APIs.
  pathOf(body = '{}') {
    const { model: given, stream } = membersOf(body)
    const named = typeof given === 'string' ? given : model
    return `/v1beta/models/${encodeURI(named)}:${stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
  },
  body: (more) => JSON.stringify({ model, ...gemini.prompt('Good morning'), ...gemini.atMost(10), ...more }),
  prompt: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  text(body) {
    const all = body.startsWith('{') ? [JSON.parse(body) as Record<string, unknown>] : eventsOf(body)
    return all
      .flatMap(({ candidates = [] }) => candidates as Candidate[])
      .flatMap(({ content }) => content.parts.map(({ text = '', thought }) => (thought ? '' : text)))
      .join('')
  },
  usage(body) {
    const { usageMetadata } = JSON.parse(body) as { usageMetadata: Record<string, number> }
    return { tokensIn: usageMetadata.promptTokenCount ?? 0, tokensOut: usageMetadata.candidatesTokenCount ?? 0 }
  },
  atMost: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
  isComplete: (stream) => /^data: .*"finishReason":"/m.test(stream),
  isFailed: (stream) => /^data: {"error":/m.test(stream),
  tools: {
    own: { functionDeclarations: [{ name: 'find', description: 'Finds', parameters: { type: 'OBJECT' } }] },
    hosted: { googleSearch: {} },
  },
  wrong: { contents: [7] },
  reportsCuts: true,
  error(body) {
    const { status, message } = (JSON.parse(body) as { error: { status: string; message: string } }).error
    return { type: status, message }
  },
  problem({ status, headers, body }) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    const { error, ...others } = JSON.parse(body.toString()) as { error: Record<string, unknown> }
    const { details, ...always } = error
    const name = geminiErrors[status] ?? 'INVALID_ARGUMENT'
    expect([always, others]).toEqual([{ code: status, message: expect.stringMatching(/\w/), status: name }, {}])
    const field = { field: expect.stringMatching(/\w/), description: always.message }
    const violation = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [field] }
    if (details !== undefined) expect(details).toEqual([violation])
    return { type: name, message: String(always.message), code: null }
  },
}

const linesOf = (stream: string): Record<string, unknown>[] =>
  stream
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const ollama: Api = {
  name: 'ollama',
  pathOf: () => '/api/chat',
  // Streams are the default.
  body({ max_tokens = 10, max_output_tokens: _, ...more } = {}) {
    const options = { num_predict: max_tokens }
    return JSON.stringify({ model, ...ollama.prompt('Good morning'), stream: false, options, ...more })
  },
  prompt: (content) => ({ messages: [{ role: 'user', content }] }),
  text: (body) =>
    linesOf(body)
      .map(({ message }) => (message as ChatPart | undefined)?.content ?? '')
      .join(''),
  usage(body) {
    const { prompt_eval_count, eval_count } = JSON.parse(body) as Record<string, number>
    return { tokensIn: prompt_eval_count ?? 0, tokensOut: eval_count ?? 0 }
  },
  atMost: (num_predict) => ({ options: { num_predict } }),
  isComplete: (stream) => linesOf(stream).at(-1)?.done === true,
  isFailed: (stream) => /^\{"error":".*"\}$/m.test(stream),
  tools: {
    own: { type: 'function', function: { name: 'find', description: 'Finds', parameters: { type: 'object' } } },
    hosted: { type: 'web_search' },
  },
  wrong: { messages: [{ role: 'user', content: 7 }] },
  reportsCuts: true,
  error: (body) => ({ type: null, message: (JSON.parse(body) as { error: string }).error }),
  problem({ headers, body }) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    const parsed = JSON.parse(body.toString()) as { error: string }
    expect(parsed).toEqual({ error: expect.stringMatching(/\w/) })
    return { type: null, message: parsed.error, code: null }
  },
}

/** The service's own API. */
export const chatApi: Api = chat
export const translatedApis: readonly Api[] = [responses, messages, gemini, ollama]
export const apis: readonly Api[] = [chat, ...translatedApis]

/** The address of a request in an API. */
export const urlIn = (gateway: Pick<Gateway, 'url'>, api: Api, body?: string | Buffer): string =>
  gateway.url.replace(/\/v1$/, '') + api.pathOf(body)

/** Sends a request in an API with the app's key. */
export const askIn = (
  gateway: Pick<Gateway, 'url'>,
  api: Api,
  body: string | Buffer,
  headers: Record<string, string> = {},
): ReturnType<typeof ask> =>
  ask(urlIn(gateway, api, body), { method: 'POST', headers: { ...jsonWithKey, ...headers }, body })

/** How fast the sandbox replies, and how much. */
export function pace({ tokens, perSecond, firstMs }: { tokens?: number; perSecond?: number; firstMs?: number }) {
  const headers: Record<string, string> = {}
  if (tokens !== undefined) headers['x-sandbox-tokens'] = String(tokens)
  if (perSecond !== undefined) headers['x-sandbox-tokens-per-second'] = String(perSecond)
  if (firstMs !== undefined) headers['x-sandbox-first-token-ms'] = String(firstMs)
  return headers
}

/** A request on a connection of its own that is not read to its end. */
interface OpenRequest {
  request: ClientRequest
  /** The reply, when its first bytes have arrived. Rejects when there is none. */
  begun: Promise<IncomingMessage>
}

/** Sends a request in an API with the app's key, to be cut or read in part. */
export function openIn(
  gateway: Pick<Gateway, 'url'>,
  api: Api,
  body: string | Buffer,
  headers: Record<string, string> = {},
): OpenRequest {
  const url = urlIn(gateway, api, body)
  const request = httpRequest(url, { method: 'POST', agent: false, headers: { ...jsonWithKey, ...headers } })
  const begun = (async () => {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    await once(response, 'data')
    return response
  })()
  begun.catch(() => undefined)
  request.on('error', () => undefined)
  request.end(body)
  return { request, begun }
}
