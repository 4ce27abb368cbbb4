import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TopLevel } from '../../../../src-main/core/upstream/reply/topLevel.ts'
import { piecesOf } from './helpers/streams.ts'

function find(text: string, cuts: readonly number[]): unknown[] {
  const reader = new TopLevel(['usage', 'model'])
  for (const piece of piecesOf(Buffer.from(text), cuts)) reader.push(piece)
  return [reader.value('usage'), reader.value('model')]
}

test.each<[string, unknown[]]>([
  ['{"a":"\\"","usage":{"n":[1,{"usage":2}]},"model":"m"}', [{ n: [1, { usage: 2 }] }, 'm']],
  ['{"a":"\\\\","model":"\\u00e9 \\" }","usage":null}', [null, 'é " }']],
  ['{"a":"\\\\\\"","x":["usage",{"model":"no"}],"m\\u006fdel" :\r\n"m" }', [undefined, 'm']],
  ['{"model":"a","model":"b","usage":1}', [1, 'b']],
  ['{"model":{"usage":3},"other":"usage"}', [undefined, { usage: 3 }]],
  ['{"usage":{"n":1', [undefined, undefined]],
  ['[{"usage":1}]', [undefined, undefined]],
  ['{"a":1}{"usage":1}', [undefined, undefined]],
  ['{}', [undefined, undefined]],
  ['', [undefined, undefined]],
])('%s: only the values of top-level keys are found, at every split', (text, expected) => {
  const size = Buffer.byteLength(text)
  for (let at = 0; at <= size; at++) expect(find(text, [at]), `split at ${at}`).toEqual(expected)
  expect(
    find(
      text,
      Array.from({ length: size }, (_, at) => at),
    ),
  ).toEqual(expected)
})

test('the values of any object equal those of JSON.parse, at any split', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const some = fc.record({ usage: value, model: value }, { requiredKeys: [] })
  const object = fc.tuple(fc.dictionary(fc.string(), value, { maxKeys: 4 }), some)
  fc.assert(
    fc.property(
      object,
      fc.array(fc.nat(2000), { maxLength: 20 }),
      fc.constantFrom(undefined, 1),
      ([rest, named], cuts, space) => {
        const text = JSON.stringify({ ...rest, ...named }, null, space)
        const { usage, model } = JSON.parse(text) as { usage?: unknown; model?: unknown }
        expect(find(text, cuts)).toEqual([usage, model])
      },
    ),
    { numRuns: 200 },
  )
})

test('endless values and keys are not retained', () => {
  const long = 'x'.repeat(200_000)
  expect(find(`{"usage":"${long}","model":"m"}`, [100, 70_000])).toEqual([undefined, 'm'])
  expect(find(`{"${long}":1,"model":"m"}`, [100, 70_000])).toEqual([undefined, 'm'])
})
