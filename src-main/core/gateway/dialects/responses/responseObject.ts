import type { Response, ResponseOutputItem, ResponseUsage } from 'openai/resources/responses/responses'
import type { TokenUsage } from '../../../upstream/types.ts'
import { failedFinish, finishKindOf, shownFinishReason } from '../finishReason.ts'
import type { DialectProblem, ReplyDetails } from '../types.ts'

/** How a reply ended. */
export type ResponseEnd =
  | { status: 'completed' }
  /** `reason` is a value of the API, or an unknown finish reason of the service as it came. */
  | { status: 'incomplete'; reason: string }
  | { status: 'failed'; cause: string; message: string }

/** Everything of a Response object that is not in the request. */
export interface ResponseState {
  details: ReplyDetails
  model: string | null
  /** Null while the reply runs. */
  end: ResponseEnd | null
  output: ResponseOutputItem[]
  usage: TokenUsage | null
  completedAt: number | null
}

/** Members that repeat the request. */
type EchoMembers =
  | 'instructions'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'temperature'
  | 'tool_choice'
  | 'tools'
  | 'top_p'

/** A Response without the members that repeat the request, and without those that only the official SDK adds. */
export type ResponseBody = Omit<Response, EchoMembers | 'output_text' | 'usage' | 'incomplete_details' | 'error'> & {
  usage: ResponseUsage | null
  incomplete_details: { reason: string } | null
  error: { code: string; message: string } | null
}

/** The members of a Response that come from the reply. */
export function responseBody(state: ResponseState): ResponseBody {
  const { details, end } = state
  return {
    id: details.id,
    object: 'response',
    created_at: details.createdAt,
    status: end?.status ?? 'in_progress',
    completed_at: state.completedAt,
    error: end?.status === 'failed' ? { code: failureCode(end.cause), message: end.message } : null,
    incomplete_details: end?.status === 'incomplete' ? { reason: end.reason } : null,
    model: state.model ?? details.model,
    output: state.output,
    usage: usageOf(state.usage),
    access_programs: null,
  }
}

/** Null while the reply runs and after a failure: figures of the API can't be unknown. */
function usageOf(usage: TokenUsage | null): ResponseUsage | null {
  if (usage === null || usage.promptTokens === null || usage.completionTokens === null) return null
  return {
    input_tokens: usage.promptTokens,
    // The service bills no writes to a cache and does not count reasoning apart.
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.totalTokens ?? usage.promptTokens + usage.completionTokens,
  }
}

/** Translates `finish_reason`. An unknown one says only that the reply ended, so the reply is incomplete and names it. */
export function endOf(finishReason: string): ResponseEnd {
  switch (finishKindOf(finishReason)) {
    case 'completed':
      return { status: 'completed' }
    case 'cut_by_length':
      return { status: 'incomplete', reason: 'max_output_tokens' }
    case 'filtered':
      return { status: 'incomplete', reason: 'content_filter' }
    case 'failed':
      return { status: 'failed', cause: 'server_error', message: failedFinish(finishReason) }
    case 'unknown':
      return { status: 'incomplete', reason: shownFinishReason(finishReason) }
  }
}

/** Codes that clients of the API know. Others are chosen by status. */
const knownCodes = new Set([
  'context_length_exceeded',
  'insufficient_quota',
  'invalid_prompt',
  'rate_limit_exceeded',
  'server_error',
])

/** `code` of an `error` event: what happened. */
export function causeOf({ status, code }: DialectProblem): string {
  if (code !== null && knownCodes.has(code)) return code
  if (status === 402) return 'insufficient_quota'
  if (status === 429) return 'rate_limit_exceeded'
  return status >= 400 && status < 500 ? 'invalid_prompt' : 'server_error'
}

/**
 * `error.code` of a failed response. Coding agents repeat the request after `server_error` and `rate_limit_exceeded`, but the partial reply
 * may have been charged. They stop at `invalid_prompt` and show the message (docs/decisions/0011-agent-replays.md).
 */
export function failureCode(cause: string): string {
  return cause === 'server_error' || cause === 'rate_limit_exceeded' ? 'invalid_prompt' : cause
}
