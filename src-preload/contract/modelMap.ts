import * as z from 'zod'

// Patterns of an app's model map, for the core, which applies them to requests, and for the page, which warns of rules without effect.

/** Maximum number of rules in a model map. */
export const maxModelRules = 50
/** Maximum length of a pattern, UTF-16 code units. */
export const maxPatternLength = 200

/**
 * A rule of an app's model map: a request for a model whose name matches `pattern` goes to `model`. `*` matches any number of
 * characters, also none. Every other character matches only itself, in the same case.
 */
export const modelRule = z.object({
  pattern: z.string().min(1).max(maxPatternLength),
  /** Exact id of a model of the service. */
  model: z.string().min(1).max(300),
})
export type ModelRule = z.infer<typeof modelRule>

/** Whether a name matches a pattern: the whole name, not a part of it. */
export type PatternTest = (name: string) => boolean

/**
 * Compiles a pattern. A test goes through the name once: each part between two `*` is searched after the end of the part before, and an
 * earlier position never has to be tried again, because a `*` follows.
 */
export function patternTest(pattern: string): PatternTest {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return (name) => name === first
  const fixed = first.length + last.length
  return (name) => {
    if (name.length < fixed || !name.startsWith(first) || !name.endsWith(last)) return false
    const end = name.length - last.length
    let at = first.length
    for (const part of others) {
      const found = name.indexOf(part, at)
      // A part may not overlap the last one.
      if (found < 0 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

/**
 * For each rule, the index of the first earlier rule that matches every name that this rule matches, or null. Such a rule has no effect.
 *
 * One comparison per pair is exact. The rule's pattern becomes a name: each `*` is replaced by a character that no pattern contains. An
 * earlier pattern matches this name only if its own `*` cover those characters. A `*` that covers one text covers every text in its
 * place. For the same reason, several earlier rules together never cover a rule that none of them covers alone.
 */
export function coveringRules(patterns: readonly string[]): (number | null)[] {
  const tests = patterns.map(patternTest)
  return patterns.map((pattern, index) => {
    const widest = pattern.replaceAll('*', '\0')
    const covering = tests.slice(0, index).findIndex((matches) => matches(widest))
    return covering < 0 ? null : covering
  })
}

/** A rule of the model map to offer for an app. `size` chooses the model: the person's own, or one for small tasks. */
export const suggestedModelRule = z.object({ pattern: z.string(), size: z.enum(['large', 'small']) })
export type SuggestedModelRule = z.infer<typeof suggestedModelRule>

/** Words in ids of small, cheap models. */
const smallWord = /(?:^|[^a-z])(?:small|mini|nano|tiny|lite|flash|air|haiku|fast)(?:$|[^a-z])/i

/**
 * The model map offered for an app, or no rules when no model is known. A model for small tasks is one whose id says so. Without such a
 * model, the main model does everything. A pattern that matches a model of the service is left out, because it would replace that model.
 * @param main the model that the person uses
 * @param models ids of chat models of the service
 */
export function suggestedModelMap(
  suggested: readonly SuggestedModelRule[],
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
export function unmappedPatterns(suggested: readonly SuggestedModelRule[], rules: readonly ModelRule[]): string[] {
  const tests = rules.map(({ pattern }) => patternTest(pattern))
  return suggested
    .map(({ pattern }) => pattern)
    .filter((pattern) => !tests.some((matches) => matches(pattern.replaceAll('*', '\0'))))
}
