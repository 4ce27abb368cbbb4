import { ServiceError } from '../errors.ts'
import type { Random } from '../world/seed.ts'

type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const numberIn = (schema: Schema, key: string) => (typeof schema[key] === 'number' ? schema[key] : null)

/** Deep enough for any honest schema; beyond it only what is required is made, so that a schema of itself ends. */
const DEEP = 6
const TOO_DEEP = 40
/** Values and characters that one sample may have: a schema is hostile input and can ask for any amount. */
const MOST_VALUES = 20_000
const MOST_CHARACTERS = 100_000

const tooMuch = () => new ServiceError(400, 'schema_too_large', 'A schema asks for more than a sample can hold.')

/**
 * A value that satisfies a JSON schema (2020-12, the part that tools use): type, enum, const, properties, required, items, prefixItems,
 * minItems, uniqueItems, bounds, multipleOf, lengths, simple patterns, formats, anyOf, oneOf, allOf, $ref within the schema. Throws 400 for one that
 * can't be followed (a pattern or a reference that is none, an array of a billion).
 */
export function sampleOf(schema: unknown, random: Random): unknown {
  try {
    return new Sampler(schema, random).sample(schema, 'value', 0)
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceError(400, 'invalid_schema', `A schema can't be followed: ${detail}`)
  }
}

class Sampler {
  readonly #root: unknown
  readonly #random: Random
  #values = 0

  constructor(root: unknown, random: Random) {
    this.#root = root
    this.#random = random
  }

