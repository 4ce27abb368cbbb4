import type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  RefusalStopDetails,
  StopReason,
  Usage,
} from '@anthropic-ai/sdk/resources/messages'
import { parseText } from '../../../upstream/json/jsonScan.ts'
import { isFields } from '../../../upstream/json/values.ts'
import type { TokenUsage } from '../../../upstream/types.ts'
import { finishKindOf } from '../finishReason.ts'
import type { JsonObject } from '../types.ts'

/** Tokens of a reply as the API counts them: `input_tokens` are those that were not read from a cache. */
export interface MessageTokens {
  input_tokens: number
  cache_read_input_tokens: number
  output_tokens: number
}

/**
 * The tokens of a reply. A figure that the service did not report is an estimate.
 * @param outputTokens estimates the tokens of the reply; called only if it is needed
 */
export function messageTokens(usage: TokenUsage | null, tokensIn: number, outputTokens: () => number): MessageTokens {
  const prompt = usage?.promptTokens ?? tokensIn
  const cached = Math.min(usage?.cachedTokens ?? 0, prompt)
  return {
    input_tokens: prompt - cached,
    cache_read_input_tokens: cached,
    output_tokens: usage?.completionTokens ?? outputTokens(),
  }
}

/** `usage` of a `message_delta` event. */
export function deltaUsage(tokens: MessageTokens): MessageDeltaUsage {
  return { ...tokens, cache_creation_input_tokens: 0, output_tokens_details: null, server_tool_use: null }
}

function wholeUsage(tokens: MessageTokens): Usage {
  return {
    ...deltaUsage(tokens),
    ...tokens,
    cache_creation: null,
    inference_geo: null,
    service_tier: null,
    speed: null,
  }
}

/** How a reply ended. */
interface MessageEnd {
  stop_reason: StopReason | null
  stop_sequence: null
  stop_details: RefusalStopDetails | null
}

/** The end of a reply. The service never says which stop sequence it met, or why it refused. */
export function messageEnd(reason: StopReason | null): MessageEnd {
  const stop_details: RefusalStopDetails | null =
    reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null
  return { stop_reason: reason, stop_sequence: null, stop_details }
}

/** The message object, whole or as `message_start` begins it. */
export function messageObject(
  id: string,
  model: string,
  content: ContentBlock[],
  end: MessageEnd,
  tokens: MessageTokens,
): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    ...end,
    container: null,
    diagnostics: null,
    usage: wholeUsage(tokens),
  } satisfies Message
}

/** Replaces the input of a tool call whose arguments are not a JSON object. */
interface InvalidInput {
  INVALID_JSON: string
}

/**
 * The input of a tool call: the arguments as a JSON object, `{}` if there are none. Other text is wrapped in an object with the one key that
 * Anthropic documents for arguments that are not JSON, so that the client's tool refuses it and the model sees its own text again.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming
 */
export const toolInput = (text: string): JsonObject | InvalidInput =>
  text.trim() === '' ? {} : (objectOrNull(text) ?? invalidInput(text))

/** The input of a tool call whose arguments are not an object. */
export const invalidInput = (text: string): InvalidInput => ({ INVALID_JSON: text })

/** The JSON object in a text, or null. A text that is nested too deep counts as none. */
export function objectOrNull(text: string): JsonObject | null {
  try {
    const value = parseText(text)
    return isFields(value) ? value : null
  } catch {
    // Models write such arguments. The callers handle them.
    return null
  }
}

/**
 * The `stop_reason` for a finish reason. Null for a reason that is not known or that is a failure, because the other values would claim
 * something about the end that the service did not say.
 * @param calls whether the reply has tool calls. Some services finish such a reply with `stop`, others finish one without calls with
 * `tool_calls`; clients run tools only after `tool_use`
 */
export function stopReasonOf(finishReason: string, calls: boolean, refused: boolean): StopReason | null {
  if (refused) return 'refusal'
  switch (finishKindOf(finishReason)) {
    case 'completed':
      return calls ? 'tool_use' : 'end_turn'
    case 'cut_by_length':
      return 'max_tokens'
    case 'filtered':
      return 'refusal'
    case 'failed':
    case 'unknown':
      return null
  }
}
