import { StudioError } from '../errors.ts'
import { endpointOf } from './request/endpoint.ts'
import { call } from './sending/call.ts'
import type { UpstreamLink } from './sending/link.ts'
import type { CallOptions } from './types.ts'

/** For the scheduler's estimate, when a request has no limit. */
const usualReplyTokens = 500

/** A POST request with a JSON body that was logged before. */
export interface RepeatedRequest {
  /** Path below the base address, such as `/v1/chat/completions`. */
  path: string
  body: Record<string, unknown>
}

/**
 * Sends a JSON body to a path and reads the reply to its end. What arrives is in the request log: pass `logBodies`.
 * @throws StudioError `bad_input` for a path outside /v1, and errors of the service
 */
export async function repeat(link: UpstreamLink, request: RepeatedRequest, options: CallOptions): Promise<void> {
  const path = /^\/v1(\/.+)$/.exec(request.path)?.[1]
  if (path === undefined) throw new StudioError('bad_input', 'Only a request below /v1 can be asked again.')
  const { model, stream, max_tokens, n } = request.body
  const json = Buffer.from(JSON.stringify(request.body))
  const tokensIn = Math.ceil(json.length / 4)
  const reply = await call(
    link,
    {
      method: 'POST',
      url: link.base.v1(path),
      accept: stream === true ? 'text/event-stream' : '*/*',
      headers: [['content-type', 'application/json']],
      body: () => json,
      ...(typeof model === 'string' && { model }),
      stream: stream === true,
      tokensIn,
      tokens: tokensIn + (typeof max_tokens === 'number' && max_tokens > 0 ? max_tokens : usualReplyTokens),
      ...(endpointOf('POST', request.path) === 'images' && { pictures: typeof n === 'number' ? n : 1 }),
    },
    options,
  )
  try {
    for await (const { events } of reply.pieces) {
      for (const event of events) if (event.type === 'error') throw event.error
    }
  } finally {
    reply.raw.close()
  }
}
