import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { contract } from '../../../src-preload/contract/contract.ts'

/** Longest base64 text that a procedure may carry. Files and audio travel over HTTP (contract/transfers.ts). */
const maxBase64 = 64_000

/** What these tests read of a procedure. Its schemas are zod's. */
interface Procedure {
  '~orpc': { inputSchema?: z.ZodType; outputSchema?: z.ZodType }
}
const isProcedure = (item: object): item is Procedure => '~orpc' in item

function procedures(router: object, path = ''): [string, Procedure][] {
  return Object.entries(router).flatMap(([name, item]): [string, Procedure][] =>
    isProcedure(item) ? [[path + name, item]] : procedures(item, `${path}${name}.`),
  )
}

/** A value that JSON cannot have, such as Uint8Array, Blob or File, makes this throw. */
function jsonSchema(schema: z.ZodType | undefined, io: 'input' | 'output'): object {
  if (!schema) return {}
  const { yields = schema } = getEventIteratorSchemaDetails(schema) ?? {}
  return z.toJSONSchema(yields as z.ZodType, { io, reused: 'inline' })
}

/** Longest base64 text of each member, in characters. Infinity without a limit. */
function base64Fields(node: unknown, path: string): [string, number][] {
  if (typeof node !== 'object' || node === null) return []
  const { contentEncoding, format, maxLength } = node as Record<string, unknown>
  const isBase64 = contentEncoding === 'base64' || format === 'base64'
  const own: [string, number][] = isBase64 ? [[path, typeof maxLength === 'number' ? maxLength : Infinity]] : []
  return [...own, ...Object.entries(node).flatMap(([name, child]) => base64Fields(child, `${path}.${name}`))]
}

const fields = procedures(contract).flatMap(
  ([
    name,
    {
      '~orpc': { inputSchema, outputSchema },
    },
  ]) => [
    ...base64Fields(jsonSchema(inputSchema, 'input'), `${name} input`),
    ...base64Fields(jsonSchema(outputSchema, 'output'), `${name} output`),
  ],
)

it('no procedure carries a file: base64 fields have a limit of at most 64 kB', () => {
  expect(procedures(contract).length).toBeGreaterThan(150)
  expect(fields.filter(([, most]) => most > maxBase64)).toEqual([])
})

it('the check sees base64 fields, also in events and unions', () => {
  expect(fields.some(([path]) => path.startsWith('media.savePeaks input'))).toBe(true)
  const union = z.discriminatedUnion('type', [z.object({ type: z.literal('a'), data: z.base64() })])
  expect(base64Fields(jsonSchema(union, 'output'), 'x').map(([, most]) => most)).toEqual([Infinity])
  expect(() => jsonSchema(z.object({ data: z.instanceof(Uint8Array) }), 'output')).toThrow()
})
