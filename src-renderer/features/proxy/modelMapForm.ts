import { type ModelRule, patternTest } from '../../../src-preload/contract/modelMap.ts'
import type { SuggestedRule } from './setups/index.ts'

// The model map of an app as a form edits it.

/** The rules to save: trimmed, without empty ones. */
export const filledRules = (rules: readonly ModelRule[]): ModelRule[] =>
  rules
    .map(({ pattern, model }) => ({ pattern: pattern.trim(), model: model.trim() }))
    .filter(({ pattern, model }) => pattern !== '' || model !== '')

/** Whether a rule has only one of pattern and model. */
export const isIncomplete = ({ pattern, model }: ModelRule): boolean =>
  (pattern.trim() === '') !== (model.trim() === '')

/** The rules after one moved up or down by one place. */
export function movedRule(rules: readonly ModelRule[], index: number, by: -1 | 1): ModelRule[] {
  const moved = [...rules]
  const [rule] = moved.splice(index, 1)
  if (rule) moved.splice(Math.max(0, index + by), 0, rule)
  return moved
}

/** Words in ids of small, cheap models. */
const smallWord = /(?:^|[^a-z])(?:small|mini|nano|tiny|lite|flash|air|haiku|fast)(?:$|[^a-z])/i

/**
 * The model map offered for an app, or no rules when no model is known. A model for small tasks is one whose id says so. Without such a
 * model, the main model does everything. A pattern that matches a model of the service is left out, because it would replace that model.
 * @param main the model that the person uses
 * @param models ids of chat models of the service
 */
export function suggestedModelMap(
  suggested: readonly SuggestedRule[],
  main: string | null,
  models: readonly string[],
): ModelRule[] {
  const large = main ?? models[0]
  if (large === undefined) return []
  const small = smallWord.test(large) ? large : (models.find((id) => smallWord.test(id)) ?? large)
  return suggested
    .filter(({ pattern }) => !models.some(patternTest(pattern)))
    .map(({ pattern, size }) => ({ pattern, model: size === 'small' ? small : large }))
}

/** Suggested patterns for which the app has no rule, so that the names would reach the service unchanged. */
export function unmappedPatterns(suggested: readonly SuggestedRule[], rules: readonly ModelRule[]): string[] {
  const tests = rules.map(({ pattern }) => patternTest(pattern))
  return suggested
    .map(({ pattern }) => pattern)
    .filter((pattern) => !tests.some((matches) => matches(pattern.replaceAll('*', '\0'))))
}
