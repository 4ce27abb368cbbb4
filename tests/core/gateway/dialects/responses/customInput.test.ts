import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CustomInputDecoder } from '../../../../../src-main/core/gateway/dialects/responses/customInput.ts'

/** The text of whole arguments. */
function customInputOf(args: string): string {
  const decoder = new CustomInputDecoder()
  return decoder.push(args) + decoder.end()
}

describe('the arguments of a custom tool’s function', () => {
  it.each([
    ['the wrapped text', '{"input":"a\\nb\\u00e9\\/"}', 'a\nbé/'],
    ['spaces around it', ' { "input" : "a" } ', 'a'],
    ['further members', '{"input":"a","more":{"x":"y"}}', 'a'],
    ['the text after other members', '{"why":1,"input":"a"}', 'a'],
    ['another single string', '{"patch":"a"}', 'a'],
    ['a JSON string', '"a\\n"', 'a\n'],
    ['raw text', '*** Begin Patch\n', '*** Begin Patch\n'],
    ['raw text with spaces before', '  x ', '  x '],
    ['raw text in quotes', '"a" and b', '"a" and b'],
    ['code that looks like JSON', '{ return 1 }', '{ return 1 }'],
    ['a value that is no text', '{"input":{"a":1}}', '{"input":{"a":1}}'],
    ['several strings', '{"a":"1","b":"2"}', '{"a":"1","b":"2"}'],
    ['invalid escapes', '{"input":"\\d+\\u12"}', '\\d+\\u12'],
    ['raw line ends', '{"input":"a\nb"}', 'a\nb'],
    ['a cut text', '{"input":"ab', 'ab'],
    ['a cut escape', '{"input":"ab\\', 'ab\\'],
    ['a cut character', '{"input":"ab\\u00', 'ab\\u00'],
    ['nothing', '', ''],
    ['an empty object', '{}', ''],
    ['a cut start', '{"inp', '{"inp'],
    ['an own __proto__', '{"__proto__":"a"}', 'a'],
  ])('give %s', (_, args, input) => {
    expect(customInputOf(args)).toBe(input)
  })

  it('give any text that is wrapped correctly', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (input) => customInputOf(JSON.stringify({ input })) === input))
  })

  it('give the same text wherever they are split', () => {
    const args = fc.oneof(
      fc.string({ unit: 'binary' }).map((input) => JSON.stringify({ input })),
      fc.string({ unit: fc.constantFrom(...Array.from('{}"\\:,inputu0dé \n')) }),
      fc.string({ unit: fc.constantFrom(...Array.from('"\\u0dn')) }).map((text) => `{"input":"${text}`),
      fc.json(),
    )
    fc.assert(
      fc.property(args, fc.array(fc.nat(60)), (text, cuts) => {
        const decoder = new CustomInputDecoder()
        const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const parts = ends.map((end, at) => decoder.push(text.slice(at === 0 ? 0 : ends[at - 1], end)))
        expect(parts.join('') + decoder.end()).toBe(customInputOf(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('take linear time in many pieces', () => {
    const decoder = new CustomInputDecoder()
    let length = 0
    for (const part of ['{"input":"', ...Array.from({ length: 200_000 }, () => 'abc'), '"}'])
      length += decoder.push(part).length
    expect(length).toBe(600_000)
  })
})
