/**
 * What a finish reason says about a reply. `failed`: the service gave up. `unknown`: the reply ended, and neither a success nor a failure can
 * be claimed.
 */
type FinishKind = 'completed' | 'cut_by_length' | 'filtered' | 'failed' | 'unknown'

/** Finish reasons seen at services. The specification leaves the values open. */
const reasons: readonly [FinishKind, readonly string[]][] = [
  ['completed', ['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'complete', 'completed']],
  ['completed', ['tool_calls', 'tool_use', 'function_call']],
  ['cut_by_length', ['length', 'max_tokens', 'max_output_tokens', 'model_length']],
  ['filtered', ['content_filter', 'safety', 'refusal']],
  ['failed', ['error', 'abort', 'aborted', 'cancelled', 'insufficient_system_resource']],
]
const kinds = new Map(reasons.flatMap(([kind, names]) => names.map((name) => [name, kind] as const)))

/** Reads `finish_reason`. Some services write it in capitals. */
export const finishKindOf = (finishReason: string): FinishKind => kinds.get(finishReason.toLowerCase()) ?? 'unknown'

/** Longest finish reason that is shown, UTF-16 units. */
const maxShown = 64

/** A finish reason in messages. */
export const shownFinishReason = (finishReason: string): string => finishReason.slice(0, maxShown).toWellFormed()

/** The message of a reply that the service ended with a failure. */
export const failedFinish = (finishReason: string): string =>
  `The service ended the reply with the finish reason ${JSON.stringify(shownFinishReason(finishReason))}.`
