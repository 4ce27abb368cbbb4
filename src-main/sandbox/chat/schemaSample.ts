import { ServiceError } from '../errors.ts'
import type { Random } from '../world/seed.ts'
import {
  isSchema,
  keyOf,
  lengthOf,
  listIn,
  numberIn,
  own,
  prefixOf,
  restOf,
  SandboxSchemaChecker,
  type Schema,
  tooMuch,
} from './schemaCheck.ts'
import { formatSample } from './schemaFormats.ts'
import { fromPattern, MOST_CHARACTERS } from './schemaPattern.ts'

/** Below this depth only required values are generated, so that recursive schemas end. Real schemas are not deeper. */
const DEEP = 6
const TOO_DEEP = 40
/** Maximum number of draws per sample: a schema is hostile input and can require any number. */
const MOST_VALUES = 20_000
/** Number of candidates for one value before its schema counts as unsatisfiable. */
const TRIES = 80
const TYPES = ['string', 'number', 'object', 'array', 'boolean', 'null']

/**
 * Generates a value that satisfies a JSON schema (2020-12, and the older syntax of tuples). Draws candidates, the simplest first, and
 * checks
 * each against every keyword. Throws 400 with one of these codes:
 * `unsatisfied_schema`: no value was found.
 * `invalid_schema`: an invalid pattern or reference, or an unsupported keyword such as `unevaluatedItems`.
 * `schema_too_large`: the schema requires too much, such as an array with a billion items.
 */
export function sampleOf(schema: unknown, random: Random): unknown {
  let value: unknown
  try {
    value = new Sampler(schema, random).sample(schema, 'value', 0)
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceError(400, 'invalid_schema', `A schema can't be followed: ${detail}`)
  }
  if (value === undefined)
    throw new ServiceError(400, 'unsatisfied_schema', 'No value was found that satisfies the schema.')
  return value
}

class Sampler {
  readonly #checker: SandboxSchemaChecker
  readonly #random: Random
  /** Schemas without any valid value. They are not tried again, because each enclosing schema would repeat all attempts. */
  readonly #hopeless = new WeakSet<Schema>()
  #values = 0
  #texts = 0

  constructor(root: unknown, random: Random) {
    this.#checker = new SandboxSchemaChecker(root)
    this.#random = random
  }

