/** An error in a JSON schema. `where` is a path such as `properties.city`, empty for the schema itself. */
export interface ResponseSchemaFault {
  where: string
  is:
    | 'schema'
    | 'object'
    | 'type'
    | 'properties'
    | 'required'
    | 'missing'
    | 'enum'
    | 'pattern'
    | 'reference'
    | 'list'
    | 'deep'
  /** The wrong word, if any. */
  word: string
}

const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const deepest = 60
const maxFaults = 5

type Members = Record<string, unknown>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Errors in a schema for a reply, at most five. Checks only rules that all JSON Schema drafts share. The service checks the rest. */
export function schemaFaults(schema: unknown): ResponseSchemaFault[] {
  if (!isMembers(schema)) return [{ where: '', is: 'object', word: '' }]
  const look = new Look(schema)
  look.at(schema, '', 0)
  return look.faults.slice(0, maxFaults)
}

/** Members that contain schemas by name, one schema, or a list of schemas. */
const holders = ['properties', '$defs', 'definitions', 'patternProperties']
const singles = ['items', 'additionalProperties', 'not', 'contains']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']

class Look {
  readonly faults: ResponseSchemaFault[] = []
  readonly #root: Members

  constructor(root: Members) {
    this.#root = root
  }

  at(schema: unknown, where: string, depth: number): void {
    if (typeof schema === 'boolean' || this.faults.length >= maxFaults) return
    if (!isMembers(schema)) this.#say(where, 'schema')
    else if (depth > deepest) this.#say(where, 'deep')
    else {
      this.#words(schema, where)
      this.#names(schema, where)
      for (const [name, inner] of this.#inside(schema, where))
        this.at(inner, where === '' ? name : `${where}.${name}`, depth + 1)
    }
  }

  #words({ type, pattern, enum: allowed, $ref: reference }: Members, where: string): void {
    const all = Array.isArray(type) ? type : type === undefined ? [] : [type]
    for (const one of all) if (!types.has(String(one))) this.#say(where, 'type', String(one))
    if (typeof pattern === 'string' && !isPattern(pattern)) this.#say(where, 'pattern', pattern)
    if (allowed !== undefined && (!Array.isArray(allowed) || allowed.length === 0)) this.#say(where, 'enum')
    if (typeof reference === 'string' && !leads(reference, this.#root)) this.#say(where, 'reference', reference)
  }

  #names({ properties, required }: Members, where: string): void {
    if (properties !== undefined && !isMembers(properties)) this.#say(where, 'properties')
    if (required === undefined) return
    if (!Array.isArray(required) || required.some((name) => typeof name !== 'string')) this.#say(where, 'required')
    else if (isMembers(properties))
      for (const name of required)
        if (!Object.hasOwn(properties, String(name))) this.#say(where, 'missing', String(name))
  }

  /** The schemas inside one, with the path to each. */
  #inside(schema: Members, where: string): [string, unknown][] {
    const found: [string, unknown][] = []
    for (const holder of holders)
      for (const [name, inner] of Object.entries(isMembers(schema[holder]) ? schema[holder] : {}))
        found.push([`${holder}.${name}`, inner])
    for (const name of singles)
      if (schema[name] !== undefined && !Array.isArray(schema[name])) found.push([name, schema[name]])
    for (const name of lists) {
      const list = schema[name]
      if (list === undefined) continue
      if (!Array.isArray(list) || list.length === 0) this.#say(where, 'list', name)
      else for (const [at, inner] of list.entries()) found.push([`${name}.${at}`, inner])
    }
    return found
  }

  #say(where: string, is: ResponseSchemaFault['is'], word = ''): void {
    this.faults.push({ where, is, word })
  }
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

/** Whether a reference such as `#/$defs/city` points into the schema. */
function leads(reference: string, root: Members): boolean {
  if (reference === '#' || !reference.startsWith('#/')) return true
  let at: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = at[Number(name)]
    else if (isMembers(at) && Object.hasOwn(at, name)) at = at[name]
    else return false
  }
  return at !== undefined
}
