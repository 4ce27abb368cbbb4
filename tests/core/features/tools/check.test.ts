import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readArguments } from '../../../../src-main/core/features/tools/arguments.ts'
import { depthOf } from '../../../../src-main/core/features/tools/schemaCheck/schema.ts'
import { SchemaCheckClient } from '../../../../src-main/core/features/tools/schemaCheck/workerClient.ts'
import { forkNode } from '../../../../src-main/hosts/node/forkNode.ts'
import { addSchema } from './helpers.ts'

const checker = new SchemaCheckClient({ checkMs: 20_000, fork: forkNode })
/** For validations that never end. */
const hasty = new SchemaCheckClient({ checkMs: 1000, fork: forkNode })
afterAll(async () => {
  await checker.close()
  await hasty.close()
})

const object = (properties: unknown, more: object = {}): string =>
  JSON.stringify({ type: 'object', properties, ...more })

describe('a schema', () => {
  test.each([
    [
      'draft 2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { a: { type: 'string' } },
        properties: { x: { $ref: '#/$defs/a' } },
      },
    ],
    [
      'draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        definitions: { a: { type: 'string' } },
        properties: { x: { $ref: '#/definitions/a' }, y: { items: [{ type: 'number' }] } },
      },
    ],
    [
      'one with an id',
      { $id: 'https://example.com/a.json', type: 'object', $defs: { a: {} }, properties: { x: { $ref: '#/$defs/a' } } },
    ],
    ['one that refers to itself', { type: 'object', properties: { next: { $ref: '#' } } }],
    ['one without properties', { type: 'object' }],
  ])('%s is accepted', async (_, schema) => {
    expect(await checker.schema(JSON.stringify(schema))).toEqual([])
  })

  test.each([
    ['that is no JSON', '{', /not JSON/],
    ['that is no object', '[]', /must be an object/],
    ['of something else than an object', '{"type":"array"}', /"type" must be "object"/],
    ['without a type', '{}', /"type" must be "object"/],
    ['with a type that is none', object({ a: { type: 'strin' } }), /^\/properties\/a\/type must be one of null/],
    ['with properties that are no schemas', object({ a: 7 }), /^\/properties\/a must be a schema/],
    [
      'with a pattern that is none',
      object({ a: { pattern: '(' } }),
      /^\/properties\/a\/pattern is not a regular expression/,
    ],
    ['with required as a word', object({}, { required: 'a' }), /^\/required must be a list of names/],
    ['with a negative length', object({ a: { minLength: -1 } }), /whole number from 0 on/],
    ['that names another document', object({ a: { $ref: 'https://example.com/x.json' } }), /never fetched/],
    ['that leads nowhere', object({ a: { $ref: '#/$defs/gone' } }), /points to nothing/],
    ['that refers to itself alone', object({}, { $ref: '#' }), /refers to itself without end/],
    ['with dynamic references', object({ a: { $dynamicRef: '#x' } }), /not supported/],
    ['that plays with the validator’s notes', object({ a: { __absolute_ref__: 'x' } }), /can’t be used/],
    ['that is nested too deeply', `{"type":"object","not":${'{"not":'.repeat(80)}{}${'}'.repeat(81)}`, /nested deeper/],
    ['that is too long', object({ a: { description: 'x'.repeat(200_000) } }), /longer than/],
  ])('%s is refused with the place of the fault', async (_, schema, words) => {
    const [fault] = await checker.schema(schema)
    expect(fault).toMatch(words)
  })
})

describe('arguments', () => {
  test('that do not match are reported fault by fault, each with its place', async () => {
    expect(await checker.args(addSchema, '{"a":1,"b":2}')).toEqual([])
    expect(await checker.args(addSchema, '{"a":"one","c":true}')).toEqual([
      'The arguments: the property "b" is missing.',
      '/a: it is of the type "string"; expected is "number".',
      '/c: nothing is allowed here.',
    ])
  })

  test('of a draft-07 schema follow its rule that other keywords beside $ref are ignored', async () => {
    const draft = (name: string): string =>
      JSON.stringify({
        $schema: name,
        type: 'object',
        definitions: { s: { type: 'string' } },
        properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
      })
    expect(await checker.args(draft('http://json-schema.org/draft-07/schema#'), '{"a":"long"}')).toEqual([])
    expect(await checker.args(draft('https://json-schema.org/draft/2020-12/schema'), '{"a":"long"}')).toHaveLength(1)
  })

  test('may have the names `__proto__` and `constructor`', async () => {
    expect(await checker.args(addSchema, '{"a":1,"b":2,"__proto__":{"x":1}}')).toEqual([
      '/__proto__: nothing is allowed here.',
    ])
    const schema = '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}'
    expect(await checker.schema(schema)).toEqual([])
    expect(await checker.args(schema, '{"__proto__":"a","constructor":1}')).toEqual([])
    expect(await checker.args(schema, '{"__proto__":1,"constructor":"a"}')).toHaveLength(2)
    const read = readArguments('{"__proto__":{"polluted":true}}')
    expect('args' in read && Object.getPrototypeOf(read.args)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('are invalid if the validation backtracks too long, and other validations continue', {
    tags: 'long',
  }, async () => {
    const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } })
    expect(await checker.schema(schema)).toEqual([])
    let turns = 0
    const beat = setInterval(() => turns++, 10)
    const [fault] = await hasty.args(schema, JSON.stringify({ a: `${'a'.repeat(60)}!` }))
    clearInterval(beat)
    expect(fault).toMatch(/took longer than 1000 ms/)
    expect(turns).toBeGreaterThan(20)
    expect(await hasty.args('{"type":"object"}', '{}')).toEqual([])
  })

  test('are refused for a schema that refers to itself or expands without end', { tags: 'long' }, async () => {
    const circle = object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { $ref: '#/$defs/b' } } })
    expect(await checker.args(circle, '{"a":1}')).toEqual(['The schema refers to itself without end.'])
    const defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let n = 1; n < 40; n++)
      defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] }
    const [fault] = await hasty.args(object({ a: { $ref: '#/$defs/d39' } }, { $defs: defs }), '{"a":"x"}')
    expect(fault).toMatch(/given up/)
  })

  test('with many faults are reported with the first faults and the number of the others', {
    tags: 'long',
  }, async () => {
    const schema = object({ a: { items: { allOf: Array.from({ length: 50 }, () => ({ type: 'string' })) } } })
    const faults = await checker.args(schema, JSON.stringify({ a: Array.from({ length: 500 }, () => 1) }))
    expect(faults).toHaveLength(21)
    expect(faults.at(-1)).toBe('There are 480 more faults.')
    const [huge] = await checker.args(schema, JSON.stringify({ a: Array.from({ length: 45_000 }, () => 1) }))
    expect(huge).toBeTruthy()
  })

  test.each([
    ['too long', JSON.stringify({ a: 'x'.repeat(1_000_001) }), /longer than 1000000/],
    ['nested too deeply', `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, /nested deeper than 100/],
    ['cut off', '{"a": 1', /not JSON/],
    ['a list', '[1]', /must be a JSON object/],
    ['null', 'null', /must be a JSON object/],
  ])('that are %s are refused', (_, text, words) => {
    const read = readArguments(text)
    expect('fault' in read && read.fault).toMatch(words)
  })

  test('may be blank text, which counts as no arguments', () => {
    expect(readArguments(' ')).toEqual({ args: {} })
  })

  test('have the depth of the brackets outside strings', () => {
    const nest = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.string(),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    const deep = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(deep)) : 0
    fc.assert(fc.property(nest, (value) => depthOf(JSON.stringify(value)) === deep(value)))
  })
})