  sample(given: unknown, name: string, depth: number): unknown {
    this.#values += 1
    if (this.#values > MOST_VALUES) throw tooMuch()
    if (!isSchema(given) || depth > TOO_DEEP) return name
    const schema = this.#resolved(given, depth)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum) && schema.enum.length > 0)
      return schema.enum[this.#random.int(0, schema.enum.length - 1)]
    switch (this.#typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, name, depth)
      case 'integer':
        return this.#number(schema, true)
      case 'number':
        return this.#number(schema, false)
      case 'boolean':
        return this.#random.chance(0.5)
      case 'null':
        return null
      default:
        return this.#string(schema, name)
    }
  }

  /** One flat schema: `$ref` followed, `allOf` merged, one branch of `anyOf` or `oneOf` chosen. */
  #resolved(schema: Schema, depth: number): Schema {
    let result: Schema = schema
    for (let hops = 0; typeof result.$ref === 'string' && hops < 20; hops += 1) {
      const { $ref, ...beside } = result
      const target = this.#pointer(String($ref))
      result = isSchema(target) ? merged(target, beside) : beside
    }
    if (Array.isArray(result.allOf)) {
      const { allOf, ...beside } = result
      const parts: unknown[] = allOf
      result = parts.filter(isSchema).reduce<Schema>((sum, part) => merged(sum, this.#resolved(part, depth)), beside)
    }
    for (const key of ['anyOf', 'oneOf']) {
      const branches = result[key]
      if (!Array.isArray(branches) || branches.length === 0) continue
      const { [key]: _, ...beside } = result
      // The first branch is what the schema's author thought of first; deep down the simplest one ends a recursion.
      const simple =
        depth < DEEP ? branches[0] : (branches.find((branch) => isSchema(branch) && !branch.$ref) ?? branches[0])
      if (isSchema(simple)) result = merged(beside, this.#resolved(simple, depth))
    }
    return result
  }

  #pointer(ref: string): unknown {
    if (!ref.startsWith('#')) return null
    let at: unknown = this.#root
    for (const part of ref.slice(1).split('/').filter(Boolean)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      at = isSchema(at) || Array.isArray(at) ? Object.getOwnPropertyDescriptor(at, key)?.value : null
    }
    return at
  }

  #typeOf(schema: Schema): string {
    const type: unknown = Array.isArray(schema.type)
      ? (schema.type.find((one) => one !== 'null') ?? 'null')
      : schema.type
    if (typeof type === 'string') return type
    if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object'
    if ('items' in schema || 'prefixItems' in schema) return 'array'
    if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number'
    return 'string'
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const properties = isSchema(schema.properties) ? schema.properties : {}
    const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
    const result: Record<string, unknown> = {}
    for (const [name, property] of Object.entries(properties)) {
      if (depth < DEEP || required.has(name)) define(result, name, this.sample(property, name, depth + 1))
    }
    for (const name of required) {
      if (!Object.hasOwn(result, name)) define(result, name, this.sample(schema.additionalProperties, name, depth + 1))
    }
    for (let at = 1; Object.keys(result).length < (numberIn(schema, 'minProperties') ?? 0); at += 1) {
      define(result, `extra${at}`, this.sample(schema.additionalProperties, `extra${at}`, depth + 1))
    }
    return result
  }

  #array(schema: Schema, name: string, depth: number): unknown[] {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
    const least = numberIn(schema, 'minItems') ?? 0
    const most = numberIn(schema, 'maxItems') ?? Math.max(least, 3)
    const wanted = Math.min(most, Math.max(least, first.length, depth < DEEP && schema.items !== false ? 2 : 0))
    const items: unknown[] = []
    const seen = new Set<string>()
    // Unique items are drawn again rather than constructed; a domain too small for `minItems` can't be satisfied anyway.
    for (let tries = 0; items.length < wanted && tries < wanted * 50; tries += 1) {
      const item = this.sample(
        first[items.length] ?? schema.items,
        tries < wanted ? name : `${name} ${tries}`,
        depth + 1,
      )
      const key = JSON.stringify(item)
      if (schema.uniqueItems === true && seen.has(key)) continue
      seen.add(key)
      items.push(item)
    }
    return items
  }

  #number(schema: Schema, whole: boolean): number {
    const step = numberIn(schema, 'multipleOf') ?? (whole ? 1 : 0.1)
    const gap = whole || 'multipleOf' in schema ? step : 1e-3
    const above = numberIn(schema, 'exclusiveMinimum')
    const below = numberIn(schema, 'exclusiveMaximum')
    const wideLow = Math.max(
      numberIn(schema, 'minimum') ?? Number.NEGATIVE_INFINITY,
      above === null ? Number.NEGATIVE_INFINITY : above + gap,
    )
    const wideHigh = Math.min(
      numberIn(schema, 'maximum') ?? Number.POSITIVE_INFINITY,
      below === null ? Number.POSITIVE_INFINITY : below - gap,
    )
    const low = Number.isFinite(wideLow) ? wideLow : Number.isFinite(wideHigh) ? wideHigh - 100 * step : 1
    const high = Math.min(wideHigh, low + 100 * step)
    const firstStep = Math.ceil(low / step - 1e-9)
    const lastStep = Math.floor(high / step + 1e-9)
    // Between bounds closer than a step (0.2 to 0.25, say) lies no multiple; the middle does where none is asked for.
    if (lastStep < firstStep) return 'multipleOf' in schema || whole ? firstStep * step : (low + high) / 2
    return Number((this.#random.int(firstStep, lastStep) * step).toPrecision(12))
  }

  #string(schema: Schema, name: string): string {
    const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
    if (format) return format
    if (typeof schema.pattern === 'string') return fromPattern(schema.pattern, this.#random)
    const least = numberIn(schema, 'minLength') ?? 0
    const most = numberIn(schema, 'maxLength') ?? Number.POSITIVE_INFINITY
    if (least > MOST_CHARACTERS) throw tooMuch()
    const plain = name.replace(/[_-]+/g, ' ').trim() || 'text'
    return Array.from(plain.padEnd(least, '.')).slice(0, most).join('')
  }
}

const FORMATS: Record<string, string> = {
  date: '2026-03-14',
  time: '09:26:53Z',
  'date-time': '2026-03-14T09:26:53Z',
  duration: 'PT45M',
  email: 'keeper@example.org',
  hostname: 'example.org',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  uri: 'https://example.org/harbour',
  url: 'https://example.org/harbour',
  uuid: '6f1c2a9e-4b7d-4c3a-9e21-0d5b8f7a6c14',
}

/** Own data property whatever the name: a schema may name a property `__proto__`. */
const define = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })

