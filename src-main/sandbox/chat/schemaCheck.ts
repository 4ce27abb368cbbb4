import { createContext, Script } from 'node:vm'
import { ServiceError } from '../errors.ts'
import { fitsFormat } from './schemaFormats.ts'

export type Schema = Record<string, unknown>

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const numberIn = (schema: Schema, key: string) => (typeof schema[key] === 'number' ? schema[key] : null)
export const listIn = (schema: Schema, key: string): unknown[] | null => {
  const value = schema[key]
  return Array.isArray(value) ? value : null
}
export const lengthOf = (text: string) => Array.from(text).length
export const tooMuch = () => new ServiceError(400, 'schema_too_large', 'A schema asks for more than a sample can hold.')
const invalid = (detail: string) =>
  new ServiceError(400, 'invalid_schema', `A schema can't be followed: ${detail.slice(0, 200)}`)

/** Maximum work for one sample: a schema is hostile input, and its branches multiply. */
const MOST_STEPS = 2_000_000
const MOST_MATCHES = 3_000
const MOST_NESTING = 200
const MATCH_MS = 250
const mostWaits = 4
/** Unsupported keywords. Schemas with them are refused, because ignoring them would give invalid values. */
const UNKNOWN = ['unevaluatedItems', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef']

const NAMES = ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired']

/** JSON text that is equal for equal values: keys are sorted (2020-12, 4.2.2 Instance Equality). */
export const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isSchema(part) ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)) : part,
  )

/** Own properties only: a schema may name a property `__proto__`. */
export const own = (object: unknown, key: string): unknown =>
  typeof object === 'object' && object !== null ? Object.getOwnPropertyDescriptor(object, key)?.value : undefined

/** Schemas of the first items, one each. */
export const prefixOf = (schema: Schema) => listIn(schema, 'prefixItems') ?? listIn(schema, 'items') ?? []
/** Schema of the items after the prefix. Drafts before 2020-12 call it `additionalItems`. */
export const restOf = (schema: Schema) => (Array.isArray(schema.items) ? schema.additionalItems : schema.items)

/**
 * Compiles a pattern in Unicode mode, as 2020-12 requires. Falls back to the older mode, because many real patterns have escapes that are
 * invalid in Unicode mode.
 */
export function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

/** Checks whether a value satisfies a schema. Throws 400 for an invalid schema, or one that costs too much. */
export class SandboxSchemaChecker {
  readonly #root: unknown
  readonly #matches = new Map<string, boolean>()
  #steps = 0

  constructor(root: unknown) {
    this.#root = root
  }

