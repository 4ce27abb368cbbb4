import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatParams } from '../../../../src-preload/contract/chat.ts'
import {
  isOutside,
  numberSpecs,
  readExtra,
  readNumber,
  readStop,
  showStop,
} from '../../../../src-renderer/features/chat/params.ts'
import { formsOf } from '../../../../src-renderer/features/chat/raw.ts'
import { schemaFaults } from '../../../../src-renderer/features/chat/schema.ts'

const spec = (name: (typeof numberSpecs)[number]['name']) => {
  const found = numberSpecs.find((one) => one.name === name)
  if (!found) throw new Error(`No parameter ${name}.`)
  return found
}

describe('a typed parameter', () => {
  it('is a number within its range, absent, or has an error', () => {
    expect(readNumber('', spec('temperature'))).toEqual({ value: undefined })
    expect(readNumber(' 0,7 ', spec('temperature'))).toEqual({ value: 0.7 })
    expect(readNumber('.5', spec('topP'))).toEqual({ value: 0.5 })
    expect(readNumber('9', spec('n'))).toEqual({ fault: 'range' })
    expect(readNumber('-2', spec('presencePenalty'))).toEqual({ value: -2 })
    expect(readNumber('1.5', spec('n'))).toEqual({ fault: 'whole' })
    expect(readNumber('0', spec('maxTokens'))).toEqual({ fault: 'range' })
    for (const odd of ['9'.repeat(400), '1e3', '0x10', 'NaN', 'Infinity', '1 2', '-', '.']) {
      expect(readNumber(odd, spec('maxTokens')), odd).toEqual({ fault: 'number' })
    }
  })

  it('is sent outside of the usual range, because the service documents no limits', () => {
    expect(readNumber('2.1', spec('temperature'))).toEqual({ value: 2.1 })
    expect(readNumber('-3', spec('frequencyPenalty'))).toEqual({ value: -3 })
    const given = { temperature: 2.1, topP: 1.5, presencePenalty: -3, frequencyPenalty: 9 }
    expect(chatParams.parse(given)).toEqual(given)
    expect([isOutside(2.1, spec('temperature')), isOutside(2, spec('temperature'))]).toEqual([true, false])
  })

  it('restores any stop sequence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readStop(showStop(text))).toBe(text)
      }),
    )
    expect(showStop('\n\n')).toBe('\\n\\n')
    expect(readStop('a\\\\n')).toBe('a\\n')
  })

  it('accepts additional members that this program does not set itself', () => {
    expect(readExtra('  ')).toEqual({ value: undefined })
    expect(readExtra('{}')).toEqual({ value: undefined })
    expect(readExtra('{"top_k":40,"provider":{"order":["a"]}}')).toEqual({
      value: { top_k: 40, provider: { order: ['a'] } },
    })
    expect(readExtra('{"top_k":')).toEqual({ fault: { is: 'json' } })
    expect(readExtra('[1]')).toEqual({ fault: { is: 'object' } })
    expect(readExtra('null')).toEqual({ fault: { is: 'object' } })
    expect(readExtra('{"n":2,"top_k":1,"stream":false}')).toEqual({ fault: { is: 'own', names: ['n', 'stream'] } })
    const grammar = { response_format: { type: 'grammar', value: 'a' } }
    expect(readExtra(JSON.stringify(grammar))).toEqual({ value: grammar })
    expect(readExtra(JSON.stringify(grammar), { responseFormat: { type: 'text' } })).toEqual({
      fault: { is: 'own', names: ['response_format'] },
    })
    expect(readExtra('{"constructor":1}')).toEqual({ value: { constructor: 1 } })
  })
})

describe('a typed schema', () => {
  const good = {
    type: 'object',
    properties: { city: { $ref: '#/$defs/city' }, tags: { type: ['array', 'null'], items: { type: 'string' } } },
    required: ['city'],
    additionalProperties: false,
    $defs: { city: { type: 'string', pattern: '^[A-Z]', enum: ['Oslo'] } },
  }

  it('has no fault when it is valid', () => {
    expect(schemaFaults(good)).toEqual([])
    expect(schemaFaults({})).toEqual([])
  })

  it('has its faults listed with their paths', () => {
    const faultOf = (schema: unknown) => schemaFaults(schema).map(({ where, is, word }) => `${where}|${is}|${word}`)
    expect(faultOf([])).toEqual(['|object|'])
    expect(faultOf({ type: 'text' })).toEqual(['|type|text'])
    expect(faultOf({ ...good, required: ['city', 'land'] })).toEqual(['|missing|land'])
    expect(faultOf({ properties: { a: { anyOf: [{ type: 'strin' }] } } })).toEqual(['properties.a.anyOf.0|type|strin'])
    expect(faultOf({ properties: { a: { $ref: '#/$defs/b' } } })).toEqual(['properties.a|reference|#/$defs/b'])
    expect(faultOf({ properties: { a: 3 } })).toEqual(['properties.a|schema|'])
    expect(faultOf({ properties: { a: { pattern: '(' } } })).toEqual(['properties.a|pattern|('])
    expect(faultOf({ oneOf: [] })).toEqual(['|list|oneOf'])
    expect(faultOf({ enum: [] })).toEqual(['|enum|'])
    expect(faultOf({ required: 'city' })).toEqual(['|required|'])
  })

  it('never throws, and lists at most five faults', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(schemaFaults(value).length).toBeLessThanOrEqual(5)
      }),
    )
    let deep: unknown = {}
    for (let level = 0; level < 500; level += 1) deep = { items: deep }
    expect(schemaFaults(deep).map(({ is }) => is)).toEqual(['deep'])
  })
})

describe('a raw body', () => {
  const body = (text: string | null) => ({ text, bytes: 10, capped: false })
  it('is formatted as JSON, split into events for a stream, and otherwise unchanged', () => {
    expect(formsOf(body('{"a":1}'))).toEqual({ raw: '{"a":1}', pretty: '{\n  "a": 1\n}', events: null })
    expect(formsOf(body('data: {"a":1}\r\n\r\ndata: [DONE]\n\n'))).toMatchObject({
      pretty: '{\n  "a": 1\n}\n\n[DONE]',
      events: 1,
    })
    expect(formsOf(body('{"a":'))).toEqual({ raw: '{"a":', pretty: null, events: null })
    expect(formsOf(body(null))).toBeNull()
  })
})