  /**
   * Returns a value for one schema, or undefined if none is found. A `wild` draw skips the simplest candidate, which was already rejected.
   */
  sample(given: unknown, name: string, depth: number, wild = false): unknown {
    if (given === false || depth > TOO_DEEP) return undefined
    const schema = isSchema(given) ? given : {}
    if (this.#hopeless.has(schema)) return undefined
    const from = wild ? 1 : 0
    const choices = listIn(schema, 'enum')?.length ?? 0
    for (let attempt = from; attempt < from + Math.max(TRIES, choices); attempt += 1) {
      this.#values += 1
      if (this.#values > MOST_VALUES) throw tooMuch()
      const flat = this.#resolved(schema, depth, attempt)
      const value = flat === false ? undefined : this.#candidate(flat, name, depth, attempt)
      if (value !== undefined && this.#checker.fits(value, schema)) return value
    }
    this.#hopeless.add(schema)
    return undefined
  }

  #candidate(schema: Schema, name: string, depth: number, attempt: number): unknown {
    if ('const' in schema) return schema.const
    const choices = listIn(schema, 'enum')
    if (choices) return choices[(this.#random.int(0, Math.max(0, choices.length - 1)) + attempt) % choices.length]
    switch (this.#typeOf(schema, attempt)) {
      case 'object':
        return this.#object(schema, depth, attempt)
      case 'array':
        return this.#array(schema, name, depth, attempt)
      case 'integer':
        return this.#number(schema, true, attempt)
      case 'number':
        return this.#number(schema, false, attempt)
      case 'boolean':
        return this.#random.chance(0.5)
      case 'null':
        return null
      default:
        return this.#string(schema, name, attempt)
    }
  }

  /**
   * Returns one flat schema to draw from, or false if that is impossible. Follows `$ref`, merges `allOf`, and selects one branch of
   * `anyOf`,
   * `oneOf` and `if`.
   */
  #resolved(schema: Schema, depth: number, attempt: number, hops = 0): Schema | false {
    if (hops > 60) throw new Error('it refers to itself without end')
    let result: Schema | false = schema
    const join = (part: unknown) => {
      const flat = isSchema(part) ? this.#resolved(part, depth, attempt, hops + 1) : part !== false && {}
      result = result && flat && merged(flat, result)
    }
    const { $ref, allOf, anyOf, oneOf, if: condition, ...beside } = schema
    result = beside
    if (typeof $ref === 'string') join(this.#checker.target($ref))
    if (Array.isArray(allOf)) for (const part of allOf) join(part)
    const cases = [{ allOf: [condition ?? true, schema.then ?? true] }, schema.else ?? true]
    for (const branches of [anyOf, oneOf, condition === undefined ? null : cases]) {
      if (!Array.isArray(branches) || branches.length === 0) continue
      // The first branch is usually the author's typical case. Deep inside, a branch without a reference ends a recursion.
      const first: unknown =
        depth < DEEP ? branches[0] : (branches.find((branch) => isSchema(branch) && !branch.$ref) ?? branches[0])
      join(attempt === 0 ? first : branches[this.#random.int(0, branches.length - 1)])
    }
    return result
  }

  #typeOf(schema: Schema, attempt: number): unknown {
    const types: unknown[] | null = listIn(schema, 'type')
    if (types) return attempt === 0 ? (types.find((one) => one !== 'null') ?? 'null') : types[attempt % types.length]
    if (schema.type !== undefined) return schema.type
    // Without a type, keywords show which type the author meant. A value of any other type is valid too.
    if (attempt % 3 === 2) return TYPES[Math.floor(attempt / 3) % TYPES.length]
    const has = (...keys: string[]) => keys.some((key) => key in schema)
    if (has('properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties')) return 'object'
    if (has('items', 'prefixItems', 'contains', 'minItems')) return 'array'
    return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'string'
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the keywords of an object, one after another, all about one result
  #object(schema: Schema, depth: number, attempt: number): Record<string, unknown> | undefined {
    const wild = attempt > 0
    const result: Record<string, unknown> = {}
    const add = (name: string) => {
      if (Object.hasOwn(result, name)) return true
      const parts = this.#checker.propertySchemas(schema, name)
      const value = this.sample(parts.length === 1 ? parts[0] : { allOf: parts }, name, depth + 1, wild)
      if (value !== undefined)
        Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true })
      return value !== undefined
    }
    const named = Object.keys(isSchema(schema.properties) ? schema.properties : {})
    const required = new Set(listIn(schema, 'required')?.map(String))
    const mostOptional = (numberIn(schema, 'maxProperties') ?? Number.POSITIVE_INFINITY) - required.size
    const wanted = named
      .filter((name) => !required.has(name) && this.#wanted(depth, attempt))
      .slice(0, Math.max(0, mostOptional))
    for (const name of [...wanted, ...required]) {
      const dependents = own(schema.dependentRequired, name)
      if (Array.isArray(dependents)) for (const one of dependents) required.add(String(one))
    }
    // Properties are in the order of the schema, because its author expects that order.
    for (const name of [...named.filter((one) => required.has(one) || wanted.includes(one)), ...required]) {
      if (!add(name) && required.has(name)) return undefined
    }
    const patterns = Object.keys(isSchema(schema.patternProperties) ? schema.patternProperties : {})
    const least = numberIn(schema, 'minProperties') ?? 0
    const size = () => Object.keys(result).length
    if (depth < DEEP && attempt === 0)
      for (const pattern of patterns)
        if (size() < mostOptional + required.size) add(fromPattern(pattern, this.#random, false, 0))
    for (let count = 1; size() < least; count += 1) {
      if (count > least * 4 + 20) return undefined
      const pattern = patterns[count % (patterns.length + 1)]
      const name = isSchema(schema.propertyNames)
        ? this.sample({ allOf: [{ type: 'string' }, schema.propertyNames] }, `extra${count}`, depth + 1, count > 1)
        : pattern === undefined
          ? `extra${count}`
          : this.#patterned(pattern, count, Number.POSITIVE_INFINITY, 2)
      add(
        named.find((one) => !Object.hasOwn(result, one) && count % 2 === 1) ??
          (typeof name === 'string' ? name : `extra${count}`),
      )
    }
    return result
  }

  /** Optional properties: all in the first draw, none in the second, then random ones. */
  #wanted(depth: number, attempt: number): boolean {
    if (attempt > 1) return this.#random.chance(0.5)
    return attempt === 0 && depth < DEEP
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the keywords of an array, one after another, all about one list
  #array(schema: Schema, name: string, depth: number, attempt: number): unknown[] | undefined {
    const prefix = prefixOf(schema)
    const rest = restOf(schema)
    const held = 'contains' in schema ? (numberIn(schema, 'minContains') ?? 1) : 0
    const least = Math.max(numberIn(schema, 'minItems') ?? 0, held)
    const most = numberIn(schema, 'maxItems') ?? Math.max(least, prefix.length + held, 3)
    const pleasant = Math.max(least, prefix.length + held, depth < DEEP && rest !== false ? 2 : 0)
    const wanted = Math.min(most, attempt === 0 ? pleasant : this.#random.int(least, pleasant + 2))
    const places = Array.from({ length: Math.min(wanted, MOST_VALUES) }, (_, at) => at)
    // Items for `contains` are last in the first draw, then anywhere: a prefix may leave no other place.
    if (attempt > 0) places.sort(() => this.#random.next() - 0.5)
    const holding = new Set(held > 0 ? places.slice(-held) : [])
    const items: unknown[] = []
    const seen = new Set<string>()
    // Unique items are found by repeated draws.
    for (let tries = 0; items.length < wanted; tries += 1) {
      if (tries > wanted * 50 + 200) return undefined
      const at = items.length
      const plain = at < prefix.length ? prefix[at] : rest
      const some = (key: string) => ({
        allOf: [plain ?? true, key === 'not' ? { not: schema.contains } : schema.contains],
      })
      const place = holding.has(at) ? some('contains') : 'maxContains' in schema ? some('not') : plain
      const item = this.sample(place, name, depth + 1, attempt > 0 || tries > at)
      if (item === undefined) return at >= least ? items : undefined
      const key = keyOf(item)
      if (schema.uniqueItems === true && seen.has(key)) continue
      seen.add(key)
      items.push(item)
    }
    return items
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the bounds of a number, one after another
  #number(schema: Schema, whole: boolean, attempt: number): number {
    const wild = attempt > 0
    const given = numberIn(schema, 'multipleOf')
    const step = given !== null && given > 0 ? given : whole ? 1 : 0.1
    const gap = whole || given !== null ? step : wild ? 0 : 1e-3
    const above = numberIn(schema, 'exclusiveMinimum') ?? Number.NEGATIVE_INFINITY
    const below = numberIn(schema, 'exclusiveMaximum') ?? Number.POSITIVE_INFINITY
    // A multiple can be at any distance above an excluded bound, not only a whole step. A draw outside the bounds is rejected and repeated.
    const nudge = whole && given === null ? Math.floor(above) + 1 : above + (wild ? 0 : gap)
    const lowest = Math.max(numberIn(schema, 'minimum') ?? Number.NEGATIVE_INFINITY, nudge)
    const highest = Math.min(numberIn(schema, 'maximum') ?? Number.POSITIVE_INFINITY, below - (wild ? 0 : gap))
    const reach = step * (wild ? 10 ** (2 + (attempt % 5)) : 100)
    const low = Number.isFinite(lowest) ? lowest : Number.isFinite(highest) ? highest - reach : wild ? -reach : 1
    const high = Math.min(highest, low + (Number.isFinite(lowest) || !wild ? reach : 2 * reach))
    const first = Math.ceil(low / step - 1e-9)
    const last = Math.floor(high / step + 1e-9)
    const free = given === null && !whole
    // Bounds closer than a step (such as 0.2 to 0.25) have no multiple between them. Without `multipleOf`, any number between them is
    // valid.
    if (free && (last < first || attempt % 4 === 3)) return low + (high - low) * (wild ? this.#random.next() : 0.5)
    if (free && attempt % 4 === 1) return this.#random.chance(0.5) ? low : high
    const value = this.#random.int(first, Math.max(first, last)) * step
    return Number.isInteger(step) ? value : Number(value.toPrecision(12))
  }

  #string(schema: Schema, name: string, attempt: number): string {
    const least = numberIn(schema, 'minLength') ?? 0
    const most = numberIn(schema, 'maxLength') ?? Number.POSITIVE_INFINITY
    if (least > MOST_CHARACTERS) throw tooMuch()
    const pattern = typeof schema.pattern === 'string' ? schema.pattern : null
    if (typeof schema.format === 'string' && (pattern === null || attempt % 2 === 0)) {
      const text = formatSample(schema.format, this.#texts, least, most)
      this.#texts += 1
      if (text !== null) return text
    }
    if (pattern !== null) return this.#patterned(pattern, least, most, attempt)
    if (attempt === 0) {
      const plain = name.replace(/[_-]+/g, ' ').trim() || 'text'
      return Array.from(plain.padEnd(least, '.')).slice(0, most).join('')
    }
    const letter = () => 'abcdefghijklmnopqrstuvwxyz'.charAt(this.#random.int(0, 25))
    return Array.from({ length: this.#random.int(least, Math.min(most, least + 12)) }, letter).join('')
  }

  #patterned(pattern: string, least: number, most: number, attempt: number): string {
    const wild = attempt > 1
    const short = lengthOf(fromPattern(pattern, this.#random, wild, 0))
    const lacking = Math.max(0, least - short)
    const spare = wild ? this.#random.int(0, Math.max(0, Math.min(8, most - short - lacking))) : 0
    const text = fromPattern(pattern, this.#random, wild, lacking + spare)
    // Any text around a match satisfies a pattern without anchors.
    const padding = 'x'.repeat(Math.max(0, least - lengthOf(text)))
    return attempt % 4 === 3 || pattern.endsWith('$') ? padding + text : text + padding
  }
}

/**
 * Merges two schemas into one that is about as strict as both. The later check of each candidate rejects values that the merge wrongly
 * allows.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one block a kind of keyword
function merged(a: Schema, b: Schema): Schema {
  const result: Schema = { ...a, ...b }
  for (const key of ['properties', 'patternProperties']) {
    const [one, two] = [a[key], b[key]]
    if (!isSchema(one) || !isSchema(two)) continue
    const names = [...new Set([...Object.keys(one), ...Object.keys(two)])]
    result[key] = Object.fromEntries(names.map((name) => [name, both(own(one, name), own(two, name))]))
  }
  for (const key of ['items', 'additionalProperties', 'propertyNames', 'contains']) {
    if (!Array.isArray(a[key]) && !Array.isArray(b[key]) && key in result) result[key] = both(a[key], b[key])
  }
  const required = [...(listIn(a, 'required') ?? []), ...(listIn(b, 'required') ?? [])]
  if (required.length > 0) result.required = required
  if (a.type !== undefined && b.type !== undefined) result.type = common([a.type].flat(), [b.type].flat())
  const [one, two] = [listIn(a, 'enum'), listIn(b, 'enum')]
  if (one && two) result.enum = one.filter((value) => two.some((other) => keyOf(other) === keyOf(value)))
  for (const key of ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']) {
    const [low, high] = [numberIn(a, key), numberIn(b, key)]
    if (low !== null && high !== null) result[key] = Math.max(low, high)
  }
  for (const key of ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']) {
    const [low, high] = [numberIn(a, key), numberIn(b, key)]
    if (low !== null && high !== null) result[key] = Math.min(low, high)
  }
  return result
}

const both = (one: unknown, two: unknown): unknown =>
  one === undefined || one === two ? two : two === undefined ? one : { allOf: [one, two] }

const common = (one: unknown[], two: unknown[]): unknown[] =>
  one.flatMap((type) => {
    if (two.includes(type)) return [type]
    if (type === 'number' && two.includes('integer')) return ['integer']
    return type === 'integer' && two.includes('number') ? ['integer'] : []
  })
