import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sampleOf } from '../../src-main/sandbox/chat/schemaSample.ts'
import { ServiceError } from '../../src-main/sandbox/errors.ts'
import { seededRandom } from '../../src-main/sandbox/world/seed.ts'
import { tries } from '../helpers/effort.ts'
import { chat, json, start } from './ask.ts'

type Schema = Record<string, unknown>

/**
 * Judges with zod, which shares no code with the sampler. zod does not support `not`, which is therefore checked separately, and requires
 * only properties with a schema.
 */
const fits = (schema: Schema, value: unknown) => z.fromJSONSchema(schema).safeParse(value).success

const date = { type: 'string', format: 'date' }
const HARD: [string, Schema, Schema?][] = [
  ['unique dates', { type: 'array', items: date, minItems: 2, uniqueItems: true }],
  ['forty unique dates', { type: 'array', items: date, minItems: 40, uniqueItems: true }],
  ['all values of an enum', { type: 'array', items: { enum: [1, 2, 3, 'a'] }, minItems: 4, uniqueItems: true }],
  ['200 unique numbers', { type: 'array', items: { type: 'integer' }, minItems: 200, uniqueItems: true }],
  ['a pattern of a length', { type: 'string', pattern: '^[a-z]+$', minLength: 12, maxLength: 12 }],
  ['a long pattern', { type: 'string', pattern: '^[a-z]+$', minLength: 500, maxLength: 500 }],
  ['two quantifiers', { type: 'string', pattern: '^[A-Z]{2,4}-\\d{1,9}$', minLength: 13, maxLength: 14 }],
  ['a later branch', { type: 'string', pattern: '^(a|longer)$', minLength: 3 }],
  ['a part of a text', { type: 'string', pattern: 'abc', minLength: 10 }],
  ['no digit', { type: 'string', pattern: '^\\D\\W\\S$' }],
  ['a lookahead', { type: 'string', pattern: '^(?=.*\\d)[a-z\\d]{4}$' }],
  ['a long mail address', { type: 'string', format: 'email', minLength: 40, maxLength: 41 }],
  ['a short mail address', { type: 'string', format: 'email', maxLength: 8 }],
  ['a short link', { type: 'string', format: 'uri', maxLength: 14 }],
  ['a long host', { type: 'string', format: 'hostname', minLength: 130, maxLength: 130 }],
  ['a mail address of a pattern', { type: 'string', format: 'email', pattern: '^[a-z]+@ours\\.org$' }],
  ['a long instant', { type: 'string', format: 'date-time', minLength: 24 }],
  ['a short prefix', { type: 'array', prefixItems: [date, { type: 'integer' }, { type: 'null' }], maxItems: 2 }],
  ['nothing after the prefix', { type: 'array', prefixItems: [date], items: false, minItems: 1 }],
  ['contains', { type: 'array', items: { type: 'integer' }, contains: { type: 'integer', minimum: 900 } }],
  [
    'contains so many',
    { type: 'array', items: { type: 'integer' }, contains: { const: 7 }, minContains: 2, maxContains: 2, minItems: 4 },
  ],
  [
    'contains behind a prefix',
    { type: 'array', prefixItems: [{ type: 'string' }], contains: { type: 'boolean' }, maxItems: 2 },
  ],
  ['both branches', { oneOf: [{ type: 'integer', multipleOf: 3 }, { type: 'integer' }] }],
  [
    'overlapping branches',
    {
      oneOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
  ],
  ['an impossible first branch', { anyOf: [{ type: 'string', minLength: 3, maxLength: 2 }, { type: 'null' }] }],
  [
    'a property of a pattern',
    {
      type: 'object',
      properties: { x_a: { type: 'integer' } },
      patternProperties: { '^x_': { type: 'integer', minimum: 50 } },
      additionalProperties: false,
      minProperties: 4,
    },
  ],
  [
    'names of a pattern',
    {
      type: 'object',
      propertyNames: { pattern: '^[a-z]{3}$' },
      additionalProperties: { type: 'null' },
      minProperties: 3,
    },
  ],
  ['few properties', { type: 'object', properties: { a: date, b: date, c: date }, required: ['c'], maxProperties: 2 }],
  ['a narrow number', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.0005 }],
  ['a step above a bound', { type: 'integer', exclusiveMinimum: 5, maximum: 10, multipleOf: 10 }],
  [
    'parts of one property',
    {
      allOf: [
        { type: 'string', minLength: 4 },
        { type: 'string', pattern: '^a+$' },
      ],
    },
  ],
  ['not the first value', { type: 'string', enum: ['a', 'b', 'c'] }, { enum: ['a', 'b'] }],
  ['not the other type', { type: ['string', 'null'] }, { type: 'string' }],
  ['not small', { type: 'integer' }, { type: 'integer', maximum: 100_000 }],
  [
    'not with this property',
    { type: 'object', properties: { a: date, b: date } },
    { type: 'object', properties: { a: date }, required: ['a'] },
  ],
]

test.each(HARD)('finds a value for %s', (_name, schema, not) => {
  for (let seed = 0; seed < 20; seed += 1) {
    const value = sampleOf(not ? { ...schema, not } : schema, seededRandom(String(seed)))
    expect(fits(schema, value), JSON.stringify(value)).toBe(true)
    if (not) expect(fits(not, value), JSON.stringify(value)).toBe(false)
  }
})

