import { isFields } from '../../../upstream/json/values.ts'
import type { JsonObject } from '../types.ts'

const innerSchemas = (map: unknown): unknown =>
  isFields(map) ? Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, jsonSchema(schema)])) : map
const schemas = (list: unknown): unknown => (Array.isArray(list) ? list.map(jsonSchema) : list)
/** The JSON of this API has 64-bit integers as texts. */
const count = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
const typeOf = (type: unknown): unknown =>
  typeof type === 'string' ? type.toLowerCase() : Array.isArray(type) ? type.map(typeOf) : type

/** What becomes of the members that are not the same in JSON schema. */
const translations: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['type', typeOf],
  ['items', jsonSchema],
  ['additionalProperties', jsonSchema],
  ['not', jsonSchema],
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((key) => [key, schemas] as const),
  ...['properties', '$defs', 'definitions'].map((key) => [key, innerSchemas] as const),
  ...['Items', 'Length', 'Properties'].flatMap((of) => [[`max${of}`, count] as const, [`min${of}`, count] as const]),
])

/** Members that JSON schema does not have. `nullable` is part of the type there. */
const dropped = new Set(['nullable', 'propertyOrdering'])

/** The name of a member in camel case. The official API accepts both, such as `any_of`. */
const camel = (key: string): string =>
  /^[a-z]+_[a-z_]+$/.test(key) ? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : key

/**
 * A schema of this API as JSON schema: types in lower case, `nullable` as the type `null`, numbers as numbers. All other members mean the same
 * in both. The nesting of the request was checked before.
 */
export function jsonSchema(schema: unknown): unknown {
  if (!isFields(schema)) return schema
  const translated: JsonObject = Object.fromEntries(
    Object.entries(schema).flatMap(([given, value]) => {
      const key = camel(given)
      if (dropped.has(key) || value === 'TYPE_UNSPECIFIED') return []
      // In JSON schema, examples are a list.
      if (key === 'example') return [['examples', [value]]]
      return [[key, translations.get(key)?.(value) ?? value]]
    }),
  )
  return schema.nullable === true ? nullable(translated) : translated
}

function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  }
}
