import { createContext, runInContext } from 'node:vm'
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { ChatParams } from '../../../../src-preload/contract/chat.ts'

/** Longer replies are only parsed, not held against a schema. UTF-16 units. */
const longestChecked = 1_000_000
/**
 * What a check may take of this thread. A schema is the person's own or came with an imported conversation, and a pattern in it can
 * backtrack for ever on a text that a model chose; V8 ends it here, in the middle of a regular expression too. A whole second thread for
 * a check that takes a millisecond would cost 20 MB and 30 ms each time.
 */
const checkMs = 200
const mostFaults = 20
const longestFault = 300

/** What is wrong with a reply that was to be JSON, one sentence each; null where none was asked for. */
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
    return isObject ? [] : ['It is JSON, but no object.']
  }
  if (text.length > longestChecked) return ['It is too long to be held against its schema here.']
  return faultsOf(value, format.schema)
}

function faultsOf(value: unknown, schemaText: string): string[] {
  const found: string[] = []
  const check = (): void => {
    const schema: unknown = JSON.parse(schemaText)
    if (!isSchema(schema)) throw new Error('it is neither an object nor a boolean.')
    const { valid, errors } = new Validator(schema, '2020-12', false).validate(value)
    if (!valid) found.push(...sentencesOf(errors))
  }
  try {
    runInContext('check()', createContext({ check }), { timeout: checkMs })
    return found
  } catch (thrown) {
    return [wordsOf(thrown)]
  }
}

/** By their shape: errors of the context above are not of this one's classes. */
function wordsOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return short(`Its schema cannot be used: ${String(thrown)}`)
  if ('code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
    return 'Checking it against its schema took too long and was given up.'
  }
  return short(`Its schema cannot be used: ${'message' in thrown ? String(thrown.message) : 'for a reason unknown.'}`)
}

function isSchema(value: unknown): value is Schema | boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

/** The innermost faults: those around them only say that there is one. */
function sentencesOf(errors: readonly OutputUnit[]): string[] {
  const places = errors.map(({ instanceLocation }) => instanceLocation)
  const inner = errors.filter(
    ({ instanceLocation }) => !places.some((other) => other.startsWith(`${instanceLocation}/`)),
  )
  const sentences = [...new Set(inner.map(({ instanceLocation, error }) => short(`${instanceLocation}: ${error}`)))]
  return sentences.length === 0 ? ['It is not what its schema asks.'] : sentences.slice(0, mostFaults)
}

const short = (words: string): string =>
  words.length > longestFault ? `${words.slice(0, longestFault).toWellFormed()}…` : words