  /** Returns the schema that a `$ref` within the document refers to (RFC 6901). */
  target(ref: string): unknown {
    if (ref !== '#' && !ref.startsWith('#/')) throw invalid(`${ref} is not a JSON pointer into the schema`)
    let at: unknown = this.#root
    for (const part of ref.slice(1).split('/').filter(Boolean)) {
      at = own(at, decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    }
    if (!isSchema(at) && typeof at !== 'boolean') throw invalid(`${ref} does not point to a schema`)
    return at
  }

  /** Whether a pattern matches. Runs in a VM with a timeout, because a pattern can backtrack forever and only V8's watchdog can stop it. */
  matches(pattern: string, text: string): boolean {
    const key = JSON.stringify([pattern, text])
    const known = this.#matches.get(key)
    if (known !== undefined) return known
    if (this.#matches.size >= MOST_MATCHES) throw tooMuch()
    const found = run(expression(pattern), text)
    this.#matches.set(key, found)
    return found
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one line a keyword; parts would scatter the list
  fits(value: unknown, schema: unknown, nesting = 0): boolean {
    this.#steps += 1
    if (this.#steps > MOST_STEPS) throw tooMuch()
    if (nesting > MOST_NESTING) throw invalid('the schema refers to itself without end')
    if (!isSchema(schema)) return schema !== false
    const unknown = UNKNOWN.find((key) => key in schema)
    if (unknown) throw invalid(`${unknown} is not supported`)
    for (const key of NAMES) if (key in schema && !isSchema(schema[key])) throw invalid(`${key} is not an object`)
    const fits = (part: unknown) => this.fits(value, part, nesting + 1)
    if (typeof schema.$ref === 'string' && !fits(this.target(schema.$ref))) return false
    if (schema.type !== undefined && ![schema.type].flat().some((type) => isOf(value, type))) return false
    if ('const' in schema && keyOf(schema.const) !== keyOf(value)) return false
    if (Array.isArray(schema.enum) && !schema.enum.some((one) => keyOf(one) === keyOf(value))) return false
    if (listIn(schema, 'allOf')?.some((part) => !fits(part))) return false
    if (listIn(schema, 'anyOf')?.some(fits) === false) return false
    const one = listIn(schema, 'oneOf')
    if (one && one.filter(fits).length !== 1) return false
    if ('not' in schema && fits(schema.not)) return false
    if ('if' in schema && !fits(fits(schema.if) ? schema.then : schema.else)) return false
    if (typeof value === 'string') return this.#string(value, schema)
    if (typeof value === 'number') return inBounds(value, schema)
    if (Array.isArray(value)) return this.#array(value, schema, nesting + 1)
    return !isSchema(value) || this.#object(value, schema, nesting + 1)
  }

  #string(value: string, schema: Schema): boolean {
    const length = lengthOf(value)
    if (length < (numberIn(schema, 'minLength') ?? 0) || length > (numberIn(schema, 'maxLength') ?? length))
      return false
    if (typeof schema.format === 'string' && !fitsFormat(schema.format, value)) return false
    return typeof schema.pattern !== 'string' || this.matches(schema.pattern, value)
  }

  #array(value: unknown[], schema: Schema, nesting: number): boolean {
    const size = value.length
    if (size < (numberIn(schema, 'minItems') ?? 0) || size > (numberIn(schema, 'maxItems') ?? size)) return false
    if (schema.uniqueItems === true && new Set(value.map(keyOf)).size < size) return false
    const prefix = prefixOf(schema)
    if (!value.every((item, at) => this.fits(item, at < prefix.length ? prefix[at] : restOf(schema), nesting)))
      return false
    if (!('contains' in schema)) return true
    const held = value.filter((item) => this.fits(item, schema.contains, nesting)).length
    return held >= (numberIn(schema, 'minContains') ?? 1) && held <= (numberIn(schema, 'maxContains') ?? held)
  }

  #object(value: Schema, schema: Schema, nesting: number): boolean {
    const names = Object.keys(value)
    const size = names.length
    if (size < (numberIn(schema, 'minProperties') ?? 0) || size > (numberIn(schema, 'maxProperties') ?? size))
      return false
    const has = (name: unknown) => Object.hasOwn(value, String(name))
    if (listIn(schema, 'required')?.every(has) === false) return false
    return names.every((name) => {
      if ('propertyNames' in schema && !this.fits(name, schema.propertyNames, nesting)) return false
      const dependents = own(schema.dependentRequired, name)
      if (Array.isArray(dependents) && !dependents.every(has)) return false
      if (!this.fits(value, own(schema.dependentSchemas, name), nesting)) return false
      return this.propertySchemas(schema, name).every((part) => this.fits(own(value, name), part, nesting))
    })
  }

  /** All schemas that apply to the property of this name. */
  propertySchemas(schema: Schema, name: string): unknown[] {
    const named = own(schema.properties, name)
    const patterns = isSchema(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
    const parts = patterns.filter(([pattern]) => this.matches(pattern, name)).map(([, part]) => part)
    if (named !== undefined) parts.unshift(named)
    return parts.length > 0 ? parts : [schema.additionalProperties]
  }
}

const script = new Script('expression.test(text)')
const globals: { expression: RegExp; text: string } = { expression: /./, text: '' }
const context = createContext(globals)

function run(pattern: RegExp, text: string): boolean {
  // One quantifier on a short text is at worst quadratic, and the watchdog costs more than the match.
  if (text.length <= 1_000 && (pattern.source.match(/[*+?{]/g)?.length ?? 0) <= 1) return pattern.test(text)
  globals.expression = pattern
  globals.text = text
  return watched(pattern, mostWaits)
}

/** The watchdog counts the time in which other programs have the processor, too. Such a match is tried again. */
function watched(pattern: RegExp, waits: number): boolean {
  const before = process.cpuUsage()
  try {
    return script.runInContext(context, { timeout: MATCH_MS }) === true
  } catch (cause) {
    const { user, system } = process.cpuUsage(before)
    if (waits > 0 && user + system < (MATCH_MS * 1_000) / 2) return watched(pattern, waits - 1)
    const words = `The pattern ${pattern.source.slice(0, 100)} takes too long: ${String(cause)}`
    throw new ServiceError(400, 'schema_too_large', words)
  }
}

function isOf(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isSchema(value)
    case 'integer':
      return Number.isInteger(value)
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    default:
      throw invalid(`${String(type)} is not a type`)
  }
}

function inBounds(value: number, schema: Schema): boolean {
  if (!Number.isFinite(value)) return false
  const step = numberIn(schema, 'multipleOf')
  // Tolerates rounding errors of binary fractions: 0.3 is a multiple of 0.1.
  if (step !== null && (step <= 0 || (value % step !== 0 && !nearWhole(value / step)))) return false
  return (
    value >= (numberIn(schema, 'minimum') ?? value) &&
    value <= (numberIn(schema, 'maximum') ?? value) &&
    value > (numberIn(schema, 'exclusiveMinimum') ?? Number.NEGATIVE_INFINITY) &&
    value < (numberIn(schema, 'exclusiveMaximum') ?? Number.POSITIVE_INFINITY)
  )
}

const nearWhole = (ratio: number) => Math.abs(ratio - Math.round(ratio)) <= 1e-12 * Math.max(1, Math.abs(ratio))