const small = fc.integer({ min: 0, max: 12 })
const some = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model, { requiredKeys: [] })
const typed = (type: string, model: Record<string, fc.Arbitrary<unknown>>) =>
  some(model).map((keywords): Schema => {
    // zod ignores these keywords on their own: the bounds of an array without items, a required name without a schema.
    if (type === 'array') return { type, items: true, ...keywords }
    const { required, ...others } = keywords
    if (!Array.isArray(required)) return { type, ...others }
    const properties = Object.fromEntries(required.map((key) => [String(key), true]))
    return { type, ...others, properties: { ...properties, ...Object(others.properties) }, required }
  })
const FORMATS = ['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid']
const PATTERNS = ['^[a-z]+$', '^(on|off|[0-9]{4,})$', 'x', '^\\w{2,5}(-\\d+)*$', '^[^a-z]*$', '\\d', '^a?b*c{2}$']
const text = typed('string', { pattern: fc.constantFrom('^[a-z]+$', 'x', '^\\w+$'), minLength: small })
const leaf = fc.oneof(
  text,
  typed('string', { minLength: small, maxLength: fc.integer({ min: 0, max: 30 }) }),
  typed('string', {
    pattern: fc.constantFrom(...PATTERNS),
    minLength: small,
    maxLength: fc.integer({ min: 6, max: 30 }),
  }),
  typed('string', {
    format: fc.constantFrom(...FORMATS),
    minLength: small,
    maxLength: fc.integer({ min: 9, max: 60 }),
  }),
  typed('integer', { minimum: fc.integer({ min: -99, max: 99 }), exclusiveMaximum: fc.integer({ min: 80, max: 999 }) }),
  typed('number', { exclusiveMinimum: fc.integer({ min: -9, max: 9 }), multipleOf: fc.constantFrom(0.1, 0.25, 3) }),
  fc.constantFrom<Schema>(
    { type: 'boolean' },
    { type: 'null' },
    { type: ['integer', 'null'] },
    { enum: ['a', 1, null] },
  ),
)
const name = fc.constantFrom('a', 'b', 'x_1', 'x_2')
const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => {
  const schema = tie('schema')
  const few = fc.array(schema, { minLength: 1, maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      typed('array', {
        items: schema,
        prefixItems: few,
        minItems: fc.integer({ min: 0, max: 4 }),
        maxItems: fc.integer({ min: 2, max: 6 }),
        uniqueItems: fc.boolean(),
      }),
      typed('array', { items: leaf, contains: leaf, minContains: fc.integer({ min: 0, max: 2 }), maxItems: small }),
      typed('object', {
        properties: fc.dictionary(name, schema, { noNullPrototype: true }),
        patternProperties: leaf.map((part) => ({ '^x_': part })),
        required: fc.uniqueArray(name),
        additionalProperties: fc.oneof(fc.boolean(), leaf),
        minProperties: fc.integer({ min: 0, max: 5 }),
        maxProperties: fc.integer({ min: 3, max: 6 }),
      }),
      few.map((oneOf): Schema => ({ oneOf })),
      few.map((anyOf): Schema => ({ anyOf })),
      fc.tuple(text, text).map((allOf): Schema => ({ allOf })),
    ),
  }
})

test('a sample satisfies any schema, and is found in most cases', { tags: 'long' }, () => {
  let found = 0
  let refused = 0
  fc.assert(
    fc.property(anySchema, fc.option(leaf, { nil: undefined }), fc.string(), (schema, not, seed) => {
      let value: unknown
      try {
        value = sampleOf(not ? { allOf: [schema], not } : schema, seededRandom(seed))
      } catch (cause) {
        expect(cause).toBeInstanceOf(ServiceError)
        refused += 1
        return
      }
      found += 1
      expect(fits(schema, value), JSON.stringify(value)).toBe(true)
      if (not) expect(fits(not, value), JSON.stringify(value)).toBe(false)
    }),
    { numRuns: tries(100, 1000) },
  )
  // Some random schemas cannot be satisfied: `contains` a string among numbers, or a `not` that excludes everything.
  expect(found / (found + refused)).toBeGreaterThan(0.5)
})

test.each([
  ['two types at once', { allOf: [{ type: 'string' }, { type: 'integer' }] }, 'unsatisfied_schema'],
  ['more unique items than values', { type: 'array', items: { type: 'boolean' }, minItems: 3, uniqueItems: true }, ''],
  ['a date of two characters', { type: 'string', format: 'date', maxLength: 2 }, 'unsatisfied_schema'],
  ['not anything', { not: {} }, 'unsatisfied_schema'],
  ['a reference to nothing', { $ref: '#/$defs/none' }, 'invalid_schema'],
  ['a schema of itself', { allOf: [{ $ref: '#/properties/it' }] }, 'invalid_schema'],
  ['a keyword that is not followed', { type: 'object', unevaluatedProperties: false }, 'invalid_schema'],
  ['a pattern without end', { type: 'string', pattern: '^(a+)+$(?<!a{30})', minLength: 40 }, 'schema_too_large'],
])('a tool that requires %s is refused by name, not called', async (_what, it, code) => {
  const sandbox = await start()
  const parameters = { type: 'object', properties: { it }, required: ['it'] }
  const tools = [{ type: 'function', function: { name: 'moor_ship', parameters } }]
  const reply = await chat(sandbox, { model: 'tool-caller', tools })
  expect(reply.status).toBe(400)
  const { error } = await json(reply)
  expect(error.message).toContain('"moor_ship"')
  expect(error.code).toContain(code)
})
