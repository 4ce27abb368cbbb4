import type { ModelRule } from '../../../src-preload/contract/modelMap.ts'

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
