import { type Attributes, SpanKind } from '@opentelemetry/api'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_RESEND_COUNT,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_PATH,
} from '@opentelemetry/semantic-conventions'
import type { Endpoint, RequestRow } from '../../../src-preload/contract/requests.ts'

/** The server that a request was sent to. */
export interface ServerAddress {
  address: string
  port: number
}

/** One request as a span. Times are milliseconds since 1970. */
export interface RequestSpan {
  name: string
  kind: SpanKind
  start: number
  end: number
  attributes: Attributes
  /** `error.type`, or null for a request that did not fail. Never the service's message, which may quote a prompt. */
  error: string | null
}

// The GenAI conventions (github.com/open-telemetry/semantic-conventions-genai, client inference) are not stable yet. Their authors advise
// to copy the names, because a minor version of the package may change them.
const operationName = 'gen_ai.operation.name'
const providerName = 'gen_ai.provider.name'
const requestModel = 'gen_ai.request.model'
const requestStream = 'gen_ai.request.stream'
const outputType = 'gen_ai.output.type'
const timeToFirstChunk = 'gen_ai.response.time_to_first_chunk'
const inputTokens = 'gen_ai.usage.input_tokens'
const outputTokens = 'gen_ai.usage.output_tokens'
const cachedTokens = 'gen_ai.usage.cache_read.input_tokens'

/** The conventions' names of operations. Media requests use the general one, because there is none for them. */
const operations: Partial<Record<Endpoint, { name: string; output: string }>> = {
  chat: { name: 'chat', output: 'text' },
  completions: { name: 'text_completion', output: 'text' },
  speech: { name: 'generate_content', output: 'speech' },
  transcription: { name: 'generate_content', output: 'text' },
  images: { name: 'generate_content', output: 'image' },
}

/** An ended request as a client span, by the GenAI conventions for inference and by those of HTTP for the rest. Never contains content. */
export function spanOf(row: RequestRow, server: ServerAddress | null): RequestSpan {
  const operation = operations[row.endpoint]
  const start = Date.parse(row.at)
  const model = row.model?.slice(0, 300) ?? null
  const attributes: Attributes = {
    [ATTR_HTTP_REQUEST_METHOD]: row.method,
    [ATTR_URL_PATH]: row.path,
    ...(operation && inference(row, operation, model)),
    ...(row.status !== null && { [ATTR_HTTP_RESPONSE_STATUS_CODE]: row.status }),
    ...(row.attempts > 1 && { [ATTR_HTTP_REQUEST_RESEND_COUNT]: row.attempts - 1 }),
    ...(server && { [ATTR_SERVER_ADDRESS]: server.address, [ATTR_SERVER_PORT]: server.port }),
    ...studioAttributes(row),
  }
  const failure = failureOf(row)
  if (failure !== null) attributes[ATTR_ERROR_TYPE] = failure
  return {
    name: operation ? [operation.name, model].filter(Boolean).join(' ') : row.method,
    kind: SpanKind.CLIENT,
    start,
    end: start + (row.durationMs ?? 0),
    attributes,
    error: failure,
  }
}

function inference(row: RequestRow, operation: { name: string; output: string }, model: string | null): Attributes {
  return {
    [operationName]: operation.name,
    // The conventions' name for every service with OpenAI's API. `server.address` identifies the service.
    [providerName]: 'openai',
    [outputType]: operation.output,
    ...(model !== null && { [requestModel]: model }),
    ...(row.stream && { [requestStream]: true }),
    ...(row.stream && row.firstByteMs !== null && { [timeToFirstChunk]: row.firstByteMs / 1000 }),
    ...(row.tokensIn !== null && { [inputTokens]: row.tokensIn }),
    ...(row.tokensOut !== null && { [outputTokens]: row.tokensOut }),
    ...(row.tokensCached !== null && { [cachedTokens]: row.tokensCached }),
  }
}

/** Attributes for which the conventions have no name. */
function studioAttributes({
  who,
  state,
  queuedMs,
  backoffMs,
  cost,
  costIs,
  tokensAre,
  requestId,
  cancelledBy,
}: RequestRow): Attributes {
  const prefix = 'inference_studio.'
  return {
    [`${prefix}requester`]: who.kind === 'studio' ? `studio.${who.feature}` : who.kind,
    ...(who.kind === 'app' && { [`${prefix}app.id`]: who.id, [`${prefix}app.name`]: who.name }),
    [`${prefix}state`]: state,
    ...(cancelledBy !== null && { [`${prefix}cancelled_by`]: cancelledBy }),
    ...(queuedMs > 0 && { [`${prefix}queue_wait`]: queuedMs / 1000 }),
    ...(backoffMs > 0 && { [`${prefix}back_off`]: backoffMs / 1000 }),
    [`${prefix}tokens_are`]: tokensAre,
    [`${prefix}cost_is`]: costIs,
    // An exact decimal string, as in the request log.
    ...(cost !== null && { [`${prefix}cost_sc`]: cost }),
    ...(requestId !== null && { [`${prefix}request_id`]: requestId }),
  }
}

/** `error.type`: the status, or the kind of problem. A cancelled request is not an error. */
function failureOf({ state, status, problem }: RequestRow): string | null {
  if (state === 'cancelled') return null
  if (state === 'done' || state === 'refused') return status !== null && status >= 400 ? String(status) : null
  return problem?.kind ?? state
}
