import { type JsonFault, jsonFault } from '../../../shared/ui/jsonFault.ts'

export type SchemaFaultKind =
  | 'rootObject'
  | 'rootType'
  | 'notSchema'
  | 'notObject'
  | 'type'
  | 'required'
  | 'enum'
  | 'list'
  | 'pattern'
  | 'remoteRef'
  | 'lostRef'
  | 'deep'
  | 'requiredUnknown'
  | 'strictOpen'
  | 'strictOptional'

export interface SchemaFault {
  kind: SchemaFaultKind
  /** The path of the fault, for example `properties.city.type`. Empty for the schema itself. */
  path: string
  /** The wrong value, if any. */
  value: string
}

export interface SchemaReading {
  /** The JSON syntax error, if any. The other lists are then empty. */
  json: JsonFault | null
  /** Faults that prevent the use of the schema. */
  faults: SchemaFault[]
  /** Likely mistakes. */
  hints: SchemaFault[]
  /** Additional requirements of services that respect `strict`. */
  strict: SchemaFault[]
}

type Json = null | boolean | number | string | Json[] | JsonObject
interface JsonObject {
  [name: string]: Json
}

const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
/** Keywords that contain schemas: by name, in a list, or one. */
const groups = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const singles = ['items', 'additionalProperties', 'contains', 'propertyNames', 'not', 'if', 'then', 'else']
const deepest = 60
const most = 12

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks a parameters schema while it is typed. The core decides when it is saved. */
export function readSchema(text: string): SchemaReading {
  const json = jsonFault(text)
  const none = { json, faults: [], hints: [], strict: [] }
  if (json) return none
  const root = JSON.parse(text) as Json
  if (!isObject(root)) return { ...none, faults: [{ kind: 'rootObject', path: '', value: '' }] }
  const reader = new Reader(root)
  if (root.type !== 'object') reader.faults.push({ kind: 'rootType', path: '', value: shown(root.type) })
  reader.schema(root, '', 0)
  const { faults, hints, strict } = reader
  return { json: null, faults: faults.slice(0, most), hints: hints.slice(0, most), strict: strict.slice(0, most) }
}

const shown = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value).slice(0, 80))
const under = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`)

function isPattern(pattern: Json): boolean {
  if (typeof pattern !== 'string') return false
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

class Reader {
  readonly faults: SchemaFault[] = []
  readonly hints: SchemaFault[] = []
  readonly strict: SchemaFault[] = []
  readonly #root: JsonObject

  constructor(root: JsonObject) {
    this.#root = root
  }

  schema(value: Json | undefined, path: string, depth: number): void {
    if (typeof value === 'boolean') return
    if (!isObject(value)) this.#fault('notSchema', path, value)
    else if (depth > deepest) this.#fault('deep', path, undefined)
    else {
      this.#type(value, path)
      this.#values(value, path)
      this.#ref(value, path)
      this.#inside(value, path, depth)
      this.#names(value, path)
    }
  }

  #fault(kind: SchemaFaultKind, path: string, value: Json | undefined): void {
    this.faults.push({ kind, path, value: shown(value) })
  }

  #type({ type }: JsonObject, path: string): void {
    if (type === undefined) return
    const all = Array.isArray(type) ? type : [type]
    if (all.length === 0) this.#fault('type', under(path, 'type'), type)
    for (const one of all) {
      if (typeof one !== 'string' || !types.has(one)) this.#fault('type', under(path, 'type'), one)
    }
  }

  #values(value: JsonObject, path: string): void {
    if (value.enum !== undefined && (!Array.isArray(value.enum) || value.enum.length === 0))
      this.#fault('enum', under(path, 'enum'), value.enum)
    if (value.pattern !== undefined && !isPattern(value.pattern))
      this.#fault('pattern', under(path, 'pattern'), value.pattern)
  }

  /** Checks that a reference points into this schema, because nothing is loaded. */
  #ref({ $ref: ref }: JsonObject, path: string): void {
    if (ref === undefined) return
    if (typeof ref !== 'string' || !ref.startsWith('#')) this.#fault('remoteRef', under(path, '$ref'), ref)
    else if (ref.startsWith('#/') && this.#at(ref) === undefined) this.#fault('lostRef', under(path, '$ref'), ref)
  }

  #at(pointer: string): Json | undefined {
    let here: Json | undefined = this.#root
    for (const part of pointer.slice(2).split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(here)) here = here[Number(name)]
      else here = isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined
    }
    return here
  }

  #inside(value: JsonObject, path: string, depth: number): void {
    for (const name of groups) this.#each(value[name], under(path, name), depth, 'notObject')
    for (const name of lists) this.#each(value[name], under(path, name), depth, 'list')
    for (const name of singles) {
      const one = value[name]
      if (name === 'items' && Array.isArray(one)) this.#each(one, under(path, name), depth, 'list')
      else if (one !== undefined) this.schema(one, under(path, name), depth + 1)
    }
  }

  /** Checks several schemas, by name or in a list. */
  #each(many: Json | undefined, path: string, depth: number, fault: 'notObject' | 'list'): void {
    if (many === undefined) return
    const entries: [string | number, Json][] | null =
      fault === 'list'
        ? Array.isArray(many) && many.length > 0
          ? [...many.entries()]
          : null
        : isObject(many)
          ? Object.entries(many)
          : null
    if (entries === null) this.#fault(fault, path, many)
    else for (const [key, one] of entries) this.schema(one, under(path, key), depth + 1)
  }

  /** Checks `required` against `properties`. */
  #names(value: JsonObject, path: string): void {
    const { required, properties } = value
    const named = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : []
    if (required !== undefined && (!Array.isArray(required) || named.length !== required.length))
      this.#fault('required', under(path, 'required'), required)
    const known = isObject(properties) ? Object.keys(properties) : []
    for (const name of named)
      if (!known.includes(name))
        this.hints.push({ kind: 'requiredUnknown', path: under(path, 'required'), value: name })
    if (!isObject(properties) && value.type !== 'object') return
    if (value.additionalProperties !== false) this.strict.push({ kind: 'strictOpen', path, value: '' })
    for (const name of known) if (!named.includes(name)) this.strict.push({ kind: 'strictOptional', path, value: name })
  }
}

/** The tool as sent in a request (specification, Tool). Null while the schema is not JSON. */
export function toolAsSent(tool: {
  name: string
  description: string
  schema: string
  strict: boolean
}): string | null {
  if (jsonFault(tool.schema)) return null
  const parameters: unknown = JSON.parse(tool.schema)
  return JSON.stringify(
    {
      type: 'function',
      function: {
        name: tool.name,
        ...(tool.description === '' ? {} : { description: tool.description }),
        parameters,
        ...(tool.strict ? { strict: true } : {}),
      },
    },
    null,
    2,
  )
}

const example = (properties: JsonObject, required: string[]): string =>
  JSON.stringify({ type: 'object', properties, required, additionalProperties: false }, null, 2)

/** Example schemas. The keys are their text keys. */
export const examples = {
  none: example({}, []),
  text: example({ city: { type: 'string', description: 'Name of the city, such as Lisbon' } }, ['city']),
  choice: example(
    {
      city: { type: 'string', description: 'Name of the city' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'Unit of the temperatures' },
      days: { type: 'integer', minimum: 1, maximum: 7, description: 'How many days ahead' },
    },
    ['city', 'unit', 'days'],
  ),
  list: example(
    {
      items: {
        type: 'array',
        description: 'What to order',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
          required: ['name', 'amount'],
          additionalProperties: false,
        },
      },
    },
    ['items'],
  ),
} as const
export type Example = keyof typeof examples
