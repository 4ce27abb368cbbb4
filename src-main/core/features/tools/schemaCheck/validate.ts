import { dereference, type OutputUnit, Validator } from '@cfworker/json-schema'
import { limits } from '../limits.ts'
import { draftOf, isRecord, readSchema } from './schema.ts'

// Validation can run forever (a regular expression that backtracks, a schema that refers to itself). It therefore runs
// in a worker that can be terminated.

/** Checks a schema. Returns one sentence per fault, or an empty list if arguments can be validated against it. */
export function faultsOfSchema(json: string): string[] {
  const { schema, faults } = readSchema(json)
  if (!schema) return faults
  try {
    const places = dereference(schema)
    for (const one of Object.values(places)) {
      if (typeof one === 'boolean') continue
      const wanted: unknown = Reflect.get(one, '__absolute_ref__')
      if (typeof wanted === 'string' && places[wanted] === undefined) {
        return [cut(`"$ref": ${JSON.stringify(one.$ref)} points to nothing in this schema.`)]
      }
    }
    new Validator(schema, draftOf(schema)).validate({})
    return []
  } catch (thrown) {
    return [unusable(thrown)]
  }
}

/**
 * Validates arguments (JSON text of an object). Returns one sentence per fault, or an empty list if they match the
 * schema.
 */
export function faultsOfArguments(schemaJson: string, argumentsJson: string): string[] {
  try {
    const schema: unknown = JSON.parse(schemaJson)
    const value: unknown = JSON.parse(argumentsJson)
    if (!isRecord(schema)) return ['The schema of the tool is not an object.']
    const draft = draftOf(schema)
    const first = new Validator(schema, draft).validate(value)
    if (first.valid) return []
    // Reports every fault of small arguments, but only the first fault of large ones, where each wrong item would add
    // a fault.
    const all = argumentsJson.length > 100_000 ? first : new Validator(schema, draft, false).validate(value)
    const faults = [...new Set(all.errors.flatMap(sentence))]
    return faults.length > limits.faults
      ? [...faults.slice(0, limits.faults), `There are ${faults.length - limits.faults} more faults.`]
      : faults
  } catch (thrown) {
    return [unusable(thrown)]
  }
}

function unusable(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'The schema refers to itself without end.'
  return cut(`The schema can’t be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
}

/** Keywords whose fault only repeats that a nested value has a fault. */
const wrappers = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  '$ref',
  'allOf',
  'if',
  'dependentSchemas',
])

function sentence({ keyword, instanceLocation, error }: OutputUnit): string[] {
  if (wrappers.has(keyword)) return []
  const where = instanceLocation === '#' ? 'The arguments: ' : `${readable(instanceLocation.slice(1))}: `
  if (keyword === 'false') return [cut(`${where}nothing is allowed here.`)]
  const words = error
    .replace(/^Instance type "(.+)" is invalid\. Expected "(.+)"\.$/s, 'it is of the type "$1"; expected is "$2".')
    .replace(/^Instance does not have required property (".*")\.$/s, 'the property $1 is missing.')
    .replace(/^Instance /, 'it ')
  return [cut(where + words)]
}

function readable(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}

const cut = (words: string): string =>
  words.length > limits.faultLength ? `${words.slice(0, limits.faultLength).toWellFormed()}…` : words
