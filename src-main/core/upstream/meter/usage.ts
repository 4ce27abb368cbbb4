import type { TokenUsage } from '../../ports/requests.ts'
import { countOrNull, type Fields, isFields } from './values.ts'

/** The figures of a `usage` object (specification, Usage); null where it has none that can be used. */
export function readUsage(usage: Fields): TokenUsage | null {
  const details = usage.prompt_tokens_details
  const promptTokens = countOrNull(usage.prompt_tokens)
  const completionTokens = countOrNull(usage.completion_tokens)
  const totalTokens = countOrNull(usage.total_tokens)
  if (promptTokens === null && completionTokens === null && totalTokens === null) return null
  const cachedTokens = isFields(details) ? countOrNull(details.cached_tokens) : null
  return { promptTokens, completionTokens, totalTokens, cachedTokens }
}

/**
 * The one total of a request, for rate limits, limits of apps and the log: the service's own figure, else prompt plus completion. Null when
 * one of the two is unknown: the estimate that was reserved then remains, because half a total would free tokens that were used.
 */
export function totalTokens(usage: TokenUsage | null): number | null {
  if (usage === null) return null
  const { promptTokens, completionTokens } = usage
  if (usage.totalTokens !== null) return usage.totalTokens
  return promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens
}
