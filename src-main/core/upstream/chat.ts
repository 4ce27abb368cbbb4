import { StudioError } from '../errors.ts'
import { type ReplyBody, readStart } from './body.ts'
import { type CallRequest, call, callJson, jsonBody, malformed, type OpenReply, readJson } from './call.ts'
import { cancelled, errorOfFrame, maxErrorBody } from './errors.ts'
import type { UpstreamLink } from './link.ts'
import { parseText } from './meter/jsonScan.ts'
import { ReplyReader } from './meter/replyReader.ts'
import { type Fields, isFields } from './meter/values.ts'
import { checkChatRequest } from './requests.ts'
import { type ChatCompletion, chatCompletion } from './schemas.ts'
import { readEvents } from './sse.ts'
import { ToolCallPieces } from './toolCallPieces.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent, UpstreamReply } from './types.ts'

/** The body ends right after [DONE]. Waiting this long for its end lets the next request reuse the connection. */
const settleMs = 250

/** For the scheduler's estimate, when a request has no limit. */
const usualReplyTokens = 500
const usualPictureTokens = 1000

function chatCall(link: UpstreamLink, request: ChatRequest, stream: boolean): Omit<CallRequest, 'accept'> {
  checkChatRequest(request)
  const { stream: _, ...body } = request
  const url = link.base.v1('/chat/completions')
  const sent = jsonBody(stream ? { ...body, stream } : body)
  const tokensIn = tokensOf(request, sent.bytes)
  const tokens = tokensIn + (request.max_tokens ?? usualReplyTokens)
  return { method: 'POST', url, headers: sent.headers, body: sent.body, model: request.model, stream, tokensIn, tokens }
}

/** Estimated tokens of the prompt. A picture counts as a picture, not by the length of its address, which may contain all of its bytes. */
function tokensOf({ messages }: ChatRequest, bytes: number): number {
  let pictures = 0
  let addresses = 0
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue
    for (const { image_url } of content) {
      if (image_url === undefined) continue
      pictures += 1
      addresses += image_url.url.length
    }
  }
  return Math.ceil((bytes - addresses) / 4) + pictures * usualPictureTokens
}

/** @throws StudioError `bad_input` before anything is sent; otherwise the service's or the connection's failure */
export async function createChatCompletion(
  link: UpstreamLink,
  request: ChatRequest,
  options: CallOptions = {},
): Promise<UpstreamReply<ChatCompletion>> {
  return callJson(link, chatCall(link, request, false), chatCompletion, options)
}

/**
 * Streams a reply. Ends normally only after `done`. Leaving early or aborting the signal closes the connection.
 * @throws StudioError with `outputStarted` true after any text, reasoning, refusal or tool call
 */
export async function* streamChatCompletion(
  link: UpstreamLink,
  request: ChatRequest,
  options: CallOptions = {},
): AsyncGenerator<ChatStreamEvent, void, undefined> {
  const reply = await call(link, { ...chatCall(link, request, true), accept: 'text/event-stream' }, options)
  options.onWait?.({ for: 'first_token' })
  let outputStarted = false
  try {
    yield { type: 'open', facts: reply.facts }
    const pieces = new ToolCallPieces()
    for await (const read of eventsOf(link, reply)) {
      const event = pieces.read(read)
      // A consumer that aborted while it handled an event receives no more.
      if (options.signal?.aborted === true) throw cancelled()
      outputStarted ||= isOutput(event)
      yield event
    }
  } catch (thrown) {
    if (!(thrown instanceof StudioError)) throw thrown
    throw new StudioError(thrown.kind, thrown.message, { ...thrown.facts, outputStarted }, { cause: thrown })
  } finally {
    reply.raw.close()
  }
}

function isOutput(event: ChatStreamEvent): boolean {
  return (
    event.type === 'content' || event.type === 'reasoning' || event.type === 'refusal' || event.type === 'tool_call'
  )
}

/** Reads the reply by its own content type. A service may ignore `stream` and send one JSON document. */
async function* eventsOf(link: UpstreamLink, reply: OpenReply): AsyncGenerator<ChatStreamEvent, void, undefined> {
  const type = reply.facts.contentType?.split(';')[0]?.trim().toLowerCase() ?? 'text/event-stream'
  if (type === 'text/event-stream') {
    yield* eventsOfStream(link, reply, reply.raw)
  } else if (type === 'application/json' || type.endsWith('+json')) {
    const whole = await readJson(link, reply, chatCompletion)
    const reader = new ReplyReader()
    const events: ChatStreamEvent[] = []
    reader.read(whole, events)
    yield* events
    if (!reader.finished) throw incomplete()
    yield { type: 'done' }
  } else {
    const start = await readStart(reply.bytes, maxErrorBody)
    throw malformed(link, reply.facts, start, `The service answered with ${type.slice(0, 80)} instead of a stream.`)
  }
}

async function* eventsOfStream(
  link: UpstreamLink,
  reply: OpenReply,
  raw: ReplyBody,
): AsyncGenerator<ChatStreamEvent, void, undefined> {
  const reader = new ReplyReader()
  const events: ChatStreamEvent[] = []
  for await (const data of readEvents(reply.bytes)) {
    if (data.trim() === '[DONE]') {
      raw.settle(settleMs)
      yield { type: 'done' }
      return
    }
    reader.read(parseFrame(link, reply, data), events)
    yield* events.splice(0)
  }
  if (!reader.finished) throw incomplete()
  yield { type: 'done' }
}

function incomplete(): StudioError {
  return new StudioError('incomplete_stream', 'The reply broke off before its end.', { workPossible: true })
}

function parseFrame(link: UpstreamLink, reply: OpenReply, data: string): Fields {
  let frame: unknown
  try {
    frame = parseText(data)
  } catch {
    throw malformed(link, reply.facts, data, 'The service sent an event that is not JSON.')
  }
  if (isFields(frame) && 'error' in frame && frame.error !== null) {
    throw errorOfFrame(frame, reply.facts.status, link.credential)
  }
  if (!isFields(frame)) throw malformed(link, reply.facts, data, 'The service sent an event that is not a chat chunk.')
  return frame
}
