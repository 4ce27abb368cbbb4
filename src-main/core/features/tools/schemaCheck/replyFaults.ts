import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { JsonFormat } from '../../../ports/toolCalls.ts'

/** Longer replies are parsed but not validated against a schema. UTF-16 units. */
const maxValidatedLength = 1_000_000
const maxFaults = 20
const maxFaultLength = 300

/**
 * Validates a reply against the requested format. Returns one sentence per fault. The schema may come from an imported conversation, and a
 * regular expression in it can run forever on text that a model chose.
 */
export function faultsOfReply(text: string, format: JsonFormat): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    return [short(`It is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`)]
  }
  if (format.type === 'json_object') {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? [] : ['It is JSON, but not an object.']
  }
  if (text.length > maxValidatedLength) return ['It is too long to be validated against its schema.']
  try {
    const schema: unknown = JSON.parse(format.schema)
    if (!isSchema(schema)) throw new Error('it is neither an object nor a boolean.')
    const { valid, errors } = new Validator(schema, '2020-12', false).validate(value)
    return valid ? [] : faultSentences(errors)
  } catch (thrown) {
    return [short(`Its schema cannot be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`)]
  }
}

function isSchema(value: unknown): value is Schema | boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

/** One sentence per innermost fault. The faults of the enclosing values only repeat that there is a fault inside. */
function faultSentences(errors: readonly OutputUnit[]): string[] {
  const places = errors.map(({ instanceLocation }) => instanceLocation)
  const inner = errors.filter(
    ({ instanceLocation }) => !places.some((other) => other.startsWith(`${instanceLocation}/`)),
  )
  const sentences = [...new Set(inner.map(({ instanceLocation, error }) => short(`${instanceLocation}: ${error}`)))]
  return sentences.length === 0 ? ['It does not match its schema.'] : sentences.slice(0, maxFaults)
}

const short = (words: string): string =>
  words.length > maxFaultLength ? `${words.slice(0, maxFaultLength).toWellFormed()}…` : words
