import type { MeterReading, TokenUsage } from '../../ports/requests.ts'
import { countOrNull, type Fields, isFields } from '../json/values.ts'

/** Reads a `usage` object (specification, Usage). Null when it has no valid figure. */
export function readUsage(usage: Fields): TokenUsage | null {
  const details = usage.prompt_tokens_details
  // Some services name them as the Responses API does.
  const promptTokens = countOrNull(usage.prompt_tokens ?? usage.input_tokens)
  const completionTokens = countOrNull(usage.completion_tokens ?? usage.output_tokens)
  const totalTokens = countOrNull(usage.total_tokens)
  if (promptTokens === null && completionTokens === null && totalTokens === null) return null
  const cachedTokens = isFields(details) ? countOrNull(details.cached_tokens) : null
  return { promptTokens, completionTokens, totalTokens, cachedTokens }
}

/**
 * The total tokens of a request, for rate limits and limits of apps: the service's own total, else prompt plus completion. Null when one of
 * the two is unknown. The reserved estimate then remains, because half a total would free tokens that were used.
 */
export function totalTokens(usage: TokenUsage | null): number | null {
  if (usage === null) return null
  const { promptTokens, completionTokens } = usage
  if (usage.totalTokens !== null) return usage.totalTokens
  return promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens
}

/** The reading with its texts cleaned: a compressed reply is read from a copy in which the key could not be masked. */
export function cleanReading(reading: MeterReading, clean: (text: string) => string): MeterReading {
  const { model = null, finishReason = null } = reading
  return {
    ...reading,
    model: model === null ? null : clean(model),
    finishReason: finishReason === null ? null : clean(finishReason),
  }
}
