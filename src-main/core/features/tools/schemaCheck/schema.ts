import { limits } from '../limits.ts'

// Checks the form of a schema, with faults that name the place. Replaces the meta-schemas of draft 2020-12 and draft-07
// (JSON Schema Validation, sections 6 and 10 of Core). Also refuses unsupported features: references to other documents,
// which this program never fetches, and dynamic references.

type Found = (path: string, fault: string) => void
type Next = (schema: unknown, path: string) => void
type Rule = (value: unknown, path: string, found: Found, next: Next, draft: JsonSchemaDraft) => void
export type JsonSchemaDraft = '4' | '7' | '2019-09' | '2020-12'

const typeNames = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const must =
  (words: string, good: (value: unknown) => boolean): Rule =>
  (value, path, found) => {
    if (!good(value)) found(path, `must be ${words}`)
  }
const string = must('text', (value) => typeof value === 'string')
const count = must('a whole number from 0 on', (value) => Number.isInteger(value) && Number(value) >= 0)
const number = must('a number', (value) => typeof value === 'number')
const boolean = must('true or false', (value) => typeof value === 'boolean')
const schema: Rule = (value, path, _found, next) => next(value, path)
const unsupported =
  (words: string): Rule =>
  (_value, path, found) =>
    found(path, words)

const schemas: Rule = (value, path, found, next) => {
  if (!Array.isArray(value) || value.length === 0) return found(path, 'must be a list of schemas')
  for (const [index, one] of value.entries()) next(one, `${path}/${index}`)
}
const schemaMap: Rule = (value, path, found, next) => {
  if (!isRecord(value)) return found(path, 'must be an object of schemas')
  for (const [key, one] of Object.entries(value)) next(one, `${path}/${key}`)
}
const pattern: Rule = (value, path, found) => {
  if (typeof value !== 'string') return found(path, 'must be text')
  try {
    new RegExp(value, 'u')
  } catch {
    found(path, 'is not a regular expression (ECMAScript, with the flag u)')
  }
}
const limit: Rule = (value, path, found, _next, draft) => {
  if (typeof value !== 'number' && !(draft === '4' && typeof value === 'boolean')) found(path, 'must be a number')
}

const rules: Record<string, Rule> = {
  type: must(`one of ${typeNames.join(', ')}, or a list of them`, (value) =>
    isStrings(value) ? value.every((one) => typeNames.includes(one)) : typeNames.includes(String(value)),
  ),
  enum: must('a list of values', (value) => Array.isArray(value) && value.length > 0),
  required: must('a list of names', isStrings),
  dependentRequired: must('lists of names', (value) => isRecord(value) && Object.values(value).every(isStrings)),
  properties: schemaMap,
  $defs: schemaMap,
  definitions: schemaMap,
  dependentSchemas: schemaMap,
  patternProperties(value, path, found, next, draft) {
    schemaMap(value, path, found, next, draft)
    if (isRecord(value)) for (const key of Object.keys(value)) pattern(key, `${path}/${key}`, found, next, draft)
  },
  dependencies(value, path, found, next) {
    if (!isRecord(value)) return found(path, 'must be an object')
    for (const [key, one] of Object.entries(value)) if (!isStrings(one)) next(one, `${path}/${key}`)
  },
  items: (value, path, found, next, draft) =>
    Array.isArray(value) && value.length > 0 ? schemas(value, path, found, next, draft) : next(value, path),
  prefixItems: schemas,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  additionalProperties: schema,
  unevaluatedProperties: schema,
  propertyNames: schema,
  additionalItems: schema,
  unevaluatedItems: schema,
  contains: schema,
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: the keyword's name; no code awaits this table.
  then: schema,
  else: schema,
  pattern,
  multipleOf: must('a number above 0', (value) => typeof value === 'number' && value > 0),
  maximum: number,
  minimum: number,
  exclusiveMaximum: limit,
  exclusiveMinimum: limit,
  maxLength: count,
  minLength: count,
  maxItems: count,
  minItems: count,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  uniqueItems: boolean,
  title: string,
  description: string,
  format: string,
  $schema: string,
  $anchor: string,
  $id: must('an address', (value) => typeof value === 'string' && URL.canParse(value, 'https://schema.invalid/')),
  $ref: must('a place in this schema, beginning with #: other documents are never fetched', (value) =>
    String(value).startsWith('#'),
  ),
  $dynamicRef: unsupported('is not supported; use $ref'),
  $recursiveRef: unsupported('is not supported; use $ref'),
}

/** Draft that the schema names in `$schema`. Default: 2020-12, as in the Model Context Protocol. */
export function draftOf(value: unknown): JsonSchemaDraft {
  const named = isRecord(value) && typeof value.$schema === 'string' ? value.$schema : ''
  if (named.includes('draft-04')) return '4'
  if (named.includes('draft-06') || named.includes('draft-07')) return '7'
  return named.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Nesting depth of JSON text, counted by brackets alone, so that the depth can be checked before parsing. */
export function depthOf(json: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (quoted) {
      if (unit === 0x5c) at++
      else if (unit === 0x22) quoted = false
    } else if (unit === 0x22) quoted = true
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (unit === 0x7d || unit === 0x5d) depth--
  }
  return deepest
}

/** Parses a schema and checks its form. Returns the schema, or one sentence per fault. */
export function readSchema(json: string): { schema: Record<string, unknown> | null; faults: string[] } {
  const refuse = (fault: string) => ({ schema: null, faults: [fault] })
  if (json.length > limits.schemaLength) return refuse(`It is longer than ${limits.schemaLength} characters.`)
  if (depthOf(json) > limits.schemaDepth) return refuse(`It is nested deeper than ${limits.schemaDepth} levels.`)
  let root: unknown
  try {
    root = JSON.parse(json)
  } catch (thrown) {
    return refuse(`It is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}.`)
  }
  if (!isRecord(root)) return refuse('It must be an object.')
  const faults: string[] = []
  if (root.type !== 'object') faults.push('Its "type" must be "object": arguments are always an object.')
  faults.push(...faultsOfForm(root))
  return { schema: faults.length === 0 ? root : null, faults }
}

function faultsOfForm(root: unknown): string[] {
  const faults: string[] = []
  const draft = draftOf(root)
  const open: [unknown, string][] = [[root, '']]
  const found: Found = (path, fault) => faults.push(`${path || '/'} ${fault}.`)
  const next: Next = (one, path) => open.push([one, path])
  for (let entry = open.pop(); entry && faults.length < limits.faults; entry = open.pop()) {
    const [one, path] = entry
    if (typeof one === 'boolean') continue
    if (!isRecord(one)) {
      found(path, 'must be a schema: an object, true or false')
      continue
    }
    for (const [key, value] of Object.entries(one)) {
      if (Object.hasOwn(rules, key)) rules[key]?.(value, `${path}/${key}`, found, next, draft)
      // The validator stores its own data under names with this prefix.
      else if (key.startsWith('__absolute_')) found(`${path}/${key}`, 'is a name that can’t be used')
    }
  }
  return faults
}
