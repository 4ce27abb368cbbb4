import {
  type ModelRule,
  maxModelRules,
  maxPatternLength,
  type PatternTest,
  patternTest,
} from '../../../../src-preload/contract/modelMap.ts'
import { StudioError } from '../../errors.ts'

/** The compiled rules of each map. `KeyCache` returns the same array until the app changes. */
const compiledMaps = new WeakMap<readonly ModelRule[], readonly { matches: PatternTest; model: string }[]>()

/**
 * The service's model for the model that an app asked for: that of the first matching rule, else the name that was asked for. A model is
 * mapped once, so a rule's model is not matched against the rules again.
 * @param rules `modelMap` of an app. The array must not be changed afterwards
 * @param asked any text, also of a hostile app: the time is linear in its length
 */
export function mappedModel(rules: readonly ModelRule[], asked: string): string {
  if (rules.length === 0) return asked
  let compiled = compiledMaps.get(rules)
  if (!compiled) {
    compiled = rules.map(({ pattern, model }) => ({ matches: patternTest(pattern), model }))
    compiledMaps.set(rules, compiled)
  }
  return compiled.find(({ matches }) => matches(asked))?.model ?? asked
}

/**
 * Checks and normalizes the rules of a model map: trimmed text, and one `*` for several in a row. Keeps their order.
 * @throws StudioError `bad_input` for the first invalid rule
 */
export function checkedModelMap(given: readonly ModelRule[]): ModelRule[] {
  if (given.length > maxModelRules) bad(`A model map can have at most ${maxModelRules} rules.`)
  return given.map((rule, index) => {
    const pattern = rule.pattern.trim().replace(/\*+/g, '*')
    const model = rule.model.trim()
    const name = `Rule ${index + 1} of the model map`
    if (pattern === '') bad(`${name} has no pattern. Give a model name such as gpt-5, or a pattern such as claude-*.`)
    if (pattern.length > maxPatternLength) bad(`${name} has a pattern of more than ${maxPatternLength} characters.`)
    if (model === '') bad(`${name} has no model of the service.`)
    if (model.length > 300) bad(`${name} has a model id of more than 300 characters.`)
    if (!isOneLine(pattern) || !isOneLine(model)) bad(`${name} must be one line of text.`)
    return { pattern, model }
  })
}

/** SQLite would replace an unpaired surrogate. */
const isOneLine = (text: string): boolean => !/\p{Cc}/u.test(text) && text.isWellFormed()

function bad(message: string): never {
  throw new StudioError('bad_input', message)
}
