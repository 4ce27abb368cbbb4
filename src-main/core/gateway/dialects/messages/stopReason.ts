import type { StopReason } from '@anthropic-ai/sdk/resources/messages'

const reasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end_turn'],
  ['end_turn', 'end_turn'],
  ['eos', 'end_turn'],
  ['length', 'max_tokens'],
  ['max_tokens', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['tool_use', 'tool_use'],
  ['content_filter', 'refusal'],
  ['refusal', 'refusal'],
])

/**
 * The `stop_reason` for a finish reason. Null for a reason that is not known, because the other values would claim something about the end
 * that the service did not say.
 * @param calls whether the reply has tool calls. Some services finish such a reply with `stop`, others finish one without calls with
 * `tool_calls`; clients run tools only after `tool_use`
 */
export function stopReasonOf(finishReason: string, calls: boolean, refused: boolean): StopReason | null {
  if (refused) return 'refusal'
  const reason = reasons.get(finishReason) ?? null
  if (reason === 'end_turn' || reason === 'tool_use') return calls ? 'tool_use' : 'end_turn'
  return reason
}