function merged(a: Schema, b: Schema): Schema {
  const result: Schema = { ...a, ...b }
  if (isSchema(a.properties) && isSchema(b.properties)) result.properties = { ...a.properties, ...b.properties }
  if (Array.isArray(a.required) && Array.isArray(b.required)) result.required = [...a.required, ...b.required]
  for (const key of ['minimum', 'exclusiveMinimum', 'minLength', 'minItems']) {
    const [one, two] = [numberIn(a, key), numberIn(b, key)]
    if (one !== null && two !== null) result[key] = Math.max(one, two)
  }
  for (const key of ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']) {
    const [one, two] = [numberIn(a, key), numberIn(b, key)]
    if (one !== null && two !== null) result[key] = Math.min(one, two)
  }
  return result
}

const CLASSES: Record<string, string> = { d: '0-9', w: 'A-Za-z0-9_', s: ' ' }

/** Literals, classes, `\d \w \s .`, quantifiers, and the first branch of groups: what tools' patterns are made of. */
function fromPattern(pattern: string, random: Random): string {
  let at = 0
  let made = 0
  const alternatives = (): string => {
    let text = ''
    let taken = true
    while (at < pattern.length && pattern[at] !== ')') {
      if (pattern[at] === '|') {
        at += 1
        taken = false
        continue
      }
      const part = quantified()
      if (taken) text += part
    }
    return text
  }
  const quantified = (): string => {
    const start = at
    let text = atom()
    const match = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(pattern.slice(at))
    if (!match) return text
    const after = at + match[0].length
    const times = match[2] === undefined ? (match[1] === '+' ? 1 : 0) : Math.min(Number(match[2]), 1_000)
    const end = at
    text = ''
    for (let time = 0; time < times; time += 1) {
      at = start
      text += atom()
      made += text.length
      if (made > MOST_CHARACTERS) throw tooMuch()
    }
    at = Math.max(after, end)
    return text
  }
  const characterClass = (): string => {
    const close = pattern.indexOf(']', at + 1)
    const set = pattern.slice(at, close < 0 ? pattern.length : close)
    at = close < 0 ? pattern.length : close + 1
    return fromClass(set, random)
  }
  const group = (): string => {
    if (pattern.startsWith('?:', at)) at += 2
    const text = alternatives()
    at += 1
    return text
  }
  const atom = (): string => {
    const char = pattern[at] ?? ''
    at += 1
    if (char === '^' || char === '$') return ''
    if (char === '.') return 'x'
    if (char === '[') return characterClass()
    if (char === '(') return group()
    if (char !== '\\') return char
    const escaped = pattern[at] ?? ''
    at += 1
    const set = CLASSES[escaped]
    return set === undefined ? escaped : fromClass(set, random)
  }
  return alternatives()
}

function fromClass(written: string, random: Random): string {
  const set = written.replace(/\\([dws])/g, (_, name: string) => CLASSES[name] ?? '').replace(/\\(.)/g, '$1')
  if (set.startsWith('^'))
    return ['x', '0', ' ', '-'].find((char) => !new RegExp(`[${written.slice(1)}]`).test(char)) ?? 'x'
  const ranges = [...set.matchAll(/(.)-(.)|(.)/g)].map(
    ([, from, to, one]) => [from ?? one ?? 'x', to ?? one ?? 'x'] as const,
  )
  const [low, high] = ranges[random.int(0, ranges.length - 1)] ?? ['x', 'x']
  return String.fromCharCode(random.int(low.charCodeAt(0), Math.max(low.charCodeAt(0), high.charCodeAt(0))))
}
