import { createContext, runInContext } from 'node:vm'
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { ChatParams } from '../../../../src-preload/contract/chat.ts'

/** Longer replies are parsed but not validated against a schema. UTF-16 units. */
const maxValidatedLength = 1_000_000
/**
 * Time limit of one validation, ms. The schema may come from an imported conversation, and a regular expression in it
 * can backtrack forever on text that a model chose. V8 stops the check inside a regular expression too. A worker would
 * cost 20 MB and 30 ms for a check that usually takes 1 ms.
 */
const checkMs = 200
const maxFaults = 20
const maxFaultLength = 300

/**
 * Validates a reply against the requested response format. Returns one sentence per fault, or null if the format is
 * plain text.
 */
export function jsonFaultsOf(text: string, format: ChatParams['responseFormat']): string[] | null {
  if (!format || format.type === 'text') return null
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
  return faultsOf(value, format.schema)
}

function faultsOf(value: unknown, schemaText: string): string[] {
  const found: string[] = []
  const check = (): void => {
    const schema: unknown = JSON.parse(schemaText)
    if (!isSchema(schema)) throw new Error('it is neither an object nor a boolean.')
    const { valid, errors } = new Validator(schema, '2020-12', false).validate(value)
    if (!valid) found.push(...faultSentences(errors))
  }
  try {
    runInContext('check()', createContext({ check }), { timeout: checkMs })
    return found
  } catch (thrown) {
    return [failureText(thrown)]
  }
}

/** Tests the shape of the error, because errors from another `node:vm` context are not instances of the classes in this context. */
function failureText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return short(`Its schema cannot be used: ${String(thrown)}`)
  if ('code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
    return 'Validation against its schema took too long and was stopped.'
  }
  return short(`Its schema cannot be used: ${'message' in thrown ? String(thrown.message) : 'unknown reason.'}`)
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
