import { limits } from './limits.ts'
import { depthOf, isRecord } from './schemaCheck/schema.ts'

/**
 * Parses the arguments of a tool call. Returns the JSON object, or a sentence with the reason why the text is not a JSON object. Blank text
 * counts as no arguments.
 */
export function readArguments(text: string): { args: Record<string, unknown> } | { fault: string } {
  if (text.length > limits.argumentsLength) {
    return { fault: `The arguments are longer than ${limits.argumentsLength} characters.` }
  }
  if (text.trim() === '') return { args: {} }
  if (depthOf(text) > limits.argumentsDepth) {
    return { fault: `The arguments are nested deeper than ${limits.argumentsDepth} levels.` }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    const words = thrown instanceof Error ? thrown.message : String(thrown)
    return { fault: `The arguments are not JSON: ${words.slice(0, limits.faultLength).toWellFormed()}` }
  }
  return isRecord(value) ? { args: value } : { fault: 'The arguments must be a JSON object.' }
}
