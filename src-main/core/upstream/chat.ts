import { StudioError } from '../errors.ts'
import { checkChatRequest } from './request/checks.ts'
import { type CallRequest, call, jsonBody, type UnreadReply } from './sending/call.ts'
import type { UpstreamLink } from './sending/link.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent } from './types.ts'
import { cancelled } from './wire/faults.ts'

/** The body ends right after [DONE]. Waiting this long for its end lets the next request reuse the connection. */
const settleMs = 250

/** For the scheduler's estimate, when a request has no limit. */
const usualReplyTokens = 500
const usualPictureTokens = 1000

function chatCall(link: UpstreamLink, request: ChatRequest): CallRequest {
  checkChatRequest(request)
  const url = link.base.v1('/chat/completions')
  const sent = jsonBody({ ...request, stream: true })
  const tokensIn = tokensOf(request, sent.bytes)
  const tokens = tokensIn + (request.max_tokens ?? usualReplyTokens)
  return {
    method: 'POST',
    url,
    headers: sent.headers,
    body: sent.body,
    model: request.model,
    stream: true,
    tokensIn,
    tokens,
    accept: 'text/event-stream',
  }
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

/**
 * Streams a reply. Ends normally only after `done`. Leaving early or aborting the signal closes the connection.
 * @throws StudioError with `outputStarted` true after any text, reasoning, refusal or tool call
 */
export async function* streamChatCompletion(
  link: UpstreamLink,
  request: ChatRequest,
  options: CallOptions = {},
): AsyncGenerator<ChatStreamEvent, void, undefined> {
  const reply = await call(link, chatCall(link, request), options)
  options.onWait?.({ for: 'first_token' })
  let outputStarted = false
  try {
    yield { type: 'open', facts: reply.facts }
    // A service may ignore `stream` and send one JSON document, which has the same events.
    for await (const { events } of reply.pieces) {
      for (const event of events) {
        // A consumer that aborted while it handled an event receives no more.
        if (options.signal?.aborted === true) throw cancelled()
        if (event.type === 'error') throw withFacts(event.error, reply)
        outputStarted ||= isOutput(event)
        if (event.type === 'done') reply.raw.settle(settleMs)
        yield event
        if (event.type === 'done') return
      }
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

function withFacts({ kind, message, facts }: StudioError, { facts: { status, requestId } }: UnreadReply): StudioError {
  return new StudioError(kind, message, { status, ...(requestId !== null && { requestId }), ...facts })
}
